"""Catoni's bound: pays only for the confidence, not for the number of examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ._bound import ROUND_UP, Bound, UpperBound

_RANKS = (np.arange(64) + 0.5) / 64
GRID = tuple(float(c) for c in 0.7 * _RANKS / (1 - _RANKS))
_LEAST, _MOST = 1e-4, 1e4  # outside, what rounding changes of a risk would change the bound
_SATURATED = 1 - 1e-12  # share of the largest value that a bound with one constant can take


@dataclass(frozen=True)
class Catoni(Bound):
    r"""Catoni's bound (Catoni 2007) for a fixed ``C``, or for all constants of a grid at once.

    .. math:: R \le \frac{1 - \exp(-C \hat R - (\mathrm{KL} + \ln(1 / \delta)) / n)}{1 - e^{-C}}

    A grid :math:`C_1, \dots, C_G` is used as a mixture: the bound is the largest :math:`R` with

    .. math:: \ln \frac1G \sum_g \exp\big(n [-\ln(1 - R (1 - e^{-C_g})) - C_g \hat R]\big)
        \le \mathrm{KL} + \ln(1 / \delta) .

    It is never above the best bound of the grid with a share :math:`\delta / G` for each, and with the default grid
    it is below Seeger's bound wherever the two were compared (theory page). With folds, the smallest one stands for
    ``n`` inside the sum, the KLs are summed, and :math:`F \ln(1/\delta)` is paid.

    Parameters
    ----------
    c : float or sequence of float
        One value, chosen without the judging examples, or a grid; by default 64 values from 0.006 to 89, half of them
        between 0.2 and 2.1.

    Examples
    --------
    >>> from stocmv.bounds import Catoni
    >>> round(Catoni(c=1.0).upper(0.1, 5.0, [1000], 0.05).value, 4)
    0.1619
    >>> round(Catoni().upper(0.1, 5.0, [1000], 0.05).value, 4)
    0.1475
    """

    c: float | tuple[float, ...] = GRID
    name: ClassVar[str] = "catoni"
    proven: ClassVar[bool] = True
    theorem: ClassVar[str] = "Catoni's bound"

    def __post_init__(self) -> None:
        grid = np.atleast_1d(np.asarray(self.c, float))
        if grid.ndim != 1 or grid.size == 0 or not np.all((grid >= _LEAST) & (grid <= _MOST)):
            raise ValueError(f"c must lie between {_LEAST:g} and {_MOST:g}: one number or a grid, got {self.c!r}.")
        object.__setattr__(self, "c", tuple(float(c) for c in grid))

    def price(self, sizes: Sequence[int], delta: float) -> float:
        return -len(sizes) * float(np.log(delta))

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> UpperBound:
        n, least = sum(sizes), min(sizes)
        c = np.asarray(self.c)
        a, budget = -np.expm1(-c), (kl + self.price(sizes, delta)) / n * ROUND_UP
        alone = _best_alone(c, a, risk, budget + len(sizes) * np.log(len(c)) / n, n)
        if len(c) == 1 or alone.value * a.max() > _SATURATED:
            return alone
        value, step, error = alone.value, np.inf, 0.0
        while step > error:  # Newton's steps on a convex function stay above its root
            excluded, slope, weights, error = _mixture(c, a, risk, value, least)
            if excluded < budget and step == np.inf:
                return alone  # folds that differ much in size
            step = (excluded - budget) / slope
            value -= max(step, 0.0)
        return UpperBound(value * ROUND_UP + error, float(weights @ c) / slope, 1 / (slope * n))

    def settings(self) -> dict:
        return {"name": self.name, "c": list(self.c)}  # type: ignore[arg-type]


def _best_alone(c: NDArray, a: NDArray, risk: float, budget: float, n: int) -> UpperBound:
    """The smallest of the bounds with one constant each."""
    values = -np.expm1(-c * risk - budget) / a
    best = int(np.argmin(values))
    slope = float(np.exp(-c[best] * risk - budget) / a[best])
    return UpperBound(float(values[best]) * ROUND_UP, float(c[best]) * slope, slope / n)


def _mixture(c: NDArray, a: NDArray, risk: float, value: float, n: int) -> tuple[float, float, NDArray, float]:
    """What the mixture says against a true risk of ``value``, per example, and its derivative by ``value``.

    Also the weight that each constant has in the mixture there, and how far rounding can move the root, at most.
    """
    against = -np.log1p(-a * value)
    exponent = n * (against - c * risk)
    largest = exponent.max()
    weights = np.exp(exponent - largest)
    total = weights.sum()
    weights /= total
    slopes = a / (1 - a * value)
    slope = float(weights @ slopes)
    error = 2.0**-50 * (float(weights @ (against + c * risk)) + slope * value + len(c) / n) / slope
    return float((largest + np.log(total / len(c))) / n), slope, weights, error


@dataclass(frozen=True)
class CatoniPerFold(Bound):
    r"""Catoni's bound over folds, each with its own ``C``, chosen without looking at the fold.

    With :math:`a_k = 1 - e^{-C_k}`, shares :math:`p_k = n_k / n` and
    :math:`B = \sum_k p_k C_k \hat R_k + (\sum_k \mathrm{KL}_k + F \ln(1/\delta)) / n`,

    .. math:: \sum_k p_k R_k \le \max\Big\{\sum_k p_k r_k : r_k \ge 0,\ -\sum_k p_k \ln(1 - a_k r_k) \le B\Big\}
        = \sum_k p_k \max(0, 1 / a_k - \lambda) ,

    with the unique :math:`\lambda` that meets the constraint; for equal constants this is Catoni's bound.

    To choose well, a fold needs a rough idea of the risk, which the other folds provide: no grid has to be paid for.

    Parameters
    ----------
    c : sequence of float
        One positive number per fold.

    Examples
    --------
    >>> from stocmv.bounds import Catoni, CatoniPerFold
    >>> same = CatoniPerFold(c=(1.0, 1.0)).upper(0.1, 5.0, [500, 500], 0.05).value
    >>> abs(same - Catoni(c=1.0).upper(0.1, 5.0, [500, 500], 0.05).value) < 1e-12
    True
    """

    c: tuple[float, ...]
    name: ClassVar[str] = "catoni_per_fold"
    proven: ClassVar[bool] = True
    theorem: ClassVar[str] = "Catoni's bound, its constant chosen for each fold from the others"

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", Catoni(c=tuple(self.c)).c)

    def assumption(self, n_folds: int) -> str:
        how = "of each fold was chosen from the others." if n_folds > 1 else "was fixed before, too."
        return f"The constant {how}"

    def price(self, sizes: Sequence[int], delta: float) -> float:
        return -len(sizes) * float(np.log(delta))

    def risk_weights(self, sizes: Sequence[int]) -> NDArray:
        weights = np.asarray(sizes) * self._constants(sizes)
        return weights / weights.sum()

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> UpperBound:
        c, n = self._constants(sizes), sum(sizes)
        shares = np.asarray(sizes) / n
        a = -np.expm1(-c)
        slope = float(shares @ c)
        level = _water_level(a, shares, slope * risk + (kl + self.price(sizes, delta)) / n)
        value = float(shares @ np.maximum(1 / a - level, 0.0))
        return UpperBound(value * ROUND_UP + _level_error(a), slope * level, level / n)

    def settings(self) -> dict:
        return {"name": self.name, "c": list(self.c)}

    def _constants(self, sizes: Sequence[int]) -> NDArray:
        if len(self.c) != len(sizes):
            raise ValueError(f"CatoniPerFold has {len(self.c)} constants for {len(sizes)} folds.")
        return np.asarray(self.c)


def _level_error(a: NDArray) -> float:
    """More than rounding takes from ``1 / a_k - lambda``, which are nearly equal for small constants.

    The exponent of lambda is a sum over the F folds of ``log(a_k)``, whose error is at most ``5 + F`` units relative to
    the largest, and of the budget, whose error counts for little as lambda falls exponentially with it; ``1 / a_k`` and
    the exponential add a few units.
    """
    return 2.0**-53 * (10 + len(a)) * float((1 + np.abs(np.log(a)).max()) / a.min())


def _water_level(a: NDArray, shares: NDArray, budget: float) -> float:
    """The lambda with ``-sum_k p_k log(a_k lambda) = budget`` over the folds whose ``1 / a_k`` exceeds lambda."""
    order = np.argsort(a)
    weight = np.cumsum(shares[order])
    levels = np.exp(-(budget + np.cumsum(shares[order] * np.log(a[order]))) / weight)
    following = np.append(1 / a[order][1:], 0.0)
    return float(levels[np.argmax(levels >= following)])
