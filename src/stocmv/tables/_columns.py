"""From named columns to examples and labels."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._text import did_you_mean
from ..checks import CommandHints, Finding, Fingerprints, look

_MANY_CLASSES = 20  # this many different labels are fine in any file
_LONGEST_LABEL = 200
_PURPOSES = {"group": "group", "time": "order"}


@dataclass(frozen=True)
class Table:
    """Examples with everything known about them.

    Attributes
    ----------
    X : DataFrame, ndarray or sparse matrix
        The examples; a data frame if the columns have names.
    y : ndarray or None
        Their labels.
    name : str
        Name of the file or data set.
    target : str or None
        Name of the column with the labels.
    categorical : tuple of str
        Columns that hold categories.
    sha256 : str or None
        Digest of the file.
    group : str or None
        Name of the column with the groups.
    groups : array-like or None
        The group of each example, if they belong to groups.
    time : str or None
        Name of the column with the times.
    times : ndarray or None
        When each example was recorded, if known.
    kinds : dict of str to str
        How each named column was read: "numbers", "dates", "yes or no" or "categories".
    dropped : tuple of str
        Columns left out on request.
    empty : tuple of str
        Columns left out because they have no value in any row.
    encoding : str or None
        The encoding of the text, if one was given.
    subgroups : dict of str to list
        Columns that make subgroups, by name; their values are texts, or None where they are missing.
    """

    X: Any
    y: NDArray | None
    name: str
    target: str | None = None
    categorical: tuple[str, ...] = ()
    sha256: str | None = None
    group: str | None = None
    groups: Any = None
    time: str | None = None
    times: NDArray | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    encoding: str | None = None
    subgroups: dict[str, list[str | None]] = field(default_factory=dict)

    @property
    def dates(self) -> tuple[str, ...]:
        """Columns that hold dates."""
        return tuple(name for name, kind in self.kinds.items() if kind == "dates")

    @property
    def unseen(self) -> dict[str, float]:
        """Estimated share, for each column of categories, of new values that do not occur here.

        The Good-Turing estimate: the share of values that occur once.
        """
        return {name: (_singletons(self.X[name]) + 1) / (self.n_rows + 1) for name in self.categorical}

    def like(self) -> "Table":
        """A table with the same columns and the same kind of labels: itself."""
        return self

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @cached_property
    def class_counts(self) -> dict[str, int]:
        """Number of examples of each class."""
        labels, counts = np.unique(np.asarray(self.y), return_counts=True)
        return {str(label): int(count) for label, count in zip(labels, counts, strict=True)}

    @cached_property
    def fingerprints(self) -> Fingerprints | None:
        """Hashes of the rows; None if they are not on this machine."""
        return Fingerprints.of(self.X, np.asarray(self.y))

    @property
    def duplicate_rows(self) -> int | None:
        """Number of rows that repeat an earlier one; None if they are not on this machine."""
        return None if self.fingerprints is None else self.fingerprints.duplicates

    def findings(self, hints: CommandHints | None = None) -> list[Finding]:
        """Possible problems in the examples; ``hints`` say how to do what is recommended."""
        return look(
            self.X,
            self.y,
            self.class_counts,
            self.fingerprints,
            target=self.target,
            categorical=self.categorical,
            dates=self.dates,
            empty=self.empty,
            groups=self.groups,
            hints=hints,
        )

    @property
    def missing_values(self) -> int:
        """Number of missing values."""
        if hasattr(self.X, "isna"):
            return int(self.X.isna().to_numpy().sum())
        values = self.X.data if hasattr(self.X, "tocsr") else self.X
        return int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0


@dataclass(frozen=True)
class KnownColumns:
    """What the examples of a fitted model look like.

    Attributes
    ----------
    n_features : int
        Number of features.
    names : tuple of str
        Their names, if they have any.
    categorical : tuple of str
        Those that hold categories.
    text : tuple of str
        Columns that hold text, even if all values in a csv file look like numbers.
    dates : tuple of str or None
        Columns that hold dates; None if that is not known.
    """

    n_features: int
    names: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    dates: tuple[str, ...] | None = None


def _singletons(column: Any) -> int:
    """Number of values that occur once in a column."""
    return int((column.value_counts() == 1).sum())


def pick_target(names: Sequence[str], target: str) -> int:
    """Position of the target: a column's name, or its number (from 0; -1 is the last)."""
    if target in names:
        return list(names).index(target)
    try:
        position = int(target)
    except ValueError:
        raise no_column([target], names, " with the labels") from None
    if not -len(names) <= position < len(names):
        raise ValueError(f"There is no column number {position}: the file has {len(names)} columns.")
    return position % len(names)


