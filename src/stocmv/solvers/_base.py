"""What a solver asks of a problem, and what it gives back."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Problem(Protocol):
    """A function to minimise, with its gradient."""

    @property
    def start(self) -> NDArray:
        """The point to fall back on."""
        ...

    @property
    def n_rows(self) -> int:
        """Rows that an evaluation passes over."""
        ...

    @property
    def box(self) -> tuple[float, float]:
        """Smallest and largest value of every coordinate."""
        ...

    @property
    def draws_again(self) -> bool:
        """Whether every evaluation draws random numbers."""
        ...

    def __call__(self, point: NDArray, rng: np.random.Generator | None = None) -> tuple[float, NDArray]:
        """Value and gradient; ``rng`` is for problems that draw random numbers."""
        ...

    def record(self, stage: str, point: NDArray) -> None:
        """Take note of the point that an iteration ended at."""
        ...

    def unfinished(self, max_iter: int) -> None:
        """Take note that a descent ended at so many iterations before it converged; a warning will say so."""
        ...

    def named(self, label: str) -> "Problem":
        """The same problem, its iterations recorded under a name."""
        ...

    def batches(self, size: int, rng: np.random.Generator) -> Iterator["Problem"]:
        """One pass over the examples in random batches: the same problem, its risk estimated on the batch."""
        ...

    def sample(self, work: float, rng: np.random.Generator) -> "Problem":
        """The same problem on random examples that take about ``work`` nanoseconds a pass; on all when all do."""
        ...

    def alone(self) -> "Problem":
        """The problem as it would be if its rows were all that there are; its iterations are not recorded."""
        ...

    def quick_start(self) -> NDArray:
        """A start that only the problem knows and that is found quickly."""
        ...

    def own_starts(self, rng: np.random.Generator) -> dict[str, NDArray]:
        """Starts that only the problem knows, by name."""
        ...


class Solver(ABC):
    """A way to minimise a problem. Its settings are its attributes; it keeps nothing from one call to the next."""

    @abstractmethod
    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        """The best point found from ``start``."""
