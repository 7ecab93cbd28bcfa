"""The toy data of the figures, with stumps that were fixed before any of it was drawn."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from stocmv.datasets import Dataset, make_moons, make_normals
from stocmv.solvers import Problem, Solver
from stocmv.votes import VoteMatrix

from .._voters import StumpVoters, stumps

CLASSES = np.arange(2)
REACH = 2.0  # the moons are shown, and the stumps spread, over [-2, 2]^2
N_TEST = 1000
_MOONS_MEAN = np.array([1 / 2, 1 / 4])
_MOONS_VARIANCE = np.array([3 / 4, 9 / 16 - 1 / np.pi])  # without the noise


def seeded(*key: int) -> int:
    """A seed that follows from these numbers."""
    return int(np.random.SeedSequence(key).generate_state(1)[0])


@dataclass(frozen=True, eq=False)
class Toy:
    """Training and test points, and the votes on them."""

    X: NDArray
    y: NDArray
    X_test: NDArray
    y_test: NDArray
    voters: StumpVoters
    votes: VoteMatrix
    test: VoteMatrix


def moons(n_examples: int, n_voters: int, noise: float, seed: int, trial: int) -> Toy:
    """Two moons, with a multiple of four stumps: two features, both sides of each threshold.

    The points are standardized by the known mean and variance of the population: unlike those of the training part,
    which the authors' code uses, these keep the bounds proven.
    """
    X, y = _standard_moons(n_examples, noise, seeded(seed, trial, 0))
    X_test, y_test = _standard_moons(N_TEST, noise, seeded(seed, trial, 1))
    voters = stumps([-REACH] * 2, [REACH] * 2, n_voters // 4)
    return Toy(X, y, X_test, y_test, voters, _votes(voters, X, y), _votes(voters, X_test, y_test))


def best_error(toy: Toy, noise: float) -> float:
    """Error on the test points of the best possible classifier of noisy moons, which knows where they come from."""
    if noise == 0:
        return 0.0
    centres, labels = _standardized(make_moons(N_TEST, noise=0.0), noise)
    away = (toy.X_test[:, None] - centres) * np.sqrt(_MOONS_VARIANCE + noise**2) / noise
    likelihood = -(away**2).sum(2) / 2
    scores = np.stack([logsumexp(likelihood[:, labels == code], axis=1) for code in CLASSES])
    return float(np.mean(scores.argmax(0) != toy.y_test))


def normals(n_examples: int, seed: int, trial: int) -> VoteMatrix:
    """Votes of the four stumps at zero on two normal distributions; one of them is the optimal classifier."""
    data = make_normals(n_examples, random_state=seeded(seed, trial, 0))
    voters = StumpVoters(np.zeros((2, 1)))
    return _votes(voters, data.X, data.y)


def _standard_moons(n: int, noise: float, random_state: int) -> tuple[NDArray, NDArray]:
    return _standardized(make_moons(n, noise=noise, random_state=random_state), noise)


def _standardized(data: Dataset, noise: float) -> tuple[NDArray, NDArray]:
    return (data.X - _MOONS_MEAN) / np.sqrt(_MOONS_VARIANCE + noise**2), data.y


def _votes(voters: StumpVoters, X: NDArray, y: NDArray) -> VoteMatrix:
    return VoteMatrix.from_codes(voters.codes(X), y, CLASSES)


@dataclass(frozen=True)
class RandomStart(Solver):
    """Solvers one after the other, from the paper's first concentrations: uniform between 0.01 and 2."""

    stages: tuple[Solver, ...]

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        point = np.log(rng.uniform(0.01, 2.0, len(start)))
        for stage in self.stages:
            point = stage.minimise(problem, point, rng)
        return point
