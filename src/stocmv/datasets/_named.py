"""Data sets by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import sklearn.datasets

from .._text import did_you_mean
from ._dataset import Dataset
from ._toys import TOY_SIZE, make_moons, make_normals


@dataclass(frozen=True)
class DatasetInfo:
    """Name, size and licence of a data set, known without loading it.

    Attributes
    ----------
    name : str
        The name to pass to `load`.
    n, n_features, n_classes : int
        Its size.
    kind : {"bundled", "toy"}
        Whether it comes with scikit-learn or is generated.
    licence : str
        Its licence, as far as known.
    """

    name: str
    n: int
    n_features: int
    n_classes: int
    kind: str
    licence: str


def _bundled(name: str) -> Dataset:
    bunch = getattr(sklearn.datasets, f"load_{name}")()
    return Dataset(
        bunch.data,
        bunch.target.astype(np.uint8),
        name,
        tuple(map(str, bunch.target_names)),
        feature_names=tuple(map(str, bunch.feature_names)),
        source="bundled with scikit-learn",
    )


_UCI = "CC BY 4.0 (per UCI)"
_MAKERS: dict[DatasetInfo, Callable[[], Dataset]] = {
    DatasetInfo("iris", 150, 4, 3, "bundled", _UCI): partial(_bundled, "iris"),
    DatasetInfo("wine", 178, 13, 3, "bundled", _UCI): partial(_bundled, "wine"),
    DatasetInfo("breast_cancer", 569, 30, 2, "bundled", _UCI): partial(_bundled, "breast_cancer"),
    DatasetInfo("digits", 1797, 64, 10, "bundled", _UCI): partial(_bundled, "digits"),
    DatasetInfo("moons", TOY_SIZE, 2, 2, "toy", "none needed"): partial(make_moons, random_state=0),
    DatasetInfo("normals", TOY_SIZE, 2, 2, "toy", "none needed"): partial(make_normals, random_state=0),
}


def list_datasets() -> list[DatasetInfo]:
    """All data sets that `load` knows, with their sizes and licences.

    Examples
    --------
    >>> from stocmv.datasets import list_datasets
    >>> [row.name for row in list_datasets()]
    ['iris', 'wine', 'breast_cancer', 'digits', 'moons', 'normals']
    """
    return list(_MAKERS)


def load(name: str) -> Dataset:
    """Load a data set by name; nothing is downloaded.

    Parameters
    ----------
    name : str
        A name from `list_datasets`.

    Returns
    -------
    Dataset
        The examples, the codes of their classes, and where they came from.

    Examples
    --------
    >>> from stocmv.datasets import load
    >>> data = load("breast_cancer")
    >>> data.X.shape, data.target_names
    ((569, 30), ('malignant', 'benign'))
    """
    makers = {known.name: make for known, make in _MAKERS.items()}
    if name not in makers:
        meant = did_you_mean(str(name), makers)
        raise ValueError(f"There is no data set named {name!r}{meant}; the names are {', '.join(makers)}.")
    return makers[name]()
