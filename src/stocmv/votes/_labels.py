"""From what users have (labels of any kind) to class codes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_labels(values: ArrayLike, name: str, ndim: int) -> NDArray:
    """An array of labels with the given number of dimensions; continuous or missing values are refused."""
    array = np.asarray(values)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, got an array of shape {array.shape}.")
    if array.dtype.kind in "fc":
        if not np.all(np.isfinite(array)):
            raise ValueError(f"{name} has missing or infinite values: give every example a class label.")
        if array.dtype.kind == "c" or np.any(array != np.floor(array)):
            raise ValueError(f"{name} has fractional values: class labels must be integers, booleans or strings.")
        array = array.astype(np.int64)
    if array.dtype.kind == "O":
        if any(label is None or label != label for label in array.flat):
            raise ValueError(f"{name} has missing values: give every example a class label.")
        array = np.asarray(array.tolist())
    return array


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
