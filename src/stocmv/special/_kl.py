"""The binary KL and its inverse, for Seeger's bound."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

_UP = 1 + 2.0**-48  # what the inverse is multiplied by: 32 times the rounding unit u = 2^-53 (see `kl_inverse`)
_LEAST = 1e-305  # smaller positive numbers are replaced by this, where rounding is still relative


def kl_bernoulli(q: ArrayLike, p: ArrayLike) -> NDArray:
    """Relative entropy ``kl(q, p)`` of two Bernoulli variables with means ``q`` and ``p``, in nats.

    Examples
    --------
    >>> from stocmv.special import kl_bernoulli
    >>> float(kl_bernoulli(0.0, 0.5).round(6))
    0.693147
    """
    q, p = np.broadcast_arrays(np.asarray(q, float), np.asarray(p, float))
    if not (np.all((q >= 0) & (q <= 1)) and np.all((p >= 0) & (p <= 1))):
        raise ValueError("kl_bernoulli needs two probabilities, each between 0 and 1.")
    return _kl(q, p)


def _kl(q: NDArray, p: NDArray) -> NDArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        wrong = np.where(q > 0, -q * _log_ratio(p, q, p - q), 0.0)
        right = np.where(q < 1, -(1 - q) * _log_ratio(1 - p, 1 - q, q - p), 0.0)
    return np.maximum(wrong + right, 0.0)


def _log_ratio(x: NDArray, y: NDArray, difference: NDArray) -> NDArray:
    """``log(x / y)``, given ``difference = x - y`` more accurately than either."""
    relative = difference / y
    far = np.where(np.isinf(relative), np.log(x) - np.log(y), np.log(x / y))
    return np.where((relative > -0.5) & (relative < 1), np.log1p(relative), far)


def kl_inverse(q: ArrayLike, epsilon: ArrayLike) -> NDArray:
    r"""Largest ``p`` with ``kl(q, p) <= epsilon``, never below the true value.

    Parameters
    ----------
    q : array-like
        Empirical risk, in [0, 1].
    epsilon : array-like
        Allowed relative entropy, ``>= 0``; infinity gives 1.

    Notes
    -----
    :math:`p \mapsto \mathrm{kl}(q, p)` is convex and increasing on [q, 1], so Newton's method from a point on the
    right of the root descends to it and never passes it; the start is the least of three closed-form upper bounds.
    Rounding moves the root by the error of the evaluated :math:`\mathrm{kl}`, divided by its slope
    :math:`(p - q) / (p (1 - p))`. Each of the two terms of :math:`\mathrm{kl}` has a relative error of at most 6 units
    of rounding, and their sizes are at most :math:`p - q` and :math:`(1 - q) (p - q) / (1 - p)`, so that the root moves
    by at most :math:`12\, p` units; the result is moved up by 32. For the same reason its relative error is at most
    that of ``epsilon``. Positive arguments below 1e-305 are taken as 1e-305, which only raises the result.

    Examples
    --------
    >>> from stocmv.special import kl_inverse
    >>> kl_inverse([0.0, 0.1, 1.0], 0.05).round(6).tolist()
    [0.048771, 0.220079, 1.0]
    """
    return np.minimum(_root(q, epsilon) * _UP, 1.0)


def _root(q: ArrayLike, epsilon: ArrayLike) -> NDArray:
    """The inverse before it is moved up."""
    q, epsilon = np.broadcast_arrays(np.asarray(q, float), np.asarray(epsilon, float))
    if not (np.all((q >= 0) & (q <= 1)) and np.all(epsilon >= 0)):
        raise ValueError("kl_inverse needs q between 0 and 1 and a non-negative epsilon.")
    q, epsilon = (np.where(x > 0, np.maximum(x, _LEAST), 0.0) for x in (q, epsilon))
    p = _start(q, epsilon)
    for _ in range(100):
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (p - q) / (p * (1 - p))
            excess = _kl(q, np.minimum(p, 1.0)) - epsilon
            step = np.where((excess > 0) & (slope > 0) & (p < 1), excess / slope, 0.0)
        p = np.maximum(p - step, q)
        if np.all(step <= 2e-16 * p):
            break
    return p


def _start(q: NDArray, epsilon: NDArray) -> NDArray:
    """An upper bound on the inverse: the best of Pinsker's, its refinement for small q, and one sharp near 1."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        pinsker = q + np.sqrt(epsilon / 2)
        small = q + epsilon + np.sqrt(epsilon) * np.sqrt(epsilon + 2 * q)
        entropy = np.where(q > 0, -q * np.log(q), 0) + np.where(q < 1, -(1 - q) * np.log1p(-q), 0)
        near_one = np.where(q < 1, -np.expm1(-(epsilon + entropy) / (1 - q)), 1.0)
    return np.where(np.isfinite(epsilon), np.minimum(np.minimum(pinsker, small), np.minimum(near_one, 1.0)), 1.0)


def kl_inverse_gradient(q: ArrayLike, epsilon: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """Return the inverse ``p`` of `kl_inverse` with its derivatives by ``q`` and by ``epsilon``.

    At ``q = 0`` the derivative by ``q`` is infinite; it is returned for the smallest positive normal number instead,
    so that a chain rule stays finite. At ``p = 1`` (a saturated bound) the derivatives are those a little inside,
    not zero: a solver that starts there must be able to leave.
    """
    q, epsilon = np.broadcast_arrays(np.asarray(q, float), np.asarray(epsilon, float))
    root = _root(q, epsilon)
    inner_p = np.clip(root, np.finfo(float).tiny, 1 - 1e-12)
    inner_q = np.clip(q, np.finfo(float).tiny, 1 - 2e-12)
    gap = np.maximum(inner_p - inner_q, 1e-15 * inner_p + np.finfo(float).tiny)
    d_epsilon = inner_p * (1 - inner_p) / gap
    d_q = d_epsilon * _log_odds(inner_q, inner_p, gap)
    return np.minimum(root * _UP, 1.0), d_q, d_epsilon


def _log_odds(q: NDArray, p: NDArray, gap: NDArray) -> NDArray:
    """``logit(p) - logit(q)`` where ``gap = p - q``."""
    with np.errstate(over="ignore"):
        near = np.log1p(gap / q) + np.log1p(gap / (1 - p))
    return np.where(np.isfinite(near), near, np.log(p) - np.log(q) + np.log1p(gap / (1 - p)))
