"""Votes in several matrices, one after the other."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._curve import Curve
from ._matrix import VoteMatrix
from ._sums import added_in_groups, shared_out
from ._votes import Votes

T = TypeVar("T")


class PartitionedVotes(Votes):
    """Votes of the same voters in several matrices, in memory or on a GPU.

    Parameters
    ----------
    parts : sequence of VoteMatrix
        The matrices, in order.

    Examples
    --------
    >>> from stocmv import VoteMatrix
    >>> from stocmv.votes import PartitionedVotes
    >>> first = VoteMatrix.from_labels([[0, 1], [1, 1]], [0, 1], classes=[0, 1])
    >>> second = VoteMatrix.from_labels([[0, 0]], [0], classes=[0, 1])
    >>> PartitionedVotes([first, second]).n_examples
    3
    """

    def __init__(self, parts: Sequence[Votes]) -> None:
        if not parts:
            raise ValueError("parts is empty: pass at least one matrix of votes.")
        first = parts[0]
        for k, part in enumerate(parts):
            same = part.n_voters == first.n_voters and _same(part.classes, first.classes)
            if not same:
                raise ValueError(f"Part {k} has other voters or classes than the first one.")
        self.parts = tuple(parts)
        self.n_voters = first.n_voters
        self.classes = first.classes

    @property
    def abstains(self) -> bool:
        return any(part.abstains for part in self.parts)

    @property
    def n_rows(self) -> int:
        return sum(part.n_rows for part in self.parts)

    @property
    def n_examples(self) -> int:
        return sum(part.n_examples for part in self.parts)

    def each(self, of: Callable[[VoteMatrix], T]) -> list[T]:
        return [found for part in self.parts for found in part.each(of)]

    def curve_sum(self, weights: NDArray, curve: Curve, among: int | None = None) -> tuple[float, NDArray, float]:
        n = among or self.n_examples
        started = [part.start(part.curve_sum, weights, curve, n) for part in self.parts]
        return added_in_groups([wait() for wait in started])

    def argmax_error_sum(self, weights: NDArray, among: int | None = None) -> tuple[float, NDArray]:
        n = among or self.n_examples
        return added_in_groups([part.argmax_error_sum(weights, n) for part in self.parts])

    def take(self, rows: ArrayLike) -> VoteMatrix:
        own = shared_out(rows, [part.n_rows for part in self.parts])
        return VoteMatrix.joined([part.take(r) for part, r in zip(self.parts, own, strict=True) if len(r)])

    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[Votes]":
        for group in np.array_split(rng.permutation(len(self.parts)), min(count, len(self.parts))):
            yield PartitionedVotes([self.parts[k] for k in group])

    def only(self, voters: NDArray) -> "PartitionedVotes":
        return PartitionedVotes([part.only(voters) for part in self.parts])

    @property
    def work(self) -> float:
        return sum(part.work for part in self.parts)

    def at_hand(self) -> Votes:
        return self.whole() if all(isinstance(part, VoteMatrix) for part in self.parts) else self

    def collect(self) -> "PartitionedVotes":
        return PartitionedVotes([part.whole() for part in self.parts])

    def whole(self) -> VoteMatrix:
        return VoteMatrix.joined([part.whole() for part in self.parts])


def _same(ours: NDArray | None, theirs: NDArray | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return ours.dtype.kind == theirs.dtype.kind and np.array_equal(ours, theirs)
