"""The error of a Dirichlet vote on one example, and how it moves with the weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln

from ._stirling import stirling_rest

_DROP = 42.0  # the integrand is cut where it has fallen by exp(-42) = 6e-19
_FAR = 40.0  # beyond, log(1 + e^z) equals z to double precision and the tail has a closed form


class Quadrature(NamedTuple):
    """A rule on [0, 1]."""

    nodes: NDArray
    weights: NDArray


def gauss_legendre(n_nodes: int) -> Quadrature:
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return Quadrature((nodes + 1) / 2, weights / 2)


PRECISE = gauss_legendre(64)  # to double precision
_BLOCK = 4096


def half_betainc(w: ArrayLike, s: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    r"""Probability that a Beta(w, s - w) variable exceeds one half, with both partial derivatives.

    This is :math:`\phi(w; s) = I_{1/2}(s - w, w)`: the error of the majority vote whose weights are drawn from a
    Dirichlet with total concentration ``s``, on an example where the voters that err hold ``w`` of it.

    Parameters
    ----------
    w : array-like
        Concentration of the voters that err, ``0 <= w <= s``. At both ends the limits are returned.
    s : array-like
        Total concentration, positive.

    Returns
    -------
    value, d_w, d_s : ndarray
        :math:`\phi`, its derivative by ``w`` at fixed ``s``, and its derivative by ``s`` at fixed ``w``.

    Notes
    -----
    With :math:`z = \operatorname{logit} t` the beta integral becomes one of a log-concave function over
    :math:`z > 0`, which Gauss-Legendre quadrature meets to double precision; the smaller tail is the one
    integrated, so that :math:`\phi(w; s) = 1 - \phi(s - w; s)` holds exactly. See the theory page, "The exact risk".

    Examples
    --------
    >>> from stocmv.special import half_betainc
    >>> value, d_w, d_s = half_betainc([0.0, 1.0, 2.0, 4.0], 4.0)
    >>> value.round(6).tolist()
    [0.0, 0.125, 0.5, 1.0]
    """
    w, s = np.broadcast_arrays(np.asarray(w, float), np.asarray(s, float))
    if not (np.all(s > 0) and np.all(np.isfinite(s)) and np.all(w >= 0) and np.all(w <= s)):
        raise ValueError("half_betainc needs 0 <= w <= s with s positive and finite.")
    shape, w, s = w.shape, w.ravel(), s.ravel()
    upper = w > s / 2
    a = np.where(upper, s - w, w)
    tail, d_a, d_s = (np.empty_like(a) for _ in range(3))
    for start in range(0, a.size, _BLOCK):
        rows = slice(start, start + _BLOCK)
        tail[rows], d_a[rows], d_s[rows] = lower_half(a[rows], s[rows], PRECISE)
    value = np.where(upper, 1 - tail, tail)
    d_s = np.where(upper, -(d_a + d_s), d_s)
    return value.reshape(shape), d_a.reshape(shape), d_s.reshape(shape)


def lower_half(a: NDArray, s: NDArray, rule: Quadrature) -> tuple[NDArray, NDArray, NDArray]:
    """Value and partials for ``a <= s / 2``.

    All is computed per unit of ``a`` (``1 / (a B(a, b))`` is finite at 0), so that the limit at 0 needs no branch.
    """
    b = s - a
    reach = np.minimum(_reach(a, s), _FAR)
    z = reach[:, None] * rule.nodes
    softplus = _softplus(z) - np.log(2)
    density = np.exp(a[:, None] * z - s[:, None] * softplus) * (reach[:, None] * rule.weights)
    mass, mass_z, mass_softplus = density.sum(1), (density * z).sum(1), (density * softplus).sum(1)

    far = np.exp(a * _FAR - s * (_FAR - np.log(2))) * (reach == _FAR)
    mass += far / b
    mass_z += far * (_FAR / b + 1 / b**2)
    mass_softplus += far * ((_FAR - np.log(2)) / b + 1 / b**2)

    scale = np.exp(_log_scale(a, s))
    per_a = scale * mass
    d_a = per_a + a * (scale * mass_z - per_a * (digamma(a + 1) - digamma(b)))
    d_s = -a * (scale * mass_softplus + per_a * (digamma(b) - digamma(s) + np.log(2)))
    return a * per_a, d_a, d_s


def _reach(a: NDArray, s: NDArray) -> NDArray:
    """Where the exponent ``a z - s log((1 + e^z) / 2)``, which is concave, has fallen by `_DROP`."""
    z = np.minimum((_DROP + s * np.log(2)) / (s - a), 2 * _FAR)
    for _ in range(60):
        fall = s * (_softplus(z) - np.log(2)) - a * z - _DROP
        slope = s / (1 + np.exp(-z)) - a
        step = np.where(fall > 0, fall / slope, 0)
        z = z - step
        if np.all(step <= 1e-3 * z):
            break
    return z


def _softplus(z: NDArray) -> NDArray:
    """``log(1 + e^z)`` for ``z >= 0``."""
    return z + np.log1p(np.exp(-z))


def _log_scale(a: NDArray, s: NDArray) -> NDArray:
    """``log(2^-s Gamma(s) / (Gamma(a + 1) Gamma(s - a)))`` without the cancellation of large log-gammas."""
    b = s - a
    small = gammaln(s) - gammaln(a + 1) - gammaln(b) - s * np.log(2)
    al, bl, sl = (np.where(a > 10, v, 16.0) for v in (a, b, s))
    x = (bl - al) / sl
    entropy = al * np.log1p(-x) + bl * np.log1p(x)
    rest = stirling_rest(sl) - stirling_rest(al) - stirling_rest(bl)
    return np.where(a > 10, 0.5 * np.log(bl / (2 * np.pi * al * sl)) - entropy + rest, small)