def pick_columns(
    names: Sequence[str],
    target: str | None,
    drop: Sequence[str],
    file: str,
    group: str | None = None,
    time: str | None = None,
) -> tuple[str, list[str]]:
    """The names of the target and of the features: all other columns except dropped ones, group and time."""
    check_drop(names, drop)
    if target is None:
        raise ValueError(f"Which column holds the labels? Give --target; the columns are {listed(names)}.")
    chosen = names[pick_target(names, target)]
    if chosen in drop:
        raise ValueError(f"The column {chosen!r} holds the labels: it cannot be left out with --drop.")
    for name, role in ((group, "group"), (time, "time")):
        check_other(names, name, chosen, role)
    features = [name for name in names if name not in {chosen, group, time, *drop}]
    if not features:
        raise ValueError(f"{file} has no columns besides the target.")
    return chosen, features


def check_other(names: Sequence[str], name: str | None, target: str, role: str) -> None:
    """Refuse a column of groups or times that does not exist or holds the labels."""
    if name is not None and name not in names:
        raise no_column([name], names, f" to {_PURPOSES[role]} by")
    if name == target:
        raise ValueError(f"The column {name!r} holds the labels: the {role}s need another one.")


def as_groups(values: Any, name: str) -> NDArray:
    """The names of the groups, none of them missing."""
    import pandas as pd

    column = pd.Series(values)
    _check_complete(column, f"The group {name!r}")
    if pd.api.types.is_integer_dtype(column):
        return column.to_numpy()
    return _words(column, f"The group {name!r}")


def as_times(values: Any, name: str) -> NDArray:
    """When each example was recorded, as numbers or dates; text must hold ISO 8601 dates."""
    import pandas as pd

    column = pd.Series(values)
    _check_complete(column, f"The time {name!r}")
    if holds_categories(column):
        try:
            column = pd.to_datetime(column.astype(str), format="ISO8601", utc=True)
        except ValueError:
            raise ValueError(
                f"The time {name!r} holds neither numbers nor dates such as 2024-05-31 or 2024-05-31 17:45."
            ) from None
    return _floats(column, name)


def _check_complete(column: Any, what: str) -> None:
    """Refuse a column with missing values."""
    lacking = np.flatnonzero(column.isna().to_numpy())
    if lacking.size:
        which = ", ".join(str(row + 1) for row in lacking[:5]) + (", ..." if lacking.size > 5 else "")
        rows = "1 row" if lacking.size == 1 else f"{lacking.size:,} rows"
        raise ValueError(f"{what} is missing in {rows} (counted from 1: {which}): fill it in, or leave such rows out.")


def check_drop(names: Sequence[str], drop: Sequence[str]) -> None:
    """Refuse to drop columns that do not exist."""
    unknown = [name for name in drop if name not in names]
    if unknown:
        several = any("," in name for name in unknown)
        raise no_column(unknown, names, " to drop" + " (repeat --drop for each column)" * several)


