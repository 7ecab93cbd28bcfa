"""Bounds on the mean loss of a fixed classifier from one sample: exact for 0-1 losses, nearly so for others."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincc, betainccinv, betaln, xlog1py, xlogy

from ._shortfall import shortfall

_STEPS = np.arange(1, 97) / 32  # where the hinge may lie, in units of the distance between the mean and the bound
_ROUNDING = 1e-12


def clopper_pearson(n_errors: int, n: int, delta: float) -> float:
    """Upper bound on the error of a fixed classifier that made ``n_errors`` errors on ``n`` new examples.

    No bound that increases with the number of errors is smaller (Clopper and Pearson 1934).

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

    scipy's inverse can be off in the eleventh digit; a few Newton steps on the logarithm of the tail, which scipy
    computes to thirteen digits, make it exact up to rounding.
    """
    p = float(betainccinv(a, b, upper_tail))
    for _ in range(3):
        tail = float(betaincc(a, b, p))
        if tail == 0.0:  # below the smallest number: p is 1 up to rounding
            return 1.0
        slope = math.exp(xlogy(a - 1, p) + xlog1py(b - 1, -p) - betaln(a, b)) / tail
        p = min(max(p + (math.log(tail) - math.log(upper_tail)) / slope, 0.0), 1.0)
    return p


def bentkus(risk: float, n: int, delta: float) -> float:
    r"""Upper bound on the expectation of a loss in [0, 1], fixed in advance, from its mean on ``n`` new examples.

    .. math:: p \text{ is excluded if } \min_{h > \hat R} \frac{\mathbb E (h - B_p / n)_+}{h - \hat R} \le \delta ,
        \qquad B_p \sim \mathrm{Bin}(n, p) .

    The hinge is convex, so that losses of 0 or 1 are the worst case (Hoeffding 1963, Bentkus 2004); then Markov's
    inequality. It is worth 2.06 standard deviations at :math:`\delta = 0.05`, where Chernoff's bound takes 2.45.

    Examples
    --------
    >>> from stocmv.bounds import bentkus
    >>> round(bentkus(0.03, 100, 0.05), 4)
    0.0803
    """
    if not 0 <= risk <= 1 or n < 1:
        raise ValueError(f"risk must lie between 0 and 1, got {risk} on {n} examples.")

    def excluding(middle: float, steps: NDArray) -> NDArray:
        hinges = risk + steps * (middle - risk)
        short = shortfall(hinges, 1.0, n, np.full(len(hinges), middle)) + _ROUNDING
        return steps[short <= delta * (hinges - risk)]

    low, high, likely = float(risk), 1.0, _STEPS[:1]
    for _ in range(60):
        middle = (low + high) / 2
        found = excluding(middle, likely)
        if not len(found):
            found = excluding(middle, _STEPS)
        if len(found):
            high, likely = middle, found[len(found) // 2 :][:1]  # likely to exclude the next value too
        else:
            low = middle
    return min(high * (1 + _ROUNDING), 1.0)


def one_sample(total: float, n: int, delta: float, *, counted: bool) -> float:
    """The bound from the sum of the losses of one sample, ``counted`` if each is 0 or 1; 1 for an empty sample."""
    if n == 0:
        return 1.0
    return clopper_pearson(round(total), n, delta) if counted else bentkus(min(total / n * (1 + 1e-13), 1.0), n, delta)
