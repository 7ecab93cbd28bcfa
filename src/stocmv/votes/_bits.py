"""The pass over the bits that computes every risk that depends only on the wrong weight.

Errors are stored with eight voters to a byte, byte columns contiguous: ``bits[g, i]`` holds voters ``8 g .. 8 g + 7``
on example ``i``. A table of the 256 partial sums of each byte's weights turns the product with the weights into one
look-up per byte, and the transposed product into one histogram addition per byte. Byte columns are taken in groups of
five, so that each running sum and each value is loaded once for all five, and so that equal bytes in neighbouring rows
wait less for each other's store.
"""

import numpy as np
from numpy.typing import NDArray

from ._curve import Curve
from ._grain import rounder
from ._kernel import kernel
from ._threads import split_rows, thread_map

BLOCK = np.uint64(2048)  # rows whose running sums fit in the fastest cache
GROUP = 5  # byte columns at a time
BITS_OF = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(float)

# Kernels count rows and columns with unsigned integers: a signed index may wrap around, which takes an instruction.
# Only `gather` is a function that other kernels call: a learned vote needs it alone too. `scatter` is made part of its
# callers, because a function that is called is compiled on its own, and then once more in each caller.


def column_groups(n_bytes: int) -> NDArray:
    """Groups of byte columns; past the last one, the last again, with a table or histogram that nobody reads."""
    whole = np.arange(n_bytes + -n_bytes % GROUP, dtype=np.uint64)
    return np.minimum(whole, np.uint64(n_bytes - 1)).reshape(-1, GROUP)


def byte_tables(weights: NDArray, n_bytes: int) -> NDArray:
    """Sums of the weights of the voters in each of the 256 values of each byte, in groups of columns."""
    padded = np.zeros(8 * column_groups(n_bytes).size)
    padded[: len(weights)] = weights
    return np.ascontiguousarray(padded.reshape(-1, 8) @ BITS_OF.T).reshape(-1, GROUP, 256)


def empty_histogram(n_bytes: int) -> NDArray:
    """Room for the sums of each of the 256 values of each byte, for `scatter`."""
    return np.zeros((*column_groups(n_bytes).shape, 256))


def empty_rows() -> NDArray:
    """Room for the numbers of the rows of a block, for `scatter`."""
    return np.empty(BLOCK, np.uint64)


def voter_sums(histogram: NDArray, n_voters: int) -> NDArray:
    """Sums over the rows on which each voter's bit is set."""
    return (histogram @ BITS_OF).ravel()[:n_voters]


def row_blocks(start: int, stop: int) -> list[tuple[np.uint64, np.uint64]]:
    """Split some rows into blocks."""
    return [(np.uint64(block), np.uint64(min(block + int(BLOCK), stop))) for block in range(start, stop, int(BLOCK))]


def plane_weights(bits: NDArray, weights: NDArray) -> NDArray:
    """Total weight of the voters set in a plane of bits (for example those that err), for each row."""
    out = np.zeros(bits.shape[1])
    columns, tables = column_groups(len(bits)), byte_tables(weights, len(bits))

    def work(start: int, stop: int) -> None:
        for block, end in row_blocks(start, stop):
            gather(bits, columns, block, end, tables, out[block:end])

    thread_map(work, split_rows(bits.shape[1], len(bits)))
    return out


def column_sums(bits: NDArray, n_voters: int, row_values: NDArray) -> NDArray:
    """Sum of ``row_values`` over the rows on which each voter errs."""
    columns = column_groups(len(bits))

    def work(start: int, stop: int) -> NDArray:
        histogram, rows = empty_histogram(len(bits)), empty_rows()
        for block, end in row_blocks(start, stop):
            scatter(bits, columns, block, end, row_values[block:end].copy(), rows, histogram)
        return histogram

    return voter_sums(np.sum(thread_map(work, split_rows(bits.shape[1], len(bits))), axis=0), n_voters)


