"""From users' labels of any kind to class codes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_KINDS = "class labels must be integers, booleans or strings"
_INTEGERS, _FLOATS, _COMPLEX = (int, np.integer), (float, np.floating), (complex, np.complexfloating)


def exact_labels(values: Any, name: str) -> Any:
    """Class labels as an array that keeps different labels different, of a type that can be saved.

    numpy turns ``[1, "1"]`` into two equal strings and large integers into equal floats; here every label keeps its
    value, or is refused: labels of several kinds, integers beyond 64 bits, floats too large to tell one integer from
    the next, dates, times, bytes and other objects. Fractional, infinite and missing floats are left to the caller.

    Parameters
    ----------
    values : array-like
        The labels: an array, a list, a pandas Series or frame. A value without dimensions, such as None, is returned
        unchanged.
    name : str
        What to call them in error messages.

    Returns
    -------
    ndarray
        Booleans, integers, floats or strings; strings given as objects stay objects, as in scikit-learn.

    Examples
    --------
    >>> from stocmv.votes import exact_labels
    >>> exact_labels([2**60, 2**60 + 1, 5.0], "y").tolist()
    [1152921504606846976, 1152921504606846977, 5]
    >>> exact_labels([1, "1"], "y")
    Traceback (most recent call last):
    ValueError: y mixes numbers and strings: class labels must all be of one kind.
    """
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has missing values: give every example a class label.")
    # only numpy arrays are used as they are: lists and nullable columns may hold more than numpy's common type can
    array = as_array(values)
    if array.ndim == 0:
        return values
    if array.dtype.kind in "OT":
        objects = array.astype(object)
        array = _of_objects(objects, name)
        if array.dtype.kind == "U" and hasattr(values, "__array__"):
            return objects
    if array.dtype.kind not in "biufcU":
        raise ValueError(f"{name} has labels of type {array.dtype}: {_KINDS}.")
    if array.dtype.kind == "f":
        _check_floats(array, name)
    if array.dtype == np.uint64:  # numpy would compare them with other integers as floats
        _check_integers([int(array.max(initial=0))], name)
        return array.astype(np.int64)
    return array


def check_labels(values: ArrayLike, name: str, ndim: int) -> NDArray:
    """Exact labels with the given number of dimensions; refuses fractional and missing values."""
    array = np.asarray(exact_labels(values, name))
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, got an array of shape {array.shape}.")
    if array.dtype.kind == "O":
        return np.asarray(array.tolist())
    if array.dtype.kind in "fc":
        if not np.all(np.isfinite(array)):
            raise ValueError(f"{name} has missing or infinite values: give every example a class label.")
        if array.dtype.kind == "c" or np.any(array != np.floor(array)):
            raise ValueError(f"{name} has fractional values: {_KINDS}.")
        array = array.astype(np.int64)
    return array


def check_answers(values: ArrayLike, abstain: Any, y: NDArray) -> tuple[NDArray, NDArray | None]:
    """Exact labels of the voters, and a mask of missing answers (None if there are none).

    NaN, None and other missing values mean that the voter does not answer, and so does the value ``abstain``. They are
    replaced by a label that does occur.
    """
    absent = _absent(values, abstain)
    if absent is None or not absent.any():
        return check_labels(values, "votes", 2), None
    if _is_among(abstain, y):
        raise ValueError(f"abstain={abstain!r} occurs in y: a class cannot mean that a voter does not answer.")
    filled = as_array(values).copy()
    given = filled[~absent]
    filled[absent] = given[0] if given.size else y.ravel()[:1].tolist()[0]
    return check_labels(filled, "votes", 2), absent


def labels_of(votes: NDArray, y: NDArray) -> NDArray:
    """The classes that occur in votes or y; a value that usually means "no answer" must occur in y to be a class."""
    if (votes.dtype.kind in "US") != (y.dtype.kind in "US"):
        raise ValueError("votes and y must both be strings or both be numbers.")
    classes = np.union1d(votes, y)
    for label in ("", "-1", -1):
        if _is_among(label, classes) and not _is_among(label, y):
            raise ValueError(
                f"votes has the label {label!r}, which y never has: pass abstain={label!r} if it means that the voter "
                "does not answer, or all labels as classes if it is one of them."
            )
    return check_classes(classes)


def _is_among(label: Any, labels: NDArray) -> bool:
    same_kind = isinstance(label, str) == (labels.dtype.kind in "US")
    return label is not None and same_kind and bool(np.any(labels == label))


def as_array(values: Any) -> NDArray:
    """An array that loses nothing: numpy arrays as they are, everything else as objects."""
    is_numpy = isinstance(getattr(values, "dtype", None), np.dtype)
    return np.asarray(values) if is_numpy else np.asarray(values, dtype=object)


def _absent(values: Any, abstain: Any) -> NDArray | None:
    """Mask of missing answers; None if there cannot be any."""
    array, found = as_array(values), []
    if np.ma.is_masked(values):
        found.append(np.ma.getmaskarray(values))
    if array.dtype.kind in "fc":
        found.append(np.isnan(array))
    elif array.dtype.kind in "OT":
        labels = array.astype(object).ravel().tolist()
        if _may_miss(set(map(type, labels))):
            found.append(np.array([is_missing(label) for label in labels], bool).reshape(array.shape))
    if abstain is not None:
        found.append(np.asarray(array.astype(object) == abstain, bool))
    return np.logical_or.reduce(found) if found else None


def check_classes(values: ArrayLike) -> NDArray:
    """Class labels in the order of the codes ``0 .. K - 1``: unique, sorted, integers in 64 bits."""
    classes = check_labels(values, "classes", 1)
    if np.any(classes[:-1] >= classes[1:]):
        raise ValueError("classes must be sorted, each label once: use numpy.unique.")
    return classes.astype(np.int64) if classes.dtype.kind in "iu" else classes


def _of_objects(array: NDArray, name: str) -> NDArray:
    """An array of strings, booleans or numbers from objects that are all of that kind."""
    if array.size == 0:
        return np.empty(array.shape, np.int64)
    labels = array.ravel().tolist()
    types = set(map(type, labels))
    if _may_miss(types) and any(map(is_missing, labels)):
        raise ValueError(f"{name} has missing values: give every example a class label.")
    kinds = sorted({_kind(each, name) for each in types})
    if len(kinds) > 1:
        raise ValueError(f"{name} mixes {' and '.join(kinds)}: class labels must all be of one kind.")
    if kinds == ["strings"] and any(label.endswith("\0") for label in labels):
        raise ValueError(f"{name} has a label that ends with a null character, which numpy would drop: remove it.")
    plain = _of_numbers(labels, name) if kinds == ["numbers"] else np.asarray(labels)
    return plain.reshape(array.shape)


def _kind(of: type, name: str) -> str:
    if issubclass(of, str):
        return "strings"
    if issubclass(of, bool | np.bool_):
        return "booleans"
    is_time = issubclass(of, np.timedelta64)  # an integer according to numpy
    if not is_time and issubclass(of, (*_INTEGERS, *_FLOATS, *_COMPLEX)):
        return "numbers"
    raise ValueError(f"{name} has a label of type {of.__name__}: {_KINDS}.")


def _of_numbers(labels: list, name: str) -> NDArray:
    """Integers or floats; whole floats among integers become integers too."""
    others = [label for label in labels if not isinstance(label, _INTEGERS)]
    array, floats = np.asarray(labels), np.asarray(others, None if others else float)
    if len(others) == len(labels) or floats.dtype.kind == "c":
        return array
    _check_floats(floats, name)
    are_whole = np.all(np.isfinite(floats) & (floats == np.floor(floats)))
    if not are_whole:
        return array
    _check_integers(labels, name)
    return np.array([int(label) for label in labels], np.int64)


def _check_integers(labels: list, name: str) -> None:
    for label in (min(labels), max(labels)):
        if not -(2**63) <= label < 2**63:
            raise ValueError(f"{name} has the label {label}, which is too large for 64 bits: use strings.")


def _check_floats(array: NDArray, name: str) -> None:
    """Refuse floats so large that neighbouring integers would be the same label."""
    limit = 2.0 ** min(np.finfo(array.dtype).nmant + 1, 63)
    large = np.isfinite(array) & (np.abs(array) >= limit)
    if np.any(large):
        label, kind = array[large].flat[0], array.dtype
        raise ValueError(f"{name} has the label {label}, too large for {kind} to be exact: use integers or strings.")


def _may_miss(types: set[type]) -> bool:
    """Whether objects of these types may be missing values."""
    return not all(issubclass(each, str | bool | np.bool_ | int | np.integer) for each in types)


def is_missing(label: object) -> bool:
    """Whether this is None, NaN or another missing value."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # a missing value that cannot be compared
        return True


