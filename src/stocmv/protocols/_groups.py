"""Groups of examples that depend on each other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..voters import hash_examples


def group_ids(groups: Any, n: int) -> NDArray:
    """A number for the group of each of ``n`` examples: a hash of its name, the same on every machine."""
    names = np.asarray(groups)
    if names.ndim != 1 or len(names) != n:
        raise ValueError(f"groups must name the group of each of the {n} examples, got shape {names.shape}.")
    if (names.dtype.kind in "fO" and any(map(is_missing, names.tolist()))) or (
        names.dtype.kind in "mM" and np.isnat(names).any()
    ):
        raise ValueError("groups has examples without a group: give every example a group, if need be its own.")
    if names.dtype.kind in "iu":  # hashed in two parts, as numbers are compared as float64
        return hash_examples(np.column_stack([names >> 32, names & 0xFFFFFFFF]), b"group")
    return hash_examples((names.astype(str) if names.dtype.kind == "O" else names)[:, None], b"group")


def is_missing(name: Any) -> bool:
    try:
        return name is None or bool(name != name)
    except TypeError:  # the NA of pandas is not even different from itself
        return True
