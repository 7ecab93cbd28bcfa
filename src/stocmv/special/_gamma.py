"""Gamma variables: which of several is largest, and how a draw depends on its shape."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammainc, gammaln

from ._half_beta import PRECISE
from ._stirling import stirling_rest

_DROP = 42.0
_FAR = 40.0

ROOT_RULE_FROM = 8.0  # total concentration from which the rule in sqrt(t) is used (below: the rule in log(t))
_ROOT_STEP = 1 / 6
_ROOT_REACH = 5.0  # exp(-2 * 5^2) = 2e-22 of the density lies further from sqrt(a)
_ROOT_NODES = int(2 * _ROOT_REACH / _ROOT_STEP) + 1
_LOG_STEP = 1 / 8
_LOG_LOWEST, _LOG_HIGHEST = -28.0, 4.25


def argmax_probability(concentrations: ArrayLike, winner: ArrayLike, ratio: float = 1.0) -> NDArray:
    r"""Probability that one class gets the largest weight when the weights are drawn from a Dirichlet.

    .. math:: P(\text{class } y \text{ wins}) = \int_0^\infty \gamma(t; a_y) \prod_{k \ne y} P(a_k, \varrho t)\, dt

    with the gamma density :math:`\gamma` and the regularised lower incomplete gamma function :math:`P`. With a ratio
    :math:`\varrho < 1` the class must win clearly: all others must stay below that share of its weight.

    Parameters
    ----------
    concentrations : array-like of shape (n_rows, n_classes)
        Dirichlet parameters of the classes, ``>= 0``; a class with 0 has no voters and never wins.
    winner : array-like of shape (n_rows,)
        Column of the class in question.
    ratio : float
        Share of the winner's weight that the others must stay below, in (0, 1].

    Notes
    -----
    The trapezoid rule in :math:`\sqrt t`, where every factor is smooth with width about one half; for a total below 8,
    where the integrand is singular at 0, the trapezoid rule in :math:`\log t` with the nodes towards minus infinity
    summed in closed form. Both converge exponentially; every node is evaluated with scipy, none is interpolated.

    Examples
    --------
    >>> from stocmv.special import argmax_probability
    >>> argmax_probability([[2.0, 2.0, 0.0], [3.0, 3.0, 3.0], [1.0, 0.0, 0.0]], [0, 1, 2]).round(9).tolist()
    [0.5, 0.333333333, 0.0]
    """
    a = np.asarray(concentrations, float)
    winner = np.asarray(winner)
    if a.ndim != 2 or winner.shape != a.shape[:1]:
        raise ValueError("argmax_probability needs (n_rows, n_classes) concentrations and one winner for each row.")
    if not (np.all(a >= 0) and np.all(np.isfinite(a))):
        raise ValueError("argmax_probability needs finite concentrations of at least 0.")
    if not 0 < ratio <= 1:
        raise ValueError(f"argmax_probability needs a ratio above 0 and at most 1, got {ratio!r}.")
    if not np.all((winner >= 0) & (winner < a.shape[1])):
        raise ValueError(f"argmax_probability needs winners from 0 to {a.shape[1] - 1}, the columns of concentrations.")
    own = a[np.arange(len(a)), winner]
    rivals = (a > 0).sum(1) - (own > 0)
    probability = np.where((own > 0) & (rivals == 0), 1.0, 0.0)
    contested = (own > 0) & (rivals > 0)
    large = a.sum(1) >= ROOT_RULE_FROM
    for rows, rule in ((contested & large, _root_rule), (contested & ~large, _log_rule)):
        index = np.flatnonzero(rows)
        for start in range(0, len(index), 2048):
            block = index[start : start + 2048]
            probability[block] = rule(a[block], winner[block], own[block], ratio)
    return np.clip(probability, 0.0, 1.0)


def _rivals(a: NDArray, winner: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """The (row, concentration) pairs of the other classes that have voters, and where each row's pairs begin."""
    present = a > 0
    present[np.arange(len(a)), winner] = False
    row, column = np.nonzero(present)
    return row, a[row, column], np.searchsorted(row, np.arange(len(a)))


def _root_rule(a: NDArray, winner: NDArray, own: NDArray, ratio: float) -> NDArray:
    row, rival, begin = _rivals(a, winner)
    shapes, which = np.unique(own, return_inverse=True)
    first = np.maximum(np.floor((np.sqrt(shapes) - _ROOT_REACH) / _ROOT_STEP), 1)
    x = (first[:, None] + np.arange(_ROOT_NODES)) * _ROOT_STEP
    density = 2 * _ROOT_STEP * np.exp(log_root_density(x, shapes[:, None]))
    below = _root_below(first[which][row], rival, ratio)
    return (density[which] * np.multiply.reduceat(below, begin, axis=0)).sum(1)