def code_dtype(n_classes: int) -> type[np.unsignedinteger]:
    """Smallest unsigned integer that holds the class codes."""
    return np.uint8 if n_classes <= 256 else np.uint16 if n_classes <= 65536 else np.uint32


def encode(labels: NDArray, classes: NDArray, name: str) -> NDArray:
    """Codes ``0 .. K - 1`` of the labels among the sorted classes."""
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        raise ValueError(f"{name} and classes must both be strings or both be numbers.")
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    unseen = classes[codes] != labels
    if np.any(unseen):
        label = labels[unseen].flat[0].item()
        cure = f"; pass abstain={label!r} if it means that the voter does not answer" if name == "votes" else ""
        raise ValueError(f"{name} has the label {label!r}, which is not in classes{cure}.")
    return codes.astype(code_dtype(len(classes)))


def encode_answers(votes: NDArray, absent: NDArray | None, classes: NDArray) -> NDArray:
    """Codes of the voters' labels; ``K``, one after the last class, means no answer."""
    if absent is None:
        return encode(votes, classes, "votes")
    codes = np.full(votes.shape, len(classes), code_dtype(len(classes) + 1))
    codes[~absent] = encode(votes[~absent], classes, "votes")
    return codes


def unsigned_codes(codes: NDArray, n_classes: int) -> tuple[bool, NDArray]:
    """Whether some codes are ``-1`` (no answer), and the unsigned codes, with ``K`` in place of ``-1``."""
    lowest = int(codes.min()) if codes.size and codes.dtype.kind == "i" else 0
    if codes.dtype.kind not in "iub" or lowest < -1 or (codes.size and codes.max() >= n_classes):
        raise ValueError(f"Voters must answer class codes, integers from 0 to {n_classes - 1}, or -1 for no answer.")
    if lowest < 0:
        return True, np.where(codes < 0, n_classes, codes).astype(code_dtype(n_classes + 1))
    return False, codes.astype(code_dtype(n_classes), copy=False)
