"""Paths for the integral of `negative_sum`: a saddle point, and a curve through or near it that needs few nodes.

Everything is in units of the inverse of the largest negative margin ``a``: the saddle is at ``-x``, a path is
``z = -x + i b sinh(v + i turn)`` for real ``v``, and a voter's pull is ``b m / (a + m x)``, at most one in size.
"""

import numpy as np
from numba import njit

from ._vector_math import ANY_ORDER, FLAT, OPTIONS, log1p

TINIEST = 1e-120  # smaller margins, but for 0, count as minus this: no square overflows, and the value only rises
N_LINES, AT_ONCE = 13, 8  # paths that are compared, and points of each at once
N_GROUPS = 16  # of voters with like pulls, for the choice of a path
_GROUP_ENDS = (0.35, 0.07, 0.01, 1e-3, 1e-5, 1e-7, 1e-9)
_APART = 1.5  # ratio of the points at which they are compared
_SUM = 128  # terms that are added one by one, in at least four chains


@njit(**OPTIONS)
def load_margins(row, alpha, margin):  # pragma: no cover - compiled
    """Copy the margins, turned so that their mean is not negative.

    Returns the sign of that turn, the largest size of a negative and of a positive margin, the smallest size of any
    but 0, and the concentration of all of these.
    """
    mean = 0.0
    for j in range(row.size):
        m = float(row[j])
        if m != 0.0 and abs(m) < TINIEST:
            m = -TINIEST
        margin[j] = m
        mean += alpha[j] * m
    sign = 1.0 if mean >= 0.0 else -1.0
    a, p, least, total = 0.0, 0.0, 1.0, 0.0
    for j in range(row.size):
        m = sign * margin[j]
        margin[j] = m
        if m != 0.0:
            total += alpha[j]
            least = min(least, abs(m))
            a = max(a, -m)
            p = max(p, m)
    if a == 0.0 and sign < 0.0:
        return 1.0, 1.0, 0.0, least, total  # all were negative
    return sign, a, p, least, total


@njit(fastmath=ANY_ORDER, **OPTIONS)
def _pulls(margin, alpha, a, x):  # pragma: no cover - compiled
    first, second = 0.0, 0.0
    for j in range(margin.size):
        d = margin[j] / (a + margin[j] * x)
        first += alpha[j] * d
        second += alpha[j] * d * d
    return first, second


@njit(**OPTIONS)
def find_saddle(margin, alpha, a):  # pragma: no cover - compiled
    """About where ``K(-x) - log(x) - log(1 - x)`` is least in (0, 1), in units of ``1 / a``.

    Newton's method for the logit of ``x``, kept between points where the slope has different signs.
    """
    mean, variance = _pulls(margin, alpha, a, 0.0)
    x = 2.0 / (np.sqrt(mean * mean + 4.0 * variance) - mean) if mean * mean < 1e6 * variance else mean / variance
    x = min(max(x / (1.0 + x), 1e-4), 0.9)
    low, high = -np.inf, np.inf
    for _ in range(60):
        first, second = _pulls(margin, alpha, a, x)
        y, rest = np.log(x / (1.0 - x)), x * (1.0 - x)
        slope = -first - 1.0 / x + 1.0 / (1.0 - x)
        curvature = second + 1.0 / (x * x) + 1.0 / ((1.0 - x) * (1.0 - x))
        if slope * slope < 1e-2 * curvature:
            break
        if slope > 0.0:
            high = y
        else:
            low = y
        bent = curvature * rest + slope * (1.0 - 2.0 * x)
        move = -slope / bent if bent > 0.0 else -np.sign(slope) * 4.0
        y_next = y + min(max(move, -4.0), 4.0)
        if y_next <= low or y_next >= high:
            y_next = 0.5 * (low + high)
        x = 1.0 / (1.0 + np.exp(-y_next))
    return x


@njit(fastmath=FLAT, **OPTIONS)
def fill_frame(margin, a, x, b, pull, start):  # pragma: no cover - compiled
    """``b m / (a + m x)`` and ``log(1 + m x / a)``, the logarithm at the saddle."""
    for j in range(margin.size):
        pull[j] = b * margin[j] / (a + margin[j] * x)
        start[j] = log1p(margin[j] * x / a)


