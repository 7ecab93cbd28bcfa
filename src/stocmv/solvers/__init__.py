"""Minimisers of a bound, and the points they start from."""

from ._adam import Adam, MiniBatchAdam
from ._auto import Auto as Auto
from ._lbfgs import LBFGS
from ._quick import Quick as Quick
from ._solver import Problem, Solver
from ._starts import (
    boosted_weights as boosted_weights,
    logistic_weights as logistic_weights,
    random_start as random_start,
)

SOLVERS: dict[str, Solver] = {
    "auto": Auto(),
    "quick": Quick(),
    "lbfgs": LBFGS(),
    "adam": Adam(),
    "minibatch_adam": MiniBatchAdam(),
}

__all__ = ["LBFGS", "Adam", "MiniBatchAdam", "Problem", "Solver"]
