"""The prior that suits the votes, from a grid that the bound pays for."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..progress import logger
from ..solvers import LBFGS
from ._objective import Objective

PRIOR_TOTALS = {0.5: 2, 2.0: 4, 10.0: 8, 100.0: 16, 3000.0: 16}
"""Total concentrations, shared equally among the voters, and what each prior divides delta by.

Copies of voters do not change the totals. Sparse priors get more of delta: with them the KL is small, and the choice of
the prior is a larger part of what the bound pays.
"""

_WORK = 1e7  # nanoseconds that a pass over the sample may take
_DESCENT = LBFGS(max_iter=300, tolerance=1e-6, stops_early=True)


def choose_prior(objectives: Sequence[Objective], rng: np.random.Generator) -> tuple[int, NDArray]:
    """The most promising of several problems that differ in the prior, and a start for a solver.

    Each is descended on a sample: from logistic-regression weights, from those of boosting, and from the end of its
    denser neighbour, because a sparse prior is close to a saddle.
    """
    if len(objectives) == 1:
        return 0, objectives[0].start
    sample = objectives[0].sample(_WORK, rng)
    found: list[tuple[float, int, NDArray]] = []
    for k in reversed(range(len(objectives))):
        problem = replace(sample, priors=objectives[k].priors, delta=objectives[k].delta).named(f"prior {k + 1}:")
        starts = [problem.quick_start(), problem.sparse_start(), *(end for _, _, end in found[-1:])]
        ends = [_DESCENT.minimise(problem, start, rng) for start in starts]
        found.append(min(((problem(end)[0], k, end) for end in ends), key=lambda each: each[0]))
        logger.debug("prior %d of %d: objective %.5f", k + 1, len(objectives), found[-1][0])
    return min(found, key=lambda each: each[0])[1:]
