"""What the judging examples showed about a vote that was made without them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Posterior, WeightedPosterior
from ..risks import error_rows
from ..votes import Gather, VoteMatrix, Votes, ask, joined_columns
from ._class_losses import known_labels

_ROUND_UP = 1 + 1e-13  # pairwise summation loses less than 1e-14 for any number of rows


class Losses(NamedTuple):
    """The sum of the losses of some examples or groups, and their number."""

    total: float
    n: int

    @property
    def mean(self) -> float:
        """The mean loss, rounded up; 1 if there are no examples."""
        return min(self.total / self.n * _ROUND_UP, 1.0) if self.n else 1.0


@dataclass(frozen=True, eq=False)
class Judgments:
    """A row for each judging example: all figures of a tested certificate are functions of this table.

    Attributes
    ----------
    classes : ndarray
        Labels of the classes; other columns have their codes.
    truth, answer : ndarray of shape (n,)
        The true class, and what `predict` answers.
    wrong : ndarray of shape (n,)
        Whether the answer is wrong, or might be because of rounding, or no voter answered.
    scores : ndarray of shape (n, n_classes)
        Weight of the voters for each class, as a share of those that answer.
    loss : ndarray of shape (n,)
        Probability that the stochastic vote errs.
    fold : ndarray of shape (n,)
        Number of the fold.
    group : ndarray of shape (n,) or None
        The group, if rows belong to groups: then groups are counted, and their losses are means over their rows.
    """

    classes: NDArray
    truth: NDArray
    answer: NDArray
    wrong: NDArray
    scores: NDArray
    loss: NDArray
    fold: NDArray
    group: NDArray | None

    @classmethod
    def of(cls, votes: Sequence[Votes], posteriors: Sequence[Posterior]) -> "Judgments":
        """The judgments of votes with these weights on the examples of each fold."""
        labels = known_labels(votes, needed=True)
        weighted = cast(Sequence[WeightedPosterior], posteriors)
        found = ask((v, Gather(partial(_judged, p))) for v, p in zip(votes, weighted, strict=True))
        truth, answer, wrong, scores, loss, group = joined_columns(found)
        fold = np.repeat(np.arange(len(votes)), [len(part[0]) for part in found])
        return cls(labels, truth, answer, wrong, scores, loss, fold, group)

    @property
    def grouped(self) -> bool:
        return self.group is not None

    def folds(self) -> "list[Judgments]":
        """The rows of each fold."""
        return [self.among(self.fold == k) for k in range(int(self.fold.max()) + 1)]

    def among(self, rows: NDArray) -> "Judgments":
        """Some of the rows."""
        names = ("truth", "answer", "wrong", "scores", "loss", "fold", *(("group",) if self.grouped else ()))
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def by_class(self) -> "Iterator[Judgments]":
        """The rows of each true class."""
        return (self.among(self.truth == c) for c in range(len(self.classes)))

    def by_answer(self) -> "Iterator[Judgments]":
        """The rows with each answer."""
        return (self.among(self.answer == c) for c in range(len(self.classes)))

    def losses(self, values: NDArray) -> Losses:
        """The sum of one value per row over the examples, or of the means over the rows of each group."""
        if self.group is None:
            return Losses(float(np.sum(values, dtype=float)), len(values))
        means = self.group_means(values)
        return Losses(float(means.sum()), len(means))

    def group_means(self, values: NDArray) -> NDArray:
        """The mean over the rows of each group, of one value per row or of several."""
        _, place = np.unique(cast(NDArray, self.group), return_inverse=True)
        rows = np.bincount(place)
        sums = np.zeros((len(rows), *values.shape[1:]))
        np.add.at(sums, place, values)
        return sums / rows.reshape(-1, *(1 for _ in values.shape[1:]))

    @property
    def errors(self) -> Losses:
        """Errors of `predict`."""
        return self.losses(self.wrong)

    @property
    def drawn_errors(self) -> Losses:
        """Errors of the stochastic vote."""
        return self.losses(self.loss)

    def frequency(self) -> NDArray:
        """Number of examples of each class; of groups, the sum of its shares of their rows."""
        return np.array([self.losses(self.truth == c).total for c in range(len(self.classes))])


def _judged(posterior: WeightedPosterior, votes: VoteMatrix) -> tuple[Any, ...]:
    """The columns of the table for one matrix; the groups are None if there are none."""
    weights, times = posterior.mean, votes.counts.astype(np.int64) if votes.counts.size else 1
    truth = np.asarray(votes.targets, np.int64)
    first, second = (answers.astype(np.int64) for answers in votes.possible_answers(weights))
    answer = np.where((first == truth) & (second != truth), second, first)  # what may be wrong is
    columns = truth, answer, votes.vote_errors(weights), _scores(votes, weights), error_rows(posterior, votes)
    return (*(np.repeat(column, times, axis=0) for column in columns), votes.groups)


def _scores(votes: VoteMatrix, weights: NDArray) -> NDArray:
    if votes.labels is not None:
        scores = votes.class_weights(weights)
    else:
        wrong = votes.wrong_weights(weights)
        right = votes.right_weights(weights) if votes.abstains else 1 - wrong
        classes = np.arange(len(cast(NDArray, votes.classes)))
        scores = np.where(np.asarray(votes.targets)[:, None] == classes, right[:, None], wrong[:, None])
    if not votes.abstains:
        return scores
    answered = scores.sum(1, keepdims=True)
    return np.divide(scores, answered, out=np.full(scores.shape, 1 / scores.shape[1]), where=answered > 0)
