"""Weights: equal for voters that are alike, and otherwise learned on examples that do not judge."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from classifier.problems import VOTERS, data, numbered, quick, spy
from protocols.splits import X, parts_of, y
from stocmv.learning import minimise
from stocmv.protocols import Cut, _weights
from stocmv.solvers import LBFGS

ALIKE = ("forest", "extra_trees", "bagging", "classifier", "repeated", "frozen_forest", "networks")


@pytest.mark.parametrize("n_folds", [None, 2])
@pytest.mark.parametrize("kind", VOTERS)
def test_weights_are_equal_for_alike_voters_and_learned_for_others(kind, n_folds):
    clf = quick(VOTERS[kind](2), n_folds=n_folds, voting="hard").fit(*data(noise=0.2))
    for posterior in clf.posterior_:
        assert (np.ptp(posterior.mean) < 1e-12) == (kind in (*ALIKE, "voting"))
    how = "given" if kind == "voting" else "equal" if kind in ALIKE else "learned"
    assert clf.certificate_.context["weights"].split()[0] == how


@pytest.mark.parametrize("kind", VOTERS)
def test_weights_are_equal_without_inner_folds(kind):
    clf = quick(VOTERS[kind](2), inner_folds=0).fit(X, y)
    assert np.ptp(clf.posterior_[0].alpha) == 0
    assert clf.certificate_.context["weights"] == ("given with the voters" if kind == "voting" else "equal")


def test_weights_are_equal_where_the_inner_folds_have_other_numbers_of_voters():
    """Boosting stops early where a stage makes no error."""
    X = np.linspace(-1, 1, 60)[:, None]
    odd = np.flatnonzero(parts_of(60, Cut.holdout(1 / 3)) == 1)[5]  # one of those that train, left of the middle
    target = np.where(np.arange(60) == odd, 1, X[:, 0] > 0).astype(int)
    clf = quick(AdaBoostClassifier(n_estimators=3), voting="hard").fit(X, target)
    assert clf.voters_[0].n_voters == 3
    assert np.ptp(clf.posterior_[0].alpha) == 0
    assert clf.certificate_.context["weights"] == "equal"


@pytest.mark.parametrize(("n", "tried"), [(600, 540), (9000, 6000)])
@pytest.mark.parametrize("grouped", [False, True])
def test_weights_mind_the_kl_as_much_as_a_third_of_some_examples_shows_to_be_best(monkeypatch, n, tried, grouped):
    X = np.random.default_rng(0).normal(size=(n, 3))
    y = (X.sum(1) > 0).astype(int)
    groups, asked = np.arange(n) // 3 if grouped else None, []
    monkeypatch.setattr(_weights, "minimise", lambda *args, **kw: asked.append((args, kw)) or minimise(*args, **kw))
    quick("stumps", solver=LBFGS(max_iter=20), holdout=0.1).fit(X, y, groups=groups)
    sizes = [args[0][0].n_examples for args, _ in asked]
    weights = [settings["kl_weight"] for _, settings in asked]
    assert weights[:-1] == list(_weights.KL_WEIGHTS)
    assert weights[-1] in weights[:-1]
    assert sizes[-1] == 0.9 * n
    assert all(size == pytest.approx(tried * 2 / 3, rel=0.1 if grouped else 1e-3) for size in sizes[:-1])


@pytest.mark.parametrize("inner_folds", [2, 5])
def test_weights_are_learned_from_so_many_folds(inner_folds):
    source = spy()
    quick(source, inner_folds=inner_folds).fit(*numbered(60))
    assert [len(voters.trained) for voters in source.made] == [40] + [40 - 40 // inner_folds] * inner_folds


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("frozen", [False, True])
def test_weights_prefer_a_good_voter(frozen, voting):
    (X, y), (X_old, y_old) = data(n=300), data(n=300, start=300)
    voters = [DummyClassifier(strategy="constant", constant=0) for _ in range(4)] + [GaussianNB()]
    if frozen:
        voters = [FrozenEstimator(voter.fit(X_old, y_old)) for voter in voters]
    settings = {"solver": LBFGS(max_iter=100), "voting": voting}
    learned = quick(voters, **settings).fit(X, y)
    assert learned.posterior_[0].mean[4:].sum() > 0.5  # with the stack, which goes by the good voter
    assert learned.certificate_.bound < quick(voters, inner_folds=0, **settings).fit(X, y).certificate_.bound


def test_weights_are_not_given_for_memory():
    """The nearest neighbour is always right on its own examples, but the labels are noisy."""
    X, y = data(n=600, noise=0.4)
    clf = quick([KNeighborsClassifier(1), LogisticRegression()], solver=LBFGS(max_iter=100)).fit(X, y)
    memory, line, stack = clf.posterior_[0].mean
    assert line + stack > 0.8 > memory


def test_equal_weights_are_the_same_for_a_list_and_an_ensemble_that_is_frozen():
    voters = [
        FrozenEstimator(c.fit(*data(start=300))) for c in (GaussianNB(), LogisticRegression(), KNeighborsClassifier())
    ]
    named = [(str(k), voter) for k, voter in enumerate(voters)]
    equal = {"voting": "hard", "inner_folds": 0, "n_folds": 3}
    ours, theirs = (quick(v, **equal).fit(X, y) for v in (VotingClassifier(named), voters))
    np.testing.assert_array_equal(ours.evidence_.answer, theirs.evidence_.answer)
    assert ours.certificate_.figures == theirs.certificate_.figures
