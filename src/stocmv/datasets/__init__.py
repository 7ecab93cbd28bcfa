"""Data sets for demos and tests: those bundled with scikit-learn, and toys."""

from ._dataset import Dataset
from ._named import DatasetInfo as DatasetInfo, list_datasets, load
from ._toys import make_moons, make_normals

__all__ = ["Dataset", "list_datasets", "load", "make_moons", "make_normals"]
