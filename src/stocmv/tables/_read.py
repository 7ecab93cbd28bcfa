"""Read a file of any kind as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import sha256
from .._text import did_you_mean
from ._arrow import release_unused
from ._columns import (
    KnownColumns,
    Table,
    as_features,
    as_groups,
    as_labels,
    as_times,
    check_drop,
    check_other,
    column_kinds,
    listed,
    no_column,
    pick_columns,
    pick_features,
)
from ._excel import read_excel
from ._files import read_csv, read_libsvm, read_npz, read_parquet

LIBSVM_TARGET = "label"
FORMATS = ("csv", "parquet", "excel", "libsvm", "npz")
_SUFFIXES = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".data"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".xlsx", ".xlsm"), "excel"),
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
    time: str | None = None,
    needs_target: bool = True,
    known: KnownColumns | None = None,
    encoding: str | None = None,
) -> Table:
    """Read examples from a csv, parquet, Excel, libsvm or npz file.

    Parameters
    ----------
    path : str or path
        The file; csv and libsvm files may be compressed (``.gz``, ``.bz2``).
    target : str, optional
        Name or position of the column with the labels, or the array with them (npz, by default ``y``).
    format : {"csv", "parquet", "excel", "libsvm", "npz"}, optional
        The kind of file, if its name does not say.
    drop : sequence of str
        Columns to leave out.
    group : str, optional
        Column or array (npz) with the group of each example; not used as a feature.
    time : str, optional
        Column or array (npz) that says when each example was recorded; not used as a feature.
    needs_target : bool
        Whether a file without labels is refused.
    known : KnownColumns, optional
        What the examples of the model looked like in training.
    encoding : str, optional
        Encoding of a csv file, such as "latin-1"; UTF-8 by default.
    """
    path, kind = _existing_file(path, format)
    if encoding is not None and kind != "csv":
        raise ValueError(f"--encoding is for csv files, and {path.name} is read as {kind}.")
    if kind == "libsvm":
        if group is not None:
            raise ValueError("A libsvm file has no column of groups: use csv, Excel, parquet or npz with --group.")
        if time is not None:
            raise ValueError("A libsvm file has no column of times: use csv, Excel, parquet or npz with --time.")
        return _libsvm(path, target, needs_target, known)
    if kind == "npz":
        return _npz(path, target, group, time, needs_target, known)
    text = () if known is None else known.text
    table = as_table(read_frame(path, kind, text, encoding), path.name, target, drop, group, time, needs_target, known)
    release_unused()
    return replace(table, sha256=sha256(path), encoding=encoding)


def read_texts(
    path: str | Path, names: Sequence[str], *, format: str | None = None, encoding: str | None = None
) -> dict[str, list[str]]:
    """Some columns of a csv, parquet or Excel file, verbatim; "" for missing values."""
    path, kind = _existing_file(path, format)
    if kind in ("libsvm", "npz"):
        raise ValueError(f"The columns of {path.name} have no names: use a csv, parquet or Excel file.")
    frame = read_frame(path, kind, names, encoding, missing_words=False)
    lacking = [name for name in names if name not in frame.columns]
    if lacking:
        raise no_column(lacking, list(frame.columns), f" in {path.name}")
    return {name: ["" if lacks else str(value) for value, lacks in _cells(frame[name])] for name in names}


def _cells(column: Any) -> Iterator[tuple[Any, bool]]:
    return zip(column.tolist(), column.isna().tolist(), strict=True)


def _existing_file(path: str | Path, format: str | None) -> tuple[Path, str]:
    """An existing file, and its kind."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder: name a file in it.")
    if not path.is_file():
        raise ValueError(f"There is no file {str(path)!r}.")
    return path, file_kind(path, format)


def read_frame(path: Path, kind: str, text: Sequence[str], encoding: str | None, *, missing_words: bool = True) -> Any:
    """The columns of a csv, Excel or parquet file; those named in ``text`` are read verbatim (see `read_csv`)."""
    if kind == "csv":
        return read_csv(path, text, encoding, missing_words=missing_words)
    return read_excel(path, text, missing_words=missing_words) if kind == "excel" else read_parquet(path)


