r"""The probability that a weighted sum of gamma variables is not positive: the error of a soft vote on one example.

The inversion integral of the sum's transform, along a vertical line or a hyperbola near the saddle point, by the
trapezoid rule in the variable ``v`` of `_gamma_paths`. The theory page, "Soft votes", derives it and what it leaves
out. A row's integral takes as much memory as the row: each node is added to the value and the gradient at once.
"""

from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from ._gamma_paths import (
    AT_ONCE,
    N_LINES,
    choose_path,
    fill_frame,
    find_saddle,
    frame_sums,
    group_voters,
    load_margins,
    straight_path,
)
from ._vector_math import ANY_ORDER, FLAT, OPTIONS, arctan2, log1p

LARGEST = 1e100  # of the concentrations, and the inverse of the smallest

_DRAFT, _TURNED_DRAFT, _PRECISE = 23.0, 26.0, 39.0  # minus the logarithm of the relative error to aim at
_DRAFT_LEAST = 1e-11  # probabilities below count as 0 in training, and the nodes end where this is left
_PRECISE_LEAST = 1e-40  # the same for certificates, where it is added to the error
_PRECISE_TAIL = 1e-18  # what certificates leave out, relative to the largest node
_ROUNDING = 64 * 2.0**-53  # of a sum of logarithms, relative to the sum of their sizes
_SUM = 128  # terms that are added one by one, in at least four chains
_HALVINGS = 6
_BLOCK = 1 << 18  # margins
_MOST_NODES = 20_000
_JOINT = 16  # points between the path and a line beside it
_RATE = 0.5  # share of the rate at which the integrand fell last that is relied on beyond the last node


def negative_sum(margins: ArrayLike, alpha: ArrayLike) -> tuple[NDArray, NDArray]:
    r"""Probability that :math:`\sum_j m_j \gamma_j \le 0` for gamma variables of shapes ``alpha``, row by row.

    This is the error of a stochastic soft vote on an example with the margins :math:`m_j = p_{jy} - p_{j, \ne y}` of
    its voters, if the weights are drawn from a Dirichlet with concentrations ``alpha``.

    Parameters
    ----------
    margins : array-like of shape (n_rows, n_voters)
        In [-1, 1]. If all margins of a row are 0 the vote is tied, which counts as an error.
    alpha : array-like of shape (n_voters,)
        Concentrations, from 1e-100 to 1e100.

    Returns
    -------
    value, error : ndarray of shape (n_rows,)
        The probability, and how far the truth may lie above or below. ``value + error`` is safe in a certificate.

    Notes
    -----
    The error has three parts. What the step leaves out is bounded by integrals of the integrand's size along lines
    beside the path (Trefethen and Weideman 2014), which are computed with the same nodes and doubled; if they are too
    large the step is halved. What the nodes beyond the last leave out follows from the rate at which the integrand
    falls. Rounding is 64 units of the sizes of all logarithms that are added. Where Chernoff's bound is below 1e-40 the
    value is 0 (or 1) and the error is that bound. See the theory page, "Soft votes".

    Examples
    --------
    >>> from stocmv.special import negative_sum
    >>> value, error = negative_sum([[1.0, -1.0], [0.5, -1.0], [1.0, 0.5], [0.0, 0.0]], [1.0, 1.0])
    >>> value.round(12).tolist(), bool(error.max() < 1e-13)
    ([0.5, 0.666666666667, 0.0, 1.0], True)
    """
    margins, alpha = _checked(margins, alpha)
    value, error, room = np.empty(len(margins)), np.empty(len(margins)), _room(alpha)
    for rows in _blocks(margins):
        _certify_rows(margins[rows].astype(float, copy=False), alpha, *room, value[rows], error[rows])
    return value, error


