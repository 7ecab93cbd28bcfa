"""Voters that answer alike: blocs."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._matrix import VoteMatrix

_FIRST, _CELLS = 256, 1 << 24  # rows of the first block, and votes that are unpacked at a time


def numbered(keys: NDArray) -> NDArray:
    """A number for each row of keys, equal for equal rows, in the order in which they first occur."""
    rows = np.ascontiguousarray(keys)
    _, first, number = np.unique(
        rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel(),
        return_index=True,
        return_inverse=True,
    )
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]


def blocs_of(votes: "VoteMatrix") -> NDArray:
    """The blocs in one matrix, found block by block among the voters that have agreed with another one so far."""
    blocs = np.zeros(votes.n_voters, np.int64)
    start, size = 0, _FIRST
    while start < votes.n_rows:
        left = np.flatnonzero(np.bincount(blocs)[blocs] > 1)
        if not len(left):
            break
        stop = min(start + max(min(size, _CELLS // votes.n_voters), 1), votes.n_rows)
        answers = votes.answers_alike(start, stop)[:, left].T
        own = blocs[left, None].astype("<i8").view(np.uint8)
        blocs[left] = blocs.max() + 1 + numbered(np.hstack([own, answers.view(np.uint8).reshape(len(left), -1)]))
        start, size = stop, 4 * size
    return numbered(blocs[:, None])
