"""The common form of data sets."""

from dataclasses import dataclass

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Examples with their classes, and where they came from.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The examples.
    y : ndarray of shape (n,)
        Their classes as codes ``0 .. K - 1``.
    name : str
        The name under which the set was loaded.
    target_names : tuple of str
        The original label of each code.
    feature_names : tuple of str or None
        The names of the features, if they have any.
    source : str
        Where the arrays came from.

    Examples
    --------
    >>> from stocmv.datasets import load
    >>> load("iris")
    Dataset('iris': 150 examples, 4 features, 3 classes; bundled with scikit-learn)
    """

    X: NDArray
    y: NDArray
    name: str
    target_names: tuple[str, ...]
    feature_names: tuple[str, ...] | None = None
    source: str = ""

    def __repr__(self) -> str:
        n, d = self.X.shape
        size = f"{n} examples, {d} features, {len(self.target_names)} classes"
        return f"Dataset({self.name!r}: {size}; {self.source})"
