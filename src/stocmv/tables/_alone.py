"""How well a single column predicts the classes."""

import numpy as np
from numpy.typing import NDArray

_FOLDS = 5
_BINS = 1000
_CELLS = 200_000  # bins times classes that are counted
_PER_BIN = 10  # examples
_NEAR = 0.03  # errors up to which bins, which blur the ends of a class, are followed by a tree
_LEAVES = 32


def accuracy_alone(values: NDArray, codes: NDArray, is_categorical: bool) -> float:
    """Share of right answers of a rule that sees one column only, cross-validated.

    For categories the rule is the most frequent class of each; for numbers it is a small tree, which is grown only
    where intervals predict nearly as well. A missing value is a value of its own.
    """
    fold = np.arange(len(codes)) % _FOLDS
    np.random.default_rng(0).shuffle(fold)
    n_classes = int(codes.max()) + 1
    if is_categorical:
        places = _as_codes(values)
        supported = (places.max() + 1) * _FOLDS <= len(codes) and (places.max() + 1) * n_classes <= _CELLS
        return _of_places(places, codes, fold, n_classes) if supported else 0.0
    n_bins = max(min(len(codes) // _PER_BIN, _BINS, _CELLS // n_classes), 1)
    blurred = 1 - _of_places(_intervals(values, n_bins), codes, fold, n_classes)
    return _of_trees(values, codes, fold, n_classes) if blurred <= _NEAR + (n_classes - 1) / n_bins else 0.0


def _as_codes(values: NDArray) -> NDArray:
    import pandas as pd

    return np.asarray(pd.factorize(values, use_na_sentinel=False)[0])


def _intervals(values: NDArray, n_bins: int) -> NDArray:
    """The interval of each number, about as many in each; equal numbers are in the same, missing ones in the last."""
    ordered = np.sort(values)
    edges = np.unique(ordered[:: max(len(ordered) // n_bins, 1)])
    return np.searchsorted(edges, values, side="right")


def _of_places(places: NDArray, codes: NDArray, fold: NDArray, n_classes: int) -> float:
    """The same for the rule that answers the most frequent class among the other folds in the same place."""
    shape = int(places.max()) + 1, n_classes
    size = shape[0] * n_classes
    cells = places * n_classes + codes
    total, right = np.bincount(cells, minlength=size), 0
    for k in range(_FOLDS):
        within = np.bincount(cells[fold == k], minlength=size)
        others = (total - within).reshape(shape)
        answers = others.argmax(1)
        answers[others.sum(1) == 0] = others.sum(0).argmax()
        right += int(within.reshape(shape)[np.arange(shape[0]), answers].sum())
    return right / len(codes)


def _of_trees(values: NDArray, codes: NDArray, fold: NDArray, n_classes: int) -> float:
    """The same for trees with a few leaves for each class, at most 32, on ranks: trees round values to 32 bits."""
    from sklearn.tree import DecisionTreeClassifier

    column, right = np.unique(values, return_inverse=True)[1].reshape(-1, 1), 0
    for k in range(_FOLDS):
        tree = DecisionTreeClassifier(max_leaf_nodes=min(3 * n_classes, max(_LEAVES, n_classes + 1)), random_state=0)
        tree.fit(column[fold != k], codes[fold != k])
        right += int((tree.predict(column[fold == k]) == codes[fold == k]).sum())
    return right / len(codes)
