"""Small data, voters of every kind, and quick classifiers of them."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.solvers import LBFGS
from stocmv.voters import Classifiers, Stumps, VoterSet, VoterSource


@cache
def sample(n_classes, noise):
    settings = {"n_informative": 3, "n_redundant": 0, "n_clusters_per_class": 1, "class_sep": 1.5, "random_state": 3}
    return make_classification(600, 4, n_classes=n_classes, flip_y=noise, **settings)


def data(n_classes=2, n=120, noise=0.05, start=0):
    """Examples with four features, about as many of each class, and some labels that are wrong."""
    X, y = sample(n_classes, noise)
    return X[start : start + n], y[start : start + n]


def quick(voters=None, **settings):
    """A classifier that is fitted in a moment: a forest of five trees, and a few iterations."""
    voters = RandomForestClassifier(5) if voters is None else voters
    return MajorityVoteClassifier(voters, **{"solver": LBFGS(max_iter=5), "random_state": 0} | settings)


@cache
def fitted(n_classes=2, **settings):
    """Fitted on noisy examples with a flat prior, so that the folds differ and the stochastic vote is random."""
    X, y = data(n_classes, noise=0.3)
    return quick(**{"prior": 1.0, "stochastic": True} | settings).fit(X, y)


def of_kind(kind, **settings):
    """Voters of one kind, whose stochastic vote is certified too."""
    return quick(VOTERS[kind](2), stochastic=True, **settings)


@cache
def plain(kind):
    """The same, fitted on plain arrays."""
    return of_kind(kind).fit(*data())


def class_scores(codes, weights, n_classes):
    """Summed weight of the voters that say each class, (n, n_classes)."""
    return (codes[:, :, None] == np.arange(n_classes)).swapaxes(1, 2) @ weights


def fold_answers(clf, X):
    """Code of the mean vote of each fold, (n_folds, n)."""
    k = len(clf.classes_)
    judged = zip(clf.voters_, clf.posterior_, strict=True)
    return np.stack([class_scores(voters.codes(X), posterior.mean, k).argmax(1) for voters, posterior in judged])


class Thresholds(VoterSet):
    def __init__(self, values):
        self.values = values
        self.n_voters = len(values)

    def codes(self, X):
        return (X[:, 0][:, None] > self.values).astype(int)


class Rules(VoterSource):
    """Rules that were written down before: nothing is learned."""

    learns = False

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Thresholds(np.linspace(-1, 1, 5))


class RandomLayer(VoterSet):
    def __init__(self, layers, outputs):
        self.layers, self.outputs = layers, outputs
        self.n_voters = len(layers)

    def codes(self, X):
        return np.stack(
            [(np.tanh(X @ a) @ b).argmax(1) for a, b in zip(self.layers, self.outputs, strict=True)], axis=1
        )


class RandomNetworks(VoterSource):
    """Networks with a random hidden layer and a fitted linear output."""

    exchangeable = True

    def fit(self, X, codes, classes, seed, n_jobs=None):
        rng = np.random.default_rng(seed)
        layers = rng.normal(size=(7, X.shape[1], 10))
        targets = np.eye(len(classes))[codes]
        return RandomLayer(layers, [np.linalg.lstsq(np.tanh(X @ a), targets, rcond=None)[0] for a in layers])


class Shared(list):
    """A list that all clones of an estimator share."""

    def __deepcopy__(self, memo):
        return self


class Spy(VoterSource):
    """Remembers who was trained on which examples and asked about which: their numbers are their first feature.

    The label of an example is its number modulo 3, modulo 2; one of the voters knows that.
    """

    def __init__(self, made, learns=True, uses_labels=True, exchangeable=False):
        self.made, self.learns, self.uses_labels, self.exchangeable = made, learns, uses_labels, exchangeable

    def fit(self, X, codes, classes, seed, n_jobs=None):
        np.testing.assert_array_equal(classes[codes], np.array(["a", "b"])[X[:, 0].astype(int) % 3 % 2])
        self.made.append(SpyVoters(X))
        return self.made[-1]


def spy(**settings):
    return Spy(Shared(), **settings)


class SpyVoters(VoterSet):
    n_voters = 2

    def __init__(self, X):
        self.trained, self.asked = numbers(X), []

    def codes(self, X):
        again = len(X) == 1 and self.asked and numbers(X) <= self.asked[-1]  # an example that is also asked alone
        self.asked += [] if again else [numbers(X)]
        return np.column_stack([X[:, 0] % 2, X[:, 0] % 3 % 2]).astype(int)


def numbers(X):
    return set(X[:, 0].astype(int).tolist())


def numbered(n):
    """Examples for a spy, and their labels."""
    return np.arange(float(n))[:, None], np.array(["a", "b"])[np.arange(n) % 3 % 2]


def frozen_forest(n_classes=2):
    """A forest that was fitted on other examples."""
    return RandomForestClassifier(5, random_state=0).fit(*data(n_classes, start=400))


# everything that ``voters`` may be, made anew at every call
VOTERS = {
    "forest": lambda k: RandomForestClassifier(5),
    "extra_trees": lambda k: ExtraTreesClassifier(5),
    "bagging": lambda k: BaggingClassifier(n_estimators=5, max_features=0.5),
    "adaboost": lambda k: AdaBoostClassifier(n_estimators=5),
    "voting": lambda k: VotingClassifier([("tree", DecisionTreeClassifier(random_state=0)), ("bayes", GaussianNB())]),
    "list": lambda k: [DecisionTreeClassifier(), GaussianNB()],
    "pairs": lambda k: [("tree", DecisionTreeClassifier()), ("bayes", GaussianNB())],
    "classifier": lambda k: GaussianNB(),
    "repeated": lambda k: Classifiers([DecisionTreeClassifier(max_features=1)], n_repeats=4),
    "stumps": lambda k: "stumps",
    "stumps_training": lambda k: Stumps(5, ranges="training"),
    "stumps_known": lambda k: Stumps(5, ranges=[[-3] * 4, [3] * 4]),
    "frozen_forest": lambda k: FrozenEstimator(frozen_forest(k)),
    "frozen_list": lambda k: [FrozenEstimator(GaussianNB().fit(*data(k, start=300))), frozen_forest(k)],
    "frozen_pair": lambda k: [
        FrozenEstimator(GaussianNB().fit(*data(k, start=300))),
        FrozenEstimator(frozen_forest(k)),
    ],
    "networks": lambda k: RandomNetworks(),
}
KINDS_AND_CLASSES = [(kind, 2 + i % 2) for i, kind in enumerate(VOTERS)]  # two or three classes, in turn
LEARNING = tuple(name for name in VOTERS if not name.startswith(("frozen", "stumps_")))


def broken(name, reason, names=VOTERS):
    """The names, one of them expected to fail until a fault is corrected."""
    mark = pytest.mark.xfail(reason=reason)
    return [pytest.param(n, marks=mark) if n == name else n for n in names]
