"""Curves and weights as integers, whose sums on a GPU do not depend on the order.

All weights together fill 32 binary digits. What a kernel sums over the examples (values, slopes, derivatives by the
total) is scaled and rounded to integers, and `finish` scales the sums back. Slopes are also shifted, because the kernel
splits them into digits. The coefficients of the curve lose at most a float's last digit.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._curve import Curve

VOTERS = 256  # voters whose bits one pass of the kernel processes
FEW_VOTERS = 64  # the same for the kernel of few voters
_ONE = 2.0**32  # the length of a piece, in the steps of the position that a kernel looks at
_MOST = 2.0**30  # such steps that the unit of a weight takes at most
_LARGEST_SLOPE = 2.0**32 - 512  # a float that stays below 2^32 when it is rounded
_LARGEST_SUM = 2.0**62
_FINER = np.linspace(0, 1, 33)  # points of a piece at which to look for its extremes


class Scale(NamedTuple):
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
    rate, start, shift : int
        ``(rate * weight + start) / 2^(32 + shift)`` is the position on the curve, in pieces.
    pieces : ndarray of float32, shape (n_pieces + 2, 8)
        Coefficients of the value (four) and of its derivative by the total (four), scaled; the first and the last piece
        are what comes before and after the curve.
    steepness, base : float
        ``steepness`` times the derivative of a value by the position, plus ``base``, is the slope.
    value, slope, d_total : Scale
        How they were scaled.
    """

    weights: NDArray
    rate: int
    start: int
    shift: int
    pieces: NDArray
    steepness: np.float32
    base: np.float32
    value: Scale
    slope: Scale
    d_total: Scale

    @classmethod
    def of(cls, weights: NDArray, curve: Curve, n_examples: int) -> "IntegerSum":
        """For the weights of the voters, and a sum over this many examples."""
        total, n_pieces = float(np.sum(weights)), len(curve.pieces)
        unit = (_ONE - 1 - len(weights)) / (total or 1.0)
        steps = min(_ONE / unit / curve.step, _MOST)
        shift = 30 - math.floor(math.log2(1 + steps))  # the position then fits into 63 bits, and the rate into 31
        rate = round(steps * 2**shift)
        middle = curve.lower + n_pieces / 2 * curve.step
        largest = _LARGEST_SUM / n_examples
        value, of_value = _scaled(curve.pieces[:, :4], largest)
        of_slope = _shifted(curve.pieces[:, 4:7], _LARGEST_SLOPE)
        d_total, of_d_total = _scaled(curve.pieces[:, 7:], largest)
        inside = curve.lower > 1e-9 * total, curve.lower + n_pieces * curve.step < total * (1 - 1e-9)
        pieces = np.concatenate([_continued(value, *inside), _continued(d_total, True, True)], axis=1)
        pieces /= _ONE ** np.tile(np.arange(4), 2)
        return cls(
            np.rint(np.asarray(weights) * unit).astype(np.uint32),
            rate,
            round(_ONE * 2**shift * (1 + n_pieces / 2) - rate * unit * middle),
            shift,
            pieces.astype(np.float32),
            np.float32(of_slope.factor / of_value.factor / curve.step * _ONE),
            np.float32(-of_slope.lowest * of_slope.factor),
            of_value,
            of_slope,
            of_d_total,
        )

    def planes(self, first_voter: int) -> NDArray:
        """Binary digits of the weights of 256 voters, as the 32 lanes of a warp hold them: (4, 32, 2) words.

        Lane ``4 g + t`` has words ``t`` and ``t + 4`` of the digits ``g``, ``g + 8``, ``g + 16`` and ``g + 24``.
        """
        digits = self._digits(first_voter, VOTERS, 1)
        words = np.packbits(digits, axis=1, bitorder="little").view("<u4")
        return np.ascontiguousarray(words.reshape(4, 8, 2, 4).transpose(0, 1, 3, 2).reshape(4, 32, 2))

    def unary_planes(self) -> NDArray:
        """The same for up to 64 voters, whose bits the kernel counts four times: base-4 digits, written in unary.

        Lane ``4 g + t`` has word ``t % 2`` of the voters whose digits ``g`` and ``g + 8`` are above two numbers; the
        lanes with ``t < 2`` have the others: (2, 32, 2) words.
        """
        above = self._digits(0, FEW_VOTERS, 2) > np.arange(4, dtype=np.uint8)[:, None, None]
        words = np.packbits(above, axis=2, bitorder="little").view("<u4").reshape(2, 2, 2, 8, 2)
        return np.ascontiguousarray(words.transpose(2, 3, 1, 4, 0).reshape(2, 32, 2))

    def _digits(self, first_voter: int, n_voters: int, n_bits: int) -> NDArray:
        """Digits of so many bits, the lowest first, of the weights of some voters: (32 / n_bits, n_voters)."""
        own = np.zeros(n_voters, np.uint32)
        part = self.weights[first_voter : first_voter + n_voters]
        own[: len(part)] = part
        return (own >> np.arange(0, 32, n_bits, dtype=np.uint32)[:, None] & (2**n_bits - 1)).astype(np.uint8)

    def rows(self, wrong: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """The GPU's integers for value, slope and derivative by the total, for examples with these wrong weights."""
        position = wrong.astype(np.int64) * self.rate + self.start
        c = self.pieces[np.clip(position >> 32 + self.shift, 0, len(self.pieces) - 1)].T
        u = (position >> self.shift & 2**32 - 1).astype(np.float32)
        value = c[0] + u * (c[1] + u * (c[2] + u * c[3]))
        slope = (c[1] + 2 * u * (c[2] + np.float32(1.5) * u * c[3])) * self.steepness + self.base
        d_total = c[4] + u * (c[5] + u * (c[6] + u * c[7]))
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


def _scaled(coefficients: NDArray, largest: float) -> tuple[NDArray, Scale]:
    """Coefficients of polynomials that stay between ``-largest`` and ``largest``."""
    factor = largest / (max(map(abs, _extremes(coefficients))) * (1 + 1e-6) or 1.0)
    return coefficients * factor, Scale(factor)


def _shifted(coefficients: NDArray, largest: float) -> Scale:
    """The scale on which polynomials stay between 0 and ``largest``, and zero becomes an integer."""
    low, high = _extremes(coefficients)
    factor = largest / ((high - low) * (1 + 1e-6) or 1.0)
    return Scale(factor, float(-np.ceil(-low * factor + (low < 0)) / factor))


def _continued(cubics: NDArray, flat_before: bool, flat_after: bool) -> NDArray:
    """One more cubic on either side: the value at that end, or the tangent if only rounding leads beyond it."""
    first, last = cubics[0], cubics[-1]
    left, right = (first[0], first[1]), (last.sum(), last[1:] @ [1, 2, 3])
    before = (left[0], 0, 0, 0) if flat_before else (left[0] - left[1], left[1], 0, 0)
    after = (right[0], 0 if flat_after else right[1], 0, 0)
    return np.vstack([before, cubics, after])
