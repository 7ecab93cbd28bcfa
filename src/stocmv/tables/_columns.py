"""From named columns to examples and labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MANY_CLASSES = 20  # so many different targets are fine in any file


@dataclass(frozen=True)
class Table:
    """Examples with what is known of them.

    Attributes
    ----------
    X : DataFrame, ndarray or sparse matrix
        The examples; a data frame where the columns have names.
    y : ndarray or None
        Their labels.
    name : str
        Name of the file or data set.
    target : str or None
        Name of the column the labels come from.
    categorical : tuple of str
        Columns that hold categories.
    sha256 : str or None
        Digest of the file.
    """

    X: Any
    y: NDArray | None
    name: str
    target: str | None = None
    categorical: tuple[str, ...] = ()
    sha256: str | None = None

    @property
    def missing_values(self) -> int:
        """Number of values that are missing."""
        if hasattr(self.X, "isna"):
            return int(self.X.isna().to_numpy().sum())
        values = self.X.data if hasattr(self.X, "tocsr") else self.X
        return int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0


def pick_target(names: Sequence[str], target: str) -> int:
    """Position of the target: a column's name, or its number (from 0; -1 is the last)."""
    if target in names:
        return list(names).index(target)
    try:
        position = int(target)
    except ValueError:
        raise ValueError(f"There is no column {target!r}; the columns are {listed(names)}.") from None
    if not -len(names) <= position < len(names):
        raise ValueError(f"There is no column number {position}: the file has {len(names)} columns.")
    return position % len(names)


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a sentence, not too many of them."""
    shown = ", ".join(repr(name if len(name) <= 60 else name[:57] + "...") for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def as_labels(values: Any, name: str) -> NDArray:
    """The labels of a target column; they are few and none is missing."""
    import pandas as pd

    column = pd.Series(values)
    lacking = np.flatnonzero(column.isna().to_numpy())
    if lacking.size:
        which = listed([str(row + 1) for row in lacking], 5).replace("'", "")
        raise ValueError(f"{lacking.size} rows have no target in {name!r} (rows {which}): remove them first.")
    if pd.api.types.is_bool_dtype(column):
        labels = column.to_numpy(bool)
    elif pd.api.types.is_numeric_dtype(column):
        labels = _whole_numbers(column.to_numpy(), name)
    else:
        labels = column.astype(str).to_numpy(dtype=str)
    kinds = np.unique(labels)
    if len(kinds) < 2:
        raise ValueError(f"The target {name!r} has one value only: there is nothing to tell apart.")
    if len(kinds) > max(_MANY_CLASSES, len(labels) // 2):
        raise ValueError(f"The target {name!r} has {len(kinds)} different values in {len(labels)} rows: is it a class?")
    return labels


def _whole_numbers(values: NDArray, name: str) -> NDArray:
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind != "f" or not np.all(np.isfinite(values)) or np.any(values != np.floor(values)):
        raise ValueError(f"The target {name!r} holds numbers that are not whole: stocmv tells classes apart.")
    if np.abs(values).max() >= 2**53:
        raise ValueError(f"The target {name!r} holds numbers beyond 2**53, which a float cannot tell apart.")
    return values.astype(np.int64)


def as_features(frame: Any) -> tuple[Any, tuple[str, ...]]:
    """A data frame of floats and categories, and the names of the latter."""
    import pandas as pd

    columns, categorical = {}, []
    for name in frame.columns:
        column = frame[name]
        kind = column.dtype
        if column.isna().all():
            raise ValueError(f"The column {name!r} has no value at all: leave it out with --drop.")
        if pd.api.types.is_datetime64_any_dtype(kind):
            columns[name] = (column - pd.Timestamp(0, tz=getattr(kind, "tz", None))) / pd.Timedelta(days=1)
        elif pd.api.types.is_numeric_dtype(kind):
            columns[name] = _floats(column, name)
        else:
            columns[name] = column.astype(object).map(str, na_action="ignore")
            categorical.append(name)
    return pd.DataFrame(columns, index=frame.index, copy=False), tuple(categorical)


def _floats(column: Any, name: str) -> NDArray:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        raise ValueError(f"The column {name!r} holds infinite values: replace them first.")
    return values
