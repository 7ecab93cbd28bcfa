"""A random number for each row: a keyed hash of its features."""

import hashlib
import math
from collections.abc import Iterator
from numbers import Real
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 18  # values converted to words at a time, so that they stay in the cache
_PLAIN = {str, float, int, bool, NoneType}  # among values of these types, equal ones have equal words


def hash_rows(X: Any, key: bytes) -> NDArray:
    r"""A 64-bit number for each row; the same features give the same number.

    Over random keys, the numbers of two rows with different features are independent and uniform. For features as
    32-bit words :math:`x_1, x_2, \dots` and 64-bit multipliers :math:`a_j` drawn with the key, this holds for the upper
    half of :math:`a_0 + \sum_j a_j x_j` modulo :math:`2^{64}` (strongly universal: Dietzfelbinger 1996; Thorup 2015).
    The number consists of two such halves.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        Examples, one per row; also a list of texts. Numbers are compared as float64, all missing values are equal, and
        everything else is compared as text. A row's number does not depend on the other rows.
    key : bytes
        Seed for the multipliers.

    Examples
    --------
    >>> from stocmv.checks import hash_rows
    >>> first, second, third = hash_rows([[1.0, 2.0], [2.0, 1.0], [1, 2]], b"key")
    >>> bool(first == third), bool(first == second)
    (True, False)
    """
    high, low = _sums(X, key) >> np.uint64(32)
    return (high << np.uint64(32)) | low


def _sums(X: Any, key: bytes) -> NDArray:
    """Two sums for each row, (2, n): an offset plus its words times their multipliers."""
    if hasattr(X, "tocsr"):
        return _sparse_sums(X, key)
    if hasattr(X, "columns"):
        return _column_sums(X, key)
    if not hasattr(X, "__array__"):
        return _list_sums(list(X), key)
    array = np.asarray(X)
    if array.ndim == 2 and array.dtype.kind in "biuf":
        return _dense_sums(array, key)
    return _column_sums(array.reshape(len(array), math.prod(array.shape[1:])), key)


def _list_sums(rows: list, key: bytes) -> NDArray:
    """Rows of numbers are hashed as an array, every other row as one value, regardless of the rows around it."""
    lengths = np.array([len(row) if _is_numbers(row) else -1 for row in rows])
    sums = np.empty((2, len(rows)), np.uint64)
    for length in np.unique(lengths):
        alike = np.flatnonzero(lengths == length)
        values = np.empty(len(alike), object)
        values[:] = [rows[i] for i in alike]
        if length < 0:
            sums[:, alike] = _column_sums(values[:, None], key)
        else:
            sums[:, alike] = _dense_sums(np.array(values.tolist(), np.float64).reshape(len(alike), length), key)
    return sums


def _is_numbers(row: Any) -> bool:
    return isinstance(row, list | tuple | np.ndarray) and all(isinstance(value, Real) for value in row)


def _multipliers(key: bytes, n_columns: int) -> NDArray:
    """For each of the two sums, the offset, then two multipliers for each column."""
    digests = (hashlib.blake2b(key + half, digest_size=16).digest() for half in (b"\0", b"\1"))
    generators = [np.random.default_rng(int.from_bytes(digest, "little")) for digest in digests]
    return np.stack([rng.integers(2**64, size=1 + 2 * n_columns, dtype=np.uint64) for rng in generators])


def _column_sums(X: Any, key: bytes) -> NDArray:
    multipliers = _multipliers(key, X.shape[1])
    sums = np.repeat(multipliers[:, :1], len(X), axis=1)
    for j, values in enumerate(columns_of(X)):
        is_numeric = values.dtype.kind in "biuf"
        words, places = (_number_words(values), slice(None)) if is_numeric else _value_words(_listed(values))
        for total, (low, high) in zip(sums, multipliers[:, 1 + 2 * j : 3 + 2 * j], strict=True):
            total += (words[:, 0] * low + words[:, 1] * high)[places]
    return sums


def _number_words(values: NDArray) -> NDArray:
    """Numbers as pairs of 32-bit words, (n, 2); zeros of both signs are equal, and so are all kinds of NaN."""
    numbers = values.astype("<f8") + 0.0
    if values.dtype.kind == "f":
        numbers[np.isnan(numbers)] = np.nan
    return numbers.view("<u4").reshape(-1, 2).astype(np.uint64)


def _value_words(values: list) -> tuple[NDArray, NDArray]:
    """The words of each distinct value, and the place of each value among them.

    Numbers are converted as numbers, missing values as NaN, and everything else as text.
    """
    if not set(map(type, values)) <= _PLAIN:
        return _value_words([_canonical(value) for value in values])
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    distinct = [_canonical(value) for value in places]
    words = _number_words(np.array([np.nan if isinstance(value, str) else value for value in distinct], np.float64))
    for place, value in enumerate(distinct):
        if isinstance(value, str):
            digest = hashlib.blake2b(value.encode(errors="surrogatepass"), digest_size=8).digest()
            words[place] = np.frombuffer(digest, "<u4")
    return words, np.fromiter(map(places.__getitem__, values), np.intp, len(values))


def _canonical(value: Any) -> float | str:
    if isinstance(value, Real):
        return float(value)
    try:
        if value is None or bool(value != value):
            return np.nan
    except (TypeError, ValueError):
        if type(value).__name__ in ("NAType", "NaTType"):
            return np.nan
    if isinstance(value, dict):
        return repr(sorted((str(name), str(entry)) for name, entry in value.items()))
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def _listed(values: NDArray) -> list:
    if values.dtype.kind != "M":
        return values.tolist()
    return [None if text == "NaT" else text for text in np.datetime_as_string(values.astype("datetime64[ns]")).tolist()]


def columns_of(X: Any) -> Iterator[NDArray]:
    """The columns of a pandas or polars frame, or of an array, one after the other."""
    places = getattr(X, "iloc", X)
    yield from (np.asarray(places[:, j]) for j in range(X.shape[1]))


def _dense_sums(X: NDArray, key: bytes) -> NDArray:
    multipliers = _multipliers(key, X.shape[1])
    sums = np.empty((2, len(X)), np.uint64)
    step = max(1, _BLOCK // max(X.shape[1], 1))
    for start in range(0, len(X), step):
        block = np.ascontiguousarray(X[start : start + step])
        words = _number_words(block.ravel()).reshape(len(block), -1)
        for total, factors in zip(sums, multipliers[:, 1:], strict=True):
            np.einsum("ij,j->i", words, factors, out=total[start : start + step])
    return sums + multipliers[:, :1]


def _sparse_sums(X: Any, key: bytes) -> NDArray:
    """The same sums as for the dense array: zeros add nothing."""
    from scipy import sparse

    rows = sparse.csr_array(X)
    rows.sum_duplicates()
    multipliers = _multipliers(key, rows.shape[1])
    words, ends = _number_words(rows.data), np.zeros((2, 1 + rows.nnz), np.uint64)
    for total, factors in zip(ends, multipliers[:, 1:], strict=True):
        terms = (words * factors.reshape(-1, 2)[rows.indices]).sum(1, dtype=np.uint64)
        np.cumsum(terms, dtype=np.uint64, out=total[1:])
    return ends[:, rows.indptr[1:]] - ends[:, rows.indptr[:-1]] + multipliers[:, :1]
