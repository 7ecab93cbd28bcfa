"""Votes with gaps: certificates against the true errors of what predict and the stochastic vote do."""

from functools import cache

import numpy as np
import pytest

from classifier.test_abstaining import ColumnSource
from stocmv import MajorityVoteClassifier
from stocmv.solvers import LBFGS
from validity.trials import draws_to_catch, most_violations
from zoo import answers

pytestmark = pytest.mark.slow

DELTA = {"holdout": 0.05, "folds": 0.05, "paid": 0.2}
RATE = {
    "holdout": 0.5,
    "folds": 0.5,
    "paid": 0.4,
}  # of failures that are noticed: PAC-Bayes bounds have a proof of their own
PROTOCOLS = {"holdout": {}, "folds": {"n_folds": 2}, "paid": {"bound": "seeger", "prior": 3.0}}


@cache
def population(n_classes):
    """Three hundred rows of answers, all equally probable; -1 is no answer, and one row in twenty has nothing else."""
    votes, y = answers(300, np.linspace(0.45, 0.8, 5), n_classes, seed=1)
    absent = np.random.default_rng(2).random(votes.shape) < np.linspace(0.1, 0.6, 5)
    absent[::20] = True
    return np.where(absent, -1.0, votes), y


def violations(n_classes, protocol, seed):
    X, y = population(n_classes)
    rows = np.random.default_rng(seed).integers(0, len(y), 90)
    settings = {
        "delta": DELTA[protocol],
        "solver": LBFGS(max_iter=3),
        "random_state": seed,
        **PROTOCOLS[protocol],
        "stochastic": True,
    }
    clf = MajorityVoteClassifier(ColumnSource(), **settings).fit(X[rows], y[rows])
    fixed = (clf.predict(X) != y).mean()
    drawn = (1 - clf.predict_stochastic_proba(X)[np.arange(len(y)), np.searchsorted(clf.classes_, y)]).mean()
    return fixed > clf.certificate_.bound, drawn > clf.certificate_.stochastic_bound


@pytest.mark.filterwarnings("ignore::stocmv.RepeatedRowsWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_bounds_fail_no_more_often_than_delta(protocol):
    """Two or three classes, in turn."""
    n_draws, delta = draws_to_catch(RATE[protocol], DELTA[protocol]), DELTA[protocol]
    found = np.array([violations(2 + seed % 2, protocol, seed) for seed in range(n_draws)])
    for what, false in (("all", found), ("two classes", found[::2]), ("three classes", found[1::2])):
        print(f"{protocol}, {what}: predict {false[:, 0].sum()}, stochastic vote {false[:, 1].sum()} of {len(false)}")
        assert false.sum(0).max() <= most_violations(len(false), delta), what
