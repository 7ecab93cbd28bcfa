"""The fold test: a bound on votes that were made without the examples that judge them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import ndtri

from ._shortfall import shortfall

_GAP = 1e-3  # relative, between the proven supremum and the largest value found
_ROUNDING = 1e-12  # more than the difference of two incomplete beta functions can lose


@dataclass(frozen=True)
class FoldTest:
    r"""A bound on the mean error of the folds' votes, each a function of the other folds.

    With probability at least :math:`1 - \delta`

    .. math:: \sum_k q_k R_k \le \sum_k q_k (a_k \hat R_k + t_k) + \frac{F}{\sum_k 1 / c_k},
        \qquad q_k = \frac{1 / c_k}{\sum_j 1 / c_j},

    for losses in [0, 1], if the constants of a fold were chosen without looking at it and
    :math:`\sup_p \mathbb E (p - a_k B_p / n_k - t_k)_+ \le \delta c_k` with :math:`B_p \sim \mathrm{Bin}(n_k, p)`.

    Parameters
    ----------
    slope, offset, scale : sequence of float
        The constants :math:`a_k`, :math:`t_k` and :math:`c_k`, for each fold; `choose` finds good ones.

    Examples
    --------
    >>> from stocmv.bounds import FoldTest
    >>> test = FoldTest.choose([0.03, 0.03, 0.03], [500, 500, 500], delta=0.05)
    >>> round(test.upper([0.03, 0.02, 0.04]), 3)
    0.05
    """

    slope: tuple[float, ...]
    offset: tuple[float, ...]
    scale: tuple[float, ...]

    @classmethod
    def choose(
        cls, errors: Sequence[float], sizes: Sequence[int], delta: float, scale: Sequence[float] | None = None
    ) -> "FoldTest":
        """The constants that give the smallest bound if the folds have these empirical errors.

        Parameters
        ----------
        errors : sequence of float
            A guess of each fold's error, which may come from the other folds.
        sizes : sequence of int
            Number of examples in each fold.
        delta : float
            Probability that the bound fails, at most.
        scale : sequence of float, optional
            The scales, if the shares of the folds are given; otherwise they are chosen too.
        """
        given = [None] * len(sizes) if scale is None else [float(c) for c in scale]
        chosen = [_constants(float(e), int(n), delta, c) for e, n, c in zip(errors, sizes, given, strict=True)]
        return cls(*(tuple(column) for column in zip(*chosen, strict=True)))

    @property
    def shares(self) -> NDArray:
        """Probability that each fold is drawn."""
        inverse = 1 / np.array(self.scale)
        return inverse / inverse.sum()

    def upper(self, risks: ArrayLike) -> float:
        """The bound, from the mean loss of each fold's vote on that fold."""
        compared = np.array(self.slope) * np.asarray(risks, float) + np.array(self.offset)
        value = float(self.shares @ compared) + len(self.scale) / float(np.sum(1 / np.array(self.scale)))
        return min(value * (1 + _ROUNDING), 1.0)

    def settings(self) -> dict[str, list[float]]:
        """The constants, as a certificate records them."""
        return {"slope": list(self.slope), "offset": list(self.offset), "scale": list(self.scale)}


@lru_cache(maxsize=1024)
def _constants(error: float, n: int, delta: float, scale: float | None) -> tuple[float, float, float]:
    """Slope, offset and scale for a fold of ``n`` examples with about this expected error.

    With ``z`` the number of standard deviations that a normal variable's expected shortfall amounts to, slope and scale
    are close to the best; they vary smoothly with the error, and so does the fold's share. The offset is the smallest
    valid one.
    """
    error = float(np.clip(error, 0.25 / n, 0.5))
    quantile = -float(ndtri(delta))
    z = math.exp(-(quantile**2) / 2) / math.sqrt(2 * math.pi) / delta
    slope = 1 + 0.8 * z / (2 * math.sqrt(n * error))
    if scale is None:
        # without errors delta ** (1 / n) / n is the best, and gives the Clopper-Pearson bound
        scale = (z - quantile) * math.sqrt(error * (1 - error) / n) + 0.8 * delta ** (1 / n) / n
    offset, step = _least_offset(slope, error, n, delta * scale), 1e-3 * scale
    # the search looked at some points only, this proves it; nothing exceeds an offset of 1
    while offset < 1 and (short := excess(slope, offset, n) - delta * scale) > 0:
        step = 2 * step + short / (2 * delta)  # its slope is minus the probability of any excess, which is about delta
        offset = min(offset + step, 1.0)
    return slope, offset, scale


def _least_offset(slope: float, error: float, n: int, allowed: float) -> float:
    """Approximately the smallest offset whose excess is allowed."""
    largest = _largest_excess(slope, error, n)
    return float(brentq(lambda t: largest(t) - allowed, 0.0, 1.0, xtol=1e-4 / n)) if largest(0.0) > allowed else 0.0


def _largest_excess(slope: float, error: float, n: int) -> Callable[[float], float]:
    """The largest expected excess, as a function of the offset, over some true errors."""
    points = np.append(_edges(n), error)
    return lambda offset: float(shortfall(points - offset, slope, n, points).max())


def _edges(n: int) -> NDArray:
    return np.geomspace(0.01 / n, 1.0, 129)


def excess(slope: float, offset: float, n: int) -> float:
    r"""Proven upper bound on the largest expected excess of a true error over the value it is compared with.

    That is :math:`\sup_p \mathbb E (p - a B_p / n - t)_+` with :math:`B_p \sim \mathrm{Bin}(n, p)`. For :math:`l \le p
    \le r` keep each success of :math:`B_p` with probability :math:`l / p`: what is left is distributed as :math:`B_l`,
    and its expectation given :math:`B_p` is :math:`B_p\, l / p`. So by Jensen's inequality the excess is at most
    :math:`\mathbb E (p - a \frac pl B_l / n - t)_+ = \frac pl \mathbb E (l - a B_l / n - t\, l / p)_+`, which increases
    with :math:`p`. Cells are halved until this, at :math:`p = r`, is hardly more than a value that is attained.
    """
    edges = _edges(n)
    left, right = edges[:-1], edges[1:]
    below = seen = max(edges[0] - offset, 0.0)  # true errors below the first edge
    while True:
        seen = max(seen, float(shortfall(right - offset, slope, n, right).max()))
        upper = right / left * shortfall(left - offset * left / right, slope, n, left) + _ROUNDING
        wide = upper > seen * (1 + _GAP) + 2 * _ROUNDING
        if not wide.any():
            return max(seen * (1 + _GAP), below) + 2 * _ROUNDING
        middle = np.sqrt(left[wide] * right[wide])
        left, right = np.concatenate([left[wide], middle]), np.concatenate([middle, right[wide]])
