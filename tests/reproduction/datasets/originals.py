"""Data sets written back into the formats of their publishers."""

import bz2
import gzip

import numpy as np


def comma_separated(X, labels, label_first=False):
    rows = [[label, *row] if label_first else [*row, label] for row, label in zip(X, labels, strict=True)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows).encode()


def libsvm(X, labels, write=repr, separator=" ", end="\n"):
    """The values that are not 0, each as `write` writes it."""
    lines = []
    for row, label in zip(X.tolist(), labels, strict=True):
        values = (f"{j}:{write(value)}" for j, value in enumerate(row, 1) if value)
        lines.append(separator.join([label, *values]) + end)
    return "".join(lines).encode()


def idx(array):
    header = bytes([0, 0, 8, array.ndim]) + b"".join(size.to_bytes(4, "big") for size in array.shape)
    return gzip.compress(header + array.astype(np.uint8).tobytes(), 1)


def rescaled(part, low, high, start=-1.0, end=1.0):
    """What svm-scale makes of integers: a line through (low, start) and (high, end), six digits, zeros left out."""
    scaled = start + (end - start) * (part - low) / (high - low)
    return np.array([[float(f"{value:g}") for value in row] for row in scaled.tolist()])


def haberman(data):
    return [comma_separated(data["X"], data["labels"])]


def tictactoe(data):
    return [comma_separated(_letters(data), data["labels"])]


def mushrooms(data):
    return [comma_separated(_letters(data), data["labels"], label_first=True)]


def phishing(data):
    return [libsvm(data["X"], data["labels"], lambda value: "0.18257", end=" \n")]


def mnist(data):
    return [bz2.compress(part) for part in _parts(data, lambda value: f"{value / 255:g}")]


def protein(data):
    return [bz2.compress(part) for part in _parts(data, lambda value: f"{value / 100:g}", "  ")]


def fashion_mnist(data):
    n = data["n_train"]
    parts = (data["X"][:n], data["y"][:n]), (data["X"][n:], data["y"][n:])
    return [idx(array) for X, y in parts for array in (X.reshape(-1, 28, 28), y)]


def shuttle(data):
    X, n = data["X"].astype(float), data["n_train"]
    low, high = X[:n].min(axis=0), X[:n].max(axis=0)
    scaled = {**data, "X": np.concatenate([rescaled(X[:n], low, high), rescaled(X[n:], low, high)])}
    return _parts(scaled, lambda value: f"{value:g}")


def as_it_is(data):
    return _parts(data, repr, end=" \n")


def _letters(data):
    return [[letters[place] for letters, place in zip(data["categories"], row, strict=True)] for row in data["X"]]


def _parts(data, write, separator=" ", end="\n"):
    n = data.get("n_train")
    cuts = [slice(None)] if n is None else [slice(0, n), slice(n, None)]
    return [libsvm(data["X"][cut], data["labels"][cut], write, separator, end) for cut in cuts]


WRITERS = {
    "haberman": haberman,
    "tictactoe": tictactoe,
    "mushrooms": mushrooms,
    "svmguide1": as_it_is,
    "phishing": phishing,
    "adult": as_it_is,
    "codrna": as_it_is,
    "pendigits": as_it_is,
    "shuttle": shuttle,
    "mnist": mnist,
    "fashion-mnist": fashion_mnist,
    "protein": protein,
    "sensorless": as_it_is,
}