@njit(fastmath=ANY_ORDER, **OPTIONS)
def frame_sums(alpha, pull, start):  # pragma: no cover - compiled
    """``K`` at the saddle and the sum of its sizes; sums of the pulls, and of their squares to the left and right.

    Of the pulls below a quarter, whose branch points are far, also the summed sizes and the concentration; that of the
    others.
    """
    exponent, sizes, slope, left, right, drift, far, near = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for begin in range(0, alpha.size, _SUM):
        part, part_sizes = 0.0, 0.0
        for j in range(begin, min(begin + _SUM, alpha.size)):
            part -= alpha[j] * start[j]
            part_sizes += alpha[j] * abs(start[j])
            slope += alpha[j] * pull[j]
            square = alpha[j] * pull[j] * pull[j]
            left += square if pull[j] < 0.0 else 0.0
            right += square if pull[j] > 0.0 else 0.0
            is_far = abs(pull[j]) < 0.25
            drift += alpha[j] * abs(pull[j]) if is_far else 0.0
            far += alpha[j] if is_far and pull[j] != 0.0 else 0.0
            near += 0.0 if is_far else alpha[j]
        exponent += part
        sizes += part_sizes
    return exponent, sizes, slope, left, right, drift, far, near


@njit(**OPTIONS)
def straight_path(target, x, b, slope, left, right, total):  # pragma: no cover - compiled
    """As `_path`, if no path but the vertical line is needed.

    How far the integrand grows beside the path is estimated from the sums of the pulls and of their squares.
    """
    best_left, best_right, w_right = 0.0, 0.0, 0.0
    most = min(0.97, 1.6 * np.sqrt(2.0 * target / (left + right)))
    for k in range(1, 13):
        q = most * k / 12.0
        w = 2.0 * np.pi * np.arcsin(q)
        common = target + 1.2 * total * max(q - 0.7, 0.0) ** 2 / np.sqrt(1.0 - q)
        near, half = -np.log1p(-q) - q, 0.5 * q * q
        grown = -slope * q + left * near + right * half - np.log1p(b * q / x)
        best_left = max(best_left, w / (common + max(grown, 0.0)))
        grown = slope * q + left * half + right * near - np.log(max(abs(1.0 - b * q / x), 0.1))
        if w > best_right * (common + max(grown, 0.0)):
            best_right, w_right = w / (common + max(grown, 0.0)), w / (2.0 * np.pi)
    return 0.0, min(best_left, best_right), w_right


@njit(**OPTIONS)
def choose_path(target, alpha, pull, room, x, b, square, least):  # pragma: no cover - compiled
    """The path that needs the fewest nodes: its turn, the step, and the widths of the strips to its left and right.

    A path is the line on which the imaginary part of the new variable is the turn.
    """
    lines = room[:4]
    widest = min(1.2, 1.6 * np.sqrt(2.0 * target / square))
    middle = N_LINES // 2
    for i in range(N_LINES):
        w = _line(widest, i - middle, middle)
        lines[0, i], lines[1, i], lines[2, i], lines[3, i] = -np.inf, 1.0, np.sin(w), np.cos(w)
    _survey(target, alpha, pull, lines, room[4:], x, b, 8.0 / least)
    pole = np.arcsin(x / b) if x < b else 0.5 * np.pi
    fewest, turn, h, w_left, w_right = np.inf, 0.0, 0.0, 0.0, 0.0
    for k in range(1, N_LINES - 1):
        at = _line(widest, k - middle, middle)
        if lines[0, k] < 3.0 and at > -0.5 * pole:
            right, of_right = _strip(lines[0], k, -1, target, widest)
            left, of_left = _strip(lines[0], k, 1, target, widest)
            step = min(of_left, of_right)
            if step > 0.0 and lines[1, k] < fewest * step:
                fewest, turn, h, w_left, w_right = lines[1, k] / step, at, step, left, right
    return turn, h, w_left, w_right


