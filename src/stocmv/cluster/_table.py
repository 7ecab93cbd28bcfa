"""Parquet files in a folder or an object store, as a table whose examples stay on the cluster."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from .._files import reason
from ..tables import (
    KnownColumns,
    Table,
    as_features,
    as_frame,
    as_groups,
    as_labels,
    check_classes,
    column_kinds,
    holds_categories,
    pick_columns,
)
from ._connection import current_client, result

_LABELS, _GROUPS = "__stocmv_labels__", "__stocmv_groups__"
_LARGE = 1 << 28  # files of more bytes are read by row groups, as several partitions


class Piece(NamedTuple):
    """What makes up a partition: a file, or a row group of a large one."""

    place: str
    group: int | None = None

    @property
    def name(self) -> str:
        file = PurePosixPath(self.place).name
        return file if self.group is None else f"{file}, row group {self.group}"

    def frame(self) -> Any:
        """Its examples and labels, as read on one machine."""
        from pyarrow import parquet

        with _one_sentence(self.name), _opened(self.place) as file:
            content = parquet.ParquetFile(file)
            return as_frame(content.read() if self.group is None else content.read_row_group(self.group), self.name)


@dataclass(frozen=True)
class Layout:
    """Where to find examples, labels and groups in every piece."""

    target: str
    group: str | None
    expected: KnownColumns
    empty: Any = field(repr=False)

    def split(self, piece: Piece) -> Any:
        """The features of a piece as numbers and categories, with its labels and groups in separate columns."""
        frame = piece.frame()
        frame.columns = [str(name) for name in frame.columns]
        others = () if self.group is None else (self.group,)
        lacking = [name for name in (self.target, *others, *self.expected.names) if name not in frame.columns]
        if lacking:
            raise ValueError(f"{piece.name} lacks the column {lacking[0]!r}, which others have.")
        with _one_sentence(piece.name):
            beside = {_LABELS: as_labels(frame[self.target], self.target, checked=False)}
            if self.group is not None:
                beside[_GROUPS] = as_groups(frame[self.group], self.group)
            features, _ = as_features(frame[list(self.expected.names)], self.expected)
        return features.assign(**{k: v.astype(object) if v.dtype.kind == "U" else v for k, v in beside.items()})


class PieceCounts(NamedTuple):
    """Counts of a piece, before anything is learned from it."""

    classes: Counter
    missing: int


@dataclass(frozen=True)
class PartitionedTable(Table):
    """A table whose ``X``, ``y`` and ``groups`` are Dask collections.

    Attributes
    ----------
    counted : PieceCounts
        Number of examples of each class, and of missing values.
    """

    counted: PieceCounts = field(default_factory=lambda: PieceCounts(Counter(), 0))

    @property
    def n_rows(self) -> int:
        return self.counted.classes.total()

    @property
    def class_counts(self) -> dict[str, int]:
        return {str(label): self.counted.classes[label] for label in sorted(self.counted.classes)}

    @property
    def fingerprints(self) -> None:
        return None

    @property
    def missing_values(self) -> int:
        return self.counted.missing

    @property
    def unseen(self) -> dict[str, float]:
        """Empty: values are only counted on one machine."""
        return {}

    def like(self) -> Table:
        labels = np.array(list(self.counted.classes))[:0]
        return Table(self.X._meta, labels, self.name, self.target, self.categorical, kinds=self.kinds)


def read_partitions(
    path: str, target: str | None, drop: Sequence[str] = (), group: str | None = None
) -> PartitionedTable:
    """Examples from parquet files, each file a partition, read by the workers whenever they are needed.

    Parameters
    ----------
    path : str
        A file, a folder, or an address that arrow can read, such as ``s3://bucket/folder``.
    target : str or None
        Name or position of the column with the labels.
    drop : sequence of str
        Columns to leave out.
    group : str, optional
        Column with the group of each example.
    """
    import dask
    import dask.dataframe as dd
    from dask.delayed import delayed

    client, pieces = current_client(), _pieces(path)
    name = PurePosixPath(path.rstrip("/")).name or path
    first = result(client.submit(_first_rows, pieces[0], pure=False), client)
    layout = _layout(first, target, drop, group, name)
    look = delayed(_count, pure=False)
    counts = [result(f, client) for f in client.compute([look(layout, piece) for piece in pieces])]
    counted = PieceCounts(sum((c.classes for c in counts), Counter()), sum(c.missing for c in counts))
    check_classes(np.array(list(counted.classes)), counted.classes.total(), layout.target)
    with dask.config.set({"dataframe.convert-string": False}):  # keeps the categories of `as_features`
        frame = dd.from_map(layout.split, pieces, meta=layout.empty, label="read")
    return PartitionedTable(
        frame[list(layout.expected.names)],
        frame[_LABELS],
        name,
        layout.target,
        layout.expected.categorical,
        group=group,
        groups=None if group is None else frame[_GROUPS],
        kinds=column_kinds(first[list(layout.expected.names)]),
        dropped=tuple(drop),
        counted=counted,
    )


def _pieces(path: str) -> list[Piece]:
    """The parquet files below a path, large ones by row groups."""
    from pyarrow import fs, parquet

    with _one_sentence(path):
        place = path if "://" in path else str(Path(path).absolute())
        system, inside = fs.FileSystem.from_uri(place)
        found = system.get_file_info(inside)
        if found.type == fs.FileType.NotFound:
            raise ValueError("there is no such file or folder")
        below = [found] if found.is_file else system.get_file_info(fs.FileSelector(inside, recursive=True))
        files = [f for f in below if f.is_file and (found.is_file or _is_data(f.path, inside))]
        if not files:
            raise ValueError("there are no files that end in .parquet")
        prefix = place[: place.index("://") + 3] if "://" in place else ""
        pieces: list[Piece] = []
        for file in sorted(files, key=lambda info: info.path):
            groups: list[int | None] = [None]
            if file.size > _LARGE:
                with system.open_input_file(file.path) as opened:
                    groups = list(range(parquet.ParquetFile(opened).num_row_groups))
            pieces += [Piece(prefix + file.path, group) for group in groups]
    return pieces


def _is_data(path: str, folder: str) -> bool:
    """Whether a file in a folder holds data, and is not hidden or metadata."""
    below = PurePosixPath(path[len(folder) :].lstrip("/"))
    return below.suffix in (".parquet", ".pq") and not any(part.startswith((".", "_")) for part in below.parts)


def _first_rows(piece: Piece) -> Any:
    """One row: the columns and their kinds."""
    return piece.frame().iloc[:1]


def _layout(first: Any, target: str | None, drop: Sequence[str], group: str | None, name: str) -> Layout:
    first.columns = [str(column) for column in first.columns]
    chosen, features = pick_columns(list(first.columns), target, drop, name, group)
    categorical = tuple(column for column in features if holds_categories(first[column]))
    expected = KnownColumns(len(features), tuple(features), categorical, categorical)
    empty, _ = as_features(first[features].iloc[:0], expected)
    beside = {_LABELS: np.empty(0, _kind(first[chosen]))}
    if group is not None:
        beside[_GROUPS] = np.empty(0, np.int64 if first[group].dtype.kind in "iu" else object)
    return Layout(chosen, group, expected, empty.assign(**beside))


def _kind(column: Any) -> Any:
    """Type of the labels that a column gives."""
    if holds_categories(column):
        return object
    return bool if column.dtype.kind == "b" else np.int64


def _count(layout: Layout, piece: Piece) -> PieceCounts:
    frame = layout.split(piece)
    missing = int(frame[list(layout.expected.names)].isna().to_numpy().sum())
    return PieceCounts(Counter(frame[_LABELS].tolist()), missing)


@contextmanager
def _opened(place: str) -> Iterator[Any]:
    from pyarrow import fs

    system, inside = fs.FileSystem.from_uri(place)
    with system.open_input_file(inside) as file:
        yield file


@contextmanager
def _one_sentence(name: str) -> Iterator[None]:
    """Add the name of the file to errors."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        said = reason(error)
        raise ValueError(f"{said}." if said.startswith(name) else f"{name}: {said}.") from error
