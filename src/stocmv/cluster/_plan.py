"""Which rows of which partition judge which vote."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..checks import Groups
from ..protocols import Cut
from ..votes import code_dtype

LISTED = 1_000_000  # up to this many rows, the part of each is listed


@dataclass(frozen=True, eq=False)
class Part:
    """The part of the cut that each row of a partition belongs to, and the classes.

    The parts are listed, or drawn independently for each row from a seed and the number of the partition: then the draw
    can be repeated anywhere, and nothing has to be transferred. The layout of the rows has no influence.

    Attributes
    ----------
    index, n_rows : int
        Number of the partition, and of its rows.
    classes : ndarray
        Sorted class labels of all partitions.
    cut : Cut
        The parts, and which of them judge.
    listed : ndarray or None
        The part of each row; if the rows belong to groups, of each of the partition's groups in the order of their
        numbers.
    seed : int
        Seed for drawing the parts.
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
        """Rows that may make the vote of part ``k``."""
        return self.cut.teachers(self._parts(groups), k)

    def counts(self, group_rows: NDArray | None = None) -> NDArray:
        """Number of rows in each part, given the number of rows of each group."""
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

    For up to a million rows, and always for groups, it is the same as on one machine.
    """
    kind = np.min_scalar_type(len(cut.shares))
    if groups is not None:
        every = np.unique(np.concatenate([own.ids for own in groups]))
        part = cut.parts(len(every), None, rng).astype(kind)
        listed = [part[np.searchsorted(every, own.ids)] for own in groups]
    elif sum(sizes) <= LISTED or type(cut) is not Cut:  # a cut of its own may look at the order of the rows
        listed = np.split(cut.parts(sum(sizes), None, rng).astype(kind), np.cumsum(sizes)[:-1])
    else:
        seed = rng.randint(2**31 - 1)
        return [Part(index, size, classes, cut, seed=seed) for index, size in enumerate(sizes)]
    return [Part(index, size, classes, cut, own) for index, (size, own) in enumerate(zip(sizes, listed, strict=True))]
