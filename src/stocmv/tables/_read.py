"""A file, whatever its kind, as a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import sha256
from ._columns import (
    Expected,
    Table,
    as_features,
    as_groups,
    as_labels,
    check_drop,
    check_group,
    listed,
    pick_columns,
    pick_features,
)
from ._files import read_csv, read_libsvm, read_npz, read_parquet

LIBSVM_TARGET = "label"
FORMATS = ("csv", "parquet", "libsvm", "npz")
_SUFFIXES = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".data"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".libsvm", ".svm", ".svmlight", ".t", ".scale"), "libsvm"),
    ".npz": "npz",
}


def read_table(
    path: str | Path,
    target: str | None = None,
    *,
    format: str | None = None,
    drop: Sequence[str] = (),
    group: str | None = None,
    needs_target: bool = True,
    expected: Expected | None = None,
) -> Table:
    """Read examples from a csv, parquet, libsvm or npz file.

    Parameters
    ----------
    path : str or path
        The file; csv and libsvm files may be packed (``.gz``, ``.bz2``).
    target : str, optional
        Name or position of the column with the labels (csv, parquet), or the array with them (npz, by default ``y``).
    format : {"csv", "parquet", "libsvm", "npz"}, optional
        The kind of file where its name does not say.
    drop : sequence of str
        Columns to leave out.
    group : str, optional
        Column (csv, parquet) or array (npz) with the group of each example, which is then no feature.
    needs_target : bool
        Whether a file without labels is refused.
    expected : Expected, optional
        What the model that the examples are for was trained with.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder: name a file in it.")
    if not path.is_file():
        raise ValueError(f"There is no file {str(path)!r}.")
    kind = format or kind_of(path)
    if kind == "libsvm":
        if group is not None:
            raise ValueError("A libsvm file has no column of groups: use csv, parquet or npz with --group.")
        return _libsvm(path, target, needs_target, expected)
    if kind == "npz":
        return _npz(path, target, group, needs_target, expected)
    frame = read_csv(path, () if expected is None else expected.text) if kind == "csv" else read_parquet(path)
    return _framed(frame, path, target, drop, group, needs_target, expected)


def kind_of(path: Path) -> str:
    """The kind of file that its name says."""
    suffixes = [s for s in path.suffixes if s not in (".gz", ".bz2")]
    if not suffixes or suffixes[-1] not in _SUFFIXES:
        raise ValueError(f"What kind of file is {path.name!r}? Give --format {'|'.join(FORMATS)}.")
    return _SUFFIXES[suffixes[-1]]


def _framed(
    frame: Any,
    path: Path,
    target: str | None,
    drop: Sequence[str],
    group: str | None,
    needs_target: bool,
    expected: Expected | None,
) -> Table:
    names = [str(name) for name in frame.columns]
    frame.columns = names
    chosen, y = None, None
    if needs_target or target is not None:
        chosen, features = pick_columns(names, target, drop, path.name, group)
        y = as_labels(frame[chosen], chosen, checked=expected is None)
    else:
        check_drop(names, drop)
        features = [name for name in names if name not in set(drop)]
    X = frame[features]
    X, categorical = as_features(X if expected is None else pick_features(X, expected, path.name), expected)
    if expected is not None and not expected.names:
        X = X.to_numpy()
    groups = None if group is None else as_groups(frame[group], group)
    return Table(X, y, path.name, chosen, categorical, sha256(path), group, groups)


def _libsvm(path: Path, target: str | None, needs_target: bool, expected: Expected | None) -> Table:
    if target not in (None, LIBSVM_TARGET):
        raise ValueError("A libsvm file holds the labels first in every row: leave out --target.")
    X, y = read_libsvm(path, None if expected is None else expected.n_features)
    labels = as_labels(y, LIBSVM_TARGET, checked=expected is None) if needs_target else None
    return Table(_as_expected(X, expected), labels, path.name, LIBSVM_TARGET, (), sha256(path))


def _npz(path: Path, target: str | None, group: str | None, needs_target: bool, expected: Expected | None) -> Table:
    arrays = read_npz(path)
    name = "y" if target is None else target
    if "X" not in arrays or (needs_target and name not in arrays):
        raise ValueError(f"{path.name} must hold the arrays X and {name}; it holds {listed(sorted(arrays)) or 'none'}.")
    X = arrays["X"]
    if X.ndim != 2 or X.dtype.kind not in "biuf" or not X.size:
        raise ValueError(f"X in {path.name} must be a table of numbers, got shape {X.shape} of {X.dtype}.")
    if X.dtype.kind == "f" and np.isinf(X).any():
        raise ValueError(f"X in {path.name} holds infinite values: replace them first.")
    y = None
    if needs_target:
        y = arrays[name]
        if y.shape != (len(X),):
            raise ValueError(f"{name} in {path.name} must have one label per row of X, got shape {y.shape}.")
        if y.dtype.kind not in "biufU":
            raise ValueError(f"{name} in {path.name} must hold whole numbers or text, got {y.dtype}.")
        y = as_labels(named_labels(y, arrays.get("target_names")), name, checked=expected is None)
    groups = None
    if group is not None:
        check_group(sorted(set(arrays) - {"X"}), group, name)
        if arrays[group].shape != (len(X),):
            raise ValueError(
                f"{group} in {path.name} must have one group per row of X, got shape {arrays[group].shape}."
            )
        groups = as_groups(arrays[group], group)
    return Table(_as_expected(X, expected), y, path.name, name, (), sha256(path), group, groups)


def _as_expected(X: Any, expected: Expected | None) -> Any:
    """Unnamed features, under the names that the model knows them by."""
    if expected is None or not expected.names or X.shape[1] != len(expected.names):
        return X
    if expected.categorical:
        raise ValueError("The model was trained with columns of categories, which a file of numbers cannot hold.")
    import pandas as pd

    return pd.DataFrame(X.toarray() if hasattr(X, "toarray") else X, columns=list(expected.names))


def named_labels(codes: NDArray, names: NDArray | None) -> NDArray:
    """The names of class codes; the codes themselves where the names say no more, or do not fit."""
    fits = (
        names is not None
        and np.ndim(names) == 1
        and codes.dtype.kind in "iu"
        and codes.size > 0
        and codes.min() >= 0
        and codes.max() < len(names)
    )
    if not fits or [str(name) for name in names] == [str(code) for code in range(len(names))]:  # type: ignore[union-attr,arg-type]
        return codes
    return np.asarray(names, dtype=str)[codes]
