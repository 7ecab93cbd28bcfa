"""How well a single column predicts the classes."""

import numpy as np
from numpy.typing import NDArray

_FOLDS = 5
_BINS = 1000
_CELLS = 200_000  # largest number of bins times classes
_PER_BIN = 10  # examples
_NEAR = 0.03  # if bins, which blur the boundaries of a class, err no more than this, a tree is tried too
_LEAVES = 32


def accuracy_alone(values: NDArray, codes: NDArray, is_categorical: bool) -> float:
    """Cross-validated accuracy of a rule that sees only one column.

    For categories, the rule is the most frequent class of each; for numbers, a small tree, which is grown only if
    intervals predict nearly as well. A missing value counts as a separate value.
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
    """The interval of each number, equally filled; equal numbers share an interval, missing ones are in the last."""
    ordered = np.sort(values)
    edges = np.unique(ordered[:: max(len(ordered) // n_bins, 1)])
    return np.searchsorted(edges, values, side="right")


def _of_places(places: NDArray, codes: NDArray, fold: NDArray, n_classes: int) -> float:
    """Accuracy of answering the most frequent class at the same place in the other folds."""
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
    """Accuracy of trees with a few leaves per class, at most 32; on ranks, as trees round values to 32 bits."""
    from sklearn.tree import DecisionTreeClassifier

    column, right = np.unique(values, return_inverse=True)[1].reshape(-1, 1), 0
    for k in range(_FOLDS):
        tree = DecisionTreeClassifier(max_leaf_nodes=min(3 * n_classes, max(_LEAVES, n_classes + 1)), random_state=0)
        tree.fit(column[fold != k], codes[fold != k])
        right += int((tree.predict(column[fold == k]) == codes[fold == k]).sum())
    return right / len(codes)
