"""The table of what can be loaded."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ._built_in import BUILT_IN
from ._places import cache_dir, file_in, users_folders
from ._registry import PUBLIC, PublicSet


@dataclass(frozen=True)
class DatasetInfo:
    """A row of `list_datasets`.

    Attributes
    ----------
    name : str
        What `load` takes.
    n, n_features, n_classes : int
        The size; that of a toy is what `load` makes.
    kind : str
        ``"bundled"`` (with scikit-learn), ``"toy"`` or ``"public"``.
    licence : str
        As far as it is known.
    state : str
        ``"built in"``, ``"local"``, ``"cached"`` or ``"to fetch"``.
    path : str or None
        The file that `load` would read.
    """

    name: str
    n: int
    n_features: int
    n_classes: int
    kind: str
    licence: str
    state: str
    path: str | None


def list_datasets(*, data_dir: str | os.PathLike | None = None) -> list[DatasetInfo]:
    """All data sets that have a name here, with their sizes and licences, and where they are now.

    Parameters
    ----------
    data_dir : path-like, optional
        A folder that is searched first, as in `load`.

    Returns
    -------
    list of DatasetInfo
        Bundled sets, toys, then public ones. Files are looked for, not read.

    Examples
    --------
    >>> from stocmv.datasets import list_datasets
    >>> row = list_datasets()[0]
    >>> row.name, row.n, row.kind, row.state
    ('iris', 150, 'bundled', 'built in')
    """
    folders = users_folders(data_dir)
    built_in = [
        DatasetInfo(name, item.n, item.n_features, item.n_classes, item.kind, item.licence, "built in", None)
        for name, item in BUILT_IN.items()
    ]
    return built_in + [_public_row(known, folders) for known in PUBLIC.values()]


def _public_row(known: PublicSet, folders: Iterable[Path]) -> DatasetInfo:
    state, path = "local", file_in(folders, known.name)
    if path is None:
        state, path = "cached", file_in(_cache_if_known(), known.name)
    if path is None:
        state = "to fetch"
    size = known.n, known.n_features, len(known.target_names)
    return DatasetInfo(known.name, *size, "public", known.licence, state, None if path is None else str(path))


def _cache_if_known() -> list[Path]:
    try:
        return [cache_dir()]
    except ImportError:  # without pooch nothing was ever fetched
        return []