def no_column(unknown: Sequence[str], names: Sequence[str], purpose: str = "") -> ValueError:
    """The error for columns that do not exist."""
    said = f"There is no column {listed(unknown)}{purpose}{did_you_mean(unknown[0], names)}"
    return ValueError(f"{said}; the columns are {listed(names)}.")


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a sentence, at most ``most`` of them."""
    shown = ", ".join(repr(name if len(name) <= 60 else name[:57] + "...") for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def as_labels(values: Any, name: str, *, checked: bool = True) -> NDArray:
    """The labels of a target column, none missing; if ``checked``, there must be several classes, but not too many."""
    import pandas as pd

    column = pd.Series(values)
    _check_complete(column, f"The target {name!r}")
    if pd.api.types.is_bool_dtype(column):
        labels = column.to_numpy(bool)
    elif pd.api.types.is_numeric_dtype(column):
        labels = _whole_numbers(column.to_numpy(), name)
    else:
        labels = _words(column, f"The target {name!r}")
    if checked:
        check_classes(np.unique(labels), len(labels), name)
    return labels


def _words(column: Any, what: str) -> NDArray:
    words, places = _distinct_words(column)
    longest = max(map(len, words))
    if longest > _LONGEST_LABEL:  # an array of text reserves the longest label's size for each
        raise ValueError(f"{what} holds a text of {longest:,} characters: is it a name?")
    return np.array(words, dtype=str)[places]


def _distinct_words(column: Any) -> tuple[list[str], NDArray]:
    """The distinct values of a column as text, and the place of each value among them: -1 if it is missing."""
    import pandas as pd

    if not holds_categories(column):  # else equal numbers that are written differently, 0.0 and -0.0, would be merged
        column = column.map(str, na_action="ignore")
    places, distinct = pd.factorize(column)
    return list(map(str, distinct.tolist())), places


def check_classes(kinds: NDArray, n_rows: int, name: str) -> None:
    """Refuse too few or too many different labels."""
    if len(kinds) < 2:
        raise ValueError(f"The target {name!r} has only one value: there is nothing to classify.")
    if len(kinds) > max(_MANY_CLASSES, n_rows // 2):
        raise ValueError(f"The target {name!r} has {len(kinds)} different values in {n_rows} rows: is it a class?")


def _whole_numbers(values: NDArray, name: str) -> NDArray:
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind != "f" or not np.all(np.isfinite(values)) or np.any(values != np.floor(values)):
        raise ValueError(f"The target {name!r} holds numbers that are not whole: stocmv predicts classes.")
    if np.abs(values).max() >= 2**53:
        raise ValueError(f"The target {name!r} holds numbers beyond 2**53, which a float cannot tell apart.")
    return values.astype(np.int64)


def as_features(frame: Any, known: KnownColumns | None = None, file: str = "") -> tuple[Any, tuple[str, ...]]:
    """A data frame of floats and categories, and the names of the latter."""
    import pandas as pd

    if known is None:
        categorical = tuple(name for name in frame.columns if holds_categories(frame[name]))
    else:
        categorical = known.categorical
        check_numbers(frame, known, file)
    words = set(categorical)
    columns = {
        name: pd.Series(_categories(column), frame.index, object) if name in words else _floats(column, name)
        for name, column in frame.items()
    }
    return pd.DataFrame(columns, index=frame.index, copy=False), categorical


def column_kinds(frame: Any) -> dict[str, str]:
    """How each column is read."""
    return {name: _kind_of(frame[name]) for name in frame.columns}


def _kind_of(column: Any) -> str:
    import pandas as pd

    if holds_categories(column):
        return "categories"
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "dates"
    return "yes or no" if pd.api.types.is_bool_dtype(column.dtype) else "numbers"


def check_numbers(frame: Any, known: KnownColumns, file: str) -> None:
    """Refuse columns of another kind than in training: words for numbers or dates, or one of these for the other."""
    for name in frame.columns:
        if name in known.categorical or frame[name].isna().all():
            continue
        dates = () if known.dates is None else known.dates
        wanted, found = "dates" if name in dates else "numbers", _kind_of(frame[name])
        if found == "categories":
            raise _not_as_trained(frame[name], name, wanted, file)
        if known.dates is not None and (found == "dates") != (wanted == "dates"):
            raise ValueError(
                f"The column {name!r}{of_file(file)} holds {found}; when the model was trained it held {wanted}."
            )


def _not_as_trained(column: Any, name: str, wanted: str, file: str) -> ValueError:
    """The first word among numbers or dates, with its row."""
    import pandas as pd

    known = np.flatnonzero(column.notna().to_numpy())
    words = column.iloc[known].astype(str)
    if wanted == "dates":
        read, how = pd.to_datetime(words, format="ISO8601", errors="coerce", utc=True), " (written like 2024-12-31)"
    else:
        read, how = pd.to_numeric(words, errors="coerce"), ""
    wrong = np.flatnonzero(read.isna().to_numpy())
    first = int(wrong[0]) if wrong.size else 0
    more = f" ({wrong.size:,} such values)" if wrong.size > 1 else ""
    return ValueError(
        f"The column {name!r}{of_file(file)} must hold {wanted}{how}, as when the model was trained, but row "
        f"{known[first] + 1:,} (counted from 1, below the header) holds {listed([words.iloc[first]])}{more}."
    )


def of_file(file: str) -> str:
    return f" of {file}" if file else ""


def pick_features(frame: Any, known: KnownColumns, file: str) -> Any:
    """The model's columns, by name; if it knows no names, all columns if their number is right."""
    if not known.names:
        if frame.shape[1] != known.n_features:
            raise ValueError(f"{file} has {frame.shape[1]} columns, but the model knows {known.n_features} features.")
        return frame
    lacking = [name for name in known.names if name not in frame.columns]
    if lacking:
        others = [name for name in frame.columns if name not in known.names]
        meant = did_you_mean(lacking[0], others, "is it")
        raise ValueError(f"{file} lacks columns that the model was trained with: {listed(lacking)}{meant}.")
    return frame[list(known.names)]


def holds_categories(column: Any) -> bool:
    """Whether a column holds neither numbers nor dates."""
    import pandas as pd

    return not (pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype))


def _categories(column: Any) -> NDArray:
    """Text, with nan for missing values; rows with the same word share it."""
    words, places = _distinct_words(column)
    return np.array([*words, np.nan], dtype=object)[places]


def _floats(column: Any, name: str) -> NDArray:
    """Numbers unchanged, dates as days since 1970."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        universal = column if column.dt.tz is None else column.dt.tz_convert(None)
        moments = universal.to_numpy().astype("datetime64[us]")  # nanoseconds would overflow in 2262
        return (moments - np.datetime64(0, "us")) / np.timedelta64(1, "D")
    if holds_categories(column):  # without any value: others were refused
        return np.full(len(column), np.nan)
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0]) + 1
        raise ValueError(f"The column {name!r} holds infinite values, the first in row {row:,}: replace them first.")
    return values
