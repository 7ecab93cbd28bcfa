"""Curves and weights as integers, whose sums on a GPU do not depend on the order.

All weights together fill 32 binary digits. What a kernel sums over the examples (values, slopes, derivatives by the
total) is scaled and rounded to integers, and `finish` scales the sums back. Slopes are also shifted, because the kernel
splits them into digits. The coefficients of the curve lose at most a float's last digit.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._curve import Curve

VOTERS = 256  # voters whose bits one pass of the kernel processes
_LARGEST_SLOPE = 2.0**32 - 512  # a float that stays below 2^32 when it is rounded
_LARGEST_SUM = 2.0**62
_FINER = np.linspace(0, 1, 33)  # points of a piece at which to look for its extremes


class Scaled(NamedTuple):
    """How ``x`` was scaled: to the integer nearest to ``(x - lowest) * factor``."""

    factor: float
    lowest: float = 0.0

    def total(self, integers: NDArray | float, count: NDArray | float) -> NDArray:
        """The sum of ``count`` numbers, from the sum of their integers."""
        return np.asarray(integers, float) / self.factor + self.lowest * np.asarray(count, float)


@dataclass(frozen=True)
class IntegerSum:
    """The sum of a curve over examples, in the form that a kernel takes.

    Attributes
    ----------
    weights : ndarray of uint32
        The voters' weights, which sum to at most ``2^32 - 1``.
    scale, shift : float
        ``scale * weight + shift`` is the position on the curve, in pieces.
    pieces : ndarray of float32, shape (n_pieces, 12)
        Coefficients of the value (four), its slope (three) and its derivative by the total (four), all scaled.
    value, slope, d_total : Scaled
        How they were scaled.
    """

    weights: NDArray
    scale: float
    shift: float
    pieces: NDArray
    value: Scaled
    slope: Scaled
    d_total: Scaled

    @classmethod
    def of(cls, weights: NDArray, curve: Curve, n_examples: int) -> "IntegerSum":
        """For the weights of the voters, and a sum over this many examples."""
        unit = (2.0**32 - 1 - len(weights)) / (float(np.sum(weights)) or 1.0)
        largest = _LARGEST_SUM / n_examples
        value, of_value = _scaled(curve.pieces[:, :4], largest)
        slope, of_slope = _shifted(curve.pieces[:, 4:7], _LARGEST_SLOPE)
        d_total, of_d_total = _scaled(curve.pieces[:, 7:], largest)
        pieces = np.concatenate([value, slope, d_total, np.zeros((len(value), 1))], axis=1).astype(np.float32)
        return cls(
            np.rint(np.asarray(weights) * unit).astype(np.uint32),
            1 / unit / curve.step,
            -curve.lower / curve.step,
            pieces,
            of_value,
            of_slope,
            of_d_total,
        )

    @property
    def outside(self) -> float:
        """The integer for a slope of zero, used where the curve has no piece."""
        return -self.slope.lowest * self.slope.factor

    def planes(self, first_voter: int) -> NDArray:
        """Binary digits of the weights of 256 voters, as the 32 lanes of a warp hold them: (4, 32, 2) words.

        Lane ``4 g + t`` has words ``t`` and ``t + 4`` of the digits ``g``, ``g + 8``, ``g + 16`` and ``g + 24``.
        """
        own = np.zeros(VOTERS, np.uint32)
        part = self.weights[first_voter : first_voter + VOTERS]
        own[: len(part)] = part
        digits = (own >> np.arange(32, dtype=np.uint32)[:, None] & 1).astype(np.uint8)
        words = np.packbits(digits, axis=1, bitorder="little").view("<u4")
        return np.ascontiguousarray(words.reshape(4, 8, 2, 4).transpose(0, 1, 3, 2).reshape(4, 32, 2))

    def rows(self, wrong: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """The GPU's integers for value, slope and derivative by the total, for examples with these wrong weights."""
        x = wrong.astype(float) * self.scale + self.shift
        piece = np.clip(x.astype(np.int64), 0, len(self.pieces) - 1)
        u = np.clip((x - piece).astype(np.float32), 0, 1)
        c = self.pieces[piece].T
        value = c[0] + u * (c[1] + u * (c[2] + u * c[3]))
        slope = np.where((x > -1e-6) & (x < len(self.pieces) + 1e-6), c[4] + u * (c[5] + u * c[6]), self.outside)
        d_total = c[7] + u * (c[8] + u * (c[9] + u * c[10]))
        signed = np.rint(np.stack([value, d_total])).astype(np.int64)
        return signed[0], np.rint(np.maximum(slope, 0)).astype(np.uint64), signed[1]

    def finish(
        self, sums: NDArray, gradient: NDArray, voter_errors: NDArray, n_examples: int
    ) -> tuple[float, NDArray, float]:
        """Sum, gradient by the weights and derivative by the total, from the sums of their integers.

        ``voter_errors`` is the number of examples on which each voter errs.
        """
        value, d_total = (s.total(each, n_examples) for s, each in zip((self.value, self.d_total), sums, strict=True))
        return float(value), self.slope.total(gradient, voter_errors), float(d_total)


def _extremes(coefficients: NDArray) -> tuple[float, float]:
    """Smallest and largest value of polynomials between 0 and 1, or zero."""
    values = coefficients @ _FINER ** np.arange(coefficients.shape[1])[:, None]
    return min(float(values.min()), 0.0), max(float(values.max()), 0.0)


def _scaled(coefficients: NDArray, largest: float) -> tuple[NDArray, Scaled]:
    """Coefficients of polynomials that stay between ``-largest`` and ``largest``."""
    factor = largest / (max(map(abs, _extremes(coefficients))) * (1 + 1e-6) or 1.0)
    return coefficients * factor, Scaled(factor)


def _shifted(coefficients: NDArray, largest: float) -> tuple[NDArray, Scaled]:
    """Coefficients of polynomials that stay between 0 and ``largest``; zero becomes an integer."""
    low, high = _extremes(coefficients)
    factor = largest / ((high - low) * (1 + 1e-6) or 1.0)
    lowest = -np.ceil(-low * factor + (low < 0)) / factor
    scaled = coefficients * factor
    scaled[:, 0] -= lowest * factor
    return scaled, Scaled(factor, float(lowest))