def file_kind(path: Path, format: str | None = None) -> str:
    """The kind of a file: ``format`` if given, otherwise by the end of its name."""
    if format is not None:
        return format
    suffixes = [s for s in path.suffixes if s not in (".gz", ".bz2")]
    if not suffixes or suffixes[-1] not in _SUFFIXES:
        raise ValueError(f"What kind of file is {path.name!r}? Give --format {'|'.join(FORMATS)}.")
    return _SUFFIXES[suffixes[-1]]


def as_table(
    frame: Any,
    name: str,
    target: str | None,
    drop: Sequence[str] = (),
    group: str | None = None,
    time: str | None = None,
    needs_target: bool = True,
    known: KnownColumns | None = None,
) -> Table:
    """Examples and labels from a data frame of this name, whose columns are renamed to texts."""
    names = [str(column) for column in frame.columns]
    frame.columns = names
    chosen, y = None, None
    if needs_target or target is not None:
        chosen, features = pick_columns(names, target, drop, name, group, time)
        y = as_labels(frame[chosen], chosen, checked=known is None)
    else:
        check_drop(names, drop)
        features = [column for column in names if column not in set(drop)]
    X = frame[features]
    empty = () if known is not None else tuple(X.columns[X.isna().all().to_numpy()])
    if len(empty) == len(features):
        raise ValueError(f"{name} has no value in any column besides the target.")
    X = X.drop(columns=list(empty)) if known is None else pick_features(X, known, name)
    kinds = column_kinds(X)
    X, categorical = as_features(X, known, name)
    if known is not None and not known.names:
        X = X.to_numpy()
    groups = None if group is None else as_groups(frame[group], group)
    times = None if time is None else as_times(frame[time], time)
    return Table(X, y, name, chosen, categorical, None, group, groups, time, times, kinds, tuple(drop), empty)


def _libsvm(path: Path, target: str | None, needs_target: bool, known: KnownColumns | None) -> Table:
    if target not in (None, LIBSVM_TARGET):
        raise ValueError("In a libsvm file every row starts with its label: leave out --target.")
    X, y = read_libsvm(path, None if known is None else known.n_features)
    labels = as_labels(y, LIBSVM_TARGET, checked=known is None) if needs_target else None
    return Table(_with_known_names(X, known), labels, path.name, LIBSVM_TARGET, (), sha256(path))


def _npz(
    path: Path,
    target: str | None,
    group: str | None,
    time: str | None,
    needs_target: bool,
    known: KnownColumns | None,
) -> Table:
    arrays = read_npz(path)
    name = "y" if target is None else target
    if "X" not in arrays or (needs_target and name not in arrays):
        meant = did_you_mean(name, arrays.keys() - {"X"}) if name not in arrays else ""
        raise ValueError(
            f"{path.name} must hold the arrays X and {name}{meant}; it holds {listed(sorted(arrays)) or 'none'}."
        )
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
        y = as_labels(named_labels(y, arrays.get("target_names")), name, checked=known is None)
    groups = None if group is None else as_groups(_beside(arrays, group, name, path, "group"), group)
    times = None if time is None else as_times(_beside(arrays, time, name, path, "time"), time)
    return Table(_with_known_names(X, known), y, path.name, name, (), sha256(path), group, groups, time, times)


def _beside(arrays: dict[str, NDArray], name: str, target: str, path: Path, role: str) -> NDArray:
    """An array with one entry for each row of X."""
    check_other(sorted(set(arrays) - {"X"}), name, target, role)
    if arrays[name].shape != (len(arrays["X"]),):
        raise ValueError(f"{name} in {path.name} must have one {role} per row of X, got shape {arrays[name].shape}.")
    return arrays[name]


def _with_known_names(X: Any, known: KnownColumns | None) -> Any:
    """Unnamed features, with the names that the model knows."""
    if known is None or not known.names or X.shape[1] != len(known.names):
        return X
    if known.categorical:
        raise ValueError("The model was trained with columns of categories, which a file of numbers cannot hold.")
    import pandas as pd

    return pd.DataFrame(X.toarray() if hasattr(X, "toarray") else X, columns=list(known.names))


def named_labels(codes: NDArray, names: NDArray | None) -> NDArray:
    """The names of class codes; the codes themselves if the names add nothing or do not fit."""
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
