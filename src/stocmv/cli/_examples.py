"""Examples for the commands: of a file or a named data set, and of files that must fit a model."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..datasets import list_datasets, load
from ..tables import Expected, Table, read_answers, read_table
from ..tables._columns import as_labels
from ..tables._read import named_labels
from ..voters import Answers, Encoded


def read_examples(
    data: str,
    target: str | None,
    kind: str | None,
    drop: tuple[str, ...],
    group: str | None = None,
    votes: bool = False,
) -> Table:
    """The table of a file, or of a data set of that name; with votes, a table of what voters answered."""
    if votes:
        return read_answers(data, target, format=kind, drop=drop, group=group)
    is_named = data in [known.name for known in list_datasets()]
    if Path(data).is_file() or (Path(data).exists() and not is_named):
        return read_table(data, target, format=kind, drop=drop, group=group)
    if not is_named:
        raise ValueError(f"There is no file {data!r}, nor a data set of that name (see 'stocmv datasets').")
    if target is not None or drop or group is not None:
        raise ValueError(f"{data!r} is a named data set: leave out --target, --drop and --group.")
    dataset = load(data)
    y = as_labels(named_labels(np.asarray(dataset.y), np.asarray(dataset.target_names)), "target")
    return Table(dataset.X, y, dataset.name)


def read_test(table: Table, path: Path, kind: str | None, group: str | None = None, votes: bool = False) -> Table:
    """Labelled examples to try a vote on that is trained on the table."""
    labels: Any = table.y
    names = tuple(getattr(table.X, "columns", ()))
    text = (table.target,) if table.target is not None and labels.dtype.kind == "U" else ()
    expected = Expected(table.X.shape[1], names, table.categorical, (*table.categorical, *text))
    read = read_answers if votes else read_table
    test = read(path, table.target, format=kind, group=group, expected=expected)
    _check_width(test, expected)
    kinds = {"i": "u"}
    found: Any = test.y
    if kinds.get(found.dtype.kind, found.dtype.kind) != kinds.get(labels.dtype.kind, labels.dtype.kind):
        raise ValueError(f"The labels of {path.name} are of another kind than those of {table.name}.")
    if not votes:
        _check_new(table, test)
    elif test.sha256 == table.sha256:  # single rows repeat wherever few voters have few labels
        raise ValueError(f"--test {test.name} is {table.name}, which the vote was made from.")
    return test


def _check_new(table: Table, test: Table) -> None:
    """Refuse the training examples themselves as test examples, in whatever order or format; tell of some of them.

    The table of a cluster has no rows here: nothing is found.
    """
    trained, tested = _row_hashes(table), _row_hashes(test)
    if np.array_equal(np.sort(trained), np.sort(tested)):
        raise ValueError(f"--test {test.name} holds the rows of {table.name}, on which the voters were trained.")
    seen = int(np.isin(tested, trained).sum())
    if seen:
        warnings.warn(
            f"{seen:,} of the {test.n_rows:,} rows of {test.name} are also in {table.name}: errors on them say little "
            "about new examples.",
            stacklevel=2,
        )


def _row_hashes(table: Table) -> NDArray:
    """A hash of each row with its label."""
    import pandas as pd
    from scipy.sparse import issparse

    if issparse(table.X):
        X = table.X.tocsr()
        parts = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        rows = pd.DataFrame({0: [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in parts]})
    else:
        rows = pd.DataFrame(np.asarray(table.X, dtype=None if table.categorical else float))
    return pd.util.hash_pandas_object(rows.assign(label=np.asarray(table.y)), index=False).to_numpy()


def read_like(model: Any, path: Path, kind: str | None = None) -> Any:
    """Examples for a fitted model."""
    categorical = tuple(model.voters.categorical) if isinstance(model.voters, Encoded) else ()
    names = tuple(getattr(model, "feature_names_in_", ()))
    expected = Expected(model.n_features_in_, names, categorical, categorical)
    read = read_answers if isinstance(model.voters, Answers) else read_table
    table = read(path, format=kind, needs_target=False, expected=expected)
    _check_width(table, expected)
    return table.X


def _check_width(table: Table, expected: Expected) -> None:
    if table.X.shape[1] != expected.n_features:
        raise ValueError(f"{table.name} has {table.X.shape[1]} features, but the model knows {expected.n_features}.")