def negative_sum_pass(margins: ArrayLike, alpha: ArrayLike, weights: ArrayLike | None = None) -> tuple[float, NDArray]:
    """Weighted sum over the rows of `negative_sum`, with its gradient by ``alpha``: for training.

    For each row of weight one both are off by less than 1e-8 and mostly by less than 1e-10, the gradient relative to
    the inverse of the total concentration where that is below one. This is one pass over the margins, which keeps
    nothing else of their size; a value below 1e-11 counts as 0.

    Parameters
    ----------
    margins, alpha
        As for `negative_sum`. Margins of another type than float64 are converted a block at a time.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row, one by default.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv.special import negative_sum_pass
    >>> value, gradient = negative_sum_pass(np.array([[1.0, -1.0], [0.5, -1.0]]), np.array([1.0, 1.0]))
    >>> round(value, 9), gradient.round(6).tolist()
    (1.166666667, [-0.616884, 0.712778])
    """
    margins, alpha = _checked(margins, alpha)
    weights = np.ones(len(margins)) if weights is None else np.ascontiguousarray(weights, float)
    if weights.shape != margins.shape[:1]:
        raise ValueError(f"negative_sum_pass needs one weight for each of the {len(margins)} rows.")
    value, gradient, room = 0.0, np.zeros(len(alpha)), _room(alpha)
    for rows in _blocks(margins):
        value += _train_rows(margins[rows].astype(float, copy=False), alpha, weights[rows], *room, gradient)
    return value, gradient


def _checked(margins: ArrayLike, alpha: ArrayLike) -> tuple[NDArray, NDArray]:
    margins, alpha = np.ascontiguousarray(margins), np.ascontiguousarray(alpha, float)
    if margins.ndim != 2 or alpha.ndim != 1 or margins.shape[1] != len(alpha):
        raise ValueError("negative_sum needs (n_rows, n_voters) margins and one concentration for each voter.")
    if not np.all((alpha >= 1 / LARGEST) & (alpha <= LARGEST)):
        raise ValueError("negative_sum needs concentrations between 1e-100 and 1e100.")
    if margins.size and not (margins.min() >= -1 and margins.max() <= 1):
        raise ValueError("negative_sum needs margins between -1 and 1.")
    return margins, alpha


def _blocks(margins: NDArray) -> Iterator[slice]:
    """Rows that are converted to float64 together."""
    at_once = 1 + _BLOCK // max(margins.shape[1], 1)
    return (slice(start, start + at_once) for start in range(0, len(margins), at_once))


def _room(alpha: NDArray) -> tuple[NDArray, NDArray]:
    """What the kernels write to: numbers for each voter, and those for the choice of a path."""
    return np.empty((5, len(alpha))), np.empty((7, N_LINES * AT_ONCE))


@njit(**OPTIONS)
def _train_rows(margins, alpha, weights, scratch, room, gradient):  # pragma: no cover - compiled
    value = 0.0
    for i in range(margins.shape[0]):
        if weights[i] != 0.0:
            value += weights[i] * _train_row(margins[i], alpha, weights[i], scratch, room, gradient)
    return value


