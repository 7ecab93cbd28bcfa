"""Clopper and Pearson's bound: the exact one for a vote that nothing was chosen for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from scipy.special import betaincc, betainccinv, betaln, xlog1py, xlogy

from ._base import Bound, Bounded

_COUNT = 1e-6  # by how much a mean of zeros and ones, times their number, may miss a whole number


def clopper_pearson(n_errors: int, n: int, delta: float) -> float:
    """Upper bound on the error of a fixed classifier that made ``n_errors`` errors on ``n`` new examples.

    Examples
    --------
    >>> from stocmv.bounds import clopper_pearson
    >>> round(clopper_pearson(3, 100, 0.05), 4)
    0.0757
    """
    if not 0 <= n_errors <= n or n < 1:
        raise ValueError(f"n_errors must lie between 0 and n, got {n_errors} of {n}.")
    return 1.0 if n_errors == n else min(_quantile(n_errors + 1, n - n_errors, delta) * (1 + 1e-12), 1.0)


def _quantile(a: int, b: int, upper_tail: float) -> float:
    """The point that a Beta(a, b) variable exceeds with this probability.

    scipy's inverse can be off in the eleventh digit; a few steps of Newton's method on the logarithm of the tail, which
    scipy knows to thirteen digits, end within rounding.
    """
    p = float(betainccinv(a, b, upper_tail))
    for _ in range(3):
        tail = float(betaincc(a, b, p))
        if tail == 0.0:  # below the smallest number: p is 1 up to rounding
            return 1.0
        slope = math.exp(xlogy(a - 1, p) + xlog1py(b - 1, -p) - betaln(a, b)) / tail
        p = min(max(p + (math.log(tail) - math.log(upper_tail)) / slope, 0.0), 1.0)
    return p


@dataclass(frozen=True)
class ClopperPearson(Bound):
    r"""The exact bound on the error of one fixed classifier (Clopper and Pearson 1934).

    .. math:: R \le \max\{p : \mathbb P(\mathrm{Bin}(n, p) \le n \hat R) \ge \delta\}

    It is for one voter: its vote has nothing to learn and no divergence to pay, and each loss is 0 or 1.

    Examples
    --------
    >>> from stocmv.bounds import ClopperPearson
    >>> round(ClopperPearson().upper(0.03, 0.0, [100], 0.05).value, 4)
    0.0757
    """

    name: ClassVar[str] = "clopper_pearson"
    theorem: ClassVar[str] = "Clopper and Pearson's bound"
    needs_one_vote: ClassVar[bool] = True

    def price(self, sizes: Sequence[int], delta: float) -> float:
        return 0.0

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> Bounded:
        if kl > 0 or len(sizes) > 1:
            raise ValueError("Clopper and Pearson's bound is for one voter, judged by one sample.")
        count = risk * sizes[0]
        if abs(count - round(count)) > _COUNT * max(1.0, count):
            raise ValueError(f"Clopper and Pearson's bound needs losses of 0 or 1, and their mean is {risk!r}.")
        return Bounded(clopper_pearson(round(count), sizes[0], delta), 1.0, 0.0)

    def settings(self) -> dict:
        return {"name": self.name}
