"""Counts on the judging examples at each threshold: answers, and errors among them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..certificate import Judgments

ROOM = 1e-9  # tolerance below a threshold: more than the order of summation can change a share
_DOUBT = 1e-10  # more than the order of summation can change, among 200,000 voters


@dataclass(frozen=True)
class Tally:
    """Counts of one fold by threshold: sums over examples, or the means of each group.

    Attributes
    ----------
    answered, errors : ndarray
        Answered, and answered wrongly: sums over the examples, (n_thresholds,), or shares of each group's rows,
        (n_groups, n_thresholds).
    covered : ndarray
        As ``answered``, without what is answered only thanks to rounding, which is among the ``errors``.
    n : int
        Number of units (examples or groups).
    """

    answered: NDArray
    errors: NDArray
    covered: NDArray
    n: int

    @property
    def grouped(self) -> bool:
        return self.answered.ndim == 2

    def means(self, name: str) -> NDArray:
        """Mean over the units at each threshold."""
        values = getattr(self, name)
        return (values.sum(0) if self.grouped else values) / self.n


def tally(judgments: Judgments, thresholds: Sequence[float]) -> Tally:
    """The counts of one fold."""
    share, wrong = judgments.scores.max(1)[:, None], judgments.wrong[:, None]
    cuts = np.array(thresholds) - ROOM
    # what is closer to the edge counts against the claim: as answered wrongly, and as not covered
    surely, maybe = share >= cuts + _DOUBT, share >= cuts - _DOUBT
    columns = (maybe, maybe & (wrong | ~surely), surely)
    if judgments.grouped:
        answered, errors, covered = (judgments.group_means(column) for column in columns)
        return Tally(answered, errors, covered, len(answered))
    answered, errors, covered = (column.sum(0).astype(float) for column in columns)
    return Tally(answered, errors, covered, len(share))
