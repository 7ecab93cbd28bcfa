"""Votes in several matrices, one after the other."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._matrix import VoteMatrix
from ._queries import Query
from ._votes import Matrix, Votes


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

    def __init__(self, parts: Sequence[Matrix]) -> None:
        if not parts:
            raise ValueError("parts is empty: pass at least one matrix of votes.")
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

    def begin(self, query: Query) -> Callable[[], Any]:
        finders = query.finders([part.n_rows for part in self.parts])

        def answer() -> Any:
            asked = [(find, part) for find, part in zip(finders, self.parts, strict=True) if find is not None]
            started = [part.start(find) for find, part in asked]
            return query.finish(query.join([wait() for wait in started]), self.n_examples)

        return answer

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
