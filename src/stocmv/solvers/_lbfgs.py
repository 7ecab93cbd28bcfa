"""L-BFGS, for problems without noise."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize

from ._solver import Problem, Solver


@dataclass(frozen=True)
class LBFGS(Solver):
    """scipy's limited-memory BFGS within a box.

    scipy ends a descent after one short step, which may only mean that the steps it remembers mislead it. If the
    gradient is still large then, the descent begins again from there and remembers nothing. A problem that draws random
    numbers gets the same ones at every evaluation.

    Parameters
    ----------
    max_iter : int
        Maximal number of iterations.
    tolerance : float
        Relative improvement at which the descent ends.
    memory : int
        Steps that the approximation of the Hessian remembers.
    stops_early : bool
        Whether ``max_iter`` is meant to end the descent. If not, the problem is notified when it does.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.solvers import LBFGS
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> learned = learn(votes, solver=LBFGS(max_iter=200), random_state=0)
    >>> learned.certificate.stochastic_bound < 0.1
    True
    """

    max_iter: int = 1000
    tolerance: float = 1e-8
    memory: int = 20
    stops_early: bool = False

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        seed = int(rng.integers(2**63))
        evaluate = partial(_with_same_draws, problem, seed) if problem.draws_again else problem
        point, left, value = np.clip(start, *problem.box), self.max_iter, np.inf
        while True:
            result = minimize(
                evaluate,
                point,
                jac=True,
                method="L-BFGS-B",
                bounds=[problem.box] * len(point),
                callback=partial(problem.record, "lbfgs"),
                options=self._options(left),
            )
            point, left, gained = result.x, left - result.nit, value - result.fun
            value = result.fun
            if result.status == 1 and not self.stops_early:
                problem.unfinished(self.max_iter)
            if left <= 0 or gained <= self.tolerance * abs(value) or self._is_flat(result, problem.box):
                return point

    def _options(self, max_iter: int) -> dict[str, Any]:
        limits = {"maxiter": max_iter, "maxfun": 2**31 - 1}  # the iterations are the only limit
        return {**limits, "maxcor": self.memory, "ftol": self.tolerance, "gtol": 1e-9}

    def _is_flat(self, end: OptimizeResult, box: tuple[float, float]) -> bool:
        """Whether a step along the gradient cannot gain much more than the tolerance, if the curvature is ordinary."""
        inside = np.where(end.jac > 0, end.x > box[0], end.x < box[1])
        steepest = float(np.abs(end.jac[inside]).max(initial=0.0))
        return steepest <= np.sqrt(self.tolerance) * abs(end.fun)


def _with_same_draws(problem: Problem, seed: int, point: NDArray) -> tuple[float, NDArray]:
    return problem(point, np.random.default_rng(seed))
