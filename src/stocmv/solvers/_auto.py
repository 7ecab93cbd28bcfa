"""The default solver: descends from a few different starts, then hops away from the best end and descends again."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._adam import Adam
from ._lbfgs import LBFGS
from ._solver import Problem, Solver
from ._starts import random_start

_LONG_MEMORY = 100  # steps that L-BFGS remembers if a pass costs much more than its algebra
_LAST_TOLERANCE = 1e-10  # the first steps of a descent in a valley are short: with 1e-8 it may end at once
_SHARPER = np.log(4)  # added to all coordinates, it makes a Dirichlet four times as concentrated
_SAME = 1e-4  # relative difference up to which two ends are the same minimum


@dataclass(frozen=True)
class Auto(Solver):
    """Best of several descents by L-BFGS, some of them from around the best end so far.

    A problem that draws random numbers is left to Adam. The others are descended roughly from the prior and from the
    problem's own starts (`Problem.own_starts`), such as logistic-regression weights or, for a categorical posterior,
    where alternating minimisation ends. Then come hops: descents from the best point so far, moved at random in all
    coordinates (which also leaves saddles), every other time from a more concentrated posterior. Folds may keep parts
    of different descents. The hops end when enough of them have come back to the best minimum, and the best point is
    finished.

    A problem with many examples is explored on a sample of them. The best point there overfits the sample, because the
    KL has only the weight that it has for all examples; so a second point is found with the KL weighted as if the
    sample were all there is. Both are tried on all examples, and the better one is finished. Searching is free: the
    bound holds for all posteriors at once.

    Parameters
    ----------
    explore_work : float
        Nanoseconds that one pass may take while exploring.
    explore_tolerance : float
        Relative improvement at which a descent ends while exploring.
    explore_iterations : int
        Maximal number of iterations of a descent while exploring.
    max_hops : int
        Maximal number of hops.
    enough : int
        Number of hops that come back to the best minimum, after which there are no more.
    trial_iterations : int
        Iterations on all examples after which one of the sample's two points is chosen.
    max_iter : int
        Maximal number of iterations of the last descent.
    """

    explore_work: float = 1e7
    explore_tolerance: float = 1e-5
    explore_iterations: int = 100
    max_hops: int = 8
    enough: int = 3
    trial_iterations: int = 10
    max_iter: int = 1000

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        if problem.draws_again:
            return Adam().minimise(problem, start, rng)
        sample = problem.sample(self.explore_work, rng)
        overfitted = self._explore(sample, start, rng)
        if sample.n_rows == problem.n_rows:
            return LBFGS(self.max_iter, _LAST_TOLERANCE).minimise(sample.named("best:"), overfitted, rng)
        regularised = LBFGS(self.max_iter).minimise(sample.alone(), overfitted, rng)
        trial = LBFGS(self.trial_iterations, stops_early=True)
        starts = {"overfitted": overfitted, "regularised": regularised}
        tried = [trial.minimise(problem.named(f"{name}:"), point, rng) for name, point in starts.items()]
        best = min(tried, key=lambda point: problem(point)[0])
        return LBFGS(self.max_iter, memory=_LONG_MEMORY).minimise(problem.named("all examples:"), best, rng)

    def _explore(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        descent = LBFGS(self.explore_iterations, self.explore_tolerance, stops_early=True)
        best, value = start, problem(start)[0]
        for name, origin in {"prior": start, **problem.own_starts(rng)}.items():
            end = descent.minimise(problem.named(f"{name}:"), origin, rng)
            best, value, _ = _merged(problem, best, value, end)
        returned = 0
        for hop in range(self.max_hops):
            origin = random_start(best + _SHARPER * (hop % 2 == 0), rng)
            end = descent.minimise(problem.named("hop:"), origin, rng)
            before = value
            best, value, same = _merged(problem, best, value, end)
            returned = 0 if value < (1 - _SAME) * before else returned + same
            if returned == self.enough:
                break
        return best


def _merged(problem: Problem, best: NDArray, value: float, end: NDArray) -> tuple[NDArray, float, bool]:
    """The better of two points with the parts of the other that improve it, its value, and whether they are alike.

    Folds have parts of their own, and a descent that found a better minimum for one may have found a worse for another.
    """
    found = problem(end)[0]
    same = abs(found - value) <= _SAME * value
    if found < value:
        best, value, end = end, found, best
    for part in problem.parts if len(problem.parts) > 1 and not same else []:
        trial = best.copy()
        trial[part] = end[part]
        mixed = problem(trial)[0]
        if mixed < value:
            best, value = trial, mixed
    return best, value, same
