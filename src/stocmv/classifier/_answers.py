"""Which fold answers an example."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import hash_rows


def assigned_folds(X: Any, shares: NDArray, key: bytes) -> NDArray:
    """Fold of each example, by a keyed hash of its features: the same example always gets the same fold.

    Over random keys, an example falls into each fold with probability equal to the fold's share, and any two examples
    with different features are assigned independently.
    """
    uniform = hash_rows(X, key) / 2.0**64
    return np.minimum(np.searchsorted(np.cumsum(shares), uniform, side="right"), len(shares) - 1)
