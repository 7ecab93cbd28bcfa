"""The pass over the votes for two classes if voters abstain: the total weight that answers differs from row to row.

The error of the stochastic vote on a row depends on the weight ``w`` of the voters that are wrong and ``r`` of those
that are right, through ``phi(w; w + r)``. This is interpolated from six tabulated rows around the logarithm of the
total, with a cubic between two nodes in each. Two look-ups per eight voters give the weights, and two histogram
additions propagate the gradient back.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..special import LOG_STEP, N_NODES, REACH, WIDEST_WHOLE, half_tables
from ._bits import BLOCK, byte_tables, column_groups, empty_histogram, empty_rows, gather, scatter, voter_sums
from ._grain import rounder
from ._kernel import kernel
from ._threads import split_rows, thread_map

_SPACING = 2 / (N_NODES - 1)  # distance between nodes, in units of the width


def half_pass(
    bits: NDArray, rights: NDArray, counts: NDArray, n_voters: int, weights: NDArray, n_examples: int
) -> tuple[float, NDArray]:
    """Sum over rows of the probability that the stochastic vote errs, and its gradient by the voters' weights.

    Each summand is rounded as one of ``n_examples``; a row that no voter answers is an error.
    """
    total, smallest = float(weights.sum()), float(weights.min(initial=np.inf, where=weights > 0))
    typical = total / n_voters
    steepest = 1 / min(typical, math.sqrt(typical))  # if a single voter answers; few rows are steeper
    rounders = rounder(1.0, n_examples), rounder(steepest, n_examples)
    tables = half_tables(smallest, total)
    columns, sums = column_groups(len(bits)), byte_tables(weights, len(bits))

    def work(start: int, stop: int) -> tuple[float, NDArray]:
        histogram = empty_histogram(len(bits))
        votes = bits, rights, columns, counts, np.uint64(start), np.uint64(stop)
        room = np.empty(BLOCK), np.empty(BLOCK), np.empty((2, 6)), empty_rows()
        value = _half_rows(*votes, sums, tables, rounders, *room, histogram)
        return value, histogram

    parts = thread_map(work, split_rows(bits.shape[1], 2 * len(bits)))
    return sum(p[0] for p in parts), voter_sums(np.sum([p[1] for p in parts], axis=0), n_voters)


@kernel()
def _half_rows(
    bits, rights, columns, counts, start, stop, sums, tables, rounders, wrong, right, lagrange, rows, histogram
):  # pragma: no cover - compiled
    of_value, of_slope = rounders
    total = 0.0
    for block in range(start, stop, BLOCK):
        end = min(block + BLOCK, stop)
        gather(bits, columns, block, end, sums, wrong)
        gather(rights, columns, block, end, sums, right)
        for i in range(end - block):
            count = counts[block + i] if counts.size else 1.0
            w, r = wrong[i], right[i]
            wrong[i] = right[i] = 0.0
            if r <= 0.0:
                total += count
            elif w > 0.0:
                value, d_w, d_s = _interpolated(w, r, tables, lagrange)
                total += count * ((value + of_value) - of_value)
                wrong[i] = count * ((d_w + d_s + of_slope) - of_slope)
                right[i] = count * ((d_s + of_slope) - of_slope)
        for plane, values in ((bits, wrong), (rights, right)):
            scatter(plane, columns, block, end, values, rows, histogram)
    return total


@kernel()
def _interpolated(w, r, tables, lagrange):  # pragma: no cover - compiled
    """``phi(w; w + r)`` and its derivatives by the wrong weight and by the total."""
    s = w + r
    is_whole = s < WIDEST_WHOLE
    width = s / 2 if is_whole else REACH * math.sqrt(s)
    t = (w - r) / (2 * width)  # of [-1, 1]
    t_by_s = -w / (2 * width * width) if is_whole else -1 / (2 * width) - t / (2 * s)
    x = (t + 1) / _SPACING
    if x <= 0.0:
        return 0.0, 0.0, 0.0
    if x >= N_NODES - 1:
        return 1.0, 0.0, 0.0
    table, begin = (tables.whole, tables.first_whole) if is_whole else (tables.wide, tables.first_wide)
    position = math.log(s) / LOG_STEP
    first = math.floor(position) - 2
    _lagrange(position - first, lagrange)
    j = min(int(x), N_NODES - 2)
    u = x - j
    v = 1 - u
    left, right = v * v * (1 + 2 * u), u * u * (3 - 2 * u)  # the cubic with given values and slopes at both nodes
    left_slope, right_slope = u * v * v * _SPACING, -u * u * v * _SPACING
    rise = 6 * u * v / _SPACING
    value, by_t, by_position = 0.0, 0.0, 0.0
    for k in range(6):
        a, b = table[first - begin + k, j], table[first - begin + k, j + 1]
        here = left * a[0] + right * b[0] + left_slope * a[1] + right_slope * b[1]
        value += lagrange[0, k] * here
        by_position += lagrange[1, k] * here
        by_t += lagrange[0, k] * (rise * (b[0] - a[0]) + v * (v - 2 * u) * a[1] + u * (u - 2 * v) * b[1])
    return value, by_t / width, by_position / (LOG_STEP * s) + by_t * t_by_s


@kernel(fastmath={"arcp"})
def _lagrange(u, out):  # pragma: no cover - compiled
    """Weights of the six points 0 .. 5 in the polynomial through them at ``u``, and their derivatives."""
    for i in range(6):
        value, slope = 1.0, 0.0
        for j in range(6):
            if j != i:
                slope = (slope * (u - j) + value) / (i - j)
                value *= (u - j) / (i - j)
        out[0, i] = value
        out[1, i] = slope
