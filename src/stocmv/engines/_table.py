"""Parquet files in a folder or a store of objects, as a table whose examples stay on the cluster."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import reason
from ..tables import Expected, Table
from ..tables._columns import as_features, as_labels, check_classes, holds_categories, pick_columns

_LABELS = "label"


@dataclass(frozen=True)
class PartitionedTable(Table):
    """A table whose ``X`` and ``y`` are Dask collections.

    Attributes
    ----------
    class_counts : dict
        Examples of each class.
    """

    class_counts: dict[str, int] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return sum(self.class_counts.values())

    @property
    def duplicate_rows(self) -> None:
        return None

    @cached_property
    def missing_values(self) -> int:
        return int(self.X.isna().sum().sum().compute())

    def like(self) -> Table:
        """No examples, with the same columns and the same kind of labels."""
        y: Any = self.y
        kind = np.dtype("U1") if y.dtype == object else y.dtype
        return Table(self.X._meta, np.empty(0, kind), self.name, self.target, self.categorical)


def read_partitions(path: str, target: str | None, drop: Sequence[str] = ()) -> PartitionedTable:
    """Examples from parquet files; the classes are counted, everything else is read when it is needed.

    Parameters
    ----------
    path : str
        A file, a folder, a pattern or an address that Dask can read, such as ``s3://bucket/folder/``.
    target : str or None
        Name or position of the column with the labels.
    drop : sequence of str
        Columns to leave out.
    """
    frame, name = _frame(path), os.path.basename(path.rstrip("/")) or path
    chosen, features = pick_columns([str(column) for column in frame.columns], target, drop, name)
    categorical = tuple(column for column in features if holds_categories(frame._meta[column]))
    expected = Expected(len(features), tuple(features), categorical, categorical)
    meta, _ = as_features(frame._meta[features], expected)
    X = frame[features].map_partitions(_features, expected, meta=meta)
    y = frame[chosen].map_partitions(_labels, chosen, meta=(_LABELS, _kind(frame._meta[chosen])))
    counts = y.value_counts().compute().sort_index()
    check_classes(counts.index.to_numpy(), int(counts.sum()), chosen)
    return PartitionedTable(X, y, name, chosen, categorical, None, {str(k): int(n) for k, n in counts.items()})


def _frame(path: str) -> Any:
    import dask.dataframe as dd

    if "://" not in path and "*" not in path and not os.path.exists(path):
        raise ValueError(f"There is no file or folder {path!r}.")
    try:
        return dd.read_parquet(path)
    except Exception as error:
        # Dask, arrow and the stores of objects each have errors of their own
        raise ValueError(f"{path} does not hold parquet files that Dask can read: {reason(error)}.") from error


def _kind(column: Any) -> Any:
    """Type of the labels that a column gives."""
    if column.dtype.kind == "b":
        return np.dtype(bool)
    return np.dtype(object if holds_categories(column) else np.int64)


def _features(frame: Any, expected: Expected, partition_info: dict[str, Any] | None = None) -> Any:
    with _numbered(partition_info):
        return as_features(frame, expected)[0]


def _labels(column: Any, name: str, partition_info: dict[str, Any] | None = None) -> Any:
    import pandas as pd

    with _numbered(partition_info):
        labels: NDArray = as_labels(column, name, checked=False)
    kind = object if labels.dtype.kind == "U" else labels.dtype if labels.dtype.kind == "b" else np.int64
    return pd.Series(labels.astype(kind), index=column.index, name=_LABELS)


@contextmanager
def _numbered(partition_info: dict[str, Any] | None) -> Iterator[None]:
    """Adds the number of the partition to what is wrong with it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"Partition {(partition_info or {}).get('number')}: {reason(error)}.") from error
