"""Examples in partitions, and a summary of each."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..certificate import group_ids
from ..checks import Fingerprints, Groups
from ..voters import VoterSource
from ..votes import exact_labels
from ._connection import is_dask

_TARGET, _GROUP = "__stocmv_target__", "__stocmv_group__"
_LOOKED_AT = 1 << 13  # rows of a partition whose fingerprints are transferred


class Partition(NamedTuple):
    """Some of the examples."""

    X: Any
    labels: NDArray
    groups: NDArray | None = None  # a number for the group of each example, the same in every partition


class Summary(NamedTuple):
    """What the client knows about a partition."""

    n_rows: int
    n_columns: int
    labels: NDArray
    names: tuple[str, ...]
    fingerprints: Fingerprints

    @property
    def groups(self) -> Groups | None:
        """The groups that have rows in it."""
        return self.fingerprints.all_groups


def joint_partitions(X: Any, y: Any, groups: Any = None) -> list[Any]:
    """Delayed partitions of examples, their labels and their groups."""
    from dask.delayed import delayed

    beside = {"y": y} if groups is None else {"y": y, "groups": groups}
    for name, collection in beside.items():
        if not is_dask(collection):
            raise TypeError(f"X is a Dask collection, so {name} must be one too, with the same partitions.")
    if hasattr(X, "columns") and all(hasattr(collection, "divisions") for collection in beside.values()):
        # read together, so that they are split at the same places
        cut = delayed(_cut, pure=True)
        frame = X.assign(**dict(zip((_TARGET, _GROUP), beside.values(), strict=False)))
        return [cut(part, k) for k, part in enumerate(frame.to_delayed())]
    examples, *others = (_delayed_parts(collection) for collection in (X, *beside.values()))
    for name, parts in zip(beside, others, strict=True):
        if len(examples) != len(parts):
            raise ValueError(f"X has {len(examples)} partitions and {name} has {len(parts)}: they must be the same.")
    join = delayed(_joined, pure=True)
    return [join(k, *together) for k, together in enumerate(zip(examples, *others, strict=True))]


def _delayed_parts(collection: Any) -> list[Any]:
    if hasattr(collection, "rechunk") and collection.ndim == 2 and collection.numblocks[1] > 1:
        collection = collection.rechunk({1: -1})
    return list(np.ravel(collection.to_delayed()))


def _cut(frame: Any, index: int) -> Partition:
    beside = [name for name in (_TARGET, _GROUP) if name in frame.columns]
    return _joined(index, frame.drop(columns=beside), *(frame[name] for name in beside))


def _joined(index: int, X: Any, y: Any, groups: Any = None) -> Partition:
    labels = _one_column(y)
    if labels.ndim != 1 or len(labels) != X.shape[0]:
        raise ValueError(f"Partition {index} has {X.shape[0]} rows in X and labels of shape {labels.shape} in y.")
    if groups is None:
        return Partition(X, labels)
    names = _one_column(groups)
    try:
        return Partition(X, labels, group_ids(names, len(labels)))
    except ValueError as error:
        raise ValueError(f"Partition {index}: {error}") from error


def _one_column(values: Any) -> NDArray:
    column = np.asarray(values)
    return column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column


def summarise(partition: Partition, index: int, source: VoterSource) -> Summary:
    """Check a partition and summarise it."""
    X, labels = partition.X, exact_labels(partition.labels, f"y of partition {index}")
    if len(labels) == 0:
        raise ValueError(f"Partition {index} is empty: leave it out.")
    if labels.dtype.kind in "fO" and any(label is None or label != label for label in labels.tolist()):
        raise ValueError(f"Partition {index} has examples without a label.")
    if not source.checks_input:
        numbers = as_numbers(X, index)
        if not source.allow_nan and np.isnan(numbers).any():
            raise ValueError(f"Partition {index} holds NaN, which these voters cannot handle.")
        if np.isinf(numbers).any():
            raise ValueError(f"Partition {index} holds infinite values.")
    names = tuple(map(str, X.columns)) if hasattr(X, "columns") else ()
    fingerprints = Fingerprints.of(X, labels, partition.groups).at_most(_LOOKED_AT)
    return Summary(len(labels), X.shape[1], np.unique(labels), names, fingerprints)


def as_numbers(X: Any, index: int) -> NDArray:
    """The examples as an array of numbers."""
    numbers = np.asarray(X)
    if numbers.dtype.kind in "biuf":
        return numbers
    try:
        return numbers.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Partition {index} holds something that is not a number: {error}.") from error


def _kind(labels: NDArray) -> str:
    return {"b": "booleans", "U": "strings", "O": "strings", "M": "dates"}.get(labels.dtype.kind, "numbers")


def check_alike(summaries: Sequence[Summary]) -> None:
    """Refuse partitions with different columns, or with labels of different kinds."""
    first = summaries[0]
    for index, summary in enumerate(summaries):
        if summary.n_columns != first.n_columns:
            raise ValueError(
                f"Partition {index} has {summary.n_columns} columns and partition 0 has {first.n_columns}."
            )
        if summary.names != first.names:
            raise ValueError(f"The columns of partition {index} have other names than those of partition 0.")
        if _kind(summary.labels) != _kind(first.labels):
            raise ValueError(f"The labels of partition {index} are not of the same kind as those of partition 0.")
