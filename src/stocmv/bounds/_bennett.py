"""The PAC-Bayes-Bennett bound: a mean of small variance is close to its empirical value."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import lambertw

from ._bound import ROUND_UP, Bound, UpperBound

_RATIO = 1.05  # of neighbours in a grid
_SERIES = 1 / np.cumprod(np.arange(2.0, 20.0))[::-1]  # 1/19! ... 1/2!


class BennettBounds(NamedTuple):
    """Upper bounds on means, with their derivatives; those by the empirical means are one."""

    values: NDArray
    d_variances: NDArray
    d_kl: NDArray


@dataclass(frozen=True)
class Bennett(Bound):
    r"""The PAC-Bayes-Bennett bound with an estimated variance (Wu et al. 2021).

    For a loss in an interval of length :math:`K`, with its empirical mean :math:`\hat R` and the unbiased estimate
    :math:`\hat V` of its variance, and for all :math:`t` and :math:`c` of two geometric grids of :math:`k_t` and
    :math:`k_c` numbers at once,

    .. math::
        V &\le \frac{\hat V}{1 - t} + \frac{K^2 (\mathrm{KL} + \ln(2 k_t / \delta))}{2 (n - 1) t (1 - t)}, \\
        R &\le \hat R + \frac{e^{K c} - K c - 1}{c K^2} \min\!\Big(V, \frac{K^2}{4}\Big)
            + \frac{\mathrm{KL} + \ln(2 k_c / \delta)}{c\, n} .

    It is the bound of the risk "ccpbb". As ``bound=Bennett()`` of another risk, whose losses lie between 0 and 1, it
    takes :math:`\hat R (1 - \hat R)`, from which no loss with that mean can vary more.

    Parameters
    ----------
    grids : {"once", "twice"}
        Whether the grid for the variance is paid for once, or twice as in the paper, with :math:`k_t k_c` in place of
        :math:`k_c`.

    Examples
    --------
    >>> from stocmv.bounds import Bennett
    >>> round(Bennett().upper(0.01, 5.0, [10_000], 0.05).value, 4)
    0.0171
    """

    grids: Literal["once", "twice"] = "once"
    name: ClassVar[str] = "bennett"
    proven: ClassVar[bool] = True
    theorem: ClassVar[str] = "the PAC-Bayes-Bennett bound"

    def __post_init__(self) -> None:
        if self.grids not in ("once", "twice"):
            raise ValueError(f"grids must be 'once' or 'twice', got {self.grids!r}.")

    def price(self, sizes: Sequence[int], delta: float) -> float:
        return float(len(sizes) * np.log(2 / delta))

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> UpperBound:
        spread, largest = min(risk, 0.5), 1 / (1 - 1 / max(min(sizes), 2))
        variance = largest * spread * (1 - spread)
        found = self.of_means(np.array([variance]), np.ones(1), kl, sizes, delta)
        slope = largest * (1 - 2 * spread) * float(found.d_variances[0])
        return UpperBound(float((risk + found.values[0]) * ROUND_UP), 1 + slope, float(found.d_kl[0]))

    def of_means(
        self, variances: NDArray, lengths: NDArray, kl: float, sizes: Sequence[int], delta: float
    ) -> BennettBounds:
        """By how much some means may exceed their empirical values, for losses in intervals of these lengths.

        ``variances`` are the unbiased estimates, averaged over the folds by size. Each bound fails with probability
        ``delta``.
        """
        n, folds = sum(sizes), len(sizes)
        degrees = n * (1 - 1 / min(sizes))
        t, x = _grids(n, degrees, delta / 2)
        price = kl + self.price(sizes, delta)
        largest = lengths**2 / 4
        above = np.full((len(lengths), 1), np.inf)
        if degrees:
            paid = lengths[:, None] ** 2 * (price + folds * np.log(len(t))) / (2 * degrees * t)
            above = (variances[:, None] + paid) / (1 - t)
        best, rows = above.argmin(1), np.arange(len(lengths))
        least = above[rows, best]
        tries = len(x) * (len(t) if self.grids == "twice" else 1)
        for_mean = (price + folds * np.log(tries)) / (n * x)
        factors = x * _beyond_linear(x)
        values = factors * (np.minimum(least, largest) / lengths)[:, None] + for_mean * lengths[:, None]
        chosen = values.argmin(1)
        slope = np.where(least < largest, factors[chosen] / lengths, 0.0)
        by_variance = slope / (1 - t[best])
        by_kl = lengths / (n * x[chosen])
        if degrees:
            by_kl = by_kl + by_variance * lengths**2 / (2 * degrees * t[best])
        return BennettBounds(values[rows, chosen] * ROUND_UP, by_variance, by_kl)

    def settings(self) -> dict:
        return {"name": self.name, "grids": self.grids}


@lru_cache(64)
def _grids(n: int, degrees: float, delta: float) -> tuple[NDArray, NDArray]:
    """The numbers t for the variance, and K c for the mean: as published, from the sizes and delta alone."""
    cost = np.log(1 / delta)
    root = np.sqrt(degrees / cost + 1)
    t = _geometric(1 / (root + 1), np.log(root / 2 + 0.5))
    u = 1 / (1 + degrees / (2 * cost))
    low = _least_times_length(4 * cost / n)
    high = -float(lambertw(-u * np.exp(-u), -1).real) - u if degrees else 0.0
    return t, _geometric(low, np.log(max(high / low, 1.0)))


def _least_times_length(y: float) -> float:
    """``z = 1 + W_0((y - 1) / e)``, the root of ``(z - 1) e^z + 1 = y``; W_0 alone is not precise for small y."""
    z = float(1 + lambertw((y - 1) / np.e).real)
    if z < 1:
        z = max(z, np.sqrt(y / 2))
        for _ in range(4):  # Newton's method, without what cancels
            rise = float(np.expm1(z))
            z -= (z * rise - z**2 * float(_beyond_linear(np.array(z))) - y) / (z * (rise + 1))
    return z


def _geometric(first: float, log_range: float) -> NDArray:
    return first * _RATIO ** np.arange(max(int(np.ceil(log_range / np.log(_RATIO))), 1))


def _beyond_linear(x: NDArray) -> NDArray:
    """``(e^x - x - 1) / x^2``, by its series where that would cancel."""
    return np.where(x < 1, np.polyval(_SERIES, np.minimum(x, 1.0)), (np.expm1(x) - x) / x**2)
