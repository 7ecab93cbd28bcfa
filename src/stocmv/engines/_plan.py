"""Which rows of which partition belong to which fold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LISTED = 1_000_000  # rows up to which the folds are listed


@dataclass(frozen=True, eq=False)
class Part:
    """A partition: the classes of its labels, and the fold of each of its rows.

    The folds are listed, or the fold of each row is drawn independently from a seed and the number of the partition:
    then the draw can be repeated anywhere, and nothing has to be sent. How the rows were laid out has no influence.

    Attributes
    ----------
    index, n_rows : int
        Number of the partition, and its rows.
    classes : ndarray
        Sorted class labels of all partitions.
    n_folds : int
        Number of folds.
    learns : bool
        Whether the voters learn from examples.
    listed : ndarray of shape (n_rows,) or None
        The fold of each row.
    seed : int
        Where the folds are drawn.
    """

    index: int
    n_rows: int
    classes: NDArray
    n_folds: int
    learns: bool = True
    listed: NDArray | None = None
    seed: int = 0

    def judged(self, fold: int) -> NDArray:
        """Rows that judge the voters of the fold."""
        if self.listed is not None:
            return np.flatnonzero(self.listed == fold)
        return np.flatnonzero(self._drawn() == fold)

    def judged_counts(self) -> NDArray:
        """Rows in each fold."""
        return np.bincount(self._drawn() if self.listed is None else self.listed, minlength=self.n_folds)

    def _drawn(self) -> NDArray:
        rng = np.random.default_rng(np.random.SeedSequence((self.seed, self.index)))
        return rng.integers(self.n_folds, size=self.n_rows, dtype=np.min_scalar_type(self.n_folds))

    def seen(self, fold: int) -> NDArray:
        """Rows that may train them: the others; the same where the voters do not learn."""
        judged = self.judged(fold)
        return np.setdiff1d(np.arange(self.n_rows), judged, assume_unique=True) if self.learns else judged

    def codes(self, labels: NDArray) -> NDArray:
        return np.searchsorted(self.classes, labels)


def plan(
    sizes: Sequence[int],
    classes: NDArray,
    n_folds: int,
    learns: bool,
    draw: Callable[[], Sequence[NDArray]],
    rng: np.random.RandomState,
) -> list[Part]:
    """A fold for every row of partitions of these sizes, drawn without looking at the rows.

    Up to a million rows the folds are those that ``draw`` gives, as on one machine.
    """
    if sum(sizes) > LISTED:
        seed = rng.randint(2**31 - 1)
        return [Part(index, size, classes, n_folds, learns, seed=seed) for index, size in enumerate(sizes)]
    fold_of = np.empty(sum(sizes), np.min_scalar_type(n_folds))
    for k, rows in enumerate(draw()):
        fold_of[rows] = k
    listed = np.split(fold_of, np.cumsum(sizes)[:-1])
    return [Part(index, len(own), classes, n_folds, learns, own) for index, own in enumerate(listed)]
