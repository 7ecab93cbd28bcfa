"""Named data sets: bundled with scikit-learn, toys, and public ones that are fetched and checked."""

from ._built_in import make_moons, make_normals
from ._dataset import Dataset
from ._download import DownloadError
from ._listing import DatasetInfo, list_datasets
from ._load import fetch, load
from ._places import cache_dir, names

__all__ = [
    "Dataset",
    "DatasetInfo",
    "DownloadError",
    "cache_dir",
    "fetch",
    "list_datasets",
    "load",
    "make_moons",
    "make_normals",
    "names",
]