@njit(**OPTIONS)
def _train_row(row, alpha, weight, scratch, room, gradient):  # pragma: no cover - compiled
    """The value; ``weight`` times its derivatives are added to ``gradient``."""
    margin, pull, start, log, angle = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    sign, a, p, least, total = load_margins(row, alpha, margin)
    if a == 0.0 or p == 0.0:
        return 1.0 if p == 0.0 else 0.0
    x = find_saddle(margin, alpha, a)
    b = min(1.0 - x, a / p + x)
    fill_frame(margin, a, x, b, pull, start)
    at_saddle, _, slope, left, right, drift, far, near = frame_sums(alpha, pull, start)
    if np.exp(at_saddle) < _DRAFT_LEAST:
        return 0.0 if sign > 0.0 else 1.0
    if far <= 2.0 or (near >= 4.0 and drift <= min(near / 80.0, 0.15) * near):
        turn, h, w_right = straight_path(_DRAFT, x, b, slope, left, right, total)
    else:
        shapes, pulls = group_voters(alpha, pull, log, angle)
        turn, h, _, w_right = choose_path(_TURNED_DRAFT, shapes, pulls, room, x, b, left + right, b * least / a)
    sine, cosine = np.sin(turn), np.cos(turn)
    unit = h / np.pi
    down = -sign * weight * unit
    tail, before, first = 0.0, at_saddle, 0
    if turn == 0.0:
        tail, first = 0.5 * unit * np.exp(at_saddle) * b / x, 1
    for k in range(first, _MOST_NODES):
        sinh = np.sinh(k * h)
        cosh = np.sqrt(1.0 + sinh * sinh)
        _fill_node(pull, cosh * sine, sinh * cosine, log, angle)
        logs, phase, _ = _node_sums(alpha, log, angle)
        exponent = at_saddle - logs
        real, imaginary, size = _node(x, b, sinh, cosh, sine, cosine, exponent, phase)
        share = 0.5 if k == 0 else 1.0
        tail += share * unit * real
        _add(gradient, log, angle, share * down * real, share * down * imaginary)
        allowed = _DRAFT_LEAST / (1.0 + k * h)
        if unit * size < allowed * np.expm1(_RATE * (before - exponent)):
            break
        before = exponent
        away = _away(x, b, sinh, least / a, total)
        if away < 0.1 and unit * size * away < allowed * np.expm1(total * h):
            real, imaginary, moved = _beyond(x, b, h, sinh, sine, cosine, exponent, phase, total)
            tail += unit * real
            _add(gradient, log, angle, down * real, down * imaginary)
            _add_moved(gradient, margin, down * moved)
            break
    _add(gradient, start, angle, -sign * weight * tail, 0.0)  # the nodes had the logarithms without those at the saddle
    tail -= _pole(x, b, h, turn, w_right)
    return tail if sign > 0.0 else 1.0 - tail


@njit(**OPTIONS)
def _certify_rows(margins, alpha, scratch, room, value, error):  # pragma: no cover - compiled
    for i in range(margins.shape[0]):
        value[i], error[i] = _certify_row(margins[i], alpha, scratch, room)


@njit(**OPTIONS)
def _certify_row(row, alpha, scratch, room):  # pragma: no cover - compiled
    margin, pull, start, log, angle = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    sign, a, p, least, total = load_margins(row, alpha, margin)
    if a == 0.0 or p == 0.0:
        return (1.0 if p == 0.0 else 0.0), 0.0
    x = find_saddle(margin, alpha, a)
    b = min(1.0 - x, a / p + x)
    fill_frame(margin, a, x, b, pull, start)
    at_saddle, sizes, _, left, right, _, _, _ = frame_sums(alpha, pull, start)
    tail, error = 0.0, np.exp(at_saddle) * (1.0 + _ROUNDING * (1.0 + sizes))
    if error > _PRECISE_LEAST:
        shapes, pulls = group_voters(alpha, pull, log, angle)
        turn, h, w_left, w_right = choose_path(_PRECISE, shapes, pulls, room, x, b, left + right, b * least / a)
        for _ in range(_HALVINGS):
            tail, error, last, closed = _precise_sum(
                alpha, pull, log, angle, x, b, h, turn, at_saddle, sizes, total, least / a
            )
            tail -= _pole(x, b, h, turn, w_right)
            missed = _beside(turn, w_left, alpha, pull, log, x, b, h, at_saddle, total, last, closed)
            missed += _beside(turn, -w_right, alpha, pull, log, x, b, h, at_saddle, total, last, closed)
            small = missed <= error
            error += 2.0 * missed
            if small:
                break
            h *= 0.5
    value = tail if sign > 0.0 else 1.0 - tail
    return min(max(value, 0.0), 1.0), error + 4.0 * 2.0**-53 * value


