"""Decision stumps: one threshold on one feature."""

from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_scalar

from ..votes import code_dtype
from ._base import VoterSet, VoterSource

_BLOCK = 4096  # rows whose comparisons stay in the cache


class Stumps(VoterSource):
    """Stumps with thresholds spread evenly over the range of each feature, both sides.

    Parameters
    ----------
    n_thresholds : int
        Thresholds per feature, strictly inside its range.
    ranges : "other_folds", "training" or array-like of shape (2, n_features)
        Where the ranges come from. "other_folds" takes them from the examples that do not judge the stumps, and assumes
        nothing. An array gives the lowest and highest value of each feature, known in advance; no folds are needed.
        "training" takes them from all training examples, as the paper does, and needs no folds either; but then the
        stumps depend (a little) on the examples that judge them, and the result is marked as not a certificate.
    n_pairs : int
        With more than two classes, the number of random ordered pairs of classes for each threshold: a stump answers
        the first class below it and the second above.

    Examples
    --------
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.voters import Stumps
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(1000, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier(Stumps(20, ranges=[[-2, -1.5], [3, 2]]), random_state=0).fit(X, y)
    >>> len(clf.posterior_[0].alpha)  # two features, twenty thresholds, two sides
    80
    """

    uses_labels = False

    def __init__(
        self,
        n_thresholds: int = 10,
        ranges: Literal["other_folds", "training"] | ArrayLike = "other_folds",
        n_pairs: int = 10,
    ) -> None:
        self.n_thresholds = n_thresholds
        self.ranges = ranges
        self.n_pairs = n_pairs

    @property
    def learns(self) -> bool:  # type: ignore[override]
        return isinstance(self.ranges, str) and self.ranges == "other_folds"

    @property
    def proven(self) -> bool:  # type: ignore[override]
        return not (isinstance(self.ranges, str) and self.ranges == "training")

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        if isinstance(self.ranges, str) and self.ranges == "training":
            return (
                "A shortcut of the paper: the stumps' thresholds were spread over the range of the very examples that "
                "judge them, as if that range had been known before.",
            )
        return ()

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> "StumpVoters":
        check_scalar(self.n_thresholds, "n_thresholds", Integral, min_val=1)
        check_scalar(self.n_pairs, "n_pairs", Integral, min_val=1)
        lowest, highest = self._ends(np.asarray(X, float))
        fractions = np.arange(1, self.n_thresholds + 1) / (self.n_thresholds + 1)
        thresholds = lowest[:, None] + (highest - lowest)[:, None] * fractions
        return StumpVoters(thresholds, self._pairs(len(classes), seed), len(classes))

    def _ends(self, X: NDArray) -> NDArray:
        """The lowest and highest value of each feature."""
        if isinstance(self.ranges, str):
            if self.ranges not in ("other_folds", "training"):
                allowed = "'other_folds', 'training' or an array of two rows"
                raise ValueError(f"ranges must be {allowed}, got {self.ranges!r}.")
            return np.stack([X.min(0), X.max(0)])
        given = np.asarray(self.ranges, float)
        if given.shape != (2, X.shape[1]) or not np.all(np.isfinite(given)):
            raise ValueError(f"ranges must have two finite rows of {X.shape[1]} features, got shape {given.shape}.")
        return given

    def _pairs(self, n_classes: int, seed: int) -> NDArray:
        """Ordered pairs of classes: the one below a threshold and the one above."""
        pairs = np.array([(a, b) for a in range(n_classes) for b in range(n_classes) if a != b])
        if n_classes == 1:
            return np.zeros((1, 2), int)
        if len(pairs) <= self.n_pairs or n_classes == 2:
            return pairs
        chosen = np.random.default_rng(seed).choice(len(pairs), self.n_pairs, replace=False)
        return pairs[np.sort(chosen)]

    def describe(self) -> str:
        ranges = self.ranges if isinstance(self.ranges, str) else "given"
        return f"stumps, {self.n_thresholds} thresholds per feature, ranges: {ranges}"


class StumpVoters(VoterSet):
    """Stumps at given thresholds (n_features, n_thresholds), for given pairs of classes."""

    def __init__(self, thresholds: NDArray, pairs: NDArray, n_classes: int) -> None:
        self.thresholds = thresholds
        self.pairs = pairs
        self.n_classes = n_classes
        self.n_voters = thresholds.size * len(pairs)

    def codes(self, X: Any) -> NDArray:
        X, thresholds = np.asarray(X, float), self.thresholds.ravel()
        below, over = self.pairs.astype(code_dtype(self.n_classes)).T
        votes = np.empty((len(X), len(below), thresholds.size), below.dtype)
        for start in range(0, len(X), _BLOCK):
            block = slice(start, start + _BLOCK)
            above = (np.repeat(X[block], self.thresholds.shape[1], axis=1) > thresholds).view(np.uint8)
            for pair, (first, rise) in enumerate(zip(below, over - below, strict=True)):
                # unsigned, so that a negative step wraps around to the right code
                votes[block, pair] = first + np.multiply(above, rise, dtype=votes.dtype)
        return votes.reshape(len(X), -1)
