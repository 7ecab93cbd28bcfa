"""Means and deviations over trials."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._units import Row


class Mean(NamedTuple):
    """Mean and standard deviation over trials."""

    mean: float
    deviation: float
    trials: int


def means(rows: Iterable[Row], by: Sequence[str], value: str) -> dict[tuple[Any, ...], Mean]:
    """Mean of a column over rows that agree in the columns ``by``, in order of appearance; ignores missing values.

    Examples
    --------
    >>> from reproduction._summary import means
    >>> means([{"m": "a", "x": 1.0}, {"m": "a", "x": 3.0}, {"m": "b", "x": None}], ["m"], "x")
    {('a',): Mean(mean=2.0, deviation=1.0, trials=2)}
    """
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        if row.get(value) is not None:
            groups.setdefault(tuple(row.get(key) for key in by), []).append(row[value])
    return {key: Mean(float(np.mean(found)), float(np.std(found)), len(found)) for key, found in groups.items()}


def values_of(rows: Iterable[Row], key: str) -> list[Any]:
    """The distinct values of a column, in order of first appearance."""
    return list(dict.fromkeys(row[key] for row in rows if row.get(key) is not None))
