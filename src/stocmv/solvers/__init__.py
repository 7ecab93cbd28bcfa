"""Minimisers of a bound, and the points they start from."""

from ._adam import Adam, MiniBatchAdam
from ._alternating import Alternating
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
    "alternating": Alternating(),
}

__all__ = ["LBFGS", "Adam", "Alternating", "MiniBatchAdam", "Problem", "Solver"]
