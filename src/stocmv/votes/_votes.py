"""The interface of votes, wherever they are stored: what learning and certifying ask of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._blocs import Blocs
from ._queries import Digest, Mean, Query, Rows, Total

if TYPE_CHECKING:
    from ._matrix import VoteMatrix

_LISTED = 1 << 20  # up to this many rows, a full random permutation is drawn


class Votes(ABC):
    """The votes on labelled examples: one matrix, or several on this machine or others.

    Everything that is learned or certified is a sum over examples, so a query is a function of one matrix with a small
    result. `ask` sends many queries at once.
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
        """Whether some voter does not answer some example."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of stored rows."""

    @property
    @abstractmethod
    def n_examples(self) -> int:
        """Number of examples; merged rows count as often as they occur."""

    @abstractmethod
    def begin(self, query: Query) -> Callable[[], Any]:
        """Start the work on a query and return a callable that waits for the answer."""

    @abstractmethod
    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[Votes]":
        """Split the votes into about ``count`` random batches."""

    @abstractmethod
    def only(self, voters: NDArray) -> "Votes":
        """The votes of some of the voters, where these are stored."""

    @abstractmethod
    def whole(self) -> "VoteMatrix":
        """All votes in one matrix on this machine."""

    def at_hand(self) -> "Votes":
        """All votes where a pass over them has no latency: in one matrix on this machine, or on its GPU."""
        return self.whole()

    def collect(self) -> "Votes":
        """The votes on this machine, in the same parts."""
        return self

    def to(self, device: str) -> "Votes":
        """The votes in the memory of a GPU ("cuda"), or back on this machine ("cpu").

        A GPU computes the sums for training; certificates are computed on the CPU wherever the votes are.
        """
        if device == "cpu":
            return self.collect()
        if device != "cuda":
            raise ValueError(f"device must be 'cpu' or 'cuda', got {device!r}.")
        from ._gpu import on_gpu

        return on_gpu(self)

    def total(self, of: "Callable[[VoteMatrix], Any]") -> Any:
        """The sum of a function over all matrices."""
        return self.begin(Total(of))()

    def mean(self, of: "Callable[[VoteMatrix], Any]") -> Any:
        """The mean over all examples, from a function that gives the mean over one matrix."""
        return self.begin(Mean(of))()

    def take(self, rows: ArrayLike) -> "VoteMatrix":
        """The votes of the given stored rows, in one matrix on this machine."""
        return self.begin(Rows(np.asarray(rows)))()

    def digest(self) -> str:
        """SHA-256 of the votes, by which a certificate identifies them."""
        return self.begin(Digest())()

    def blocs(self) -> NDArray:
        """The bloc of each voter: voters that answer all of these examples alike have the same number."""
        return self.begin(Blocs())()

    @property
    def n_classes(self) -> int | None:
        return None if self.classes is None else len(self.classes)

    @property
    def work(self) -> float:
        """Estimated nanoseconds per pass, by which a solver plans its evaluations."""
        return self.n_rows * (0.3 * self.n_voters + (10 if (self.n_classes or 2) < 3 else 1500))


def check_device(device: str | None) -> None:
    """Refuse a device on which weights cannot be learned: another name than "cuda", or a GPU that cannot be used."""
    if device is None:
        return
    if device != "cuda":
        raise ValueError(f"device must be None or 'cuda', got {device!r}.")
    from ._gpu import check_gpu

    check_gpu()


class Matrix(Votes):
    """Votes in one matrix, in memory or on a GPU."""

    @abstractmethod
    def only(self, voters: NDArray) -> "Matrix": ...

    @abstractmethod
    def find(self, of: "Callable[[VoteMatrix], Any]") -> Any:
        """Apply a function to the matrix."""

    def start(self, of: "Callable[[VoteMatrix], Any]") -> Callable[[], Any]:
        """Start to find it, where others do the work, and return a callable that waits for the result."""
        return lambda: self.find(of)

    def begin(self, query: Query) -> Callable[[], Any]:
        return lambda: query.answer(self)


def random_rows(n_rows: int, count: int, rng: np.random.Generator) -> NDArray:
    """``count`` random rows without repetition, in order."""
    if n_rows <= _LISTED:
        return np.sort(rng.permutation(n_rows)[:count])
    return np.sort(rng.choice(n_rows, count, replace=False, shuffle=False))
