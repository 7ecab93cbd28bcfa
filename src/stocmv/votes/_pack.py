"""From errors or class codes to planes of bits, eight voters to a byte."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class PackedRows(NamedTuple):
    """Some rows, packed."""

    n_voters: int
    bits: NDArray  # who is wrong
    rights: NDArray | None = None  # who is right; None if everyone who is not wrong is right
    targets: NDArray | None = None
    labels: NDArray | None = None


def pack_errors(block: ArrayLike) -> PackedRows:
    """Pack rows of booleans, true if the voter errs."""
    errors = np.asarray(block)
    if errors.ndim != 2:
        raise ValueError(f"errors must have 2 dimensions, got an array of shape {errors.shape}.")
    if errors.dtype != bool:
        if errors.dtype.kind not in "iuf" or not np.all((errors == 0) | (errors == 1)):
            raise ValueError("errors must be booleans, true where the voter errs; for class labels use from_labels.")
        errors = errors.astype(bool)
    return PackedRows(errors.shape[1], plane(errors))


def pack_codes(codes: NDArray, targets: NDArray, n_classes: int, abstains: bool) -> PackedRows:
    """Pack rows of class codes; if some voter ``abstains``, the code ``n_classes`` means no answer."""
    wrong, rights = codes != targets[:, None], None
    if abstains:
        rights = plane(~wrong)
        wrong &= codes != n_classes
    labels = np.ascontiguousarray(codes) if n_classes > 2 else None
    return PackedRows(codes.shape[1], plane(wrong), rights, targets, labels)


def plane(flags: NDArray) -> NDArray:
    """Booleans of shape (n, M) as bytes of shape (M / 8, n)."""
    return np.ascontiguousarray(np.packbits(flags, axis=1, bitorder="little").T)


def complement(bits: NDArray, n_voters: int) -> NDArray:
    """The voters that a plane leaves out."""
    others = ~bits
    if n_voters % 8:
        others[-1] &= (1 << n_voters % 8) - 1
    return others


def join_packed(parts: Sequence[PackedRows]) -> PackedRows:
    """Several blocks of rows, one after the other."""
    if not parts or sum(part.bits.shape[1] for part in parts) == 0:
        raise ValueError("There are no examples: votes needs at least one row.")
    widths = sorted({part.n_voters for part in parts})
    if len(widths) > 1:
        raise ValueError(f"The blocks have different numbers of voters: {widths}.")
    if widths[0] == 0:
        raise ValueError("There are no voters: votes needs at least one column.")
    if len(parts) == 1:
        return parts[0]
    rights = None
    if any(part.rights is not None for part in parts):
        each = [complement(p.bits, p.n_voters) if p.rights is None else p.rights for p in parts]
        rights = np.concatenate(each, axis=1)
    bits = np.concatenate([part.bits for part in parts], axis=1)
    return PackedRows(widths[0], bits, rights, join([p.targets for p in parts]), join([p.labels for p in parts]))


def join(parts: Sequence[NDArray | None]) -> NDArray | None:
    """Concatenated arrays; None if the first is None."""
    return None if parts[0] is None else np.concatenate([part for part in parts if part is not None])


def are_counts(counts: NDArray) -> bool:
    """Whether these are valid counts of rows."""
    return counts.dtype.kind in "iuf" and bool(np.all((counts >= 1) & (counts < 2**53) & (counts == np.floor(counts))))
