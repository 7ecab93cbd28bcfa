"""Check examples for problems before learning from them, and describe these in words."""

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._copies import count_repeats
from ._fingerprints import Fingerprints
from ._leaks import accuracy_alone
from ._row_hash import columns_of
from ._spelling import badly_written

_FEW = 20  # with fewer examples, little can be said about a class
_SHORTEST = 30  # with fewer rows, distinct values mean nothing
_DISTINCT = 0.95  # share of different values that makes an identifier
_DENSE = 0.9  # share of the whole numbers in their range that consecutive numbers fill
_SORTED_DENSE = 0.1  # the same if they increase from row to row
_GROUP = 0.05  # from this many distinct values per row on, a column named like an identifier may hold groups
_LOOKED_AT = 1000  # rows that decide whether a column is worth a closer look
_SAMPLE = 10_000  # rows on which the accuracy of single columns is measured
_RIGHT = 0.99  # accuracy from which a single column counts as a leak
_UNSEEN = 0.01  # share of new values that is worth a warning,
_CHANCE = 0.01  # if it has at most this probability
_ID = re.compile(r"(?i:(^|[^a-z])(id|uuid|guid)s?$|^(id|uuid|guid)([^a-z]|$))|[a-z](Id|ID|Uuid|UUID|Guid|GUID)$")
_WHO = re.compile(r"(?i:^(patient|subject|participant|person|customer|client|user|student|household)s?$)")
_NUMBER = re.compile(
    r"(?i:(^|[^a-z])(key|index|row|rownum|no|nr|number)$)|[a-z](Key|No|Nr|Number|Index)$|^$|^Unnamed: "
)
_ORDER = (
    *("leak", "repeated rows", "number as category", "date as category", "identifier", "group"),
    *("small class", "constant", "empty"),
)


@dataclass(frozen=True)
class Finding:
    """A possible problem in the data.

    Attributes
    ----------
    kind : str
        What was found: "leak", "repeated rows", "number as category", "date as category", "identifier", "group",
        "small class", "constant", "empty", "unseen", "missing".
    column : str or None
        The column; None if whole rows are concerned.
    figure : float
        How much was found.
    sentence : str
        The finding in words.
    cure : str
        What to do about it.

    Examples
    --------
    >>> import pandas as pd
    >>> from stocmv import audit
    >>> frame = pd.DataFrame({"site": ["north"] * 40, "age": [31.5, 47.2, 38.1, 52.9] * 10, "y": ["ill", "well"] * 20})
    >>> [(finding.kind, finding.column) for finding in audit(frame, "y").findings if finding.column == "site"]
    [('constant', 'site')]
    """

    kind: str
    column: str | None
    figure: float
    sentence: str
    cure: str


class CommandHints:
    """How to do on the command line what a finding recommends."""

    def without(self, name: str) -> str:
        return f"leave it out with --drop {shlex.quote(name)}"

    def grouped(self, name: str = "") -> str:
        return f"give --group {shlex.quote(name)}" if name else "give --group"


class PythonHints(CommandHints):
    """The same in Python."""

    def without(self, name: str) -> str:
        return f"leave it out, .drop(columns={name!r})"

    def grouped(self, name: str = "") -> str:
        return f"pass the column {name!r} to fit as groups" if name else "pass their groups to fit"


def look(
    X: Any,
    y: Any,
    class_counts: Mapping[str, int],
    fingerprints: Fingerprints | None,
    *,
    target: str | None = None,
    categorical: Collection[str] = (),
    dates: Collection[str] = (),
    empty: Sequence[str] = (),
    groups: Any = None,
    hints: CommandHints | None = None,
) -> list[Finding]:
    """Possible problems in labelled examples; checks a random sample of 10,000 rows if all would take too long.

    For examples that are sparse or on a cluster, only the classes are checked. The columns in ``empty`` hold no value
    and are not among the features.
    """
    import pandas as pd

    hints = CommandHints() if hints is None else hints
    n_rows = sum(class_counts.values())
    found = [*_empty(empty, n_rows), *_small_classes(class_counts, target)]
    if fingerprints is not None and isinstance(X, np.ndarray | pd.DataFrame):
        columns, named = dict(_named_columns(X)), hasattr(X, "columns")
        found += _leaks(columns, np.asarray(y), categorical, named, hints)
        found += _repeats(columns, np.asarray(y), fingerprints.examples, groups, hints)
        for name, values in columns.items():
            found += _of_column(name, values, named, name in categorical, name in dates, hints)
    return sorted(found, key=lambda finding: _ORDER.index(finding.kind))


