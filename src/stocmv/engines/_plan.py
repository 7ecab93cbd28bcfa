"""Which rows of which partition judge which vote."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..protocols import Cut
from ..votes import code_dtype
from ._partitions import Groups

LISTED = 1_000_000  # rows up to which the part of each is listed


@dataclass(frozen=True, eq=False)
class Part:
    """A partition: the classes of its labels, and the part of the cut that each of its rows belongs to.

    These are listed, or the part of each row is drawn independently from a seed and the number of the partition: then
    the draw can be repeated anywhere, and nothing has to be sent. How the rows were laid out has no influence.

    Attributes
    ----------
    index, n_rows : int
        Number of the partition, and its rows.
    classes : ndarray
        Sorted class labels of all partitions.
    cut : Cut
        The parts, and which of them judge.
    listed : ndarray or None
        The part of each row; where the rows belong to groups, of each of the partition's groups in the order of their
        numbers.
    seed : int
        Where the parts are drawn.
    """

    index: int
    n_rows: int
    classes: NDArray
    cut: Cut
    listed: NDArray | None = None
    seed: int = 0

    def judges(self, k: int, groups: NDArray | None = None) -> NDArray:
        """Rows that judge the vote of part ``k``; the groups are those of the rows."""
        return np.flatnonzero(self._parts(groups) == k)

    def teachers(self, k: int, groups: NDArray | None = None) -> NDArray:
        """Rows that may make it."""
        return self.cut.teachers(self._parts(groups), k)

    def counts(self, group_rows: NDArray | None = None) -> NDArray:
        """Rows in each part, where each group has so many."""
        parts = self._drawn() if self.listed is None else self.listed
        return np.bincount(parts, group_rows, len(self.cut.shares)).astype(int)

    def _parts(self, groups: NDArray | None) -> NDArray:
        if self.listed is None:
            return self._drawn()
        return self.listed if groups is None else self.listed[np.unique(groups, return_inverse=True)[1]]

    def _drawn(self) -> NDArray:
        rng = np.random.default_rng(np.random.SeedSequence((self.seed, self.index)))
        return np.searchsorted(np.cumsum(self.cut.shares)[:-1], rng.random(self.n_rows), side="right")

    def codes(self, labels: NDArray) -> NDArray:
        return np.searchsorted(self.classes, labels).astype(code_dtype(len(self.classes)))


def plan(
    sizes: Sequence[int],
    groups: Sequence[Groups] | None,
    classes: NDArray,
    cut: Cut,
    rng: np.random.RandomState,
) -> list[Part]:
    """A part of the cut for every row of partitions of these sizes, drawn without looking at the rows.

    Up to a million rows, and for groups however many rows they have, it is the one that one machine gives them.
    """
    kind = np.min_scalar_type(len(cut.shares))
    if groups is not None:
        every = np.unique(np.concatenate([own.ids for own in groups]))
        part = cut.parts(len(every), None, rng).astype(kind)
        listed = [part[np.searchsorted(every, own.ids)] for own in groups]
    elif sum(sizes) <= LISTED:
        listed = np.split(cut.parts(sum(sizes), None, rng).astype(kind), np.cumsum(sizes)[:-1])
    else:
        seed = rng.randint(2**31 - 1)
        return [Part(index, size, classes, cut, seed=seed) for index, size in enumerate(sizes)]
    return [Part(index, size, classes, cut, own) for index, (size, own) in enumerate(zip(sizes, listed, strict=True))]
