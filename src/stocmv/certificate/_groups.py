"""Groups of examples that depend on each other."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import hash_rows
from ..votes import group_names

_INTEGER = re.compile("-?[1-9][0-9]{0,19}|0")  # as `group_names` writes those of up to 64 bits


def group_ids(groups: Any, n: int) -> NDArray:
    """A number for the group of each of ``n`` examples: a hash of its name, the same on every machine.

    It depends on the name alone, not on the others: 1 has the same number in a column of integers and among texts.
    """
    names = group_names(groups, n)
    if names.dtype.kind in "iu":
        wide = names if names.dtype == np.uint64 else names.astype(np.int64)
        return _hashed(wide >> 32, wide & 0xFFFFFFFF)
    ids = hash_rows(names[:, None], b"group")
    spelled = np.array([_INTEGER.fullmatch(name) is not None for name in names], bool)
    if spelled.any():
        integers = [int(name) for name in names[spelled]]
        ids[spelled] = _hashed(np.array([i >> 32 for i in integers]), np.array([i & 0xFFFFFFFF for i in integers]))
    return ids


def _hashed(high: NDArray, low: NDArray) -> NDArray:
    """Integers are hashed in two parts, as numbers are compared as float64."""
    return hash_rows(np.column_stack([high, low]), b"group")
