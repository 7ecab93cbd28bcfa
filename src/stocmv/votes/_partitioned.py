"""Votes in several matrices, one after the other."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._base import Votes, added_in_groups
from ._matrix import VoteMatrix


class PartitionedVotes(Votes):
    """Votes of the same voters in several matrices.

    Parameters
    ----------
    parts : sequence of VoteMatrix
        The matrices, in order.
    """

    def __init__(self, parts: Sequence[VoteMatrix]) -> None:
        if not parts:
            raise ValueError("parts is empty: there must be at least one matrix of votes.")
        first = parts[0]
        for k, part in enumerate(parts):
            same = part.n_voters == first.n_voters and _same(part.classes, first.classes)
            same = same and part.grouped == first.grouped
            if not same:
                raise ValueError(f"Part {k} has other voters, classes or groups than the first one.")
        self.parts = tuple(parts)
        self.n_voters = first.n_voters
        self.classes = first.classes

    @property
    def grouped(self) -> bool:
        return self.parts[0].grouped

    @property
    def abstains(self) -> bool:
        return any(part.abstains for part in self.parts)

    @property
    def n_rows(self) -> int:
        return sum(part.n_rows for part in self.parts)

    @property
    def n_examples(self) -> int:
        return sum(part.n_examples for part in self.parts)

    def total_later(self, of: Callable[[VoteMatrix], Any]) -> Callable[[], Any]:
        return lambda: added_in_groups([of(part) for part in self.parts])

    def take_later(self, rows: ArrayLike) -> Callable[[], VoteMatrix]:
        chosen = shared_out(rows, [part.n_rows for part in self.parts])
        return lambda: VoteMatrix.joined([p.take(own) for p, own in zip(self.parts, chosen, strict=True) if len(own)])

    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[Votes]":
        for group in np.array_split(rng.permutation(len(self.parts)), min(count, len(self.parts))):
            yield PartitionedVotes([self.parts[k] for k in group])

    def digest_later(self) -> Callable[[], str]:
        return lambda: joint_digest(part.digest() for part in self.parts)

    def whole(self) -> VoteMatrix:
        return VoteMatrix.joined(self.parts)


def shared_out(rows: ArrayLike, sizes: Sequence[int]) -> list[NDArray]:
    """Rows of the whole, as rows of each part."""
    ends = np.cumsum(sizes)
    ordered = np.sort(np.asarray(rows))
    cuts = np.searchsorted(ordered, ends)
    return [part - start for part, start in zip(np.split(ordered, cuts[:-1]), ends - np.asarray(sizes), strict=True)]


def joint_digest(digests: Any) -> str:
    """One digest for several matrices in order."""
    return hashlib.sha256(b"stocmv partitions 1;" + ";".join(digests).encode()).hexdigest()


def _same(ours: NDArray | None, theirs: NDArray | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return ours.dtype.kind == theirs.dtype.kind and np.array_equal(ours, theirs)
