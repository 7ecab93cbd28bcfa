"""The prior that suits the votes, from a grid that the bound pays for."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..progress import logger
from ..solvers import LBFGS
from ._objective import Objective

PRIOR_TOTALS = (1.0, 3.0, 10.0, 100.0, 3000.0)
"""Total concentrations, shared equally among the voters: copies of voters do not change their sums."""

_WORK = 1e7  # nanoseconds that a pass over the sample may take
_DESCENT = LBFGS(max_iter=100, tolerance=1e-5, stops_early=True)


def choose_prior(objectives: Sequence[Objective], rng: np.random.Generator) -> tuple[int, NDArray]:
    """The most promising of several problems that differ in the prior, and a start for a solver.

    Each is descended roughly on a sample, from its own start or from the end of its neighbour, whichever is better: a
    sparse prior is close to a saddle, and a dense one leads to a good end for the next. Then the same the other way.
    """
    if len(objectives) == 1:
        return 0, objectives[0].start
    sample = objectives[0].sample(_WORK, rng).unrecorded()
    problems = [replace(sample, priors=objective.priors) for objective in objectives]
    ends: list[NDArray] = []
    for problem in reversed(problems):
        ends.insert(0, _DESCENT.minimise(problem, _best(problem, [problem.quick_start(), *ends[:1]]), rng))
    for k in range(1, len(problems)):
        start = _best(problems[k], [ends[k], ends[k - 1]])
        if start is not ends[k]:
            ends[k] = _DESCENT.minimise(problems[k], start, rng)
    values = [problem(end)[0] for problem, end in zip(problems, ends, strict=True)]
    best = int(np.argmin(values))
    logger.debug("prior %d of %d: objective %.5f", best + 1, len(problems), values[best])
    return best, ends[best]


def _best(problem: Objective, points: Sequence[NDArray]) -> NDArray:
    return min(points, key=lambda point: problem(point)[0])
