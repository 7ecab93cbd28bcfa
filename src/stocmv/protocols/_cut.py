"""Which examples judge a vote that the others make."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._choices import holdout_share, is_auto

_FOLDS = 3


@dataclass(frozen=True)
class Cut:
    """A split of the examples into numbered parts; each of the first ``n_parts`` judges a vote made by the rest.

    Attributes
    ----------
    shares : tuple of float
        Share of the examples, or of the groups, in each part.
    n_parts : int
        Number of parts that judge.
    """

    shares: tuple[float, ...]
    n_parts: int

    @classmethod
    def folds(cls, count: int) -> "Cut":
        return cls((1 / count,) * count, count)

    @classmethod
    def holdout(cls, share: float) -> "Cut":
        return cls((share, 1 - share), 1)

    @property
    def holds_out(self) -> bool:
        """Whether there are examples that never judge."""
        return len(self.shares) > self.n_parts

    def parts(self, n: int, groups: NDArray | None, rng: Any) -> NDArray:
        """A random part for each example, drawn without looking at it; the proof does not allow stratification."""
        return random_parts(n, groups, self.shares, rng)

    def teachers(self, part: NDArray, k: int) -> NDArray:
        """Examples that make the vote judged by part ``k``: all the others, or all examples if there are no others."""
        return np.flatnonzero(part != k) if len(self.shares) > 1 else np.arange(len(part))


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


def choose_cut(
    holdout: Any, n_folds: Any, n: int, *, tested: bool, folds_wanted: bool, learns: bool, grouped: bool = False
) -> Cut:
    """The cut that these arguments ask for.

    Parameters
    ----------
    holdout, n_folds
        The classifier's parameters.
    n : int
        Number of examples, or of groups.
    tested : bool
        Whether the judging examples only test.
    folds_wanted : bool
        Whether folds are needed even if ``n_folds`` is None.
    learns : bool
        Whether anything is learned from the examples that do not judge.
    grouped : bool
        Whether groups are counted.
    """
    units, count = ("groups", f"n_groups = {n}") if grouped else ("examples", f"n_samples = {n}")
    _check_arguments(holdout, n_folds, tested, folds_wanted)
    if n_folds is None and (folds_wanted or not tested):
        n_folds = min(_FOLDS, n) if learns or folds_wanted else 1
    if n_folds is not None:
        if n_folds < 2 and (learns or tested):
            why = f"{units} must not judge a vote that they helped to make, so at least 2 folds are needed"
            raise ValueError(f"n_folds={n_folds} and {count}: {why}.")
        if n_folds > n:
            raise ValueError(f"n_folds={n_folds} is more than the number of {units}, {count}.")
        return Cut.folds(int(n_folds))
    if not learns:
        if not (is_auto(holdout) or holdout in (0, None)):
            return Cut.holdout(holdout)
        return Cut((1.0,), 1)
    share = holdout_share(n) if is_auto(holdout) else holdout
    if not share:
        raise ValueError(
            f"holdout={holdout!r} leaves no examples to judge the vote, and these voters or their weights are learned "
            "from examples: give a share or n_folds, or, if the voters do not learn, inner_folds=0 for equal weights."
        )
    if n < 2:
        raise ValueError(f"{count}: at least 2 {units} are needed, one to make the vote and one to judge it.")
    return Cut.holdout(share)


def _check_arguments(holdout: Any, n_folds: Any, tested: bool, folds_wanted: bool) -> None:
    known = is_auto(holdout) or holdout is None
    if not known and not (isinstance(holdout, int | float | np.number) and 0 <= holdout < 1):
        raise ValueError(f"holdout must be 'auto' or a share of the examples between 0 and 1, got {holdout!r}.")
    if n_folds is not None and not (
        isinstance(n_folds, int | np.integer) and not isinstance(n_folds, bool) and n_folds >= 1
    ):
        raise ValueError(f"n_folds must be None or a positive integer, got {n_folds!r}.")
    if not known and holdout and n_folds is not None:
        raise ValueError(f"holdout={holdout!r} and n_folds={n_folds!r}: give one of them.")
    if not known and holdout and folds_wanted:
        raise ValueError(f"holdout={holdout!r} and bound='fold_test', which is for folds: give one of them.")
    if not known and holdout and not tested:
        raise ValueError(
            f"holdout={holdout!r} needs a bound that only tests the vote: leave bound='auto', or use n_folds with a "
            "PAC-Bayes bound."
        )
