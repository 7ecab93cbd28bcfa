"""Counts on the judging examples at each threshold: answers, and errors among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Posterior
from ..votes import Total, VoteMatrix, Votes, ask, doubt

ROOM = 1e-9  # tolerance below a threshold: more than the order of summation can change a share


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


@dataclass(frozen=True)
class _Sums:
    """Sums over the rows of each group, or over all rows if there are no groups."""

    ids: NDArray | None
    rows: NDArray
    values: NDArray  # (n_groups, 3, n_thresholds): answered, errors, covered

    def __add__(self, other: "_Sums") -> "_Sums":
        if self.ids is None or other.ids is None:
            return _Sums(None, self.rows + other.rows, self.values + other.values)
        ids, place = np.unique(np.concatenate([self.ids, other.ids]), return_inverse=True)
        rows = np.bincount(place, np.concatenate([self.rows, other.rows]))
        values = np.zeros((len(ids), *self.values.shape[1:]))
        np.add.at(values, place, np.concatenate([self.values, other.values]))
        return _Sums(ids, rows, values)

    def tally(self) -> Tally:
        if self.ids is None:
            answered, errors, covered = self.values[0]
            return Tally(answered, errors, covered, int(self.rows[0]))
        means = self.values / self.rows[:, None, None]
        return Tally(means[:, 0], means[:, 1], means[:, 2], len(self.rows))


def tallies(votes: Sequence[Votes], posteriors: Sequence[Posterior], thresholds: Sequence[float]) -> list[Tally]:
    """The tally of each fold; wherever the votes are stored, only sums are transferred."""
    cuts = np.array(thresholds) - ROOM
    found = ask((v, Total(partial(_sums, p.mean, cuts))) for v, p in zip(votes, posteriors, strict=True))
    return [sums.tally() for sums in found]


def _sums(weights: NDArray, cuts: NDArray, votes: VoteMatrix) -> _Sums:
    share, errs = winning_shares(votes, weights)[:, None], votes.vote_errors(weights)[:, None]
    # what is closer to the edge counts against the claim: as answered wrongly, and as not covered
    surely, maybe = share >= cuts + doubt(votes.n_voters), share >= cuts - doubt(votes.n_voters)
    values = np.stack([maybe, maybe & (errs | ~surely), surely], axis=1).astype(float)
    if votes.groups is None:
        counts = votes.counts if votes.counts.size else np.ones(votes.n_rows)
        return _Sums(None, np.array([counts.sum()]), np.tensordot(counts, values, axes=1)[None])
    ids, place = np.unique(votes.groups, return_inverse=True)
    sums = np.zeros((len(ids), *values.shape[1:]))
    np.add.at(sums, place, values)
    return _Sums(ids, np.bincount(place).astype(float), sums)


def winning_shares(votes: VoteMatrix, weights: NDArray) -> Any:
    """Share of the vote for the winning class, for each row; among the voters that answer."""
    if votes.labels is not None:
        each = votes.class_weights(weights)
        most, answered = each.max(1), each.sum(1)
    else:
        wrong = votes.wrong_weights(weights)
        right = votes.right_weights(weights) if votes.abstains else 1 - wrong
        most, answered = np.maximum(wrong, right), wrong + right
    if not votes.abstains:
        return most
    return np.divide(most, answered, out=np.full(len(most), 1 / (votes.n_classes or 2)), where=answered > 0)
