"""Which fold answers an example."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..checks import hash_rows


class FoldReply(NamedTuple):
    """What the vote of a fold says about examples."""

    answers: NDArray  # class codes
    scores: NDArray  # (n, n_classes)


def disagreeing(answers: NDArray) -> NDArray:
    """Whether the folds, one per row, answer an example differently."""
    return (answers != answers[0]).any(0)


def answering_folds(X: Any, disagree: NDArray, shares: NDArray, key: bytes | None) -> NDArray:
    """Fold that answers each example: where they disagree the assigned one, elsewhere the first; one has no key."""
    folds, rows = np.zeros(len(disagree), np.intp), np.flatnonzero(disagree)
    if len(rows) and key is not None:
        folds[rows] = assigned_folds(_safe_indexing(X, rows), shares, key)
    return folds


def assigned_folds(X: Any, shares: NDArray, key: bytes) -> NDArray:
    """Fold of each example, by a keyed hash of its features: the same example always gets the same fold.

    Over random keys, an example falls into each fold with probability equal to the fold's share, and any two examples
    with different features are assigned independently.
    """
    uniform = hash_rows(X, key) / 2.0**64
    return np.minimum(np.searchsorted(np.cumsum(shares), uniform, side="right"), len(shares) - 1)
