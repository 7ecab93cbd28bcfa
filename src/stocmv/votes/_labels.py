"""From what users have (labels of any kind) to class codes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_labels(values: ArrayLike, name: str, ndim: int) -> NDArray:
    """An array of labels with the given number of dimensions; continuous, missing or mixed values are refused."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has missing values: give every example a class label.")
    array = np.asarray(values if hasattr(values, "dtype") else _as_objects(values))
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, got an array of shape {array.shape}.")
    if array.dtype.kind == "O":
        array = _plain(array, name)
    if array.dtype.kind in "fc":
        if not np.all(np.isfinite(array)):
            raise ValueError(f"{name} has missing or infinite values: give every example a class label.")
        if array.dtype.kind == "c" or np.any(array != np.floor(array)):
            raise ValueError(f"{name} has fractional values: class labels must be integers, booleans or strings.")
        if array.size and np.abs(array).max() >= 2.0**63:
            raise ValueError(f"{name} has values that are too large for class labels.")
        array = array.astype(np.int64)
    return array


def _as_objects(values: ArrayLike) -> NDArray:
    """Lists as they are: numpy would turn numbers among strings into strings."""
    return np.asarray(values, dtype=object)


def _plain(array: NDArray, name: str) -> NDArray:
    """Objects that are all strings, or all numbers, as an array of these."""
    if any(_is_missing(label) for label in array.flat):
        raise ValueError(f"{name} has missing values: give every example a class label.")
    if len({isinstance(label, str) for label in array.flat}) > 1:
        raise ValueError(f"{name} mixes strings and numbers: labels must all be strings or all be numbers.")
    return np.asarray(array.tolist()) if array.size else np.empty(array.shape, np.int64)


def _is_missing(label: object) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # a missing value that refuses to be compared
        return True


def code_dtype(n_classes: int) -> type[np.unsignedinteger]:
    """Smallest unsigned integer that holds the class codes."""
    return np.uint8 if n_classes <= 256 else np.uint16 if n_classes <= 65536 else np.uint32


def encode(labels: NDArray, classes: NDArray, name: str) -> NDArray:
    """Codes ``0 .. K - 1`` of the labels among the sorted classes."""
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        raise ValueError(f"{name} and classes must both be strings or both be numbers.")
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    unseen = classes[codes] != labels
    if np.any(unseen):
        raise ValueError(f"{name} has the label {labels[unseen].flat[0]!r}, which is not in classes.")
    return codes.astype(code_dtype(len(classes)))
