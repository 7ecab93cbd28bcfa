"""Data sets split into training and test parts."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from . import datasets
from ._units import Unit
from .datasets import PUBLIC, KnownSet, load

BINARY = ("haberman", "tictactoe", "svmguide1", "mushrooms", "phishing", "codrna", "adult")
SEVERAL_CLASSES = ("pendigits", "protein", "shuttle", "sensorless", "mnist", "fashion-mnist")
TWICE = "svmguide1-twice"
"""The training file of svmguide1 twice: what the authors' code evaluates under the name of svmguide1."""
FILE_OF = {TWICE: "svmguide1"}
"""The data set to fetch for a name that is not itself a data set."""

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
        """The sizes that a row records."""
        return {
            "n_train": len(self.y),
            "n_test": len(self.y_test),
            "n_features": self.X.shape[1],
            "n_classes": self.n_classes,
        }


@lru_cache(maxsize=2)
def _examples(name: str) -> tuple[NDArray, NDArray, int]:
    """Features, class codes and number of classes."""
    data = load(FILE_OF.get(name, name))
    X, y = data.X, data.y
    if name == TWICE:
        n_train = PUBLIC[FILE_OF[name]].n_train
        X, y = np.tile(X[:n_train], (2, 1)), np.tile(y[:n_train], 2)
    return X, y, len(data.target_names)


def split(unit: Unit, dtype: type) -> Split:
    """The unit's data set, four fifths of its rows drawn at random for training."""
    X, y, n_classes = _examples(unit.dataset)
    order = np.random.default_rng(unit.random_state("split")).permutation(len(y))
    cut = len(y) - round(_TEST_SHARE * len(y))
    train, test = order[:cut], order[cut:]
    return Split(X[train].astype(dtype), y[train], X[test].astype(dtype), y[test], n_classes)


def known_sets() -> dict[str, KnownSet]:
    """All sets that can be named, `TWICE` among them."""
    known = datasets.known_sets()
    return {**known, TWICE: known[FILE_OF[TWICE]]}