@njit(**OPTIONS)
def _precise_sum(alpha, pull, log, angle, x, b, h, turn, at_saddle, sizes, total, least):  # pragma: no cover - compiled
    """The trapezoid sum, what rounding and the nodes left out may change, the last node, if those beyond are in it."""
    sine, cosine = np.sin(turn), np.cos(turn)
    unit, before = h / np.pi, at_saddle
    tail, error, largest, left_out = 0.0, 0.0, 0.0, 0.0
    for k in range(_MOST_NODES):
        sinh = np.sinh(k * h)
        cosh = np.sqrt(1.0 + sinh * sinh)
        _fill_node(pull, cosh * sine, sinh * cosine, log, angle)
        logs, phase, angles = _node_sums(alpha, log, angle)
        exponent = at_saddle - logs
        real, _, size = _node(x, b, sinh, cosh, sine, cosine, exponent, phase)
        share = 0.5 if k == 0 else 1.0
        tail += share * unit * real
        doubt = _ROUNDING * (sizes + _weighted_sizes(alpha, log) + angles)
        error += unit * (doubt * size + _ROUNDING * abs(real))
        largest = max(largest, unit * size)
        left_out = unit * size / np.expm1(_RATE * (before - exponent)) if exponent < before else np.inf
        if left_out < _PRECISE_TAIL * largest:
            return tail, error + left_out, k, False
        before = exponent
        away = _away(x, b, sinh, least, total)
        size *= unit / np.expm1(total * h)
        if away < 0.1 and size * away < _PRECISE_TAIL * max(largest, tail):
            real, _, _ = _beyond(x, b, h, sinh, sine, cosine, exponent, phase, total)
            return tail + unit * real, error + size * (doubt + 3.0 * away) + _ROUNDING * abs(unit * real), k, True
    return tail, error + left_out, _MOST_NODES, False


@njit(**OPTIONS)
def _beside(turn, w, alpha, pull, log, x, b, h, at_saddle, total, last, closed):  # pragma: no cover - compiled
    """What the step misses: the integral of the integrand's size along a line beside the path, times what it falls by.

    If the sum is ``closed``, the integrand is a power beyond the last node. Otherwise the line ends half a step beyond
    it, and is joined to the path there.
    """
    fallen = np.expm1(2.0 * np.pi * abs(w) / h)
    summed, size = 0.0, 0.0
    for k in range(last + 1):
        size = _size(k * h, turn + w, alpha, pull, log, x, b, at_saddle)
        summed += size if k else 0.5 * size
    if closed:
        return h / np.pi * (summed + size / np.expm1(total * h)) / fallen
    joint = 0.0
    for k in range(_JOINT + 1):
        y = w * k / _JOINT
        size = _size((last + 0.5) * h, turn + y, alpha, pull, log, x, b, at_saddle)
        joint += size * np.exp(-2.0 * np.pi * abs(y) / h) * (1.0 if 0 < k < _JOINT else 0.5)
    missed = h / np.pi * summed / fallen + abs(w) / (np.pi * _JOINT) * joint
    return missed if missed >= 0.0 else np.inf


@njit(**OPTIONS)
def _size(v, w, alpha, pull, log, x, b, at_saddle):  # pragma: no cover - compiled
    """The integrand's size, times ``2 pi``, where the new variable has the real part ``v`` and the imaginary ``w``."""
    sinh, sine, cosine = np.sinh(v), np.sin(w), np.cos(w)
    cosh = np.sqrt(1.0 + sinh * sinh)
    _fill_beside(pull, cosh * sine, sinh * cosine, log)
    return np.exp(at_saddle - _weighted(alpha, log) + _log_slope(x, b, sinh, cosh, sine, cosine))


@njit(**OPTIONS)
def _log_slope(x, b, sinh, cosh, sine, cosine):  # pragma: no cover - compiled
    """Logarithm of the size of ``z' / z``; near the pole, which is dealt with, that of a point further away."""
    real, imaginary = x + b * cosh * sine, b * sinh * cosine
    square = max(real * real + imaginary * imaginary, 0.01 * x * x)
    return 0.5 * np.log(b * b * (cosh * cosh - sine * sine) / square)


@njit(**OPTIONS)
def _pole(x, b, h, turn, w_right):  # pragma: no cover - compiled
    """What the trapezoid rule counts too much because of the pole at 0, if that lies within the strip."""
    if x >= b:
        return 0.0
    w = np.arcsin(x / b) + turn
    return 1.0 / np.expm1(2.0 * np.pi * w / h) if w < w_right else 0.0


@njit(fastmath=FLAT, **OPTIONS)
def _fill_node(pull, real, imaginary, log, angle):  # pragma: no cover - compiled
    """Logarithm of ``1 + p (real - i imaginary)`` for each pull ``p``: its real part, and minus the imaginary part."""
    for j in range(pull.size):
        d, e = pull[j] * real, pull[j] * imaginary
        log[j] = 0.5 * log1p(d * (2.0 + d) + e * e)
        angle[j] = arctan2(e, 1.0 + d)


