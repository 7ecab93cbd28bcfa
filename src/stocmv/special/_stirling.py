"""Remainders of Stirling's formula, to avoid cancellation of large log-gammas and digammas."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

_TERMS = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)


def stirling_rest(x: NDArray) -> NDArray:
    """``log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2)`` for x > 0 (DLMF 5.11.1 beyond 10)."""
    small, large = np.minimum(x, 10.0), np.maximum(x, 10.0)
    direct = gammaln(small) - ((small - 0.5) * np.log(small) - small + 0.5 * np.log(2 * np.pi))
    return np.where(x < 10, direct, stirling_series(large))


def stirling_series(x: NDArray) -> NDArray:
    """The same for ``x >= 10``."""
    return np.polynomial.polynomial.polyval(x**-2.0, _TERMS) / x


_DIGAMMA_TERMS = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)


def digamma_rest(x: NDArray) -> NDArray:
    """``psi(x) - log x`` for ``x >= 10`` (DLMF 5.11.2)."""
    return -(0.5 + np.polynomial.polynomial.polyval(x**-2.0, _DIGAMMA_TERMS) / x) / x
