"""From users' names of groups, of any kinds, to names that are equal where the groups are."""

import math
import re
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._labels import as_array, is_missing

_WHOLE = re.compile(r"(-?[1-9][0-9]{0,99}|0)(\.0+)?")  # not 007, which may be another name than 7


def group_names(groups: Any, n: int) -> NDArray:
    """The names of the groups of ``n`` examples: integers if all of them are whole numbers, otherwise texts.

    Equal numbers are one group, whatever their types, and so is a text that spells a whole number: a column of 1 and
    1.0 may be read as numbers, as texts or as a mix of them, and rows of a group that is taken for two would both make
    the vote and judge it.

    Examples
    --------
    >>> from stocmv.votes import group_names
    >>> group_names([1, 1.0, True, "1.0", "a"], 5).tolist()
    ['1', '1', '1', '1', 'a']
    """
    names = as_array(groups)
    if names.ndim != 1 or len(names) != n:
        raise ValueError(f"groups must name the group of each of the {n} examples, got shape {names.shape}.")
    if names.dtype.kind == "M":
        names = names.astype("M8[us]")  # as objects, nanoseconds would be numbers
    values = [] if names.dtype.kind in "biuU" else names.tolist()
    if any(map(is_missing, values)):
        raise ValueError("groups has examples without a group: give every example a group, if need be its own.")
    if names.dtype.kind in "iu":
        return names
    if names.dtype.kind == "b" or (
        names.dtype.kind == "f" and np.all((names == np.floor(names)) & (abs(names) < 2**53))
    ):
        return names.astype(np.int64)
    return np.array([_name(value) for value in names.tolist()], object)


def _name(value: Any) -> str:
    if isinstance(value, np.datetime64):
        value = value.astype("M8[us]")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Real | Decimal):
        return str(math.trunc(value)) if math.isfinite(value) and value == math.trunc(value) else repr(float(value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat()).removesuffix("T00:00:00")
    text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else whole[1]
