"""Examples in partitions, and what each of them holds."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..classifier._engine import is_dask
from ..classifier._repeats import Fingerprints
from ..voters import VoterSource
from ..votes import exact_labels

_TARGET = "__stocmv_target__"
_LOOKED_AT = 1 << 13  # rows of a partition whose fingerprints travel


class Summary(NamedTuple):
    """What is known of a partition."""

    n_rows: int
    n_columns: int
    labels: NDArray
    names: tuple[str, ...]
    fingerprints: Fingerprints


def paired_partitions(X: Any, y: Any) -> list[Any]:
    """Delayed pairs of examples and labels, one for each partition."""
    from dask.delayed import delayed

    if not is_dask(y):
        raise TypeError("X is a Dask collection, so y must be one too, with the same partitions.")
    if hasattr(X, "columns") and hasattr(y, "divisions"):  # read together, so that they are cut in the same places
        cut = delayed(_cut, pure=True)
        return [cut(part, k) for k, part in enumerate(X.assign(**{_TARGET: y}).to_delayed())]
    examples, labels = (_delayed_parts(part) for part in (X, y))
    if len(examples) != len(labels):
        raise ValueError(f"X has {len(examples)} partitions and y has {len(labels)}: they must be the same.")
    pair = delayed(_pair, pure=True)
    return [pair(x, label, k) for k, (x, label) in enumerate(zip(examples, labels, strict=True))]


def _delayed_parts(collection: Any) -> list[Any]:
    if hasattr(collection, "rechunk") and collection.ndim == 2 and collection.numblocks[1] > 1:
        collection = collection.rechunk({1: -1})
    return list(np.ravel(collection.to_delayed()))


def _cut(frame: Any, index: int) -> tuple[Any, NDArray]:
    return _pair(frame.drop(columns=_TARGET), frame[_TARGET], index)


def _pair(X: Any, y: Any, index: int) -> tuple[Any, NDArray]:
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or len(labels) != X.shape[0]:
        raise ValueError(f"Partition {index} has {X.shape[0]} rows in X and labels of shape {labels.shape} in y.")
    return X, labels


def summarise(pair: tuple[Any, NDArray], index: int, source: VoterSource) -> Summary:
    """Check a partition, and say what it holds."""
    X, labels = pair
    labels = exact_labels(labels, f"y of partition {index}")
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
    return Summary(len(labels), X.shape[1], np.unique(labels), names, Fingerprints.of(X, labels).at_most(_LOOKED_AT))


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
    return {"b": "booleans", "U": "strings", "O": "strings"}.get(labels.dtype.kind, "numbers")


def check_alike(summaries: Sequence[Summary]) -> None:
    """All partitions have the same columns, and labels of one kind."""
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
