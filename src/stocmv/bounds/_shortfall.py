"""The expected shortfall of a binomial mean, by convexity the worst case of all losses in [0, 1]."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc


def shortfall(room: NDArray, slope: float, n: int, p: NDArray) -> NDArray:
    """Expectation of ``(room - slope B / n)_+`` for ``B`` binomial with parameters ``n`` and ``p``."""
    most = np.minimum(np.ceil(room * n / slope) - 1, n)  # the largest count that leaves something
    value = np.zeros_like(p)
    some = most >= 0
    p, k = p[some], most[some]
    value[some] = room[some] * _binomial_cdf(k, n, p) - slope * p * _binomial_cdf(k - 1, n - 1, p)
    return np.maximum(value, 0.0)


def _binomial_cdf(k: NDArray, n: int, p: NDArray) -> NDArray:
    inside = (k >= 0) & (k < n)
    value = np.where(k < 0, 0.0, 1.0)
    value[inside] = betainc(n - k[inside], k[inside] + 1, 1 - p[inside])
    return value
