"""A function of the wrong weight, tabulated for the kernel."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_END = np.array([[-25, 48, -36, 16, -3], [-3, -10, 18, -6, 1]]) / 12  # the first two slopes from five values


@dataclass(frozen=True)
class Curve:
    """A piecewise cubic on a uniform grid of the wrong weight ``w``, with its derivative by the total ``s``.

    Beyond the grid it is constant. `VoteMatrix.curve_sum` sums it over the examples. ``pieces[j]`` holds the
    coefficients of the curve (four), of its slope by ``w`` (three) and of its derivative by the total (four) on
    interval ``j``, in the fraction of the interval.
    """

    lower: float
    step: float
    pieces: NDArray

    @property
    def largest(self) -> tuple[float, float, float]:
        """Upper limits of the absolute value, slope by ``w`` and derivative by the total."""
        value, slope, d_total = (float(np.abs(self.pieces[:, part]).sum(1).max()) for part in np.s_[:4, 4:7, 7:])
        return value, slope, d_total

    @classmethod
    def from_nodes(cls, nodes: NDArray, values: NDArray, slopes: NDArray, d_total: NDArray) -> "Curve":
        """Interpolate values with their slopes by ``w``, and the derivatives by ``s``, given at uniform nodes."""
        step = float(nodes[-1] - nodes[0]) / (len(nodes) - 1)
        pieces = np.empty((len(nodes) - 1, 11))
        _hermite(values, slopes * step, pieces[:, :4])
        pieces[:, 4:7] = pieces[:, 1:4] * np.arange(1, 4) / step
        _hermite(d_total, _differences(d_total), pieces[:, 7:])
        return cls(float(nodes[0]), step, pieces)


def _hermite(values: NDArray, slopes: NDArray, out: NDArray) -> None:
    """Polynomial coefficients, per interval of length one, of the cubic with these values and slopes at the ends."""
    rise = np.diff(values)
    left, right = slopes[:-1], slopes[1:]
    out[:, 0] = values[:-1]
    out[:, 1] = left
    out[:, 2] = 3 * rise - 2 * left - right
    out[:, 3] = left + right - 2 * rise


def _differences(values: NDArray) -> NDArray:
    """Slopes at nodes one apart, from five values each."""
    slopes = np.empty_like(values)
    slopes[2:-2] = (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / 12
    slopes[:2] = _END @ values[:5]
    slopes[-2:] = -(_END @ values[:-6:-1])[::-1]
    return slopes
