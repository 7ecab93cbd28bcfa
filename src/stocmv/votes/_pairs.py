"""How often two voters err together, for all pairs."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._matrix import VoteMatrix
    from ._out_of_bag import OutOfBagVotes

_BLOCK = 1 << 13  # rows at a time; sums of that many ones are exact in single precision


class PairCounts(NamedTuple):
    """Numbers of examples for every two voters: arrays of shape (n_voters, n_voters)."""

    judged: NDArray  # that both answer
    wrong: NDArray  # of these, those on which the first of the two errs
    both: NDArray  # of these, those on which both err
    compared: NDArray  # that show whether exactly one errs; with two classes, unlabelled ones too
    differ: NDArray  # of these, those on which exactly one errs


def count_pairs(votes: "VoteMatrix") -> PairCounts:
    """The counts of votes in which every voter answers."""
    both = np.zeros((votes.n_voters, votes.n_voters))
    for start in range(0, votes.n_rows, _BLOCK):
        errors = votes.errors(start, start + _BLOCK).astype(float if votes.counts.size else np.float32)
        weighted = errors * votes.counts[start : start + _BLOCK, None] if votes.counts.size else errors
        both += weighted.T @ errors
    wrong, judged = np.repeat(np.diag(both)[:, None], votes.n_voters, axis=1), np.full_like(both, votes.n_examples)
    return PairCounts(judged, wrong, both, judged, wrong + wrong.T - 2 * both)


def count_judged_pairs(votes: "OutOfBagVotes") -> PairCounts:
    """The counts of votes in which each voter has judges of its own."""
    judged, wrong, both = np.zeros((3, votes.n_voters, votes.n_voters))
    for start in range(0, votes.n_rows, _BLOCK):
        some = start, start + _BLOCK
        errors, judges = (part(*some).astype(np.float32) for part in (votes.errors, votes.judges))
        judged += judges.T @ judges
        wrong += errors.T @ judges
        both += errors.T @ errors
    compared, differ = judged.copy(), wrong + wrong.T - 2 * both
    for start in range(0, votes.n_unlabelled, _BLOCK):
        signs = 2 * votes.unlabelled_answers(start, start + _BLOCK).astype(np.float32) - 1  # whose products say agree
        compared += len(signs)
        differ += (len(signs) - signs.T @ signs) / 2
    return PairCounts(judged, wrong, both, compared, differ)
