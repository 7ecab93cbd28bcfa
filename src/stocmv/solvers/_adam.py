"""Adam: full batch, and in mini-batches with the paper's schedule."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._solver import Problem, Solver


class _Moments:
    """Running moments of the gradient (Kingma and Ba 2015)."""

    def __init__(self, size: int) -> None:
        self.first, self.second, self.steps = np.zeros(size), np.zeros(size), 0

    def direction(self, gradient: NDArray) -> NDArray:
        self.steps += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient**2 - self.second)
        mean = self.first / (1 - 0.9**self.steps)
        spread = np.sqrt(self.second / (1 - 0.999**self.steps))
        return mean / (spread + 1e-12)


@dataclass(frozen=True)
class Adam(Solver):
    """Adam on all examples at once; returns the best point on its path, or the last one if values are noisy.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.solvers import Adam
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> learned = learn(votes, solver=Adam(n_steps=200), random_state=0)
    >>> learned.certificate.stochastic_bound < 0.1
    True
    """

    n_steps: int = 300
    rate: float = 0.1

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        point = best = np.clip(start, *problem.box)
        best_value = np.inf
        moments = _Moments(len(point))
        for _ in range(self.n_steps):
            value, gradient = problem(point, rng)
            if value < best_value:
                best_value, best = value, point
            problem.record("adam", point)
            point = np.clip(point - self.rate * moments.direction(gradient), *problem.box)
        if problem.draws_again:
            return point
        return point if problem(point)[0] < best_value else best


@dataclass(frozen=True)
class MiniBatchAdam(Solver):
    """Adam in mini-batches as in the paper: divides the rate by ten on a plateau, and stops without progress.

    Parameters
    ----------
    batch_size, rate, n_epochs : int, float, int
        Number of examples in a batch, initial learning rate, maximal number of passes over the data.
    plateau_factor, plateau_patience : float, int
        The rate is divided by the factor after more than this many epochs without progress.
    stop_patience : int
        Training ends after this many epochs without progress.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.solvers import MiniBatchAdam
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> learned = learn(votes, solver=MiniBatchAdam(batch_size=50, n_epochs=20), random_state=0)
    >>> learned.certificate.stochastic_bound < 0.2
    True
    """

    batch_size: int = 1024
    rate: float = 0.1
    n_epochs: int = 100
    plateau_factor: float = 10.0
    plateau_patience: int = 2
    stop_patience: int = 25

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        point = best = np.clip(start, *problem.box)
        best_value, since_best, since_drop = problem(point, rng)[0], 0, 0
        rate = self.rate
        moments = _Moments(len(point))
        for _ in range(self.n_epochs):
            for batch in problem.batches(self.batch_size, rng):
                _, gradient = batch(point, rng)
                point = np.clip(point - rate * moments.direction(gradient), *problem.box)
            value, _ = problem(point, rng)
            problem.record("minibatch adam", point)
            if value < best_value:
                best_value, best, since_best, since_drop = value, point, 0, 0
                continue
            since_best, since_drop = since_best + 1, since_drop + 1
            if since_best >= self.stop_patience:
                break
            if since_drop > self.plateau_patience:
                rate, since_drop = rate / self.plateau_factor, 0
        return best
