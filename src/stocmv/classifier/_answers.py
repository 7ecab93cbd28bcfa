"""What voters are asked, and which fold answers an example."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..voters import hash_examples


def assigned_folds(X: Any, shares: NDArray, key: bytes) -> NDArray:
    """Fold of each example, by a keyed hash of its features: the same example, the same fold.

    Over the choice of the key every example falls into a fold with the probability that is the fold's share,
    independently of any one other example that has other features.
    """
    uniform = hash_examples(X, key) / 2.0**64
    return np.minimum(np.searchsorted(np.cumsum(shares), uniform, side="right"), len(shares) - 1)
