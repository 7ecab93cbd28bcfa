"""The interface of solvers, and of the problems that they solve."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Problem(Protocol):
    """A function to minimise, with its gradient.

    Examples
    --------
    What a solver sees: a value and its gradient at a point in a box.

    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.solvers import LBFGS, Problem
    >>> class Curious(LBFGS):
    ...     def minimise(self, problem: Problem, start, rng):
    ...         value, gradient = problem(start)
    ...         print(problem.n_rows, len(start), gradient.shape)
    ...         return super().minimise(problem, start, rng)
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> learned = learn(votes, solver=Curious(), prior=1.0, random_state=0)
    200 3 (3,)
    """

    @property
    def start(self) -> NDArray:
        """The point to fall back on."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows that an evaluation passes over."""
        ...

    @property
    def box(self) -> tuple[float, float]:
        """Smallest and largest value of every coordinate."""
        ...

    @property
    def parts(self) -> list[slice]:
        """The coordinates of each part, such as a fold; parts matter to each other only a little."""
        ...

    @property
    def draws_again(self) -> bool:
        """Whether every evaluation draws random numbers."""
        ...

    def __call__(self, point: NDArray, rng: np.random.Generator | None = None) -> tuple[float, NDArray]:
        """Value and gradient; ``rng`` is for problems that draw random numbers."""
        ...

    def record(self, stage: str, point: NDArray) -> None:
        """Record the point at the end of an iteration."""
        ...

    def unfinished(self, max_iter: int) -> None:
        """Record that a descent stopped at ``max_iter`` before it converged; a warning will say so."""
        ...

    def named(self, label: str) -> "Problem":
        """The same problem, with its iterations recorded under a name."""
        ...

    def batches(self, size: int, rng: np.random.Generator) -> Iterator["Problem"]:
        """One pass over the examples in random batches: the same problem, with its risk estimated on the batch."""
        ...

    def sample(self, work: float, rng: np.random.Generator) -> "Problem":
        """The problem on a random sample that takes about ``work`` nanoseconds a pass; on all examples if they fit."""
        ...

    def alone(self) -> "Problem":
        """The problem as if its rows were all there are; its iterations are not recorded."""
        ...

    def quick_start(self) -> NDArray:
        """A problem-specific start that is quick to compute."""
        ...

    def best_for_slopes(self, point: NDArray) -> NDArray:
        """The best point if value and risk were linear, with their slopes at ``point``; for categorical posteriors."""
        ...

    def own_starts(self, rng: np.random.Generator) -> dict[str, NDArray]:
        """Problem-specific starts, by name."""
        ...


class Solver(ABC):
    """Minimises a problem. Its attributes are its settings; it keeps no state between calls.

    Examples
    --------
    A solver that stays where it starts:

    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.solvers import Solver
    >>> class Lazy(Solver):
    ...     def minimise(self, problem, start, rng):
    ...         return start
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> learned = learn(votes, solver=Lazy(), prior=1.0, random_state=0)
    >>> round(learned.certificate.kl, 6)  # the weights are still the prior's
    0.0
    """

    @abstractmethod
    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        """The best point found from ``start``."""
