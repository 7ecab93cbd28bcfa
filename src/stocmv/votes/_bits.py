"""The pass over the bits that computes every risk that depends only on the wrong weight.

Errors are stored with eight voters to a byte, byte columns contiguous: ``bits[g, i]`` holds voters ``8 g .. 8 g + 7``
on example ``i``. A table of the 256 partial sums of each byte's weights turns the product with the weights into one
look-up per byte, and the transposed product into one histogram addition per byte.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ._curve import Curve
from ._grain import rounder
from ._threads import split_rows, thread_map

BLOCK = 2048  # rows whose running sums fit in the fastest cache
BITS_OF = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(float)


def byte_tables(weights: NDArray, n_bytes: int) -> NDArray:
    """Sums of the weights of the voters in each of the 256 values of each byte: (n_bytes, 256)."""
    padded = np.zeros(8 * n_bytes)
    padded[: len(weights)] = weights
    return np.ascontiguousarray(padded.reshape(n_bytes, 8) @ BITS_OF.T)


def plane_weights(bits: NDArray, weights: NDArray) -> NDArray:
    """Total weight of the voters set in a plane of bits (for example those that err), for each row."""
    out = np.zeros(bits.shape[1])
    tables = byte_tables(weights, len(bits))

    def work(start: int, stop: int) -> None:
        gather(bits, start, stop, tables, out[start:stop])

    thread_map(work, split_rows(bits.shape[1], len(bits)))
    return out


def column_sums(bits: NDArray, n_voters: int, row_values: NDArray) -> NDArray:
    """Sum of ``row_values`` over the rows on which each voter errs."""
    n_bytes = len(bits)

    def work(start: int, stop: int) -> NDArray:
        histogram = np.zeros((n_bytes, 4, 256))
        for block in range(start, stop, BLOCK):
            end = min(block + BLOCK, stop)
            scatter(bits, block, end, row_values[block:end], histogram)
        return histogram.sum(1)

    total = sum(thread_map(work, split_rows(bits.shape[1], n_bytes)))
    return (total @ BITS_OF).ravel()[:n_voters]


def curve_pass(
    bits: NDArray, counts: NDArray, n_voters: int, weights: NDArray, curve: Curve, n_examples: int
) -> tuple[float, NDArray, float]:
    """Sum over rows of a curve of the wrong weight, its gradient by the weights, and its derivative by the total.

    Each summand is rounded as one of ``n_examples``.
    """
    n_bytes = len(bits)
    tables = byte_tables(weights, n_bytes)
    rounders = tuple(rounder(largest, n_examples) for largest in curve.largest)

    def work(start: int, stop: int) -> tuple[float, float, NDArray]:
        histogram = np.zeros((n_bytes, 4, 256))
        value, d_total = _curve_rows(
            bits, counts, start, stop, tables, curve.lower, 1 / curve.step, curve.pieces, rounders, histogram
        )
        return value, d_total, histogram.sum(1)

    parts = thread_map(work, split_rows(bits.shape[1], n_bytes))
    value, d_total = sum(p[0] for p in parts), sum(p[1] for p in parts)
    gradient = (sum(p[2] for p in parts) @ BITS_OF).ravel()[:n_voters]
    return value, gradient, d_total


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"}, error_model="numpy")
def gather(bits, start, stop, tables, out):  # pragma: no cover - compiled
    out[:] = 0.0
    for g in range(bits.shape[0]):
        table = tables[g]
        column = bits[g, start:stop]
        for i in range(stop - start):
            out[i] += table[column[i]]


@njit(cache=True, nogil=True, error_model="numpy")
def scatter(bits, start, stop, values, histogram):  # pragma: no cover - compiled
    # four histograms in turn: equal bytes in neighbouring rows would otherwise wait for each other's store
    size = stop - start
    for g in range(bits.shape[0]):
        column = bits[g, start:stop]
        h0, h1, h2, h3 = histogram[g, 0], histogram[g, 1], histogram[g, 2], histogram[g, 3]
        for i in range(0, size - 3, 4):
            h0[column[i]] += values[i]
            h1[column[i + 1]] += values[i + 1]
            h2[column[i + 2]] += values[i + 2]
            h3[column[i + 3]] += values[i + 3]
        for i in range(size - size % 4, size):
            h0[column[i]] += values[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _curve_rows(
    bits, counts, start, stop, tables, lower, inverse_step, pieces, rounders, histogram
):  # pragma: no cover - compiled
    n_pieces = pieces.shape[0]
    of_value, of_slope, of_d_total = rounders
    w = np.empty(BLOCK)
    value = 0.0
    d_total = 0.0
    for block in range(start, stop, BLOCK):
        end = min(block + BLOCK, stop)
        size = end - block
        gather(bits, block, end, tables, w[:size])
        for i in range(size):
            x = (w[i] - lower) * inverse_step
            j = min(max(int(x), 0), n_pieces - 1)
            u = min(max(x - j, 0.0), 1.0)
            c = pieces[j]
            count = counts[block + i] if counts.size else 1.0
            value += count * ((c[0] + u * (c[1] + u * (c[2] + u * c[3])) + of_value) - of_value)
            d_total += count * ((c[4] + u * (c[5] + u * (c[6] + u * c[7])) + of_d_total) - of_d_total)
            inside = (x > -1e-6) & (x < n_pieces + 1e-6)  # the weight of all voters may round past the end
            slope = (c[1] + u * (2 * c[2] + u * 3 * c[3])) * inverse_step
            w[i] = count * ((slope + of_slope) - of_slope) if inside else 0.0
        scatter(bits, block, end, w[:size], histogram)
    return value, d_total
