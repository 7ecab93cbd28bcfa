"""The error of a Dirichlet vote on one example, with its derivatives by the weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln

from ._stirling import digamma_rest, stirling_rest

SMALLEST_TOTAL, LARGEST_TOTAL = 1e-300, 1e300  # beyond, the partials overflow or the widths underflow
_LIMIT = 1e-9  # below this total the value is w / s, up to a relative error of about s^2
_DROP = 42.0  # the integrand is cut where it has fallen by exp(-42) = 6e-19
_FAR = 40.0  # beyond, log(1 + e^z) equals z to double precision and the tail has a closed form
_LARGE = 10.0  # concentration from which Stirling's series are used
_VANISHED = 1e5  # with a concentration below 10 and such a total, the value is below 1e-30000


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
        Total concentration, from 1e-300 to 1e300.

    Returns
    -------
    value, d_w, d_s : ndarray
        :math:`\phi`, its derivative by ``w`` at fixed ``s``, and its derivative by ``s`` at fixed ``w``.

    Notes
    -----
    With :math:`z = \operatorname{logit} t` the beta integral becomes one of a log-concave function over
    :math:`z > 0`, which Gauss-Legendre quadrature computes to double precision; it integrates the smaller tail, so
    :math:`\phi(w; s) = 1 - \phi(s - w; s)` holds exactly. See the theory page, "The exact risk". Everything is written
    in terms of the distance :math:`s/2 - w`, so that nothing cancels however large the total is; for
    :math:`s < 10^{-9}` the limit :math:`w / s` is exact to double precision.

    Examples
    --------
    >>> from stocmv.special import half_betainc
    >>> value, d_w, d_s = half_betainc([0.0, 1.0, 2.0, 4.0], 4.0)
    >>> value.round(6).tolist()
    [0.0, 0.125, 0.5, 1.0]
    """
    w, s = np.broadcast_arrays(np.asarray(w, float), np.asarray(s, float))
    if not (np.all((s >= SMALLEST_TOTAL) & (s <= LARGEST_TOTAL)) and np.all((w >= 0) & (w <= s))):
        raise ValueError("half_betainc needs 0 <= w <= s and s between 1e-300 and 1e300.")
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
    """Value and partials for ``a <= s / 2``, where the value is at most one half."""
    tail, d_a, d_s = _integrated(a, np.maximum(s, _LIMIT), rule)
    share, tiny = a / s, s < _LIMIT
    value = np.where(tiny, share, np.minimum(tail, 0.5))
    return value, np.where(tiny, 1 / s, d_a), np.where(tiny, -share / s, d_s)


def _integrated(a: NDArray, s: NDArray, rule: Quadrature) -> tuple[NDArray, NDArray, NDArray]:
    """`lower_half` by quadrature.

    Everything is computed per unit of ``a`` (``1 / (a B(a, b))`` is finite at 0), so the limit at 0 needs no branch.
    """
    b, distance = s - a, s / 2 - a
    reach = np.minimum(_reach(distance, s), _FAR)
    z = reach[:, None] * rule.nodes
    log_cosh = _log_cosh_half(z)
    density = np.exp(-distance[:, None] * z - s[:, None] * log_cosh) * (reach[:, None] * rule.weights)
    mass, mass_z, mass_log_cosh = density.sum(1), (density * z).sum(1), (density * log_cosh).sum(1)

    is_cut = reach == _FAR
    far = np.where(is_cut, np.exp(-distance * _FAR - s * (_FAR / 2 - np.log(2))), 0.0)
    b_far = np.where(is_cut, b, 1.0)
    mass += far / b_far
    mass_z += far * (_FAR / b_far + 1 / b_far**2)
    mass_log_cosh += far * ((_FAR / 2 - np.log(2)) / b_far + 1 / (2 * b_far**2))

    scale = np.exp(_log_scale(a, s))
    per_a = scale * mass
    value, scale = a * per_a, a * scale
    psi_ab, psi_bs = _digamma_differences(a, s)
    d_a = per_a + (scale * mass_z - value * psi_ab)
    d_s = -(scale * (mass_z / 2 + mass_log_cosh) + value * psi_bs)
    return value, d_a, d_s


def _reach(distance: NDArray, s: NDArray) -> NDArray:
    """Where ``distance z + s log cosh(z / 2)``, which is convex, has risen to `_DROP`.

    Newton's method from the right: ``log cosh(z / 2)`` is at least 0 and ``z / 2 - log 2``, and up to ``z = 2`` also
    ``z^2 / 12``.
    """
    z = np.minimum((_DROP + s * np.log(2)) / (s / 2 + distance), 2 * _FAR)
    z = np.where(s >= 3 * _DROP, np.minimum(z, np.sqrt(12 * _DROP / s)), z)
    z = np.minimum(z, _DROP / np.maximum(distance, 1.0))
    for _ in range(60):
        excess = distance * z + s * _log_cosh_half(z) - _DROP
        slope = distance + s * np.tanh(z / 2) / 2
        step = np.where(excess > 0, excess / slope, 0)
        z = z - step
        if np.all(step <= 1e-3 * z):
            break
    return z


def _log_cosh_half(z: NDArray) -> NDArray:
    """``log cosh(z / 2) = log((1 + e^z) / 2) - z / 2``, accurate to the last digits even if it is tiny."""
    return np.log1p(2 * np.sinh(z / 4) ** 2)


def _log_scale(a: NDArray, s: NDArray) -> NDArray:
    """``log(2^-s Gamma(s) / (Gamma(a + 1) Gamma(s - a)))`` without the cancellation of large log-gammas."""
    least = np.minimum(s, _VANISHED)
    small = gammaln(least) - gammaln(np.minimum(a, _LARGE) + 1) - gammaln(least - np.minimum(a, least / 2))
    al, bl, sl = (np.where(a > _LARGE, v, 16.0) for v in (a, s - a, s))
    rest = stirling_rest(sl) - stirling_rest(al) - stirling_rest(bl)
    large = 0.5 * (np.log(bl / al) - np.log(2 * np.pi * sl)) - _entropy(al, bl, sl) + rest
    return np.where(a > _LARGE, large, small - least * np.log(2))


def _entropy(a: NDArray, b: NDArray, s: NDArray) -> NDArray:
    """``a log(2 a / s) + b log(2 b / s)``, which near the middle is about ``(b - a)^2 / (2 s)``."""
    x = (b - a) / s
    near = np.minimum(x, 0.5)
    close = s / 2 * (np.log1p(-(near**2)) + 2 * near * np.arctanh(near))
    return np.where(x < 0.5, close, a * np.log(2 * a / s) + b * np.log(2 * b / s))


def _digamma_differences(a: NDArray, s: NDArray) -> tuple[NDArray, NDArray]:
    """``psi(a + 1) - psi(b)`` and ``psi(b) - psi(s) + log 2`` for ``b = s - a``, without cancellation."""
    b = s - a
    al, bl, sl = (np.where(a > _LARGE, v, 16.0) for v in (a, b, s))
    rest_a, rest_b, rest_s = (digamma_rest(v) for v in (al, bl, sl))
    x = (bl - al) / sl
    large_ab = 1 / al + rest_a - rest_b - np.log1p((bl - al) / al)
    large_bs = rest_b - rest_s + np.log1p(x)
    small_ab = digamma(np.minimum(a, _LARGE) + 1) - digamma(b)
    small_bs = digamma(b) - digamma(s) + np.log(2)
    return np.where(a > _LARGE, large_ab, small_ab), np.where(a > _LARGE, large_bs, small_bs)