def look_at_new(
    X: Any, categories: Mapping[str, NDArray], expected: Mapping[str, float]
) -> tuple[list[Finding], dict[str, float]]:
    """Possible problems in new examples for a model, and the share of unseen values in each column.

    Parameters
    ----------
    X : DataFrame or array
        The examples.
    categories : mapping of str to ndarray
        The categories that the model was trained with, by column.
    expected : mapping of str to float
        The share of unseen values to expect in rows like the training rows; 0 for columns that are not listed.
    """
    from scipy.stats import binom

    found, shares = [], {}
    for name, known in categories.items():
        values = X[name].dropna()
        new = values[~values.isin(set(known.tolist()))]
        shares[name] = len(new) / len(values) if len(values) else 0.0
        if shares[name] >= _UNSEEN and binom.sf(len(new) - 1, len(values), expected.get(name, 0.0)) < _CHANCE:
            found.append(_unseen(name, new, len(values), expected.get(name, 0.0)))
    if hasattr(X, "columns") and len(X) >= _FEW:
        found += [_no_value(name, len(X)) for name in X.columns[X.isna().all().to_numpy()]]
    return found, shares


def _unseen(name: str, new: Any, n: int, expected: float) -> Finding:
    share = len(new) / n
    if len(new) == n:
        said = f"No value of {_the(name, article='the')} was seen in training: {n:,} new {_plural(n, 'value')}"
    else:
        said = f"{_percent(share)} of the values of {_the(name, article='the')} were not seen in training"
    said += f", such as {_shown(new.iloc[0])}; among rows like those of the training it would be {_percent(expected)}."
    cure = (
        "Are they written another way, or in another encoding? Rows from elsewhere are not covered by the certificate."
    )
    return Finding("unseen", name, share, said, cure)


def _no_value(name: str, n: int) -> Finding:
    said = f"{_the(name)} has no value in any of the {n:,} rows; in training it had some."
    return Finding(
        "missing", name, 1.0, said, "Rows that differ so from the training rows are not covered by the certificate."
    )


def _named_columns(X: Any) -> Iterator[tuple[str, NDArray]]:
    """Names and values; a column without a name has its number, counted from 0."""
    names = X.columns if hasattr(X, "columns") else range(X.shape[1])
    for name, values in zip(names, columns_of(X), strict=True):
        kind = np.float64 if values.dtype.kind == "f" else None  # pandas does not know all others
        yield str(name), np.asarray(values, kind)


def _of_column(
    name: str, values: NDArray, named: bool, is_categorical: bool, is_date: bool, hints: CommandHints
) -> Iterator[Finding]:
    """Findings in a single column: at most one, the one with the clearest cure."""
    import pandas as pd

    if is_categorical:
        known = values[pd.notna(values)]
        written = badly_written(_drawn(known, 2 * _LOOKED_AT))
        if written is not None:
            kind, share, said, cure = written
            yield Finding(kind, name, share, f"{_the(name)} {said}", cure)
            return
    else:
        known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    if named and len(known) == len(values) >= _FEW and _all_equal(known):
        said = f"{_the(name)} has only one value, {_shown(known[0])}, in all {len(known):,} rows."
        yield Finding("constant", name, 1.0, said, f"It tells nothing: {_without(name, named, hints)}.")
    elif len(known) >= _SHORTEST and not is_date:
        yield from _identifies(name, known, named, hints)


def _all_equal(values: NDArray) -> bool:
    return bool(values[0] == values[-1]) and bool((values == values[0]).all())


def _identifies(name: str, values: NDArray, named: bool, hints: CommandHints) -> Iterator[Finding]:
    """Whether a column identifies rows or groups of rows."""
    is_text, called_id = values.dtype.kind == "O", bool(_ID.search(name))
    called_group = called_id or bool(_WHO.search(name))
    called_so = called_group or bool(_NUMBER.search(name))
    first = _drawn(values, _LOOKED_AT)
    if not is_text and (first != np.floor(first)).any():
        return
    if not called_so and _n_distinct(first) < (_DISTINCT - 0.05) * len(first):
        return
    distinct = _n_distinct(values)
    share = distinct / len(values)
    if share >= _DISTINCT and (is_text or called_id or (called_so and share == 1) or _is_row_number(values, distinct)):
        looks = "it looks like an identifier" + (" or free text" if is_text and not called_so else "")
        count = f"All {distinct:,}" if share == 1 else f"{_percent(share)} of the {len(values):,}"
        said = f"{count} values of {_the(name, named, 'the')} are different: {looks}."
        cure = f"It tells nothing about new rows: {_without(name, named, hints)}."
        yield Finding("identifier", name, share, said, cure)
    elif share < _DISTINCT and called_group and distinct >= max(_FEW, _GROUP * len(values)):
        said = (
            f"{_the(name, named)} is named like an identifier and has {distinct:,} values in {len(values):,} rows: "
            "rows with the same value may belong together."
        )
        cure = f"If so, they are not independent draws: {hints.grouped(name)}."
        yield Finding("group", name, share, said, cure)


