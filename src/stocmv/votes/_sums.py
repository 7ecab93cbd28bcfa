"""Sums over several matrices, and other ways to combine what each of them gives."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_FAN_IN = 16  # results that are added at a time


def added(found: Sequence[Any]) -> Any:
    """The sum of the results of some matrices."""
    if isinstance(found[0], tuple):
        return tuple(added(parts) for parts in zip(*found, strict=True))
    return sum(found[1:], found[0])


def added_in_groups(found: Sequence[Any], add: Callable[[Sequence[Any]], Any] = added) -> Any:
    """The sum of the results of many matrices, as a tree: the same to the last bit wherever it is computed."""
    while len(found) > 1:
        found = [add(found[i : i + _FAN_IN]) for i in range(0, len(found), _FAN_IN)]
    return found[0]


def scaled(found: Any, factor: float) -> Any:
    """A result times a number."""
    if isinstance(found, tuple):
        return tuple(scaled(part, factor) for part in found)
    return found * factor


def shared_out(rows: ArrayLike, sizes: Sequence[int]) -> list[NDArray]:
    """Indices of rows in the whole, as indices within each part."""
    ends = np.cumsum(sizes)
    ordered = np.sort(np.asarray(rows))
    cuts = np.searchsorted(ordered, ends)
    return [part - start for part, start in zip(np.split(ordered, cuts[:-1]), ends - np.asarray(sizes), strict=True)]


def hash_part(hashed: Any, name: str, part: NDArray | None) -> None:
    """Add name, type, shape and content of an array to a digest."""
    if part is None:
        hashed.update(f"{name}:none;".encode())
        return
    little = np.ascontiguousarray(part, part.dtype.newbyteorder("<"))
    is_text = little.dtype.kind == "U"
    hashed.update(f"{name}:{'str' if is_text else little.dtype.str}:{part.shape};".encode())
    hashed.update(json.dumps(little.tolist()).encode() if is_text else little.data)


def joint_digest(digests: Iterable[str]) -> str:
    """One digest for several matrices in order."""
    return hashlib.sha256(b"stocmv partitions 1;" + ";".join(digests).encode()).hexdigest()
