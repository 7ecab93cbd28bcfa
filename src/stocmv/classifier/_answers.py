"""What voters are asked, and which fold answers an example."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..voters import VoterSet, checked_codes, hash_examples


def ask(voters: VoterSet, X: Any, n_voters: int, n_classes: int) -> NDArray:
    """What the voters answer: codes of classes that there are, as the compiled sums over them rely on."""
    return checked_codes(voters.codes(X), n_voters, n_classes)


def assigned_folds(X: Any, shares: NDArray, key: bytes) -> NDArray:
    """Fold of each example, by a keyed hash of its features: the same example, the same fold.

    Over the choice of the key every example falls into a fold with the probability that is the fold's share,
    independently of any one other example that has other features.
    """
    uniform = hash_examples(X, key) / 2.0**64
    return np.minimum(np.searchsorted(np.cumsum(shares), uniform, side="right"), len(shares) - 1)