def _is_row_number(values: NDArray, distinct: int) -> bool:
    """Whether whole numbers are consecutive, or increase from row to row without large gaps."""
    numbers = values.astype(np.float64)
    filled = distinct / (numbers.max() - numbers.min() + 1)
    increasing = distinct == len(numbers) and bool((np.diff(numbers) > 0).all())
    return bool(filled >= (_SORTED_DENSE if increasing else _DENSE))


def _leaks(
    columns: dict[str, NDArray], y: NDArray, categorical: Collection[str], named: bool, hints: CommandHints
) -> Iterator[Finding]:
    """Columns that predict the target nearly alone."""
    rows = _drawn(np.arange(len(y)), _SAMPLE)
    labels, codes = np.unique(y[rows], return_inverse=True)
    counts = np.bincount(codes)
    usual = counts.max() / len(rows)
    if len(rows) < _SHORTEST or len(rows) - counts.max() < _FEW:
        return
    for name, values in columns.items():
        share = accuracy_alone(values[rows], codes, name in categorical)
        if share >= _RIGHT and 1 - share <= 0.1 * (1 - usual):
            of = f"{len(rows):,} rows" + (f" drawn from the {len(y):,}" if len(rows) < len(y) else "")
            said = (
                f"{_the(name, named)} alone is right on {_percent(share)} of {of}, cross-validated; always answering "
                f"{_shown(labels[counts.argmax()])} is right on {_percent(usual)}."
            )
            without = _without(name, named, hints)
            cure = f"If it is known only after the outcome, {without}; some honest data are like this."
            yield Finding("leak", name, share, said, cure)


def _repeats(
    columns: dict[str, NDArray], y: NDArray, examples: NDArray, groups: Any, hints: CommandHints
) -> Iterator[Finding]:
    """Rows that repeat others more often than by chance."""
    n, repeated = len(y), count_repeats([*columns.values(), y], examples, groups)
    if repeated:
        said = (
            f"{repeated:,} of the {n:,} rows ({_percent(repeated / n)}) repeat an earlier one, label included, and "
            "rows that agree in most columns agree in all, as copies do."
        )
        group = f"; if they belong together, {hints.grouped()}" if groups is None else ""
        cure = f"If they are copies, no figure here holds: remove them{group}."
        yield Finding("repeated rows", None, repeated / n, said, cure)


def _small_classes(class_counts: Mapping[str, int], target: str | None) -> Iterator[Finding]:
    small = sorted((count, name) for name, count in class_counts.items() if count < _FEW)
    if small:
        shown = ", ".join(f"{_shown(name)} ({count})" for count, name in small[:5])
        more = f" and {len(small) - 5:,} more" if len(small) > 5 else ""
        has = f"{len(small):,} {_plural(len(small), 'class', 'classes')} {'has' if len(small) == 1 else 'have'}"
        said = f"{has} fewer than {_FEW} examples: {shown}{more}."
        cure = "Little can be learned or promised about so few: collect more, or merge classes."
        yield Finding("small class", target, small[0][0], said, cure)


def _empty(empty: Sequence[str], n_rows: int) -> Iterator[Finding]:
    for name in empty:
        said = f"{_the(name)} has no value in any of the {n_rows:,} rows, and was left out."
        yield Finding("empty", name, 1.0, said, "Fill it in, or ignore this: predict does not need it.")


def _drawn(values: NDArray, most: int) -> NDArray:
    """At most ``most`` of the values: the same ones each time."""
    if len(values) <= most:
        return values
    return values[np.sort(np.random.default_rng(0).choice(len(values), most, replace=False))]


def _n_distinct(values: NDArray) -> int:
    import pandas as pd

    return len(pd.unique(values))


def _the(name: str, named: bool = True, article: str = "The") -> str:
    shown = repr(name if len(name) <= 60 else name[:57] + "...")
    return f"{article} column {shown}" if named else f"{article} column number {name} (from 0)"


def _without(name: str, named: bool, hints: CommandHints) -> str:
    return hints.without(name) if named else "remove it"


def _percent(share: float) -> str:
    """A share as a percentage; 100 % only if it is all, and 0 % only if it is nothing."""
    return f"{min(max(100 * share, 0.1), 99.9) if 0 < share < 1 else 100 * share:.1f} %"


def _plural(count: int, one: str, many: str | None = None) -> str:
    return one if count == 1 else many or f"{one}s"


def _shown(value: Any) -> str:
    text = repr(value.item() if hasattr(value, "item") else value)
    return text if len(text) <= 42 else f"{text[:38]}...{text[0]}"
