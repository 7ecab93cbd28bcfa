"""The members of an ensemble answer what they answer on their own."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from stocmv.voters import Classifiers, Ensemble, out_of_bag_answers, train_voters

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(90, 5)), RNG.normal(size=(40, 5))
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3)
CLASSES = np.array(["a", "b", "c"])

TREE = DecisionTreeClassifier(random_state=0)
ENSEMBLES = {
    "forest": RandomForestClassifier(6),
    "deep_forest": RandomForestClassifier(3, max_depth=None, class_weight="balanced"),
    "entropy": RandomForestClassifier(4, criterion="entropy", max_leaf_nodes=5),
    "no_bootstrap": RandomForestClassifier(4, bootstrap=False, max_samples=None),
    "extra_trees": ExtraTreesClassifier(6),
    "bagging": BaggingClassifier(n_estimators=6),
    "features": BaggingClassifier(n_estimators=6, max_features=0.4, max_samples=0.5),
    "bootstrap_features": BaggingClassifier(GaussianNB(), n_estimators=6, bootstrap_features=True),
    "adaboost": AdaBoostClassifier(n_estimators=6),
    "adaboost_trees": AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=4),
    "voting": VotingClassifier([("tree", TREE), ("bayes", GaussianNB()), ("line", LogisticRegression())]),
    "soft_voting": VotingClassifier([("tree", TREE), ("bayes", GaussianNB())], voting="soft"),
}
every_ensemble = pytest.mark.parametrize("name", ENSEMBLES)


def members_answers(ensemble, X, present):
    """What each member predicts, through its own ``predict`` and its own features."""
    features = getattr(ensemble, "estimators_features_", [slice(None)] * len(ensemble.estimators_))
    answers = [m.predict(X[:, f]) for m, f in zip(ensemble.estimators_, features, strict=True)]
    if isinstance(ensemble, AdaBoostClassifier):  # its members answer labels, all others' positions
        answers = [np.searchsorted(ensemble.classes_, answer) for answer in answers]
    answers = [answer.astype(int) for answer in answers]
    return np.asarray(present)[np.column_stack(answers)]


def of_two(source):
    """Voters trained where the class in the middle is missing, with the examples they were trained on."""
    rows = CODES != 1
    return train_voters(source, X[rows], CODES[rows], CLASSES, seed=1), X[rows], CODES[rows]


@every_ensemble
class TestVotes:
    def test_are_those_of_the_members(self, name):
        voters = Ensemble(ENSEMBLES[name]).fit(X, CODES, CLASSES, seed=1)
        theirs = members_answers(voters.ensemble, NEW, [0, 1, 2])
        assert voters.n_voters == theirs.shape[1]
        np.testing.assert_array_equal(voters.codes(NEW), theirs)

    def test_of_a_missing_class_are_never_given(self, name):
        voters, X_seen, codes = of_two(Ensemble(ENSEMBLES[name]))
        votes = voters.codes(NEW)
        np.testing.assert_array_equal(votes, members_answers(voters.voters.ensemble, NEW, [0, 2]))
        assert set(np.unique(votes)) == {0, 2}
        assert np.mean(voters.codes(X_seen) == codes[:, None]) > 0.7

    def test_do_not_depend_on_the_company(self, name):
        voters = Ensemble(ENSEMBLES[name]).fit(X, CODES, CLASSES, seed=1)
        np.testing.assert_array_equal(np.vstack([voters.codes(row[None]) for row in NEW[:5]]), voters.codes(NEW)[:5])

    def test_do_not_depend_on_the_jobs(self, name):
        one, two = (Ensemble(ENSEMBLES[name]).fit(X, CODES, CLASSES, 1, n_jobs) for n_jobs in (None, 2))
        np.testing.assert_array_equal(one.codes(NEW), two.codes(NEW))

    def test_leave_the_given_ensemble_unfitted(self, name):
        Ensemble(ENSEMBLES[name]).fit(X, CODES, CLASSES, seed=1)
        assert not hasattr(ENSEMBLES[name], "estimators_")


@pytest.mark.parametrize("name", ["forest", "extra_trees", "features", "adaboost"])
def test_sparse_and_dense_votes_agree(name):
    X_few, new_few = (np.where(np.abs(a) > 0.7, a, 0) for a in (X, NEW))
    dense = Ensemble(ENSEMBLES[name]).fit(X_few, CODES, CLASSES, seed=1)
    few = Ensemble(ENSEMBLES[name]).fit(sparse.csr_array(X_few), CODES, CLASSES, seed=1)
    np.testing.assert_array_equal(few.codes(sparse.csr_array(new_few)), dense.codes(new_few))


def test_trees_vote_where_values_are_missing():
    holes = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
    voters = Ensemble(RandomForestClassifier(6)).fit(holes, CODES, CLASSES, seed=1)
    np.testing.assert_array_equal(voters.codes(holes), members_answers(voters.ensemble, holes, [0, 1, 2]))


def test_trees_see_numbers_as_scikit_learn_shows_them():
    """A forest compares 32-bit numbers: thresholds between two of them must fall on the same side."""
    close = np.float64(1) + np.arange(60)[:, None] * 3e-8
    codes = np.arange(60) % 2
    voters = Ensemble(RandomForestClassifier(6)).fit(close, codes, np.arange(2), seed=1)
    np.testing.assert_array_equal(voters.codes(close), members_answers(voters.ensemble, close, [0, 1]))


class TestTags:
    @pytest.mark.parametrize(
        ("estimator", "sparse", "allow_nan"),
        [
            (RandomForestClassifier(), True, True),
            (BaggingClassifier(GaussianNB()), False, False),
            (AdaBoostClassifier(), True, False),
            (VotingClassifier([("bayes", GaussianNB())]), False, False),
        ],
    )
    def test_are_those_of_the_estimator(self, estimator, sparse, allow_nan):
        source = Ensemble(estimator)
        assert (source.sparse, source.allow_nan) == (sparse, allow_nan)
        assert source.learns
        assert source.describe() == repr(estimator)


class TestOutOfBag:
    def by_hand(self, voters, X, n_classes):
        """Majority of the trees that did not train on an example; -1 where all did."""
        answers = voters.codes(X)
        out = np.full(len(X), -1)
        for i in range(len(X)):
            unseen = [answers[i, j] for j, sample in enumerate(voters.ensemble.estimators_samples_) if i not in sample]
            if unseen:
                out[i] = np.bincount(unseen, minlength=n_classes).argmax()
        return out

    @pytest.mark.parametrize("ensemble", [RandomForestClassifier(15), RandomForestClassifier(2), ENSEMBLES["features"]])
    def test_are_the_answers_of_members_that_were_not_trained_on_an_example(self, ensemble):
        source = Ensemble(ensemble)
        voters = source.fit(X, CODES, CLASSES, seed=1)
        np.testing.assert_array_equal(source.out_of_bag(voters, X), self.by_hand(voters, X, 3))

    def test_are_not_there_when_all_is_in_the_bag(self):
        source = Ensemble(RandomForestClassifier(1))
        voters = source.fit(X[:1], CODES[:1], CLASSES, seed=1)
        np.testing.assert_array_equal(source.out_of_bag(voters, X[:1]), [-1])

    def test_are_codes_among_all_classes(self):
        """Of 0 and 2, where 1 does not occur; what nobody can tell stays -1."""
        source = Ensemble(RandomForestClassifier(3))
        voters, X_seen, codes = of_two(source)
        answers = out_of_bag_answers(source, voters, X_seen)
        theirs = self.by_hand(voters.voters, X_seen, 2)
        np.testing.assert_array_equal(answers, np.where(theirs < 0, -1, np.array([0, 2])[theirs]))
        assert set(answers) == {-1, 0, 2}
        assert np.mean(answers[answers >= 0] == codes[answers >= 0]) > 0.7

    @pytest.mark.parametrize("name", ["no_bootstrap", "extra_trees", "adaboost", "soft_voting"])
    def test_are_unknown_without_a_bag(self, name):
        source = Ensemble(ENSEMBLES[name])
        assert source.out_of_bag(source.fit(X, CODES, CLASSES, seed=1), X) is None

    def test_are_unknown_for_classifiers(self):
        source = Classifiers([GaussianNB()])
        assert source.out_of_bag(source.fit(X, CODES, CLASSES, seed=1), X) is None


@pytest.mark.parametrize("name", ENSEMBLES)
def test_members_are_alike_if_they_differ_by_chance_alone(name):
    assert Ensemble(ENSEMBLES[name]).exchangeable == ("adaboost" not in name and "voting" not in name)
