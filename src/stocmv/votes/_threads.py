"""Split rows among threads, in pieces that do not depend on the number of threads.

The compiled kernels release the interpreter lock, so ordinary threads run them in parallel. A result is the sum of the
pieces in order, and so the same to the last bit for any number of threads.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numba

T = TypeVar("T")
_SMALL = 1 << 19  # bytes of votes below which starting threads costs more than it saves
_FEW_ROWS = 1 << 12  # with fewer rows, a piece spends more on its histograms than on its rows
_LARGEST_SPLIT = 16
_CORES = os.cpu_count() or 1


def split_rows(n_rows: int, row_bytes: int) -> list[tuple[int, int]]:
    """Split ``n_rows`` into at most 16 pieces of whole cache lines; one piece if there is little to do."""
    pieces = min(_LARGEST_SPLIT, 1 + n_rows * row_bytes // _SMALL, 1 + n_rows // _FEW_ROWS)
    size = -(-n_rows // pieces)
    size += -size % 64
    return [(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def thread_map(work: Callable[[int, int], T], pieces: list[tuple[int, int]]) -> list[T]:
    """``[work(start, stop) for start, stop in pieces]``, on as many threads as numba is set to use."""
    threads = min(len(pieces), numba.get_num_threads(), _CORES)
    if threads < 2:
        return [work(*piece) for piece in pieces]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda piece: work(*piece), pieces))
