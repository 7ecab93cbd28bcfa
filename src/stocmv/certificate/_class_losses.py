"""Sums of losses for each true class, where the judging examples also teach the weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..votes import VoteMatrix, Votes

_ROUND_UP = 1 + 1e-13  # pairwise summation loses less than 1e-14 for any number of rows


@dataclass(frozen=True)
class ClassLosses:
    """Sums of the losses and numbers of examples, by class; one class if the classes are not known."""

    sums: NDArray
    counts: NDArray

    @property
    def mean(self) -> float:
        """Overall mean loss, rounded up."""
        return min(float(self.sums.sum()) / float(self.counts.sum()) * _ROUND_UP, 1.0)

    @property
    def class_means(self) -> NDArray:
        """Mean loss of each class, rounded up; 1 for a class without examples."""
        means = np.ones(len(self.sums))
        np.divide(self.sums * _ROUND_UP, self.counts, out=means, where=self.counts > 0)
        return np.minimum(means, 1.0)


def class_losses(of: Sequence[Callable[[VoteMatrix], NDArray]], votes: Sequence[Votes]) -> list[ClassLosses]:
    """Losses of each fold, from a function that computes the loss of each row of its votes."""
    started = [v.start(v.total, partial(_sums, rows)) for rows, v in zip(of, votes, strict=True)]
    return [ClassLosses(*wait()) for wait in started]


def mean_vote_errors(weights: NDArray, votes: VoteMatrix) -> NDArray:
    """1 where the vote with these weights errs, otherwise 0."""
    return votes.vote_errors(weights).astype(float)


def known_labels(votes: Sequence[Votes], *, needed: bool) -> NDArray:
    """The classes, the same in all folds; empty if only errors are known, which is refused if classes are needed."""
    lists = [None if v.classes is None else v.classes.tolist() for v in votes]
    other = next((each for each in lists if repr(each) != repr(lists[0])), lists[0])
    if repr(other) != repr(lists[0]):
        raise ValueError(
            f"votes has folds with different classes, {lists[0]} and {other}: make the votes of all folds with the "
            "same list, VoteMatrix.from_labels(votes, y, classes)."
        )
    if votes[0].classes is not None:
        return votes[0].classes
    if needed:
        raise ValueError("Tests, and bounds per class, need votes made from labels, not from errors.")
    return np.empty(0)


def _sums(rows: Callable[[VoteMatrix], NDArray], votes: VoteMatrix) -> tuple[NDArray, NDArray]:
    counts = votes.counts if votes.counts.size else np.ones(votes.n_rows)
    losses = rows(votes) * counts
    if votes.targets is None:
        return np.array([losses.sum()]), np.array([counts.sum()])
    n_classes = len(votes.classes)  # type: ignore[arg-type]
    ends = np.cumsum(np.bincount(votes.targets, minlength=n_classes))
    by_class = np.split(losses[np.argsort(votes.targets, kind="stable")], ends[:-1])
    return np.array([own.sum() for own in by_class]), np.bincount(votes.targets, counts, n_classes)


def class_counts(votes: VoteMatrix) -> NDArray:
    """Number of examples of each class; of all examples if the classes are not known."""
    if votes.targets is None or votes.classes is None:
        return np.array([float(votes.n_examples)])
    return np.bincount(votes.targets, votes.counts if votes.counts.size else None, len(votes.classes)).astype(float)
