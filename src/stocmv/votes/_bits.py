"""The pass over the bits that computes every risk that depends only on the wrong weight.

Errors are stored with eight voters to a byte, byte columns contiguous: ``bits[g, i]`` holds voters ``8 g .. 8 g + 7``
on example ``i``. A table of the 256 partial sums of each byte's weights turns the product with the weights into one
look-up per byte, and the transposed product into one histogram addition per byte. Byte columns are taken in groups of
five, so that each running sum and each value is loaded once for all five, and so that equal bytes in neighbouring rows
wait less for each other's store.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ._curve import Curve
from ._grain import rounder
from ._threads import split_rows, thread_map

BLOCK = 2048  # rows whose running sums fit in the fastest cache
GROUP = 5  # byte columns at a time
BITS_OF = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(float)


def byte_tables(weights: NDArray, n_bytes: int) -> NDArray:
    """Sums of the weights of the voters in each of the 256 values of each byte, padded to whole groups of columns."""
    padded = np.zeros(8 * _whole_groups(n_bytes))
    padded[: len(weights)] = weights
    return np.ascontiguousarray(padded.reshape(-1, 8) @ BITS_OF.T)


def empty_histogram(n_bytes: int) -> NDArray:
    """Room for the sums of each of the 256 values of each byte, for `scatter`."""
    return np.zeros((_whole_groups(n_bytes), 256))


def voter_sums(histogram: NDArray, n_voters: int) -> NDArray:
    """Sums over the rows on which each voter's bit is set."""
    return (histogram @ BITS_OF).ravel()[:n_voters]


def _whole_groups(n_bytes: int) -> int:
    return n_bytes + -n_bytes % GROUP


def plane_weights(bits: NDArray, weights: NDArray) -> NDArray:
    """Total weight of the voters set in a plane of bits (for example those that err), for each row."""
    out = np.zeros(bits.shape[1])
    tables = byte_tables(weights, len(bits))

    def work(start: int, stop: int) -> None:
        for block in range(start, stop, BLOCK):
            end = min(block + BLOCK, stop)
            gather(bits, block, end, tables, out[block:end])

    thread_map(work, split_rows(bits.shape[1], len(bits)))
    return out


def column_sums(bits: NDArray, n_voters: int, row_values: NDArray) -> NDArray:
    """Sum of ``row_values`` over the rows on which each voter errs."""

    def work(start: int, stop: int) -> NDArray:
        histogram = empty_histogram(len(bits))
        for block in range(start, stop, BLOCK):
            end = min(block + BLOCK, stop)
            scatter(bits, block, end, row_values[block:end].copy(), histogram)
        return histogram

    return voter_sums(np.sum(thread_map(work, split_rows(bits.shape[1], len(bits))), axis=0), n_voters)


def curve_pass(
    bits: NDArray, counts: NDArray, n_voters: int, weights: NDArray, curve: Curve, n_examples: int
) -> tuple[float, NDArray, float]:
    """Sum over rows of a curve of the wrong weight, its gradient by the weights, and its derivative by the total.

    Each summand is rounded as one of ``n_examples``.
    """
    tables = byte_tables(weights, len(bits))
    rounders = tuple(rounder(largest, n_examples) for largest in curve.largest)

    def work(start: int, stop: int) -> tuple[float, float, NDArray]:
        histogram = empty_histogram(len(bits))
        value, d_total = _curve_rows(
            bits, counts, start, stop, tables, curve.lower, 1 / curve.step, curve.pieces, rounders, histogram
        )
        return value, d_total, histogram

    parts = thread_map(work, split_rows(bits.shape[1], len(bits)))
    value, d_total = sum(p[0] for p in parts), sum(p[1] for p in parts)
    return value, voter_sums(np.sum([p[2] for p in parts], axis=0), n_voters), d_total


@njit(cache=True, nogil=True, error_model="numpy")
def _columns(bits, g, start, stop):  # pragma: no cover - compiled
    """A group of columns; past the last one, the last again, with a table or histogram that nobody reads."""
    last = bits.shape[0] - 1
    return (
        bits[g, start:stop],
        bits[min(g + 1, last), start:stop],
        bits[min(g + 2, last), start:stop],
        bits[min(g + 3, last), start:stop],
        bits[min(g + 4, last), start:stop],
    )


@njit(cache=True, nogil=True, error_model="numpy")
def gather(bits, start, stop, tables, out):  # pragma: no cover - compiled
    """Fill ``out`` with the sums of the tables' entries for the bytes of each row."""
    out[:] = 0.0
    for g in range(0, bits.shape[0], GROUP):
        c0, c1, c2, c3, c4 = _columns(bits, g, start, stop)
        t0, t1, t2, t3, t4 = tables[g], tables[g + 1], tables[g + 2], tables[g + 3], tables[g + 4]
        for i in range(stop - start):
            out[i] += (t0[c0[i]] + t1[c1[i]]) + (t2[c2[i]] + t3[c3[i]]) + t4[c4[i]]


@njit(cache=True, nogil=True, error_model="numpy")
def scatter(bits, start, stop, values, histogram):  # pragma: no cover - compiled
    """Add each row's value to the histograms of its bytes; ``values`` is overwritten."""
    rows = np.empty(stop - start, np.uint32)
    n_rows = 0
    for i in range(stop - start):
        value = values[i]
        rows[n_rows] = i
        values[n_rows] = value
        n_rows += value != 0.0
    for g in range(0, bits.shape[0], GROUP):
        c0, c1, c2, c3, c4 = _columns(bits, g, start, stop)
        h0, h1, h2, h3, h4 = histogram[g], histogram[g + 1], histogram[g + 2], histogram[g + 3], histogram[g + 4]
        for r in range(n_rows):
            i, value = rows[r], values[r]
            h0[c0[i]] += value
            h1[c1[i]] += value
            h2[c2[i]] += value
            h3[c3[i]] += value
            h4[c4[i]] += value


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def _curve_rows(
    bits, counts, start, stop, tables, lower, inverse_step, pieces, rounders, histogram
):  # pragma: no cover - compiled
    end_of_curve = np.float64(pieces.shape[0])
    last = np.uint64(pieces.shape[0] - 1)
    of_value, of_slope, of_d_total = rounders
    w = np.empty(BLOCK)
    value = 0.0
    d_total = 0.0
    for block in range(start, stop, BLOCK):
        end = min(block + BLOCK, stop)
        size = end - block
        gather(bits, block, end, tables, w[:size])
        for i in range(size):
            position = (w[i] - lower) * inverse_step
            x = min(max(position, 0.0), end_of_curve)
            inside = abs(position - x) < 1e-6  # the weight of all voters may round past the end
            j = min(np.uint64(x), last)
            u = x - j
            c = pieces[j]
            count = counts[block + i] if counts.size else 1.0
            value += count * ((c[0] + u * (c[1] + u * (c[2] + u * c[3])) + of_value) - of_value)
            slope = (c[4] + u * (c[5] + u * c[6]) + of_slope) - of_slope
            w[i] = count * slope if inside else 0.0
            d_total += count * ((c[7] + u * (c[8] + u * (c[9] + u * c[10])) + of_d_total) - of_d_total)
        scatter(bits, block, end, w[:size], histogram)
    return value, d_total
