"""Data sets cut into training and test parts."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..datasets import list_datasets, load
from ._units import Unit

BINARY = ("haberman", "tictactoe", "svmguide1", "mushrooms", "phishing", "codrna", "adult")
SEVERAL_CLASSES = ("pendigits", "protein", "shuttle", "sensorless", "mnist", "fashion-mnist")
TWICE = "svmguide1-twice"
"""The training file of svmguide1 twice: what the authors' code evaluates under the name of svmguide1."""

_TEST_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test part of a data set."""

    X: NDArray
    y: NDArray
    X_test: NDArray
    y_test: NDArray
    n_classes: int

    @property
    def classes(self) -> NDArray:
        return np.arange(self.n_classes)

    @property
    def sizes(self) -> dict[str, int]:
        """What a row records of it."""
        return {
            "n_train": len(self.y),
            "n_test": len(self.y_test),
            "n_features": self.X.shape[1],
            "n_classes": self.n_classes,
        }


@lru_cache(maxsize=2)
def _examples(name: str) -> tuple[NDArray, NDArray, int]:
    """Features, class codes and number of classes."""
    data = load(name.removesuffix("-twice"))
    X, y = data.X, data.y
    if name.endswith("-twice"):
        X, y = np.tile(X[: data.n_train], (2, 1)), np.tile(y[: data.n_train], 2)
    return X, y, len(data.target_names)


def split(unit: Unit, dtype: type) -> Split:
    """The unit's data set, four fifths of its rows drawn at random for training."""
    X, y, n_classes = _examples(unit.dataset)
    order = np.random.default_rng(unit.random_state("split")).permutation(len(y))
    cut = len(y) - round(_TEST_SHARE * len(y))
    train, test = order[:cut], order[cut:]
    return Split(X[train].astype(dtype), y[train], X[test].astype(dtype), y[test], n_classes)


@dataclass(frozen=True)
class KnownSet:
    """What is known of a data set before it is read."""

    n: int
    n_features: int
    n_classes: int
    at_hand: bool


def known_sets() -> dict[str, KnownSet]:
    """All sets that have a name here, with their sizes and whether they need to be fetched."""
    known = {
        entry.name: KnownSet(entry.n, entry.n_features, entry.n_classes, entry.state != "to fetch")
        for entry in list_datasets()
    }
    return {**known, TWICE: known["svmguide1"]}
