"""The error of the stochastic vote as a function of the wrong weight, tabulated at some totals.

It depends on the wrong weight and the total ``s``, and is smooth in ``log s``. So it is computed at totals an eighth
apart in ``log s`` and interpolated between six of them: an evaluation in training then needs no special function.
Certificates do not use these tables.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._half_beta import gauss_legendre, lower_half

N_NODES = 385
LOG_STEP = 0.125  # in log s
_RULE = gauss_legendre(32)  # errors below 1e-9, less than those of the curve between its nodes
REACH = 4.5  # exp(-2 * 4.5^2) = 3e-18
# Below this total the nodes cover [0, s], above it 4.5 sqrt(s) around the middle; here both cover the same, so that the
# step in widths of the curve, sqrt(s) / 2, is largest from here on and no larger anywhere. The six rows reach down to
# totals of 55, whose nodes outside of [0, s] lie where the curve is flat to 1e-17.
WIDEST_WHOLE = (2 * REACH) ** 2
_SWITCH = math.floor(math.log(WIDEST_WHOLE) / LOG_STEP)
_BLOCK = 32  # tables grow by this many rows at a time


def half_nodes(total: float, whole: bool) -> tuple[NDArray, float]:
    """Nodes symmetric around the middle, and half the length that they cover."""
    width = total / 2 if whole else REACH * math.sqrt(total)
    return total / 2 + width * np.linspace(-1, 1, N_NODES), width


@lru_cache(maxsize=1024)
def half_row(index: int, whole: bool) -> NDArray:
    """Value and both derivatives, these in units of the width, at the nodes for total ``exp(index / 8)``."""
    total = math.exp(index * LOG_STEP)
    nodes, width = half_nodes(total, whole)
    middle = N_NODES // 2
    lower = np.maximum(nodes[: middle + 1], 0.0)
    value, d_w, d_s = lower_half(lower, np.full_like(lower, total), _RULE)
    mirrored = slice(middle - 1, None, -1)
    row = np.stack(
        [
            np.concatenate([value, 1 - value[mirrored]]),
            width * np.concatenate([d_w, d_w[mirrored]]),
            width * np.concatenate([d_s, -(d_w + d_s)[mirrored]]),
        ]
    )
    row.setflags(write=False)
    return row


class HalfTables(NamedTuple):
    """Rows for a range of totals: at each node the value and its slope by the wrong weight, (n_rows, N_NODES, 2)."""

    whole: NDArray  # for totals below `WIDEST_WHOLE`
    first_whole: int  # index of its first row
    wide: NDArray  # for the others
    first_wide: int


def half_tables(smallest: float, largest: float) -> HalfTables:
    """Tables that cover all totals from the smallest to the largest."""
    first, last = (math.floor(math.log(total) / LOG_STEP) for total in (smallest, largest))
    first, last = (first - 2) // _BLOCK * _BLOCK, -(-(last + 4) // _BLOCK) * _BLOCK
    whole, wide = range(first, min(last, _SWITCH + 5)), range(max(first, _SWITCH - 3), last)
    return HalfTables(_rows(whole, True), whole.start, _rows(wide, False), wide.start)


@lru_cache(maxsize=16)
def _rows(indices: range, whole: bool) -> NDArray:
    rows = [half_row(index, whole)[:2].T for index in indices]
    return np.ascontiguousarray(rows) if rows else np.empty((0, N_NODES, 2))
