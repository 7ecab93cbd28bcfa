"""Bounds on a probability for all thresholds at once: a band of equal local levels around a distribution function."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import betainccinv, gammaln, xlogy

MOST_STEPS = 2000  # order statistics of a band; larger samples use some of them
_REACH = 9.0  # standard deviations beyond which counts are left out, to the safe side
_FEW = 30  # counts that are kept in addition, as small ones have no normal tails
_SLACK = 1e-8  # far more than the rounding of a probability of crossing
_TINY = 1e-6  # a delta that is simply shared among the order statistics


@dataclass(frozen=True)
class DistributionBand:
    r"""Upper bounds on :math:`\mathbb P(s\ge t)` for all thresholds :math:`t` at once, from ``n`` independent scores.

    If :math:`k` of the scores reach a threshold, the bound there is the smaller one of Clopper and Pearson's at a local
    level :math:`\eta` (Berk and Jones 1979), tight where the probability is small or large, and Massart's (1990) at
    :math:`\delta/2`, tight in the middle. All of these hold at once with probability at least :math:`1-\delta`:
    :math:`\eta` is chosen such that

    .. math:: \mathbb P\big(U_{(i)}\le b_i\text{ for } i = 1, \dots, n\big)\ge 1-\delta ,
        \qquad b_i = \min\Big(\beta_i(1-\eta),\ \tfrac{i-1}n+\sqrt{\tfrac1{2n}\ln\tfrac2\delta}\Big) ,

    for the order statistics of uniform variables, :math:`\beta_i` being the quantiles of
    :math:`\mathrm{Beta}(i, n-i+1)`. The probability is computed exactly. The same bounds hold for
    :math:`\mathbb P(s < t)` with the number of scores below. Above 2,000 scores the band goes through some of the order
    statistics, and is constant between them.

    Examples
    --------
    >>> from stocmv.bounds import DistributionBand, clopper_pearson
    >>> band = DistributionBand(300, delta=0.025)
    >>> round(float(band.upper(30)), 4)
    0.1679
    >>> round(clopper_pearson(30, 300, 0.025), 4)  # at one threshold, fixed in advance
    0.1397
    """

    n: int
    delta: float

    @property
    def level(self) -> float:
        """The local level of Clopper and Pearson's bounds."""
        return _local_level(self.n, self.delta)

    def upper(self, counts: ArrayLike) -> NDArray:
        """The bounds where so many of the scores lie on that side of a threshold."""
        return _bounds(self.n, self.delta)[np.searchsorted(order_statistics(self.n), np.asarray(counts) + 1)]


@lru_cache(64)
def _bounds(n: int, delta: float) -> NDArray:
    """The bound for each step of the band, rounded up; and where all of the scores lie on that side."""
    return np.append(np.minimum(_band(n, delta, _local_level(n, delta)) * (1 + 1e-12), 1.0), 1.0)


@lru_cache(64)
def order_statistics(n: int) -> NDArray:
    """The order statistics through which the band of ``n`` scores goes: all, or about equally many deviations apart."""
    if n <= MOST_STEPS:
        return np.arange(1, n + 1)
    angles = np.arange(1, MOST_STEPS + 1) * (math.pi / 2 / MOST_STEPS)
    return np.unique(np.ceil(n * np.sin(angles) ** 2).astype(int).clip(1, n))


@lru_cache(4096)
def _local_level(n: int, delta: float) -> float:
    """The largest level, up to a thousandth of it, at which all order statistics stay within the band."""
    safe = delta / len(order_statistics(n))  # one for each of them
    if delta < _TINY:
        return safe

    def excess(log_level: float) -> float:
        crossing = _crossing_probability(_band(n, delta, math.exp(log_level)), n) + _SLACK
        return math.log(crossing / delta)

    found = float(brentq(excess, math.log(safe / 2.1), math.log(delta) + 0.1, xtol=1e-3))
    while excess(found) > 0:
        found -= 1e-3
    return math.exp(found)


def _band(n: int, delta: float, level: float) -> NDArray:
    """The bounds on the order statistics."""
    steps = order_statistics(n)
    quantiles = betainccinv(steps, n - steps + 1, level)
    if delta < _TINY:
        return quantiles
    return np.minimum(quantiles, (steps - 1) / n + math.sqrt(math.log(2 / delta) / (2 * n)))


def _crossing_probability(bounds: NDArray, n: int) -> float:
    """Probability that one of the chosen order statistics of ``n`` uniform variables exceeds its bound, from above.

    The variables are the points of a Poisson process, given that there are n of them. The probabilities of the number
    of points at each bound, as long as there were always enough, follow from each other by a convolution; everything
    is positive, so nothing cancels, and counts that are left out only raise the result.
    """
    steps = order_statistics(n)
    highest = np.minimum(np.ceil(n * bounds + _REACH * np.sqrt(n * bounds * (1 - bounds))).astype(int) + _FEW, n)
    first, probabilities, time = 0, np.ones(1), 0.0
    for step, bound, last in zip(steps.tolist(), bounds.tolist(), highest.tolist(), strict=True):
        fewest, kernel = _poisson(n * (bound - time))
        reached = np.convolve(probabilities, kernel)
        start = first + fewest
        if start < step:
            reached, start = reached[step - start :], step
        first, probabilities, time = start, reached[: max(last - start + 1, 0)], bound
    stayed = probabilities[n - first] if 0 <= n - first < len(probabilities) else 0.0
    return 1.0 - float(stayed) * math.exp(-n * (1 - time) - _log_poisson_at_mean(n))


def _poisson(mean: float) -> tuple[int, NDArray]:
    """The smallest count that is kept, and the probabilities of the counts from there on."""
    reach = _REACH * math.sqrt(mean) + _FEW
    counts = np.arange(max(math.floor(mean - reach), 0), math.ceil(mean + reach) + 1)
    return int(counts[0]), np.exp(xlogy(counts, mean) - mean - gammaln(counts + 1))


def _log_poisson_at_mean(n: int) -> float:
    """Logarithm of the probability that a Poisson variable with mean n is n; by Stirling's series for large n."""
    if n < 100:
        return float(xlogy(n, n) - n - gammaln(n + 1))
    return -0.5 * math.log(2 * math.pi * n) - 1 / (12 * n) + 1 / (360 * n**3)
