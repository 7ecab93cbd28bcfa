"""Tables of voters' answers: every column except the target is a voter, and an empty cell means no answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._files import sha256
from ._columns import (
    KnownColumns,
    Table,
    as_groups,
    as_labels,
    as_times,
    check_drop,
    no_column,
    pick_columns,
    pick_features,
)
from ._read import file_kind, read_frame


def read_answers(
    path: str | Path,
    target: str | None = None,
    *,
    format: str | None = None,
    drop: Sequence[str] = (),
    only: Sequence[str] = (),
    group: str | None = None,
    time: str | None = None,
    needs_target: bool = True,
    known: KnownColumns | None = None,
    encoding: str | None = None,
) -> Table:
    """Read what voters answered from a csv, Excel or parquet file.

    Labels in a csv file are kept exactly as written, so that all columns can be compared.

    Parameters
    ----------
    path, target, format, drop, group, time, needs_target, known, encoding
        As for `read_table`.
    only : sequence of str
        The columns of the voters, if these are not all others.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"There is no file {str(path)!r}.")
    kind = file_kind(path, format)
    if kind not in ("csv", "excel", "parquet"):
        raise ValueError(
            f"{path.name} has no named columns, each for a voter: --votes needs a csv, Excel or parquet file."
        )
    frame = read_frame(path, kind, (), encoding)
    if kind != "parquet":  # as they are written; a time has to be a number or a date
        frame = read_frame(path, kind, [str(name) for name in frame.columns if str(name) != time], encoding)
    frame.columns = [str(name) for name in frame.columns]
    if only:
        unknown = [name for name in only if name not in frame.columns]
        if unknown:
            raise no_column(unknown, list(frame.columns), f" in {path.name}")
        drop = [name for name in frame.columns if name not in {target, group, time, *only}]
    chosen, y = None, None
    if needs_target or target is not None:
        chosen, voters = pick_columns(list(frame.columns), target, drop, path.name, group, time)
        y = as_labels(frame[chosen], chosen, checked=known is None)
    else:
        check_drop(list(frame.columns), drop)
        voters = [name for name in frame.columns if name not in set(drop)]
    X = frame[voters] if known is None else pick_features(frame[voters], known, path.name)
    groups = None if group is None else as_groups(frame[group], group)
    times = None if time is None else as_times(frame[time], time)
    return Table(
        X=_objects(X),
        y=y,
        name=path.name,
        target=chosen,
        categorical=tuple(X.columns),
        sha256=sha256(path),
        group=group,
        groups=groups,
        time=time,
        times=times,
        dropped=tuple(drop),
        encoding=encoding,
    )


def _objects(frame: Any) -> Any:
    """Labels unchanged, with None for missing ones."""
    return frame.astype(object).where(frame.notna(), None)
