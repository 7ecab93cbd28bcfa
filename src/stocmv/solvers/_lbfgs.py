"""L-BFGS, for problems without noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ._base import Problem, Solver


@dataclass(frozen=True)
class LBFGS(Solver):
    """scipy's limited-memory BFGS within a box.

    A problem that draws random numbers gets the same ones at every evaluation.

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
    """

    max_iter: int = 1000
    tolerance: float = 1e-8
    memory: int = 20
    stops_early: bool = False

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        seed = int(rng.integers(2**63))

        def evaluate(point: NDArray) -> tuple[float, NDArray]:
            return problem(point, np.random.default_rng(seed) if problem.draws_again else None)

        result = minimize(
            evaluate,
            np.clip(start, *problem.box),
            jac=True,
            method="L-BFGS-B",
            bounds=[problem.box] * len(start),
            callback=lambda point: problem.record("lbfgs", point),
            options={
                "maxiter": self.max_iter,
                "maxfun": 2**31 - 1,  # the iterations are the only limit
                "maxcor": self.memory,
                "ftol": self.tolerance,
                "gtol": 1e-9,
            },
        )
        if result.status == 1 and not self.stops_early:
            problem.unfinished(self.max_iter)
        return result.x
