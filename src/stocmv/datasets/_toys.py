"""Generated toy data sets."""

from numbers import Integral, Real

import numpy as np
import sklearn.datasets
from sklearn.utils import check_random_state, check_scalar

from ._dataset import Dataset

TOY_SIZE = 1000


def make_moons(
    n: int = TOY_SIZE, *, noise: float = 0.05, random_state: int | np.random.RandomState | None = None
) -> Dataset:
    """Two interleaving half circles, one per class, with Gaussian noise.

    Parameters
    ----------
    n : int, default=1000
        Number of points, half of them from each class (the odd one belongs to class 1).
    noise : float, default=0.05
        Standard deviation of the noise on each coordinate.
    random_state : int, RandomState or None, default=None
        The seed of the draw.

    Returns
    -------
    Dataset
        The points in random order.

    Examples
    --------
    >>> from stocmv.datasets import make_moons
    >>> make_moons(200, noise=0.1, random_state=0).X.shape
    (200, 2)
    """
    check_scalar(n, "n", Integral, min_val=2)
    check_scalar(noise, "noise", Real, min_val=0)
    X, y = sklearn.datasets.make_moons(n, noise=noise, random_state=random_state)
    return Dataset(X, y.astype(np.uint8), "moons", ("0", "1"), source=f"drawn by scikit-learn with noise {noise:g}")


def make_normals(n: int = TOY_SIZE, *, random_state: int | np.random.RandomState | None = None) -> Dataset:
    """Two normal distributions that the first feature almost separates.

    Class 0 is drawn from N((-1, 0), diag(0.1, 1)) and class 1 from N((1, 0), diag(0.1, 1)), where the diagonals are
    variances.

    Parameters
    ----------
    n : int, default=1000
        Number of points, half of them from each class (the odd one belongs to class 1).
    random_state : int, RandomState or None, default=None
        The seed of the draw.

    Returns
    -------
    Dataset
        The points in random order.

    Examples
    --------
    >>> from stocmv.datasets import make_normals
    >>> make_normals(200, random_state=0).X.shape
    (200, 2)
    """
    check_scalar(n, "n", Integral, min_val=2)
    rng = check_random_state(random_state)
    y = np.arange(n) >= n // 2
    X = rng.standard_normal((n, 2)) * np.sqrt([0.1, 1.0])
    X[:, 0] += np.where(y, 1.0, -1.0)
    order = rng.permutation(n)
    return Dataset(X[order], y[order].astype(np.uint8), "normals", ("0", "1"), source="drawn by stocmv")
