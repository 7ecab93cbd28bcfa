"""When the examples were recorded."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..votes import is_missing


def checked_times(time: Any, n: int) -> NDArray:
    """When each of ``n`` examples was recorded, as numbers or dates."""
    times = np.asarray(time)
    if times.shape != (n,):
        raise ValueError(f"time must have an entry for each of the {n} examples, got shape {times.shape}.")
    if times.dtype.kind == "O" and not any(map(is_missing, times.tolist())):
        times = _of_objects(times)
    if times.dtype.kind not in "biufmM":
        raise ValueError("time must hold numbers or dates, none of them missing.")
    if np.any(times != times):
        raise ValueError("time has missing values: give a time for every example.")
    return times


def _of_objects(times: NDArray) -> NDArray:
    """The ranks of objects that can be sorted; strings are not accepted as times."""
    if any(isinstance(value, str | bytes) for value in times):
        return times
    try:
        return np.unique(times, return_inverse=True)[1]
    except TypeError:
        return times
