"""What learning and certifying ask of votes, wherever they are kept."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._queries import Digest, Mean, Query, Rows, Total

if TYPE_CHECKING:
    from ._matrix import VoteMatrix

_LISTED = 1 << 20  # rows of which a random order is written down


class Votes(ABC):
    """What voters said on labelled examples: one matrix, or many on this machine or others.

    Everything that is learned or certified is a sum over examples, so it is asked for as a function of one matrix; what
    comes back is small. `ask` puts many queries at once.
    """

    n_voters: int
    classes: NDArray | None

    @property
    @abstractmethod
    def grouped(self) -> bool:
        """Whether the rows belong to groups."""

    @property
    @abstractmethod
    def abstains(self) -> bool:
        """Whether some voter gives no answer to some example."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Rows that are stored."""

    @property
    @abstractmethod
    def n_examples(self) -> int:
        """Examples; merged rows count as often as they occur."""

    @abstractmethod
    def begin(self, query: Query) -> Callable[[], Any]:
        """Start the work on a query and return a callable that waits for the answer."""

    @abstractmethod
    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[Votes]":
        """Split the votes into about ``count`` random batches."""

    @abstractmethod
    def whole(self) -> "VoteMatrix":
        """All votes in one matrix on this machine."""

    def at_hand(self) -> "Votes":
        """All votes in a place where a pass over them begins at once: in one matrix on this machine, or on its GPU."""
        return self.whole()

    def collect(self) -> "Votes":
        """The votes on this machine, in as many parts as they are kept in."""
        return self

    def to(self, device: str) -> "Votes":
        """The votes in the memory of a GPU ("cuda"), or back on this machine ("cpu").

        A GPU makes the sums that training needs; certificates are computed on this machine wherever the votes are.
        """
        if device == "cpu":
            return self.collect()
        if device != "cuda":
            raise ValueError(f"device must be 'cpu' or 'cuda', got {device!r}.")
        from ._gpu import on_gpu

        return on_gpu(self)

    def total(self, of: "Callable[[VoteMatrix], Any]") -> Any:
        """The sum over all matrices of what a function finds in one."""
        return self.begin(Total(of))()

    def mean(self, of: "Callable[[VoteMatrix], Any]") -> Any:
        """The mean over all examples of what a function finds as a mean over those of one matrix."""
        return self.begin(Mean(of))()

    def take(self, rows: ArrayLike) -> "VoteMatrix":
        """The votes of the given stored rows, in one matrix on this machine."""
        return self.begin(Rows(np.asarray(rows)))()

    def digest(self) -> str:
        """SHA-256 of the votes: what a certificate names them by."""
        return self.begin(Digest())()

    @property
    def n_classes(self) -> int | None:
        return None if self.classes is None else len(self.classes)

    @property
    def work(self) -> float:
        """About how many nanoseconds one pass takes: what a solver shares its evaluations out by."""
        return self.n_rows * (0.3 * self.n_voters + (10 if (self.n_classes or 2) < 3 else 10_000))


class Matrix(Votes):
    """Votes in one matrix, in memory or on a GPU."""

    @abstractmethod
    def find(self, of: "Callable[[VoteMatrix], Any]") -> Any:
        """What a function finds in the matrix."""

    def start(self, of: "Callable[[VoteMatrix], Any]") -> Callable[[], Any]:
        """Start to find it, where others do the work, and return a callable that waits for the result."""
        return lambda: self.find(of)

    def begin(self, query: Query) -> Callable[[], Any]:
        return lambda: query.answer(self)


def random_rows(n_rows: int, count: int, rng: np.random.Generator) -> NDArray:
    """Some rows, without repetition, in order."""
    if n_rows <= _LISTED:
        return np.sort(rng.permutation(n_rows)[:count])
    return np.sort(rng.choice(n_rows, count, replace=False, shuffle=False))
