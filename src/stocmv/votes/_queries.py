"""Queries to votes: what to compute in each matrix, and how to combine the results into one answer."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._matrix import VoteMatrix
    from ._votes import Matrix, Votes

Finder = Callable[["VoteMatrix"], Any]
_FAN_IN = 16  # results that are added at a time


@dataclass(frozen=True)
class Method:
    """A method of a matrix of votes as a function of the matrix; a GPU may have its own version of the method."""

    name: str
    arguments: tuple

    def __call__(self, votes: Any) -> Any:
        return getattr(votes, self.name)(*self.arguments)


@dataclass(frozen=True)
class Together:
    """The results of several functions of a matrix."""

    finders: "tuple[Finder, ...]"

    def __call__(self, votes: "VoteMatrix") -> tuple:
        return tuple(find(votes) for find in self.finders)


class Query(ABC):
    """A query to votes, wherever they are stored."""

    adds = False  # whether the results are combined by addition, which can be done anywhere

    @abstractmethod
    def finders(self, sizes: Sequence[int]) -> "list[Finder | None]":
        """The function to apply to each of several matrices with these numbers of rows; None for no function."""

    @abstractmethod
    def join(self, found: Sequence[Any]) -> Any:
        """Combine the results of several matrices, in order, into one."""

    def finish(self, joined: Any, n_examples: int) -> Any:
        """The answer, given the total number of examples."""
        return joined

    def answer(self, votes: "Matrix") -> Any:
        """The answer if one matrix holds all votes."""
        return votes.find(self.finders([votes.n_rows])[0])  # type: ignore[arg-type]


@dataclass(frozen=True)
class Total(Query):
    """The sum of a function over all matrices: a number, an array, or a tuple of them."""

    of: Finder
    adds = True

    def finders(self, sizes: Sequence[int]) -> "list[Finder | None]":
        return [self.of] * len(sizes)

    def join(self, found: Sequence[Any]) -> Any:
        return added_in_groups(found)


class Mean(Total):
    """The mean over all examples, from a function that gives the mean over one matrix."""

    def finders(self, sizes: Sequence[int]) -> "list[Finder | None]":
        return [partial(_times_size, self.of)] * len(sizes)

    def finish(self, joined: Any, n_examples: int) -> Any:
        return scaled(joined, 1 / n_examples)

    def answer(self, votes: "Matrix") -> Any:
        return votes.find(self.of)


@dataclass(frozen=True)
class Rows(Query):
    """The votes of the given stored rows, in one matrix on this machine."""

    rows: NDArray

    def finders(self, sizes: Sequence[int]) -> "list[Finder | None]":
        return [Method("take", (own,)) if len(own) else None for own in shared_out(self.rows, sizes)]

    def join(self, found: Sequence[Any]) -> Any:
        return type(found[0]).joined(found)

    def answer(self, votes: "Matrix") -> Any:
        return votes.take(self.rows)


@dataclass(frozen=True)
class Gather(Query):
    """Columns with an entry for each row, from a function of one matrix that returns several, on this machine."""

    of: Finder

    def finders(self, sizes: Sequence[int]) -> "list[Finder | None]":
        return [self.of] * len(sizes)

    def join(self, found: Sequence[Any]) -> tuple[Any, ...]:
        return joined_columns(found)


@dataclass(frozen=True)
class Digest(Query):
    """SHA-256 of the votes, by which a certificate identifies them."""

    def finders(self, sizes: Sequence[int]) -> "list[Finder | None]":
        return [_digest] * len(sizes)

    def join(self, found: Sequence[Any]) -> str:
        return joint_digest(found)


def ask(asked: "Iterable[tuple[Votes, Query]]") -> list[Any]:
    """Answers to many queries. All are started before waiting for the first, so one pass can answer them."""
    begun = [votes.begin(query) for votes, query in asked]
    return [answer() for answer in begun]


def ask_each(*groups: "Iterable[tuple[Votes, Query]]") -> list[list[Any]]:
    """Answers to several lists of queries, sent together."""
    lists = [list(group) for group in groups]
    answers = iter(ask(chain.from_iterable(lists)))
    return [list(islice(answers, len(asked))) for asked in lists]


def added(found: Sequence[Any]) -> Any:
    """The sum of the results of some matrices."""
    if isinstance(found[0], tuple):
        return tuple(added(parts) for parts in zip(*found, strict=True))
    return sum(found[1:], found[0])


def added_in_groups(found: Sequence[Any], add: Callable[[Sequence[Any]], Any] = added) -> Any:
    """The sum of the results of many matrices, as a tree: the same to the last bit wherever it is computed."""
    while len(found) > 1:
        found = [add(found[i : i + _FAN_IN]) for i in range(0, len(found), _FAN_IN)]
    return found[0]


def joined_columns(found: Sequence[Any]) -> tuple[Any, ...]:
    """The columns of several tables, one below the other; a column may be missing in all of them."""
    return tuple(None if parts[0] is None else np.concatenate(parts) for parts in zip(*found, strict=True))


def scaled(found: Any, factor: float) -> Any:
    """A result times a number."""
    if isinstance(found, tuple):
        return tuple(scaled(part, factor) for part in found)
    return found * factor


def shared_out(rows: NDArray, sizes: Sequence[int]) -> list[NDArray]:
    """Indices of rows in the whole, as indices within each part."""
    ends = np.cumsum(sizes)
    ordered = np.sort(np.asarray(rows))
    cuts = np.searchsorted(ordered, ends)
    return [part - start for part, start in zip(np.split(ordered, cuts[:-1]), ends - np.asarray(sizes), strict=True)]


def joint_digest(digests: Iterable[str]) -> str:
    """One digest for several matrices in order."""
    return hashlib.sha256(b"stocmv partitions 1;" + ";".join(digests).encode()).hexdigest()


def _times_size(of: Finder, votes: "VoteMatrix") -> Any:
    return scaled(of(votes), votes.n_examples)


def _digest(votes: "VoteMatrix") -> str:
    return votes.digest()