@njit(**OPTIONS)
def _survey(target, alpha, pull, lines, points, x, b, most):  # pragma: no cover - compiled
    """Find for each line the logarithm of the integrand's largest size (0 at the saddle), and ``asinh`` of its end.

    Along the line in the middle, the vertical one, the integrand only falls: where it ends there the others are left
    soon after.
    """
    middle, at_saddle, cosh, ended = N_LINES // 2, np.log(b / x), 1.0, False
    while cosh < most:
        first = cosh
        for c in range(AT_ONCE):
            sinh = np.sqrt(cosh * cosh - 1.0)
            for i in range(N_LINES):
                points[0, c * N_LINES + i] = cosh * lines[2, i]
                points[1, c * N_LINES + i] = sinh * lines[3, i]
            cosh *= _APART
        _start_points(points, x, b, at_saddle)
        for j in range(alpha.size):
            if alpha[j] * pull[j] != 0.0:
                _add_logs(points, alpha[j], pull[j])
        cosh = first
        for c in range(AT_ONCE):
            for i in range(N_LINES):
                size = points[2, c * N_LINES + i]
                lines[0, i] = max(lines[0, i], size if size < target else np.inf)
                if size > -target:
                    lines[1, i] = np.log(4.0 * cosh)
            if not ended and points[2, c * N_LINES + middle] < -target:
                ended, most = True, min(most, 8.0 * cosh)
            cosh *= _APART


@njit(fastmath=FLAT, **OPTIONS)
def _start_points(points, x, b, at_saddle):  # pragma: no cover - compiled
    """The logarithm of the size of ``z' / z``; near the pole, which is dealt with, that of a point further away."""
    for q in range(points.shape[1]):
        real, imaginary = points[0, q], points[1, q]
        square = (x + b * real) * (x + b * real) + b * b * imaginary * imaginary
        square = max(square, 0.01 * x * x)
        # cosh^2 - sin^2 is the size of cosh(v + i w), squared, and real^2 + imaginary^2 that of sinh: they differ by
        # cos(2 w), which does not matter here
        points[2, q] = 0.5 * log1p(b * b * (1.0 + real * real + imaginary * imaginary) / square - 1.0) - at_saddle


@njit(fastmath=FLAT, **OPTIONS)
def _add_logs(points, shape, pull):  # pragma: no cover - compiled
    for q in range(points.shape[1]):
        d, e = pull * points[0, q], pull * points[1, q]
        points[2, q] -= 0.5 * shape * log1p(d * (2.0 + d) + e * e)


@njit(**OPTIONS)
def group_voters(alpha, pull, shapes, pulls):  # pragma: no cover - compiled
    """Replace many voters by a few: one for those with pulls of like size, with the same sums of pulls and squares."""
    if alpha.size <= N_GROUPS:
        return alpha, pull
    for g in range(N_GROUPS):
        shapes[g], pulls[g] = 0.0, 0.0
    for j in range(alpha.size):
        g = N_GROUPS // 2 if pull[j] < 0.0 else 0
        for smallest in _GROUP_ENDS:
            g += 1 if abs(pull[j]) < smallest else 0
        shapes[g] += alpha[j] * pull[j]
        pulls[g] += alpha[j] * pull[j] * pull[j]
    for g in range(N_GROUPS):
        first, second = shapes[g], pulls[g]
        shapes[g] = first * first / second if second > 0.0 else 0.0
        pulls[g] = second / first if second > 0.0 else 0.0
    return shapes[:N_GROUPS], pulls[:N_GROUPS]


@njit(**OPTIONS)
def _line(widest, k, most):  # pragma: no cover - compiled
    """Turn of the ``k``-th line: they are closer together near the vertical one."""
    return widest * k * abs(k) / (most * most)


@njit(**OPTIONS)
def _strip(sizes, k, side, target, widest):  # pragma: no cover - compiled
    """The width on one side of a path that allows the largest step, and that step."""
    width, step = 0.0, 0.0
    middle = N_LINES // 2
    at, i = _line(widest, k - middle, middle), k + side
    while 0 <= i < N_LINES:
        w = abs(_line(widest, i - middle, middle) - at)
        allowed = 2.0 * np.pi * w / (target + max(sizes[i], 0.0))
        if allowed > step:
            width, step = w, allowed
        i += side
    return width, step
