"""The closest contests that a vote with given weights can lose.

When the deterministic vote errs, some wrong class has at least the weight of the true one. With few voters, or few
with much weight, only certain pairs of weights are possible, and the closest pair says how likely a drawn vote is to
err there too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

LISTED = 20  # heaviest voters whose subsets are listed; the others count as one weight that can be split anywhere
LISTED_CLASSES = 10  # voters whose answers are listed if there are more than two classes
_NOTHING = 1e-300
_UNUSUAL = 1e-3  # chance that more weight goes astray
_TIE = 1e-9  # share of all weight: more than the difference at which `predict` calls two classes tied


class Contests(NamedTuple):
    """Weights of the true class and of a wrong one that is no lighter; no lost contest is closer than these."""

    right: NDArray
    wrong: NDArray
    total: float
    n_classes: int

    def coverage(self, scale: float, margin: float, leak: float = 0.0, stray: float = 0.0) -> float:
        """Smallest probability that a drawn vote errs, or is right by less than the margin, rounded down.

        Some of the weight may be anywhere: the share ``leak`` of each bloc, and all of the blocs with the concentration
        ``stray``. It decides less, the more weight the two classes have together: all of it if there are only two,
        otherwise at least half of what they have at least on average, unless the draw is unusual.
        """
        met = self.right > 0
        if not met.any() and not leak:
            return 1.0
        together, unusual = 1.0, 0.0
        if leak and self.n_classes > 2:
            together, mean = 0.5 / self.n_classes, (1 - self.n_classes * _TIE) / self.n_classes
            unusual += _below(together, scale * self.total * mean, scale * self.total * (1 - mean))
        lost = leak * (0.5 - margin)
        if stray >= self.total * (1 - _TIE):
            return _NOTHING
        if stray:
            shapes = scale * (self.total - stray), scale * stray
            kept = float(betaincinv(*shapes, _UNUSUAL))
            unusual += _below(kept, *shapes)
            lost += 1 - kept
        margin -= lost / (1 - leak) / together
        if margin <= -0.5:
            return _NOTHING
        shares = betainc(scale * self.right[met], scale * self.wrong[met], 0.5 + margin)
        return max(float(shares.min(initial=1.0)) * (1 - 1e-9) - unusual, _NOTHING)


class ScoreContests(NamedTuple):
    """The contests that voters with probabilities can lose: the right class has at most half of the mean weight.

    The weighted margin has the variance ``(1 - mean^2) / (s + 1)`` at most, and is sub-Gaussian with ``1 / (s + 1)``.
    """

    total: float
    n_voters: int

    def coverage(self, scale: float, margin: float, leak: float = 0.0, stray: float = 0.0) -> float:
        """Smallest probability that the weighted margin of a draw is at most twice the margin, rounded down."""
        if self.n_voters == 1:
            return 1.0
        distances = max(2 * margin - _TIE, 0.0) ** 2 * (scale * self.total + 1)  # in squared standard deviations
        covered = max(distances / (1 + distances), -float(np.expm1(-distances / 2)))
        return max(covered * (1 - 1e-9), _NOTHING)


def _below(x: float, a: float, b: float) -> float:
    """Probability that a Beta(a, b) variable is below x, rounded up."""
    return float(betainc(a, b, x)) * (1 + 1e-9)


def closest_contests(weights: NDArray, n_classes: int, abstains: bool = False) -> Contests:
    """The closest contests among voters with these weights; ``n_classes`` is 2 if only errors are known."""
    return Contests(*_closest(weights, n_classes, abstains), float(weights.sum()), n_classes)


def _closest(weights: NDArray, n_classes: int, abstains: bool) -> tuple[NDArray, NDArray]:
    total = float(weights.sum())
    if abstains:
        return _few_against_few(weights, n_classes)
    if len(weights) == 1:  # it loses with all of the weight
        return np.zeros(1), weights
    if n_classes <= 2:
        wrong = min(_lightest_majority(weights), total)
        return np.array([total - wrong]), np.array([wrong])
    if len(weights) > LISTED_CLASSES:
        # a tie between two classes, with as little of the weight as they can have, or with all of it
        tied = total / np.array([n_classes, 2])
        return tied * (1 + _TIE), tied * (1 - _TIE)
    return _listed_contests(weights, n_classes)


def _lightest_majority(weights: NDArray) -> float:
    """The smallest weight of at least one half that a set of voters can have, or a number below it."""
    half = float(weights.sum()) / 2 * (1 - _TIE)
    ordered = np.sort(weights)[::-1]
    listed, rest = ordered[:LISTED], float(ordered[LISTED:].sum())
    few, many = _subset_sums(listed[::2]), np.sort(_subset_sums(listed[1::2]))
    first = np.searchsorted(many, half - few)  # the lightest partner that makes a majority
    reached = first < len(many)
    lightest = float((few[reached] + many[first[reached]]).min(initial=np.inf))
    below = first > 0
    if np.any(few[below] + many[first[below] - 1] + rest >= half) and rest > 0:
        return half
    return lightest * (1 - _TIE)


def _listed_contests(weights: NDArray, n_classes: int) -> tuple[NDArray, NDArray]:
    """For every set of voters that may elect a wrong class, the heaviest true class that it beats."""
    total = float(weights.sum())
    right, wrong = np.zeros((2, 1))
    for weight in weights:  # each voter answers the true class, the wrong one, or another
        right = np.concatenate([right, right + weight, right])
        wrong = np.concatenate([wrong, wrong, wrong + weight])
    # the elected class is no lighter than the true one, nor than the mean of the others
    others = total - right - wrong
    lost = (wrong >= right - _TIE * total) & ((n_classes - 2) * wrong >= others - _TIE * total)
    right, wrong = right[lost], wrong[lost]
    order = np.lexsort((-right, wrong))
    heaviest = np.unique(wrong[order], return_index=True)[1]
    return right[order][heaviest] * (1 + _TIE), wrong[order][heaviest] * (1 - _TIE)


def _few_against_few(weights: NDArray, n_classes: int) -> tuple[NDArray, NDArray]:
    """The closest contests if voters may abstain: the lightest two may be the only ones that answer.

    Between two classes of equal weight, a contest is closer the smaller that weight is, as the density of the winner's
    share is flatter. The tolerance for ties is a share of the weight that answers, which is at most ``n_classes`` times
    that of the heaviest class.
    """
    tie = max(n_classes, 2) * _TIE
    if len(weights) > LISTED_CLASSES:
        lightest = weights.min(keepdims=True)
        return lightest * (1 + tie), lightest * (1 - tie)
    right, wrong = np.zeros((2, 1))
    for weight in weights:  # each voter answers the true class, a wrong one, or none
        right, wrong = np.concatenate([right, right + weight, right]), np.concatenate([wrong, wrong, wrong + weight])
    lost = (wrong > 0) & (wrong >= right * (1 - tie))
    return right[lost] * (1 + tie), wrong[lost] * (1 - tie)


def _subset_sums(weights: NDArray) -> NDArray:
    sums = np.zeros(1)
    for weight in weights:
        sums = np.concatenate([sums, sums + weight])
    return sums
