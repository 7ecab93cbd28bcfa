"""The same seed, the same certificate and the same answers, however many jobs."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import VOTERS, data, quick
from stocmv import MajorityVoteClassifier
from stocmv.risks import Exact, MonteCarlo
from stocmv.solvers import Adam

X, y = data()
NESTED = {
    "pipeline": lambda k: [make_pipeline(StandardScaler(), SGDClassifier(max_iter=5, tol=None))],
    "nested": lambda k: VotingClassifier(
        [("a", DecisionTreeClassifier(max_features=1)), ("b", RandomForestClassifier(2))]
    ),
}
KINDS = VOTERS | NESTED


def assert_same(ours, theirs):
    assert ours.certificate_.to_json() == theirs.certificate_.to_json()
    assert ours.key_ == theirs.key_
    new = data(start=200)[0]
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    np.testing.assert_array_equal(ours.predict_proba(new), theirs.predict_proba(new))
    np.testing.assert_array_equal(ours.draw(0).weights, theirs.draw(0).weights)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_repeats_the_fit_with_any_number_of_jobs(kind):
    ours, again, threads = (quick(KINDS[kind](2), stochastic=True, n_jobs=n).fit(X, y) for n in (None, None, 2))
    assert_same(ours, again)
    assert_same(ours, threads)


@pytest.mark.parametrize("kind", ["forest", "list", "stumps", "frozen_pair"])
def test_a_seed_repeats_the_folds(kind):
    assert_same(*(quick(KINDS[kind](2), n_folds=3, stochastic=True).fit(X, y) for _ in range(2)))


@pytest.mark.parametrize("kind", ["forest", "repeated", "list", "stumps"])
def test_another_seed_is_another_fit(kind):
    for n_folds in (None, 3):
        first, second = (quick(VOTERS[kind](2), random_state=seed, n_folds=n_folds).fit(X, y) for seed in (0, 1))
        assert first.certificate_.evidence != second.certificate_.evidence
        assert (first.key_ != second.key_) == (n_folds is not None)


def test_a_random_state_is_used_up():
    state = np.random.RandomState(0)
    first, second = (quick(random_state=state).fit(X, y) for _ in range(2))
    assert first.certificate_.evidence != second.certificate_.evidence
    again = quick(random_state=np.random.RandomState(0)).fit(X, y)
    assert first.certificate_.evidence == again.certificate_.evidence


def test_without_a_seed_every_fit_differs():
    first, second = (quick(random_state=None, n_folds=3).fit(X, y) for _ in range(2))
    assert first.key_ != second.key_
    assert first.certificate_.evidence != second.certificate_.evidence


@pytest.mark.parametrize(("n_folds", "sizes"), [(2, (60, 60)), (3, (40, 40, 40)), (7, (17, 17, 17, 18, 17, 17, 17))])
def test_folds_are_as_many_as_asked_for_and_of_about_one_size(n_folds, sizes):
    clf = quick(n_folds=n_folds).fit(X, y)
    assert clf.certificate_.fold_sizes == sizes == tuple(np.bincount(clf.evidence_.fold))
    assert len(clf.voters_) == len(clf.posterior_) == n_folds


@pytest.mark.parametrize(("name", "given"), [("exact", Exact()), ("mc", MonteCarlo())])
def test_a_risk_and_its_name_are_the_same(name, given):
    settings = {"bound": "seeger", "random_state": 0, "solver": Adam(n_steps=5)}
    clfs = [MajorityVoteClassifier(RandomForestClassifier(3), risk=r, **settings).fit(X, y) for r in (name, given)]
    assert clfs[0].certificate_ == clfs[1].certificate_
