"""From users' columns of any kind to the subgroups that they make."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..votes import is_missing

MISSING = "(missing)"
_NARROW = 2**16  # integers within so many of each other are counted instead of sorted


class SubgroupCodes(NamedTuple):
    """For each attribute the number of each example's subgroup, (n, n_attributes); and what makes each subgroup."""

    codes: NDArray
    names: NDArray

    def among(self, rows: NDArray) -> "SubgroupCodes":
        """Those of some examples, with the subgroups that occur among them."""
        found, place = np.unique(self.codes[rows], return_inverse=True)
        return SubgroupCodes(place.reshape(len(rows), -1).astype(_code_type(len(found))), self.names[found])


def subgroup_codes(subgroups: Any, n: int) -> SubgroupCodes:
    """The subgroups of ``n`` examples, from a data frame, a dict or an array of their attributes."""
    columns: list[NDArray] = []
    names: list[tuple[str, str]] = []
    for attribute, values in _attributes(subgroups).items():
        texts, place = _coded(attribute, values, n)
        columns.append((place + len(names)).astype(_code_type(len(names) + len(texts))))
        names += [(attribute, text) for text in texts]
    if not names:
        raise ValueError("subgroups has no columns.")
    table = np.empty((n, len(columns)), _code_type(len(names)))
    for k, column in enumerate(columns):
        table[:, k] = column
    return SubgroupCodes(table, np.array(names))


def _code_type(number: int) -> type[np.unsignedinteger]:
    return np.uint8 if number <= 256 else np.uint16 if number <= 65536 else np.uint32


def _coded(attribute: str, values: Any, n: int) -> tuple[list[str], NDArray]:
    """The different texts in a column, sorted, and the place of each row's text among them."""
    column = _array(values)
    if column.shape != (n,):
        raise ValueError(f"subgroups must have a value for each of the {n:,} examples, got the shape {column.shape}.")
    found, place = _distinct(column)
    if np.ma.is_masked(values):
        place = np.where(np.ma.getmaskarray(values), len(found), place)
        found = [value if occurs else None for value, occurs in zip(found, np.bincount(place), strict=False)] + [None]
    texts, spot = np.unique(_texts(attribute, found), return_inverse=True)
    return texts.tolist(), spot[place]


def _array(values: Any) -> NDArray:
    """Numbers and texts as they are in numpy; everything else, such as times, as objects."""
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    plain = kind in "biufU" and isinstance(values.dtype, np.dtype)
    return np.asarray(values) if plain else np.asarray(values, object)


def _distinct(column: NDArray) -> tuple[list[Any], NDArray]:
    """The different values in a column, and the place of each row's value among them."""
    if column.dtype.kind in "biu":
        return _distinct_integers(column)
    if column.dtype.kind == "f":
        floats, place = np.unique(column, return_inverse=True)
        return floats.tolist(), place
    places: dict[tuple[type, Any], int] = {}
    try:  # 1, 1.0 and True are equal, but written differently
        place = np.array([places.setdefault((type(value), value), len(places)) for value in column.tolist()], int)
    except (TypeError, ValueError):  # there are values without a hash
        return column.tolist(), np.arange(len(column))
    return [value for _, value in places], place


def _distinct_integers(column: NDArray) -> tuple[list[Any], NDArray]:
    least, most = int(column.min()), int(column.max())
    if most - least >= _NARROW:
        integers, place = np.unique(column, return_inverse=True)
        return integers.tolist(), place
    steps = (column - least if least else column).astype(np.uint16)
    occurs = np.bincount(steps) > 0
    values = [int(step) + least for step in np.flatnonzero(occurs)]
    return [bool(x) for x in values] if column.dtype.kind == "b" else values, (np.cumsum(occurs) - 1)[steps]


def _texts(attribute: str, values: list[Any]) -> list[str]:
    """Values as texts; different values that are written alike are refused."""
    first: dict[str, Any] = {}
    texts = []
    for given in values:
        value = None if _is_absent(given) else given
        text = MISSING if value is None else str(value).rstrip("\0")  # numpy drops these
        if not _is_same(first.setdefault(text, value), value):
            raise ValueError(
                f"subgroups has different values of {attribute!r} that are both written {text!r}: write them apart."
            )
        texts.append(text)
    return texts


def _is_absent(value: Any) -> bool:
    """Whether this is None, NaN or another missing value."""
    return is_missing(value) if np.ndim(value) == 0 else False


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):  # numpy takes "a" and "a\0" for the same
        return isinstance(one, str) and one == other
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _attributes(subgroups: Any) -> dict[str, Any]:
    """The columns by name."""
    if hasattr(subgroups, "columns"):  # a data frame
        names = list(subgroups.columns)
        found = [] if len(set(names)) < len(names) else [subgroups[name] for name in names]
    elif isinstance(subgroups, dict):
        names, found = list(subgroups), list(subgroups.values())
    elif getattr(subgroups, "name", None) is not None:  # a series
        names, found = [subgroups.name], [subgroups]
    else:
        names, found = _unnamed(subgroups)
    texts = [str(name).rstrip("\0") for name in names]
    if len(set(texts)) < len(texts):
        raise ValueError("subgroups has two columns of the same name.")
    return dict(zip(texts, found, strict=True))


def _unnamed(subgroups: Any) -> tuple[list[str], list[Any]]:
    """Columns that have no names."""
    array = subgroups if np.ma.isMaskedArray(subgroups) else _array(subgroups)
    if array.ndim not in (1, 2):
        raise ValueError(
            f"subgroups must be a data frame, a dict or an array with a row for each example, got {subgroups!r}."
            if array.ndim == 0
            else f"subgroups must have one or two dimensions, got the shape {array.shape}."
        )
    array = array[:, None] if array.ndim == 1 else array
    names = ["subgroup"] if array.shape[1] == 1 else [f"column {k}" for k in range(array.shape[1])]
    return names, [array[:, k] for k in range(array.shape[1])]