def _root_below(first: NDArray, shape: NDArray, ratio: float) -> NDArray:
    """Probability that a gamma variable stays below each of the nodes from ``first`` on.

    Equal weights have few different sums. Then a table of all nodes for each of these shapes is smaller.
    """
    shapes, which = np.unique(shape, return_inverse=True)
    lowest, span = first.min(), int(np.ptp(first)) + _ROOT_NODES
    if len(shapes) * span >= len(shape) * _ROOT_NODES:
        return _gamma_below(first[:, None] + np.arange(_ROOT_NODES), shape, ratio)
    table = _gamma_below(lowest + np.arange(span)[None], shapes, ratio)
    return sliding_window_view(table, _ROOT_NODES, axis=1)[which, (first - lowest).astype(np.intp)]


def _gamma_below(nodes: NDArray, shape: NDArray, ratio: float) -> NDArray:
    x = np.sqrt(ratio) * (nodes * _ROOT_STEP)
    distance = x - np.sqrt(shape)[:, None]
    below = np.where(distance > 0, 1.0, 0.0)
    near = np.abs(distance) < _ROOT_REACH + 1
    below[near] = gammainc(*(np.broadcast_to(each, near.shape)[near] for each in (shape[:, None], x * x)))
    return below


def log_root_density(x: NDArray, shape: NDArray) -> NDArray:
    """``log(x^(2a - 1) e^(-x^2) / Gamma(a))`` for shape ``a``, written around its mode if the terms would cancel."""
    small = (2 * shape - 1) * np.log(x) - x * x - gammaln(shape)
    a = np.maximum(shape, 10.0)
    e = x / np.sqrt(a) - 1
    large = a * (2 * np.log1p(e) - 2 * e - e * e) - np.log(x) + 0.5 * np.log(a / (2 * np.pi)) - stirling_rest(a)
    return np.where(shape > 10, large, small)


def _log_rule(a: NDArray, winner: NDArray, own: NDArray, ratio: float) -> NDArray:
    _, rival, begin = _rivals(a, winner)
    total = a.sum(1)
    u = np.arange(_LOG_HIGHEST, _LOG_LOWEST, -_LOG_STEP)[::-1]
    t = np.exp(u)
    log_density = own[:, None] * u - t - gammaln(own)[:, None]
    below = np.multiply.reduceat(gammainc(rival[:, None], ratio * t), begin, axis=0)
    integrand = _LOG_STEP * np.exp(log_density) * below
    # below the first node the integrand is a pure power of t, so its trapezoid sum is geometric
    further = integrand[:, 0] / np.expm1(total * _LOG_STEP)
    return integrand.sum(1) + further


def gamma_draw_gradient(shape: ArrayLike, log_draw: ArrayLike) -> NDArray:
    r"""Derivative of the logarithm of a gamma draw by its shape, with the random source held fixed.

    The implicit derivative :math:`-\partial_a P(a, g) / (g\, \gamma(g; a))` (Figurnov, Mohamed and Mnih 2018), for a
    draw :math:`g` given by its logarithm, so that it also works for shapes near 0, whose draws underflow.

    Parameters
    ----------
    shape, log_draw : array-like
        Shape ``a > 0`` and ``log(g)``.

    Examples
    --------
    With shape 1 the draw is exponential and the derivative has no closed form; far below 1 it has:

    >>> import numpy as np
    >>> from stocmv.special import gamma_draw_gradient
    >>> a, u = 1e-6, 0.3  # g = (u Gamma(a + 1)) ** (1 / a)
    >>> bool(np.isclose(gamma_draw_gradient(a, np.log(u) / a), -np.log(u) / a**2, rtol=1e-5))
    True
    """
    a, log_g = np.broadcast_arrays(np.asarray(shape, float), np.asarray(log_draw, float))
    if not np.all(a > 0):
        raise ValueError("gamma_draw_gradient needs positive shapes.")
    g = np.exp(log_g)
    sign = np.where(g < a, -1.0, 1.0)
    reach = np.minimum(_draw_reach(a, g, sign), _FAR)
    z = reach[..., None] * PRECISE.nodes
    side = sign[..., None]
    exponent = side * a[..., None] * z - g[..., None] * np.expm1(side * z)
    density = np.exp(exponent) * (reach[..., None] * PRECISE.weights)
    mass, mass_z = density.sum(-1), (density * z).sum(-1)
    far = np.where((sign < 0) & (reach == _FAR), np.exp(g - a * _FAR), 0.0)
    mass = mass + far / a
    mass_z = mass_z + far * (_FAR / a + 1 / a**2)
    return sign * (log_g - digamma(a)) * mass + mass_z


def _draw_reach(a: NDArray, g: NDArray, sign: NDArray) -> NDArray:
    """Where ``sign a z - g (e^(sign z) - 1)``, concave and decreasing, has fallen by `_DROP`, by bisection."""
    lower, upper = np.zeros_like(a), np.full_like(a, _FAR)
    for _ in range(40):
        middle = (lower + upper) / 2
        enough = g * np.expm1(sign * middle) - sign * a * middle > _DROP
        lower, upper = np.where(enough, lower, middle), np.where(enough, middle, upper)
    return upper
