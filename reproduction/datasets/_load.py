"""Data sets by name: from the user's folder, the cache, or the public source."""

import warnings
from contextlib import suppress
from pathlib import Path

import stocmv.datasets
from stocmv._files import DAMAGE, reason
from stocmv.datasets import Dataset

from ._download import DownloadError, Progress, extra, print_progress, retrieve
from ._npz import read_npz, write_npz
from ._places import cache_dir, users_file
from ._registry import PUBLIC, PublicSet


def load(name: str) -> Dataset:
    """Load one of the paper's data sets, or one bundled with stocmv.

    Looks for the file ``<name>.npz`` in the folder named by the environment variable ``STOCMV_DATA``, then in the cache
    (`cache_dir`); otherwise fetches the set from its public source into the cache. It is returned only if its shape,
    class counts and the SHA-256 of its values are the known ones (less is known about protein and sensorless).

    Raises
    ------
    ValueError
        If there is no such set, or if the file in ``STOCMV_DATA`` does not hold it.
    DownloadError
        If the set has to be fetched and cannot be; the message says where to put the files by hand.
    """
    known = PUBLIC.get(name)
    if known is None:
        return stocmv.datasets.load(name)
    path = users_file(name)
    return _obtain(known) if path is None else read_npz(path, known)


def fetch(*names: str, progress: bool | Progress = False) -> list[Path]:
    """Fetch public data sets into the cache, unless they are there already.

    Parameters
    ----------
    *names : str
        Which ones: keys of `PUBLIC`.
    progress : bool or callable, default=False
        Whether to show the progress of each file on standard error. A callable gets the name of the file, the number of
        bytes received, and their total number or None.

    Returns
    -------
    list of Path
        The files in the cache.

    Raises
    ------
    DownloadError
        If a file cannot be fetched; the message says where to put it by hand.
    """
    for name in names:
        _obtain(PUBLIC[name], print_progress if progress is True else progress or None)
    return [_cache_path(PUBLIC[name]) for name in names]


def _cache_path(known: PublicSet) -> Path:
    return cache_dir() / f"{known.name}.npz"


def _obtain(known: PublicSet, progress: Progress | None = None) -> Dataset:
    path = _cache_path(known)
    if path.is_file():
        with suppress(ValueError):
            return read_npz(path, known, known.source)
    return _fetch(known, path, progress)


def _fetch(known: PublicSet, path: Path, progress: Progress | None) -> Dataset:
    folder = path.parent / "downloads" / known.name
    folder.mkdir(parents=True, exist_ok=True)
    with extra("filelock").FileLock(folder / ".lock"):
        if path.is_file():  # another process was faster, or the file is damaged
            try:
                return read_npz(path, known, known.source)
            except ValueError as error:
                warnings.warn(f"{error} It is fetched again.", stacklevel=4)
                path.unlink()
        return _fetch_into(path, known, folder, progress)


def _fetch_into(path: Path, known: PublicSet, folder: Path, progress: Progress | None) -> Dataset:
    earlier = [folder / file.filename for file in known.files if (folder / file.filename).exists()]
    files = [retrieve(file, folder, progress) for file in known.files]
    fetched = [file for file in files if file not in earlier]
    try:
        dataset = _read(known, files)
    except DAMAGE as error:
        for file in fetched:
            file.unlink()
        suspects = f"remove {' and '.join(map(str, earlier))}" if earlier else "nothing was kept"
        raise DownloadError(
            f"{known.source} did not give the set {known.name}: {reason(error)}; {suspects}."
        ) from error
    write_npz(path, dataset)
    for file in fetched:
        file.unlink()
    return dataset


def _read(known: PublicSet, files: list[Path]) -> Dataset:
    X, y = known.read(files, known.n_features, known.target_names, known.dtype)
    known.check(X, y)
    return Dataset(X, y, known.name, known.target_names, known.feature_names, known.source)
