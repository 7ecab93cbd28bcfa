"""Examples for the commands: of a file or a named data set, and of files that must fit a model."""

from pathlib import Path
from typing import Any

import numpy as np

from ..datasets import load, names
from ..tables import Expected, Table, read_table
from ..tables._columns import as_labels
from ..tables._read import named_labels
from ..voters import Encoded


def read_examples(
    data: str, target: str | None, kind: str | None, drop: tuple[str, ...], data_dir: str | None = None
) -> Table:
    """The table of a file, or of a data set of that name."""
    if Path(data).is_file() or (Path(data).exists() and data not in names()):
        return read_table(data, target, format=kind, drop=drop)
    if data_dir is None and data not in names():
        raise ValueError(f"There is no file {data!r}, nor a data set of that name (see 'stocmv datasets').")
    if target is not None or drop:
        raise ValueError(f"{data!r} is a named data set: leave out --target and --drop.")
    dataset = load(data, data_dir=data_dir)
    y = as_labels(named_labels(np.asarray(dataset.y), np.asarray(dataset.target_names)), "target")
    return Table(dataset.X, y, dataset.name)


def read_test(table: Table, path: Path, kind: str | None) -> Table:
    """Labelled examples to try a vote on that is trained on the table."""
    labels: Any = table.y
    names = tuple(getattr(table.X, "columns", ()))
    text = (table.target,) if table.target is not None and labels.dtype.kind == "U" else ()
    expected = Expected(table.X.shape[1], names, table.categorical, (*table.categorical, *text))
    test = read_table(path, table.target, format=kind, expected=expected)
    _check_width(test, expected)
    kinds = {"i": "u"}
    found: Any = test.y
    if kinds.get(found.dtype.kind, found.dtype.kind) != kinds.get(labels.dtype.kind, labels.dtype.kind):
        raise ValueError(f"The labels of {path.name} are of another kind than those of {table.name}.")
    return test


def read_like(model: Any, path: Path, kind: str | None = None) -> Any:
    """Examples for a fitted model."""
    categorical = tuple(model.voters.categorical) if isinstance(model.voters, Encoded) else ()
    names = tuple(getattr(model, "feature_names_in_", ()))
    expected = Expected(model.n_features_in_, names, categorical, categorical)
    table = read_table(path, format=kind, needs_target=False, expected=expected)
    _check_width(table, expected)
    return table.X


def _check_width(table: Table, expected: Expected) -> None:
    if table.X.shape[1] != expected.n_features:
        raise ValueError(
            f"{table.name} has {table.X.shape[1]} features, but the model was trained with {expected.n_features}."
        )
