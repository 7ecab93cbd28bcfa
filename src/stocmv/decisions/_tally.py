"""Counts on the judging examples at each threshold: answers, and errors among them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..certificate import Judgments

ROOM = 1e-9  # tolerance below a threshold: 90 of 100 equal weights may add up to slightly less than 0.9


@dataclass(frozen=True)
class Tally:
    """Counts of one fold by threshold: sums over examples, or the means of each group.

    Attributes
    ----------
    answered, errors : ndarray
        Answered, and answered wrongly: sums over the examples, (n_thresholds,), or shares of each group's rows,
        (n_groups, n_thresholds).
    n : int
        Number of units (examples or groups).
    """

    answered: NDArray
    errors: NDArray
    n: int

    @property
    def grouped(self) -> bool:
        return self.answered.ndim == 2

    def means(self, name: str) -> NDArray:
        """Mean over the units at each threshold."""
        values = getattr(self, name)
        return (values.sum(0) if self.grouped else values) / self.n


def tally(judgments: Judgments, thresholds: Sequence[float], code: int | None = None) -> Tally:
    """The counts of one fold; of the answers of one class, if its code is given."""
    answered = judgments.answer_score[:, None] >= np.array(thresholds) - ROOM
    if code is not None:
        answered &= (judgments.answer == code)[:, None]
    columns = answered, answered & judgments.wrong[:, None]
    if judgments.grouped:
        answers, errors = (judgments.group_means(column) for column in columns)
        return Tally(answers, errors, len(answers))
    answers, errors = (column.sum(0).astype(float) for column in columns)
    return Tally(answers, errors, len(answered))
