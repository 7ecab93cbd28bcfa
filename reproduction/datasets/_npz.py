"""Data sets in npz files that hold only arrays of numbers and text."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stocmv._files import DAMAGE, read_arrays, reason, whole_file
from stocmv.datasets import Dataset

from ._readers import exactly
from ._registry import PublicSet


def write_npz(path: Path, dataset: Dataset) -> None:
    """Write the compressed arrays atomically."""
    arrays: dict[str, Any] = {"X": dataset.X, "y": dataset.y, "target_names": np.array(dataset.target_names)}
    if dataset.feature_names is not None:
        arrays["feature_names"] = np.array(dataset.feature_names)
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)


def read_npz(path: Path, known: PublicSet, source: str | None = None) -> Dataset:
    """Read a data set and check that it is exactly the known one.

    A ValueError says in one sentence why a file is refused. Nothing in the file can run code.
    """
    try:
        arrays = _checked(read_arrays(path))
        return _recognised(_dataset(arrays, known.name, source or os.fspath(path)), known, _n_train(arrays))
    except DAMAGE as error:
        raise ValueError(f"{os.fspath(path)} does not hold the data set {known.name!r}: {reason(error)}.") from error


def _checked(arrays: dict[str, NDArray]) -> dict[str, NDArray]:
    missing = [name for name in ("X", "y", "target_names") if name not in arrays]
    if missing:
        raise ValueError(f"it has no array {' and no array '.join(missing)}")
    return arrays


def _dataset(arrays: dict[str, NDArray], name: str, source: str) -> Dataset:
    X, y = arrays["X"], arrays["y"]
    if X.ndim != 2 or not X.size or X.dtype.kind not in "biuf":
        raise ValueError(f"X is not a table of numbers but an array of type {X.dtype} and shape {X.shape}")
    if not np.isfinite(X).all():
        raise ValueError("X has values that are not finite")
    if y.shape != (len(X),):
        raise ValueError(f"y has the shape {y.shape} although X has {len(X)} rows")
    target_names = _names(arrays["target_names"], "target_names")
    if y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= len(target_names):
        raise ValueError(f"y has other values than the class codes 0 to {len(target_names) - 1}")
    feature_names = _names(arrays["feature_names"], "feature_names") if "feature_names" in arrays else None
    if feature_names is not None and len(feature_names) != X.shape[1]:
        raise ValueError(f"there are {len(feature_names)} feature_names for {X.shape[1]} features")
    return Dataset(X, y, name, target_names, feature_names, source)


def _names(names: NDArray, which: str) -> tuple[str, ...]:
    if names.ndim != 1 or names.dtype.kind != "U":
        raise ValueError(f"{which} is not a list of text but an array of type {names.dtype} and shape {names.shape}")
    return tuple(names.tolist())


def _n_train(arrays: dict[str, NDArray]) -> int | None:
    """The size of the training part, if the file states it."""
    if "n_train" not in arrays:
        return None
    n_train = arrays["n_train"]
    if n_train.shape or n_train.dtype.kind not in "iu":
        raise ValueError("n_train is not a number of rows")
    return int(n_train)


def _recognised(dataset: Dataset, known: PublicSet, n_train: int | None) -> Dataset:
    """The set with its known types and names, if its values are those of the known one."""
    if dataset.target_names != known.target_names:
        raise ValueError(f"target_names are {dataset.target_names} instead of {known.target_names}")
    if n_train not in (None, known.n_train):
        raise ValueError(f"n_train is {n_train} instead of {known.n_train}")
    X, y = exactly(dataset.X, known.dtype), dataset.y.astype(np.uint8)
    known.check(X, y)
    return Dataset(X, y, known.name, known.target_names, known.feature_names, dataset.source)
