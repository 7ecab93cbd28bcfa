"""Sums of losses for each true class, over examples or groups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..votes import Total, VoteMatrix, Votes, ask

_ROUND_UP = 1 + 1e-13  # pairwise summation loses less than 1e-14 for any number of rows


@dataclass(frozen=True)
class ClassLosses:
    """Sums of the losses and numbers of examples, by class and overall; one class if the classes are not known.

    If rows belong to groups, groups are counted: a group's loss is the mean over its rows, and for a class the mean
    over its rows of that class, if it has any.
    """

    sums: NDArray
    counts: NDArray
    frequency: NDArray  # of the classes: the sum of each one's share of an example, which is 0 or 1, or of a group
    total: float
    n: int

    @classmethod
    def of(cls, found: "tuple[NDArray, NDArray] | GroupLosses") -> "ClassLosses":
        if isinstance(found, GroupLosses):
            rows = found.counts.sum(1, keepdims=True)
            means = found.sums.sum(1) / rows[:, 0]
            by_class = np.divide(found.sums, found.counts, out=np.zeros_like(found.sums), where=found.counts > 0)
            frequency = (found.counts / rows).sum(0)
            return cls(by_class.sum(0), (found.counts > 0).sum(0), frequency, float(means.sum()), len(means))
        sums, counts = found
        return cls(sums, counts, counts, float(sums.sum()), int(counts.sum()))

    @property
    def mean(self) -> float:
        """Overall mean loss, rounded up."""
        return min(self.total / self.n * _ROUND_UP, 1.0)

    @property
    def class_means(self) -> NDArray:
        """Mean loss of each class, rounded up; 1 for a class without examples."""
        means = np.ones(len(self.sums))
        np.divide(self.sums * _ROUND_UP, self.counts, out=means, where=self.counts > 0)
        return np.minimum(means, 1.0)


@dataclass(frozen=True)
class GroupLosses:
    """Sums of the losses and numbers of rows, by group and class."""

    ids: NDArray
    sums: NDArray
    counts: NDArray

    def __add__(self, other: "GroupLosses") -> "GroupLosses":
        """The sums over two parts of the rows; a group may have rows in both."""
        ids, place = np.unique(np.concatenate([self.ids, other.ids]), return_inverse=True)
        sums, counts = (np.zeros((len(ids), self.sums.shape[1])) for _ in range(2))
        np.add.at(sums, place, np.concatenate([self.sums, other.sums]))
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return GroupLosses(ids, sums, counts)


def class_losses(of: Sequence[Callable[[VoteMatrix], NDArray]], votes: Sequence[Votes]) -> list[ClassLosses]:
    """Losses of each fold, from a function that computes the loss of each row of its votes."""
    found = ask((v, Total(partial(_sums, rows))) for rows, v in zip(of, votes, strict=True))
    return [ClassLosses.of(sums) for sums in found]


def mean_vote_errors(weights: NDArray, votes: VoteMatrix) -> NDArray:
    """1 where the vote with these weights errs, otherwise 0."""
    return votes.vote_errors(weights).astype(float)


def measured_recalls(
    labels: NDArray, votes: Sequence[Votes], losses: Sequence[ClassLosses]
) -> tuple[dict[str, Any], ...]:
    """For each class, its examples (or groups that have any) and the share on which the votes are right."""
    wrong, counts = np.zeros((2, len(labels)))
    for v, own in zip(votes, losses, strict=True):
        places = np.searchsorted(labels, np.asarray(v.classes))
        wrong[places] += own.sums
        counts[places] += own.counts
    recalls = (counts - wrong) / np.maximum(counts, 1)
    entries = zip(labels.tolist(), counts.tolist(), recalls.tolist(), strict=True)
    return tuple({"label": label, "n": int(n), "measured": recall} for label, n, recall in entries)


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
        raise ValueError("Certificates per class need votes made from labels, not from errors.")
    return np.empty(0)


def _sums(rows: Callable[[VoteMatrix], NDArray], votes: VoteMatrix) -> tuple[NDArray, NDArray] | GroupLosses:
    counts = votes.counts if votes.counts.size else np.ones(votes.n_rows)
    losses = rows(votes) * counts
    targets, n_classes = votes.targets, 1 if votes.classes is None else len(votes.classes)
    if votes.groups is not None:
        ids, place = np.unique(votes.groups, return_inverse=True)
        cells = place * n_classes + (0 if targets is None else targets.astype(np.int64))
        sums, numbers = (np.bincount(cells, w, len(ids) * n_classes).reshape(-1, n_classes) for w in (losses, None))
        return GroupLosses(ids, sums, numbers.astype(float))
    if targets is None:
        return np.array([losses.sum()]), np.array([counts.sum()])
    ends = np.cumsum(np.bincount(targets, minlength=n_classes))
    by_class = np.split(losses[np.argsort(targets, kind="stable")], ends[:-1])
    return np.array([own.sum() for own in by_class]), np.bincount(targets, counts, n_classes)
