"""Numbers from the rows, formatted for the notes of the figures."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._panels import chosen

Row = dict[str, Any]


def mean_percent(rows: Iterable[Row], key: str, **where: Any) -> float:
    """Mean of a share over the trials, in percent."""
    return 100 * float(np.mean([row[key] for row in chosen(rows, **where)]))


def one_by_one(values: Sequence[float], digits: int = 0) -> str:
    """Numbers in a row: "4.0, 3.7 and 3.5"."""
    *first, last = [f"{value:.{digits}f}" for value in values]
    return f"{', '.join(first)} and {last}" if first else last


def span(values: Iterable[float], digits: int = 0) -> str:
    """From the smallest to the largest: "27 to 73"; one number where both are written alike."""
    found = list(values)
    low, high = (f"{value:.{digits}f}" for value in (min(found), max(found)))
    return low if low == high else f"{low} to {high}"


def times(count: int, total: int) -> str:
    """A number of runs out of all, in words."""
    names = {0: "no run", 1: "one run", 2: "two runs", 3: "three runs"}
    return f"{names.get(count, f'{count} runs')} of {total}"
