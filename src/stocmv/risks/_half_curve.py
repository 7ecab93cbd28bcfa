"""The error of the drawn vote as a curve of the wrong weight, for training.

The curve depends on the total ``s`` alone, and smoothly on its logarithm. So it is computed at a few totals, an eighth
apart in ``log s``, and interpolated between six of them: an evaluation in training then costs no special function.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..special import gauss_legendre, lower_half
from ..votes import Curve

_NODES = 385
_RULE = gauss_legendre(32)  # errors below 1e-9, less than those of the curve between its nodes
_STEP = 0.125  # in log s
_REACH = 4.5  # exp(-2 * 4.5^2) = 3e-18
# Below this total the nodes cover [0, s], above it 4.5 sqrt(s) around the middle; here both cover the same, so that the
# step in widths of the curve, sqrt(s) / 2, is largest from here on and no larger anywhere. The six rows reach down to
# totals of 55, whose nodes outside of [0, s] lie where the curve is flat to 1e-17.
_WIDEST_WHOLE = (2 * _REACH) ** 2


def half_curve(total: float) -> Curve:
    """The probability that a Beta(w, s - w) variable exceeds one half, at total ``s``; 0 or 1 beyond its nodes."""
    position = math.log(total) / _STEP
    first = math.floor(position) - 2
    whole = total < _WIDEST_WHOLE
    rows = [_row(first + i, whole) for i in range(6)]
    value, slope, d_total = np.tensordot(_lagrange(position - first), rows, axes=1)
    nodes, width = _nodes(total, whole)
    return Curve.from_nodes(nodes, value, slope / width, d_total / width)


def _lagrange(u: float) -> list[float]:
    """Weights of the six points 0 .. 5 in the polynomial through them, at ``u``."""
    return [math.prod((u - j) / (i - j) for j in range(6) if j != i) for i in range(6)]


def _nodes(total: float, whole: bool) -> tuple[NDArray, float]:
    """Nodes symmetric around the middle, and half of the length they cover."""
    width = total / 2 if whole else _REACH * math.sqrt(total)
    return total / 2 + width * np.linspace(-1, 1, _NODES), width


@lru_cache(maxsize=1024)
def _row(index: int, whole: bool) -> NDArray:
    """Value and both derivatives, these in units of the width, at the nodes for total ``exp(index / 8)``."""
    total = math.exp(index * _STEP)
    nodes, width = _nodes(total, whole)
    middle = _NODES // 2
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
