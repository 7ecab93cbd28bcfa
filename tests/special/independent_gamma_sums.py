"""The error of a soft vote by another method than the package's, with numpy and scipy only: for `stocmv.verify`.

Gil-Pelaez's formula on the real line, with Gauss-Legendre panels in the logarithm of the frequency. Nothing is shared
with `stocmv.special`: no saddle point, no path in the complex plane, no trapezoid rule.
"""

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy import optimize, special

_NODES, _WEIGHTS = leggauss(24)
_DEAD = 40.0  # exp(-40) = 4e-18
_AT_ONCE = 1 << 20  # numbers in memory
_MOST = 6.0  # a panel in which phase or size move by more is halved


def negative_sum(margins, alpha):
    """P(sum m_j gamma_j <= 0) for one row, off by less than 1e-12 up to a total concentration of 1e7 (measured)."""
    margins, alpha = np.asarray(margins, float), np.asarray(alpha, float)
    m, alpha = margins[margins != 0], alpha[margins != 0]
    if not np.any(m > 0):
        return 1.0
    if not np.any(m < 0):
        return 0.0
    sign = 1.0 if alpha @ m >= 0 else -1.0
    tail = _lower_tail(sign * m, alpha)
    return tail if sign > 0 else 1 - tail


def _lower_tail(m, alpha):
    if _log_chernoff(m, alpha) < -_DEAD:
        return 0.0
    total, log_m = alpha.sum(), np.log(np.abs(m))
    low = -_DEAD - np.log(alpha @ np.abs(m))  # below, the integral is less than exp(low) times the mean
    high = _DEAD + np.log(max(total, 1.0)) - log_m.min()  # above, the integrand is a power of the frequency
    high = _dead(m, alpha, low, high)
    edges = _edges(m, alpha, low, high)
    at_once = 1 + _AT_ONCE // (len(m) * len(_NODES))
    integral = sum(_integral(m, alpha, edges[i : i + at_once + 1]) for i in range(0, len(edges) - 1, at_once))
    beyond = np.sin(_phase(m, alpha, high)) * np.exp(_log_size(m, alpha, high)) / total
    return float(0.5 - (integral + beyond) / np.pi)


def _integral(m, alpha, edges):
    half = np.diff(edges) / 2
    u = (edges[:-1] + half)[:, None] + half[:, None] * _NODES
    return np.sum(half[:, None] * _WEIGHTS * np.sin(_phase(m, alpha, u)) * np.exp(_log_size(m, alpha, u)))


def _log_chernoff(m, alpha):
    """Logarithm of the least ``E exp(-c S)``, at some ``c`` below the pole."""

    def log_moment(y):
        return -alpha @ np.log1p(m * special.expit(y) / -m.min())

    return optimize.minimize_scalar(log_moment, bounds=(-60, 30), method="bounded").fun


def _dead(m, alpha, low, high):
    """Where the size of the characteristic function, which only falls, is negligible; ``high`` if nowhere before."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if _log_size(m, alpha, middle) < -_DEAD else (middle, high)
    return high


def _edges(m, alpha, low, high):
    edges = np.linspace(low, high, 2 + int((high - low) / 1.5))
    while True:
        phase, size = np.diff(_phase(m, alpha, edges)), np.diff(_log_size(m, alpha, edges))
        wide = np.maximum(np.abs(phase), np.abs(size)) > _MOST
        if not wide.any():
            return edges
        edges = np.sort(np.concatenate([edges, ((edges[:-1] + edges[1:]) / 2)[wide]]))


def _log_size(m, alpha, u):
    """Logarithm of the size of the characteristic function at the frequencies ``exp(u)``."""
    return -0.5 * np.log1p(np.exp(2 * (np.asarray(u)[..., None] + np.log(np.abs(m))))) @ alpha


def _phase(m, alpha, u):
    return np.arctan(m * np.exp(np.asarray(u)[..., None])) @ alpha
