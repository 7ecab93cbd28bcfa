"""Which examples judge a vote that the others make."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Cut:
    """A split of the examples into numbered parts; each of the first ``n_parts`` judges a vote made by the rest.

    Attributes
    ----------
    shares : tuple of float
        Share of the examples, or of the groups, in each part.
    n_parts : int
        Number of parts that judge.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv.protocols import Cut
    >>> cut = Cut.holdout(0.25)
    >>> part = cut.parts(8, None, np.random.RandomState(0))
    >>> int((part == 0).sum()), len(cut.teachers(part, 0))  # judges, teachers
    (2, 6)
    """

    shares: tuple[float, ...]
    n_parts: int

    @classmethod
    def folds(cls, count: int) -> "Cut":
        return cls((1 / count,) * count, count)

    @classmethod
    def holdout(cls, share: float) -> "Cut":
        return cls((share, 1 - share), 1)

    def parts(self, n: int, groups: NDArray | None, rng: Any) -> NDArray:
        """A random part for each example, drawn without looking at it; the proof does not allow stratification.

        Parts are integers from 0, in the order of ``shares``; all examples of a group must be in the same one.
        """
        return random_parts(n, groups, self.shares, rng)

    def teachers(self, part: NDArray, k: int) -> NDArray:
        """Examples that make the vote judged by part ``k``: all the others, or all examples if there are no others."""
        return np.flatnonzero(part != k) if len(self.shares) > 1 else np.arange(len(part))


def parts_of(cut: Cut, n: int, groups: NDArray | None, rng: Any) -> NDArray:
    """The part that a cut gives to each example; a cut that would let a group teach its own judges is refused."""
    part, parts = np.asarray(cut.parts(n, groups, rng)), f"{type(cut).__name__}.parts"
    if part.shape != (n,) or part.dtype.kind not in "biu":
        got = f"an array of {part.dtype} of shape {part.shape}"
        raise ValueError(f"{parts} must return an integer for each of the {n} examples, got {got}.")
    for k in range(cut.n_parts):
        if not np.any(part == k):
            raise ValueError(f"{parts} puts no example into part {k}, which has to judge: give it some.")
    if groups is not None:
        _, first, place = np.unique(groups, return_index=True, return_inverse=True)
        split = np.flatnonzero(part != part[first][place])
        if len(split):
            raise ValueError(
                f"{parts} splits {len(np.unique(place[split]))} of {len(first)} groups, which would train votes that "
                "they judge: give all examples of a group the same part, or leave out groups."
            )
    return part


def random_parts(n: int, groups: NDArray | None, shares: Any, rng: Any) -> NDArray:
    """A random part for each example, in the given shares; the rows of a group stay together.

    Every part gets at least one example or group, if there are enough.
    """
    place = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    count = int(place.max()) + 1
    ends = np.rint(np.cumsum(shares) * count).astype(int)
    least = np.arange(1, len(ends) + 1)
    ends = np.clip(ends, least, count - least[-1] + least)
    part = np.empty(count, np.int64)
    part[rng.permutation(count)] = np.searchsorted(ends, np.arange(count), side="right")
    return part[place]


def inner_cuts(n: int, groups: NDArray | None, n_folds: int, seed: int) -> Iterator[tuple[NDArray, NDArray]]:
    """The rows of each inner fold, and the other rows; fewer folds if there are few examples or groups."""
    count = min(n_folds, n if groups is None else len(np.unique(groups)))
    if count < 2:
        return
    part = random_parts(n, groups, np.full(count, 1 / count), np.random.default_rng(seed))
    for k in range(count):
        yield np.flatnonzero(part == k), np.flatnonzero(part != k)
