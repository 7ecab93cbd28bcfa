"""What learning and certifying ask of votes, wherever they are kept."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ._matrix import VoteMatrix

FAN_IN = 16  # results that are added up in one place
_LISTED = 1 << 20  # rows of which a random order is written down


class Votes(ABC):
    """What voters said on labelled examples: one matrix, or many on this machine or others.

    Everything that is learned or certified is a sum over examples, so it is asked for as a function of one matrix; what
    comes back is small. What is asked for "later" is answered when it is called; where others do the work they begin at
    once, so that much can be asked before the first answer is awaited, and one pass answers it all.
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
    def total_later(self, of: "Callable[[VoteMatrix], Any]") -> Callable[[], Any]:
        """The sum over all matrices of what a function finds in one: a number, an array, or a tuple of them."""

    @abstractmethod
    def take_later(self, rows: ArrayLike) -> "Callable[[], VoteMatrix]":
        """The votes of the given stored rows, in one matrix on this machine."""

    @abstractmethod
    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[Votes]":
        """About so many random batches that are all of the votes together."""

    @abstractmethod
    def whole(self) -> "VoteMatrix":
        """All votes in one matrix on this machine."""

    @abstractmethod
    def digest_later(self) -> Callable[[], str]:
        """SHA-256 of the votes: what a certificate names them by."""

    def collect(self) -> "Votes":
        """The votes on this machine, in as many parts as they are kept in."""
        return self

    def total(self, of: "Callable[[VoteMatrix], Any]") -> Any:
        """The sum over all matrices of what a function finds in one."""
        return self.total_later(of)()

    def take(self, rows: ArrayLike) -> "VoteMatrix":
        """The votes of the given stored rows, in one matrix on this machine."""
        return self.take_later(rows)()

    def digest(self) -> str:
        """SHA-256 of the votes: what a certificate names them by."""
        return self.digest_later()()

    def mean_later(self, of: "Callable[[VoteMatrix], Any]") -> Callable[[], Any]:
        """The mean over all examples of what a function finds as a mean over those of one matrix."""
        total = self.total_later(partial(_times_size, of))
        return lambda: scaled(total(), 1 / self.n_examples)

    def mean(self, of: "Callable[[VoteMatrix], Any]") -> Any:
        """The mean over all examples of what a function finds as a mean over those of one matrix."""
        return self.mean_later(of)()

    @property
    def n_classes(self) -> int | None:
        return None if self.classes is None else len(self.classes)

    @property
    def work(self) -> float:
        """About how many nanoseconds one pass takes: what a solver shares its evaluations out by."""
        return self.n_rows * (0.3 * self.n_voters + (10 if (self.n_classes or 2) < 3 else 10_000))


def added(found: Sequence[Any]) -> Any:
    """The sum of what was found in some matrices."""
    if isinstance(found[0], tuple):
        return tuple(added(parts) for parts in zip(*found, strict=True))
    return sum(found[1:], found[0])


def added_in_groups(found: Sequence[Any], add: Callable[[Sequence[Any]], Any] = added) -> Any:
    """The sum of what was found in many matrices, as a tree: the same to the last bit wherever it is computed."""
    while len(found) > 1:
        found = [add(found[i : i + FAN_IN]) for i in range(0, len(found), FAN_IN)]
    return found[0]


def scaled(found: Any, factor: float) -> Any:
    """What was found, times a number."""
    if isinstance(found, tuple):
        return tuple(scaled(part, factor) for part in found)
    return found * factor


def _times_size(of: "Callable[[VoteMatrix], Any]", votes: "VoteMatrix") -> Any:
    return scaled(of(votes), votes.n_examples)


def random_rows(n_rows: int, count: int, rng: np.random.Generator) -> NDArray:
    """Some rows, without repetition, in order."""
    if n_rows <= _LISTED:
        return np.sort(rng.permutation(n_rows)[:count])
    return np.sort(rng.choice(n_rows, count, replace=False, shuffle=False))
