"""The gradient of the whole bound, for every posterior, risk, bound and number of folds, against differences."""

import dense
import numpy as np
import pytest

from stocmv.bounds import BOUNDS, CatoniPerFold
from stocmv.learning._history import History
from stocmv.learning._objective import Objective
from zoo import OPEN, PAIRS, PROBLEMS, folds, prior_of, risk_of

BOUND_NAMES = [*BOUNDS, "catoni_per_fold"]


def objective_of(name, risk, kind, bound="seeger", prior=1.0, kl_weight=1.0):
    votes = folds(name)
    the_bound = BOUNDS[bound] if bound in BOUNDS else CatoniPerFold(tuple(np.linspace(0.5, 2.0, len(votes))))
    priors = [prior_of(kind, v.n_voters, prior) for v in votes]
    sizes = tuple(v.n_examples for v in votes)
    return Objective(votes, priors, risk_of(risk), the_bound, 0.05, sizes, History(), kl_weight=kl_weight)


def some_point(objective, spread):
    return objective.start + spread * np.random.default_rng(0).standard_normal(len(objective.start))


def value_at(objective, point):
    """The value, with the same draws at every call."""
    return objective(point, np.random.default_rng(3))[0]


def assert_gradient_agrees(objective, point):
    value, ours = objective(point, np.random.default_rng(3))
    assert value < 1 - 1e-6 or objective.risk.factor > 1 or value > 1 + 1e-6  # a saturated kl inverse is flat
    step = 1e-4 if objective.draws_again else 1e-3
    theirs = dense.gradient(lambda x: value_at(objective, x), point, step)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6 * np.abs(ours).max() + 1e-11)


@pytest.mark.parametrize("bound", BOUND_NAMES)
@pytest.mark.parametrize(("risk", "kind"), PAIRS)
@pytest.mark.parametrize("name", OPEN)
def test_gradient_agrees_with_differences(name, risk, kind, bound):
    objective = objective_of(name, risk, kind, bound)
    # the divergence counts a hundred times for 100 drawn voters, and would saturate the bound
    assert_gradient_agrees(objective, some_point(objective, 0.03 if risk == "binomial" else 0.3))