def curve_pass(
    bits: NDArray, counts: NDArray, n_voters: int, weights: NDArray, curve: Curve, n_examples: int
) -> tuple[float, NDArray, float]:
    """Sum over rows of a curve of the wrong weight, its gradient by the weights, and its derivative by the total.

    Each summand is rounded as one of ``n_examples``.
    """
    columns, tables = column_groups(len(bits)), byte_tables(weights, len(bits))
    rounders = tuple(rounder(largest, n_examples) for largest in curve.largest)

    def work(start: int, stop: int) -> tuple[float, float, NDArray]:
        histogram = empty_histogram(len(bits))
        value, d_total = _curve_rows(
            bits,
            columns,
            counts,
            np.uint64(start),
            np.uint64(stop),
            tables,
            curve.lower,
            1 / curve.step,
            curve.pieces,
            rounders,
            np.empty(BLOCK),
            empty_rows(),
            histogram,
        )
        return value, d_total, histogram

    parts = thread_map(work, split_rows(bits.shape[1], len(bits)))
    value, d_total = sum(p[0] for p in parts), sum(p[1] for p in parts)
    return value, voter_sums(np.sum([p[2] for p in parts], axis=0), n_voters), d_total


@kernel()
def gather(bits, columns, start, stop, tables, out):  # pragma: no cover - compiled
    """Fill ``out`` with the sums of the tables' entries for the bytes of each row."""
    for i in range(stop - start):
        out[i] = 0.0
    for g in range(tables.shape[0]):
        c0, c1, c2, c3, c4 = columns[g, 0], columns[g, 1], columns[g, 2], columns[g, 3], columns[g, 4]
        for i in range(stop - start):
            j = start + i
            first = tables[g, 0, bits[c0, j]] + tables[g, 1, bits[c1, j]]
            second = tables[g, 2, bits[c2, j]] + tables[g, 3, bits[c3, j]]
            out[i] += first + second + tables[g, 4, bits[c4, j]]


@kernel(inline="always")
def scatter(bits, columns, start, stop, values, rows, histogram):  # pragma: no cover - compiled
    """Add each row's value to the histograms of its bytes; ``values`` and ``rows`` are overwritten."""
    n_rows = np.uint64(0)
    for i in range(stop - start):
        value = values[i]
        rows[n_rows] = start + i
        values[n_rows] = value
        n_rows += np.uint64(value != 0.0)
    for g in range(columns.shape[0]):
        c0, c1, c2, c3, c4 = columns[g, 0], columns[g, 1], columns[g, 2], columns[g, 3], columns[g, 4]
        for r in range(n_rows):
            j, value = rows[r], values[r]
            histogram[g, 0, bits[c0, j]] += value
            histogram[g, 1, bits[c1, j]] += value
            histogram[g, 2, bits[c2, j]] += value
            histogram[g, 3, bits[c3, j]] += value
            histogram[g, 4, bits[c4, j]] += value


@kernel(fastmath={"contract", "nnan", "nsz"})
def _curve_rows(
    bits, columns, counts, start, stop, tables, lower, inverse_step, pieces, rounders, w, rows, histogram
):  # pragma: no cover - compiled
    end_of_curve = np.float64(pieces.shape[0])
    last = np.uint64(pieces.shape[0] - 1)
    of_value, of_slope, of_d_total = rounders
    value = 0.0
    d_total = 0.0
    for block in range(start, stop, BLOCK):
        end = block + BLOCK if block + BLOCK < stop else stop
        gather(bits, columns, block, end, tables, w)
        for i in range(end - block):
            position = (w[i] - lower) * inverse_step
            x = position if position > 0.0 else 0.0
            x = x if x < end_of_curve else end_of_curve
            inside = abs(position - x) < 1e-6  # the weight of all voters may round past the end
            j = np.uint64(x)
            j = j if j < last else last
            u = x - j
            count = counts[block + i] if counts.size else 1.0
            at = pieces[j, 0] + u * (pieces[j, 1] + u * (pieces[j, 2] + u * pieces[j, 3]))
            slope = pieces[j, 4] + u * (pieces[j, 5] + u * pieces[j, 6])
            by_total = pieces[j, 7] + u * (pieces[j, 8] + u * (pieces[j, 9] + u * pieces[j, 10]))
            value += count * ((at + of_value) - of_value)
            w[i] = count * ((slope + of_slope) - of_slope) if inside else 0.0
            d_total += count * ((by_total + of_d_total) - of_d_total)
        scatter(bits, columns, block, end, w, rows, histogram)
    return value, d_total