@njit(fastmath=FLAT, **OPTIONS)
def _fill_beside(pull, real, imaginary, log):  # pragma: no cover - compiled
    for j in range(pull.size):
        d, e = pull[j] * real, pull[j] * imaginary
        log[j] = 0.5 * log1p(d * (2.0 + d) + e * e)


@njit(fastmath=ANY_ORDER, **OPTIONS)
def _node_sums(alpha, log, angle):  # pragma: no cover - compiled
    logs, phase, angles = 0.0, 0.0, 0.0
    for begin in range(0, alpha.size, _SUM):
        part_logs, part_phase, part_angles = 0.0, 0.0, 0.0
        for j in range(begin, min(begin + _SUM, alpha.size)):
            part_logs += alpha[j] * log[j]
            part_phase += alpha[j] * angle[j]
            part_angles += alpha[j] * abs(angle[j])
        logs += part_logs
        phase += part_phase
        angles += part_angles
    return logs, phase, angles


@njit(fastmath=ANY_ORDER, **OPTIONS)
def _weighted(alpha, log):  # pragma: no cover - compiled
    total = 0.0
    for j in range(alpha.size):
        total += alpha[j] * log[j]
    return total


@njit(fastmath=ANY_ORDER, **OPTIONS)
def _weighted_sizes(alpha, log):  # pragma: no cover - compiled
    total = 0.0
    for j in range(alpha.size):
        total += alpha[j] * abs(log[j])
    return total


@njit(fastmath=FLAT, **OPTIONS)
def _add(gradient, log, angle, by_log, by_angle):  # pragma: no cover - compiled
    for j in range(gradient.size):
        gradient[j] += by_log * log[j] + by_angle * angle[j]


@njit(**OPTIONS)
def _add_moved(gradient, margin, moved):  # pragma: no cover - compiled
    for j in range(gradient.size):
        if margin[j] != 0.0:
            gradient[j] += moved


@njit(**OPTIONS)
def _node(x, b, sinh, cosh, sine, cosine, exponent, phase):  # pragma: no cover - compiled
    """The integrand times ``2 pi``: real and imaginary part, and a bound on its size here and at all nodes beyond."""
    real, imaginary = x + b * cosh * sine, b * sinh * cosine
    square = real * real + imaginary * imaginary
    up, along = cosh * cosine, sinh * sine  # of cosh(k h + i turn)
    first, second = b * (up * real - along * imaginary) / square, b * (up * imaginary + along * real) / square
    scale = np.exp(exponent)
    c, s = scale * np.cos(phase), scale * np.sin(phase)
    largest = max(np.sqrt(first * first + second * second), 1.0) * scale
    return c * first - s * second, s * first + c * second, largest


@njit(**OPTIONS)
def _away(x, b, sinh, least, total):  # pragma: no cover - compiled
    """How far the integrand still is from a power of the height, relative."""
    if sinh == 0.0:
        return np.inf
    return total / (least * b * sinh) + (x / (b * sinh)) ** 2 + 1.0 / (sinh * sinh)


@njit(**OPTIONS)
def _beyond(x, b, h, sinh, sine, cosine, exponent, phase, total):  # pragma: no cover - compiled
    """The sums over all nodes beyond one from which the integrand is a power of the height: two geometric series.

    Real and imaginary part, and the real part with each term times its distance.
    """
    scale, ratio = np.exp(exponent), x / (b * sinh)
    real, imaginary = scale * np.cos(phase), scale * np.sin(phase)
    up, along = ratio * (real * cosine + imaginary * sine), ratio * (imaginary * cosine - real * sine)
    growth, faster = np.expm1(total * h), np.expm1((total + 1.0) * h)
    return (
        up / faster - imaginary / growth,
        along / faster + real / growth,
        h * (up * (1.0 + faster) / (faster * faster) - imaginary * (1.0 + growth) / (growth * growth)),
    )
