"""A random number for each example: a keyed hash of its features."""

import hashlib
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_BLOCK = 1 << 18  # values converted to words at a time, so that they stay in the cache


def hash_examples(X: Any, key: bytes) -> NDArray:
    r"""A 64-bit number for each example; the same features give the same number.

    Over random keys, the numbers of two examples with different features are independent and uniform. For features as
    32-bit words :math:`x_1, x_2, \dots` and 64-bit multipliers :math:`a_j` drawn with the key, this holds for the upper
    half of :math:`a_0 + \sum_j a_j x_j` modulo :math:`2^{64}` (strongly universal: Dietzfelbinger 1996; Thorup 2015).
    The number consists of two such halves.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        Examples, one per row; also a list of texts. Numbers are compared as float64, all missing values are equal, and
        everything else is compared as text. An example's number does not depend on the other examples.
    key : bytes
        Seed for the multipliers.

    Examples
    --------
    >>> from stocmv.voters import hash_examples
    >>> first, second, third = hash_examples([[1.0, 2.0], [2.0, 1.0], [1, 2]], b"key")
    >>> bool(first == third), bool(first == second)
    (True, False)
    """
    high, low = (_sums(X, key + half) >> np.uint64(32) for half in (b"\0", b"\1"))
    return (high << np.uint64(32)) | low


def _sums(X: Any, key: bytes) -> NDArray:
    """An offset plus the words of each example times their multipliers."""
    if sparse.issparse(X):
        return _sparse_sums(X, key)
    if not hasattr(X, "columns") and not hasattr(X, "__array__"):
        return _list_sums(list(X), key)
    if not hasattr(X, "columns") and np.ndim(X) == 2 and np.asarray(X).dtype.kind in "biuf":
        return _dense_sums(np.asarray(X), key)
    return _column_sums(list(_columns(X)), len(X), key)


def _list_sums(rows: list, key: bytes) -> NDArray:
    """Rows of numbers are hashed as an array, every other row as one value, regardless of the rows around it."""
    lengths = {len(row) for row in rows if _is_numbers(row)}
    sums = np.empty(len(rows), np.uint64)
    for length in lengths:
        alike = [i for i, row in enumerate(rows) if _is_numbers(row) and len(row) == length]
        sums[alike] = _dense_sums(np.array([rows[i] for i in alike], np.float64).reshape(len(alike), length), key)
    others = [i for i, row in enumerate(rows) if not _is_numbers(row)]
    values = np.empty(len(others), object)
    values[:] = [rows[i] for i in others]
    sums[others] = _column_sums([values], len(others), key)
    return sums


def _is_numbers(row: Any) -> bool:
    return isinstance(row, list | tuple | np.ndarray) and all(isinstance(value, Real) for value in row)


def _column_sums(columns: Sequence[NDArray], n_rows: int, key: bytes) -> NDArray:
    multipliers = _multipliers(key, len(columns))
    total = np.full(n_rows, multipliers[0])
    for values, (low, high) in zip(columns, multipliers[1:].reshape(-1, 2), strict=True):
        words = _number_words(values) if values.dtype.kind in "biuf" else _value_words(values)
        total += words[:, 0] * low + words[:, 1] * high
    return total


def _multipliers(key: bytes, n_columns: int) -> NDArray:
    """The offset, then two multipliers for each column."""
    seed = int.from_bytes(hashlib.blake2b(key, digest_size=16).digest(), "little")
    return np.random.default_rng(seed).integers(2**64, size=1 + 2 * n_columns, dtype=np.uint64)


def _number_words(values: NDArray) -> NDArray:
    """Numbers as pairs of 32-bit words, (n, 2); zeros of both signs are equal, and so are all kinds of NaN."""
    numbers = values.astype("<f8") + 0.0
    if values.dtype.kind == "f":
        numbers[np.isnan(numbers)] = np.nan
    return numbers.view("<u4").reshape(-1, 2).astype(np.uint64)


def _value_words(values: NDArray) -> NDArray:
    """Values of any kind, one by one: numbers as numbers, missing values as NaN, everything else as text."""
    known = [_canonical(value) for value in (_dates(values) if values.dtype.kind == "M" else values.tolist())]
    words = _number_words(np.array([np.nan if isinstance(value, str) else value for value in known], np.float64))
    texts = {value for value in known if isinstance(value, str)}
    hashed = {text: hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest() for text in texts}
    for i, value in enumerate(known):
        if isinstance(value, str):
            words[i] = np.frombuffer(hashed[value], "<u4")
    return words


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


def _dates(values: NDArray) -> list[str | None]:
    texts = np.datetime_as_string(values.astype("datetime64[ns]")).tolist()
    return [None if text == "NaT" else text for text in texts]


def _columns(X: Any) -> Iterator[NDArray]:
    """The columns of a frame or of an array of objects; a list of texts is one column."""
    if hasattr(X, "iloc"):
        yield from (np.asarray(X.iloc[:, j]) for j in range(X.shape[1]))
    elif hasattr(X, "columns"):
        yield from (np.asarray(X[:, j]) for j in range(X.shape[1]))
    else:
        array = np.asarray(X)
        yield from array.reshape(len(array), -1).T


def _dense_sums(X: NDArray, key: bytes) -> NDArray:
    multipliers = _multipliers(key, X.shape[1])
    sums = np.empty(len(X), np.uint64)
    step = max(1, _BLOCK // max(X.shape[1], 1))
    for start in range(0, len(X), step):
        block = np.ascontiguousarray(X[start : start + step])
        words = _number_words(block.ravel()).reshape(len(block), -1)
        np.einsum("ij,j->i", words, multipliers[1:], out=sums[start : start + step])
    return sums + multipliers[0]


def _sparse_sums(X: Any, key: bytes) -> NDArray:
    """The same sums as for the dense array: zeros add nothing."""
    rows = sparse.csr_array(X)
    rows.sum_duplicates()
    multipliers = _multipliers(key, rows.shape[1])
    words = _number_words(rows.data)
    terms = (words * multipliers[1:].reshape(-1, 2)[rows.indices]).sum(1, dtype=np.uint64)
    sums = np.append(np.uint64(0), np.cumsum(terms, dtype=np.uint64))
    return sums[rows.indptr[1:]] - sums[rows.indptr[:-1]] + multipliers[0]
