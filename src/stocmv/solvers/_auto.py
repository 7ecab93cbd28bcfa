"""The default solver: descends from a few different starts and keeps the best."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._adam import Adam
from ._base import Problem, Solver
from ._lbfgs import LBFGS

_LONG_MEMORY = 100  # steps that L-BFGS remembers if a pass costs much more than its algebra


@dataclass(frozen=True)
class Auto(Solver):
    """Best of several starts, descended by L-BFGS.

    A problem that draws random numbers is left to Adam. For the others the starts are: the prior; the prior after Adam
    (which leaves saddles); and the problem's own (`Problem.own_starts`), such as logistic-regression weights. After the
    first iterations only the two best continue. A problem with many examples is explored on a sample of them. The best
    point there overfits the sample, because the KL has only the weight that it has for all examples; so a second point
    is found with the KL weighted as if the sample were all there is. Both are tried on all examples, and the better one
    is finished. Searching is free: the bound holds for all posteriors at once.

    Parameters
    ----------
    explore_work : float
        Nanoseconds that one pass may take while exploring.
    first_iterations : int
        Iterations after which the two best are chosen.
    trial_iterations : int
        Iterations on all examples after which one of the sample's two points is chosen.
    max_iter : int
        Maximal number of iterations of the last descent.
    """

    explore_work: float = 1e7
    first_iterations: int = 40
    trial_iterations: int = 10
    max_iter: int = 1000

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        if problem.draws_again:
            return Adam().minimise(problem, start, rng)
        sample = problem.sample(self.explore_work, rng)
        sampled = sample.n_rows < problem.n_rows
        overfitted = self._explore(sample, start, rng, LBFGS(self.max_iter, stops_early=sampled))
        if not sampled:
            return overfitted
        regularised = LBFGS(self.max_iter).minimise(sample.alone(), overfitted, rng)
        trial = LBFGS(self.trial_iterations, stops_early=True)
        starts = {"overfitted": overfitted, "regularised": regularised}
        tried = [trial.minimise(problem.named(f"{name}:"), point, rng) for name, point in starts.items()]
        best = min(tried, key=lambda point: problem(point)[0])
        return LBFGS(self.max_iter, memory=_LONG_MEMORY).minimise(problem.named("all examples:"), best, rng)

    def _explore(self, problem: Problem, start: NDArray, rng: np.random.Generator, last: LBFGS) -> NDArray:
        shaken = start + 0.1 * rng.standard_normal(len(start))
        starts = {"prior": start, "adam": Adam().minimise(problem, shaken, rng), **problem.own_starts(rng)}
        first = LBFGS(self.first_iterations, stops_early=True)
        descended = {name: first.minimise(problem.named(f"{name}:"), point, rng) for name, point in starts.items()}
        best = sorted(descended.items(), key=lambda item: problem(item[1])[0])[:2]
        ends = [last.minimise(problem.named(f"{name}:"), point, rng) for name, point in best]
        return min(ends, key=lambda point: problem(point)[0])
