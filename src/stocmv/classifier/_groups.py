"""Groups of examples that depend on each other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..voters import hash_examples


def group_ids(groups: Any, n: int) -> NDArray:
    """A number for the group of each of ``n`` examples: a hash of its name, the same wherever it is taken."""
    names = np.asarray(groups)
    if names.ndim != 1 or len(names) != n:
        raise ValueError(f"groups must name the group of each of the {n} examples, got shape {names.shape}.")
    if names.dtype.kind in "fO" and any(name is None or name != name for name in names.tolist()):
        raise ValueError("groups has examples without a group: give each a group, if need be of its own.")
    if names.dtype.kind == "O":
        names = names.astype(str)
    return hash_examples(names[:, None], b"group")
