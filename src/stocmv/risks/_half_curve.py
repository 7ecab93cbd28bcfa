"""The error of the stochastic vote as a curve of the wrong weight, for training, if every voter answers."""

import math

import numpy as np

from ..special import LOG_STEP, WIDEST_WHOLE, half_nodes, half_row
from ..votes import Curve


def half_curve(total: float) -> Curve:
    """The probability that a Beta(w, s - w) variable exceeds one half, at total ``s``; 0 or 1 beyond its nodes."""
    position = math.log(total) / LOG_STEP
    first = math.floor(position) - 2
    whole = total < WIDEST_WHOLE
    rows = [half_row(first + i, whole) for i in range(6)]
    value, slope, d_total = np.tensordot(_lagrange(position - first), rows, axes=1)
    nodes, width = half_nodes(total, whole)
    return Curve.from_nodes(nodes, value, slope / width, d_total / width)


def _lagrange(u: float) -> list[float]:
    """Weights of the six points 0 .. 5 in the polynomial through them, at ``u``."""
    return [math.prod((u - j) / (i - j) for j in range(6) if j != i) for i in range(6)]
