"""Examples for the commands: from a file or a named data set, and from files that must fit a model."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._text import did_you_mean
from ..datasets import list_datasets, load
from ..tables import (
    KnownColumns,
    Table,
    as_labels,
    check_encoding,
    file_kind,
    named_labels,
    read_answers,
    read_table,
    read_texts,
)
from ..voters import Recoded, as_source


def read_examples(
    data: str,
    target: str | None,
    kind: str | None,
    drop: tuple[str, ...],
    group: str | None = None,
    time: str | None = None,
    encoding: str | None = None,
    votes: bool = False,
    subgroup: tuple[str, ...] = (),
) -> Table:
    """The table from a file or a named data set; with ``votes``, a table of voters' answers.

    Columns that make subgroups stay features, unless they are also dropped; they are no voters.
    """
    if subgroup:
        without = (*drop, *(name for name in subgroup if name not in drop)) if votes else drop
        table = read_examples(data, target, kind, without, group, time, encoding, votes)
        if table.sha256 is None:
            raise ValueError(f"{data!r} has no named columns, which --subgroup needs: use csv, parquet or Excel.")
        columns = read_texts(Path(data), subgroup, format=kind, encoding=encoding)
        return replace(table, subgroups={name: [x or None for x in values] for name, values in columns.items()})
    if votes:
        return read_answers(data, target, format=kind, drop=drop, group=group, time=time, encoding=encoding)
    is_named = data in [known.name for known in list_datasets()]
    if Path(data).is_file() or (Path(data).exists() and not is_named):
        return read_table(data, target, format=kind, drop=drop, group=group, time=time, encoding=encoding)
    if not is_named:
        meant = did_you_mean(data, [known.name for known in list_datasets()]) or " (see 'stocmv datasets')"
        raise ValueError(f"There is no file or data set named {data!r}{meant}.")
    if target is not None or drop or group is not None or time is not None or encoding is not None:
        raise ValueError(f"{data!r} is a named data set: leave out --target, --drop, --group, --time and --encoding.")
    dataset = load(data)
    y = as_labels(named_labels(np.asarray(dataset.y), np.asarray(dataset.target_names)), "target")
    return Table(dataset.X, y, dataset.name)


def read_test(table: Table, path: Path, kind: str | None, group: str | None = None, votes: bool = False) -> Table:
    """Labelled examples to test a vote that is trained on the table."""
    labels: Any = table.y
    names = tuple(getattr(table.X, "columns", ()))
    text = (table.target,) if table.target is not None and labels.dtype.kind == "U" else ()
    dates = table.dates if table.kinds else None
    known = KnownColumns(table.X.shape[1], names, table.categorical, (*table.categorical, *text), dates)
    read = read_answers if votes else read_table
    test = read(path, table.target, format=kind, group=group, known=known, encoding=table.encoding)
    _check_width(test, known)
    kinds = {"i": "u"}
    found: Any = test.y
    if kinds.get(found.dtype.kind, found.dtype.kind) != kinds.get(labels.dtype.kind, labels.dtype.kind):
        raise ValueError(f"The labels of {path.name} are of another kind than those of {table.name}.")
    if not votes:
        _check_new(table, test)
    elif test.sha256 == table.sha256:  # with few voters and labels, single rows repeat anyway
        raise ValueError(f"--test {test.name} is {table.name}, which the vote was made from.")
    return test


def _check_new(table: Table, test: Table) -> None:
    """Refuse the training examples as test examples, in any order or format; warn if some of them occur."""
    if table.fingerprints is None or test.fingerprints is None:
        return  # the rows are on a cluster
    old, new = table.fingerprints.examples, test.fingerprints.examples
    if np.array_equal(np.sort(old), np.sort(new)):
        raise ValueError(f"--test {test.name} holds the rows of {table.name}, on which the voters were trained.")
    repeated = int(np.isin(new, old).sum())
    if repeated:
        warnings.warn(
            f"{repeated:,} of the {test.n_rows:,} rows of {test.name} are also in {table.name}: errors on them say "
            "little about new examples.",
            stacklevel=2,
        )


def read_labelled(
    model: Any, path: Path, kind: str | None, target: str | None, group: str | None, encoding: str | None = None
) -> Table:
    """Labelled examples for a fitted model; it need not know all the labels."""
    is_text = np.asarray(model.classes_).dtype.kind in "UO"
    known = _known_columns(model, (target,) if is_text and target is not None else ())
    read = read_answers if as_source(model.voters).by_name else read_table
    table = read(path, target, format=kind, group=group, known=known, encoding=encoding)
    _check_width(table, known)
    if (np.asarray(table.y).dtype.kind == "U") != is_text:
        raise ValueError(f"The labels of {path.name} are of another kind than those of the model.")
    return table


def _known_columns(model: Any, text: tuple[str, ...] = ()) -> KnownColumns:
    categorical = tuple(as_source(model.voters).categorical) or tuple(known_categories(model)[0])
    names = tuple(getattr(model, "feature_names_in_", ()))
    dates = _recorded(model, "dates", list)
    return KnownColumns(
        model.n_features_in_, names, categorical, (*categorical, *text), None if dates is None else tuple(dates)
    )


def read_like(model: Any, path: Path, kind: str | None = None, encoding: str | None = None) -> Any:
    """Examples for a fitted model."""
    known = _known_columns(model)
    read = read_answers if as_source(model.voters).by_name else read_table
    table = read(path, format=kind, needs_target=False, known=known, encoding=encoding)
    _check_width(table, known)
    return table.X


def remembered_encoding(model: Any, path: Path, kind: str | None) -> str | None:
    """The encoding that the model's own file was read with, for a file of the same kind."""
    named = _recorded(model, "encoding", str)
    return None if named is None or file_kind(path, kind) != "csv" else check_encoding(named)


def kept_columns(
    path: Path, names: tuple[str, ...], kind: str | None, encoding: str | None, taken: tuple[str, ...]
) -> dict[str, list[str]]:
    """The columns of a file to copy beside the answers, verbatim."""
    for name in taken:
        if name in names:
            raise ValueError(f"--keep {name}: the answers have that name already; rename the column.")
    return read_texts(path, names, format=kind, encoding=encoding) if names else {}


def known_categories(model: Any) -> tuple[dict[str, NDArray], dict[str, float]]:
    """The categories that the voters of any fold saw in training, by column, and the expected share of new ones."""
    known: dict[str, list[NDArray]] = {}
    for fold in model.voters_:
        voters = fold.voters if isinstance(fold, Recoded) else fold
        for name, categories in getattr(voters, "categories", {}).items():
            known.setdefault(name, []).append(categories)
    unseen = _recorded(model, "unseen", dict) or {}
    expected = {name: share for name, share in unseen.items() if isinstance(share, float)}
    return {name: np.concatenate(found) for name, found in known.items()}, expected


def _recorded(model: Any, what: str, kind: type) -> Any:
    """What the certificate records about the data, if it is of that kind; else None."""
    data = model.certificate_.context.get("data")
    record = data.get(what) if isinstance(data, dict) else None
    return record if isinstance(record, kind) else None


def _check_width(table: Table, known: KnownColumns) -> None:
    if table.X.shape[1] != known.n_features:
        raise ValueError(f"{table.name} has {table.X.shape[1]} features, but the model knows {known.n_features}.")
