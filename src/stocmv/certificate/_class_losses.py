"""The losses of the drawn vote, added up for each true class."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Dirichlet
from ..risks._exact import margin_rows
from ..votes import VoteMatrix, Votes

_ROUND_UP = 1 + 1e-13  # adding up in pairs loses less than 1e-14, however many rows there are


@dataclass(frozen=True)
class ClassLosses:
    """Sums of the losses, and numbers of examples, by class; one class where the classes are not known."""

    sums: NDArray
    counts: NDArray

    @property
    def mean(self) -> float:
        """Mean loss of all examples, rounded up."""
        return min(float(self.sums.sum() / self.counts.sum()) * _ROUND_UP, 1.0)

    @property
    def class_means(self) -> NDArray:
        """Mean loss of each class, rounded up; 1 where it has no examples."""
        means = np.ones(len(self.sums))
        np.divide(self.sums * _ROUND_UP, self.counts, out=means, where=self.counts > 0)
        return np.minimum(means, 1.0)


def class_losses(posteriors: Sequence[Dirichlet], votes: Sequence[Votes], margin: float = 0.0) -> list[ClassLosses]:
    """Losses of each fold within a margin, as in `margin_rows`."""
    asked = [v.total_later(partial(_sums, p, margin)) for p, v in zip(posteriors, votes, strict=True)]
    return [ClassLosses(*answer()) for answer in asked]


def _sums(posterior: Dirichlet, margin: float, votes: VoteMatrix) -> tuple[NDArray, NDArray]:
    counts = votes.counts if votes.counts.size else np.ones(votes.n_rows)
    losses = margin_rows(posterior, votes, margin) * counts
    if votes.targets is None or votes.classes is None:
        return np.array([losses.sum()]), np.array([counts.sum()])
    n_classes = len(votes.classes)
    ends = np.cumsum(np.bincount(votes.targets, minlength=n_classes))
    by_class = np.split(losses[np.argsort(votes.targets, kind="stable")], ends[:-1])
    return np.array([own.sum() for own in by_class]), np.bincount(votes.targets, counts, n_classes)
