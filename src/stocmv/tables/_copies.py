"""Count rows that repeat others, unless chance explains them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_FEWEST = 10
_SHARE = 0.01
_DISTINCT = 30  # with fewer different rows, a table is too small to tell
_BEYOND = 0.5  # how far beyond chance, from 0 to 1, rows must agree in the left-out columns
_SINGLE = 12  # columns to leave out one by one: those in which the fewest rows agree by chance
_THIRDS = 3  # how often to leave out a third of the columns


def count_repeats(columns: Sequence[NDArray], groups: NDArray | None = None) -> int:
    """Number of rows that repeat an earlier one (of another group); 0 if they are few or chance explains them.

    If independent draws coincide, many more of them coincide in some columns only. So single columns and thirds of them
    are left out in turn: among the pairs of rows that agree in all other columns, the share that also agrees in these
    is compared with the share among all pairs. Copies always agree in them.
    """
    rng = np.random.default_rng(0)
    factors = rng.integers(2**64, size=len(columns), dtype=np.uint64) | np.uint64(1)
    hashed = [_hashed(values) * factor for values, factor in zip(columns, factors, strict=True)]
    rows = _added(hashed)
    if groups is not None:  # copies within a group count once
        firsts = np.unique(rows + _hashed(np.asarray(groups)) * np.uint64(3), return_index=True)[1]
        hashed, rows = [column[firsts] for column in hashed], rows[firsts]
    distinct = len(np.unique(rows))
    repeated = len(rows) - distinct
    if repeated < max(_FEWEST, _SHARE * len(rows)) or distinct < _DISTINCT:
        return 0
    single = sorted(hashed, key=_equal_pairs)[:_SINGLE]
    thirds = [_added(_third(hashed, rng)) for _ in range(_THIRDS)]
    return repeated if all(_beyond_chance(rows, left_out) >= _BEYOND for left_out in [*single, *thirds]) else 0


def _added(hashed: list[NDArray]) -> NDArray:
    total = np.zeros(len(hashed[0]), np.uint64)
    for column in hashed:
        total += column
    return total


def _third(hashed: list[NDArray], rng: np.random.Generator) -> list[NDArray]:
    return [hashed[j] for j in rng.choice(len(hashed), max(len(hashed) // 3, 1), replace=False)]


def _beyond_chance(rows: NDArray, left_out: NDArray) -> float:
    """How often rows that agree in all other columns also agree in those left out: 0 as by chance, 1 always."""
    chance = _equal_pairs(left_out) / (len(rows) * (len(rows) - 1) / 2)
    return 1.0 if chance == 1 else (_equal_pairs(rows) / _equal_pairs(rows - left_out) - chance) / (1 - chance)


def _hashed(values: NDArray) -> NDArray:
    """A number for each value of a column."""
    import pandas as pd

    words = values.astype(object) if values.dtype.kind == "U" else values
    return np.asarray(pd.util.hash_array(words))


def _equal_pairs(values: NDArray) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(float)
    return float((counts * (counts - 1)).sum() / 2)
