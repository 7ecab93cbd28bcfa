"""Read files in their publishers' formats into arrays, without running any code from them."""

import bz2
import gzip
import lzma
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.datasets import load_svmlight_file

_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_LARGEST = 1 << 30  # bytes


class Reader(Protocol):
    """Reads the files of one data set into arrays."""

    def __call__(
        self, paths: Sequence[Path], n_features: int, labels: Sequence[str], dtype: DTypeLike
    ) -> tuple[NDArray, NDArray]:
        """Examples of the given type, and codes of their classes: the positions of the labels in `labels`."""


@dataclass(frozen=True)
class CommaSeparated:
    """One line per example, its label first or last, values separated by commas.

    Categories are replaced by their position in the order in which the categories of the column first appear in the
    file.
    """

    label_first: bool = False
    categories: bool = False

    def __call__(
        self, paths: Sequence[Path], n_features: int, labels: Sequence[str], dtype: DTypeLike
    ) -> tuple[NDArray, NDArray]:
        table = np.array([row for path in paths for row in _fields(path, n_features + 1)])
        place = 0 if self.label_first else n_features
        values = np.delete(table, place, axis=1)
        numbers = _by_appearance(values) if self.categories else values.astype(float)
        return exactly(numbers, dtype), _codes(table[:, place], labels)


@dataclass(frozen=True)
class Libsvm:
    """Text of LIBSVM: the label, then ``index:value`` for the values that are not 0, indices from 1.

    If there is a `step`, the values are whole multiples of it, rounded to a few digits, and the multiples are returned.
    """

    step: float | None = None

    def __call__(
        self, paths: Sequence[Path], n_features: int, labels: Sequence[str], dtype: DTypeLike
    ) -> tuple[NDArray, NDArray]:
        parts, codes = [], []
        for path in paths:
            X, y = _svmlight(path, n_features, labels)
            if self.step is not None:
                X.data = _near_integers(X.data / self.step, f"multiples of {self.step:g}")
            X.data = exactly(X.data, dtype)
            parts.append(X.toarray())
            codes.append(y)
        return np.concatenate(parts), np.concatenate(codes)


@dataclass(frozen=True)
class RescaledLibsvm:
    """Text of LIBSVM in which each feature was rescaled linearly; returns the original integers.

    `lows` and `highs` are the original smallest and largest value of each feature, one row per file. They undo any
    rescaling that keeps the order, whichever it was.
    """

    lows: tuple[tuple[int, ...], ...]
    highs: tuple[tuple[int, ...], ...]

    def __call__(
        self, paths: Sequence[Path], n_features: int, labels: Sequence[str], dtype: DTypeLike
    ) -> tuple[NDArray, NDArray]:
        parts, codes = [], []
        for path, low, high in zip(paths, self.lows, self.highs, strict=True):
            X, y = _svmlight(path, n_features, labels)
            scaled = X.toarray()
            start, end = scaled.min(axis=0), scaled.max(axis=0)
            if np.any(start == end):
                raise ValueError(f"feature {np.argmax(start == end) + 1} has one value only")
            raw = low + (scaled - start) / (end - start) * np.subtract(high, low)
            parts.append(exactly(_near_integers(raw, "rescaled integers"), dtype))
            codes.append(y)
        return np.concatenate(parts), np.concatenate(codes)


@dataclass(frozen=True)
class Idx:
    """The binary format of MNIST: a file of images and one of labels for each part, in turn."""

    def __call__(
        self, paths: Sequence[Path], n_features: int, labels: Sequence[str], dtype: DTypeLike
    ) -> tuple[NDArray, NDArray]:
        images = [_idx(path).reshape(-1, n_features) for path in paths[::2]]
        codes = [_codes(_idx(path).astype(str), labels) for path in paths[1::2]]
        return exactly(np.concatenate(images), dtype), np.concatenate(codes)


def _opened(path: Path) -> BinaryIO:
    """The file, decompressed if necessary: a server may have done that already, so the name does not tell."""
    with open(path, "rb") as file:
        beginning = file.read(6)
    for magic, opener in _OPENERS.items():
        if beginning.startswith(magic):
            return opener(path, "rb")
    return open(path, "rb")


def _content(path: Path) -> bytes:
    """The file's content, decompressed; refused if it is far larger than that of any known set."""
    with _opened(path) as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError(f"it unpacks to more than {_LARGEST >> 20:,} MiB")
    return content


def _fields(path: Path, count: int) -> list[list[str]]:
    lines = _content(path).decode("ascii").splitlines()
    rows = [[field.strip() for field in line.split(",")] for line in lines if line.strip()]
    if not rows:
        raise ValueError("it has no rows")
    for row in rows:
        if len(row) != count:
            raise ValueError(f"a line has {len(row)} values instead of {count}")
    return rows


def _by_appearance(values: NDArray) -> NDArray:
    places = np.empty(values.shape, int)
    for j, column in enumerate(values.T):
        _, first, inverse = np.unique(column, return_index=True, return_inverse=True)
        places[:, j] = np.argsort(np.argsort(first))[inverse]
    return places


def _svmlight(path: Path, n_features: int, labels: Sequence[str]) -> tuple[Any, NDArray]:
    X, y = load_svmlight_file(BytesIO(_content(path)), n_features=n_features, zero_based=False)
    return X, _codes(y, [float(label) for label in labels])


def _idx(path: Path) -> NDArray:
    content = _content(path)
    zeros, kind, n_axes = content[:2], content[2:3], content[3:4]
    if zeros != b"\0\0" or kind != b"\x08" or not n_axes:
        raise ValueError("it does not begin like an idx file of bytes")
    start = 4 + 4 * n_axes[0]
    shape = [int.from_bytes(content[k : k + 4], "big") for k in range(4, start, 4)]
    if len(content) - start != prod(shape):
        raise ValueError(f"it has {len(content) - start} bytes of data instead of {prod(shape)}")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def _codes(found: NDArray, labels: Sequence[object]) -> NDArray:
    codes = np.full(len(found), 255, np.uint8)
    for code, label in enumerate(labels):
        codes[found == label] = code
    if len(codes) and codes.max() == 255:
        raise ValueError(f"it has an unknown label, {found[codes == 255][0]}")
    return codes


def _near_integers(values: NDArray, kind: str) -> NDArray:
    whole = np.rint(values)
    if not np.all(np.abs(values - whole) < 0.25):  # six printed digits leave 0.14 at most in the sets that are known
        raise ValueError(f"its values are not {kind}")
    return whole


def exactly(values: NDArray, dtype: DTypeLike) -> NDArray:
    with np.errstate(invalid="ignore"):
        cast_values = values.astype(dtype)
    if not np.array_equal(cast_values, values):
        raise ValueError(f"it has values that the type {np.dtype(dtype)} does not hold")
    return cast_values
