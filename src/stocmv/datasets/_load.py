"""Data sets by their names: from a folder of the user, the cache, or the public source."""

import os
import warnings
from contextlib import suppress
from pathlib import Path

from .._files import DAMAGE, reason
from ._built_in import BUILT_IN
from ._dataset import Dataset
from ._download import DownloadError, Progress, extra, print_progress, retrieve
from ._npz import read_npz, write_npz
from ._places import cache_dir, checked_name, file_in, unknown, users_folders
from ._registry import PUBLIC, PublicSet


def load(name: str, *, data_dir: str | os.PathLike | None = None) -> Dataset:
    """Load a data set by its name.

    Sets that come with scikit-learn and toys are made at once. For any other, the file ``<name>.npz`` is looked for
    in `data_dir`, then in the folder named by the environment variable ``STOCMV_DATA``, then in the cache
    (`cache_dir`); at last the set is fetched from its public source and put into the cache. A public set is handed
    back only if its shape, its class counts and the SHA-256 of its values are the known ones (of protein and
    sensorless less is known). A file in one of the first two folders may also have a name of its own and hold other
    data.

    Parameters
    ----------
    name : str
        One of `names`, or that of a file in one of the folders.
    data_dir : path-like, optional
        A folder that is searched first.

    Returns
    -------
    Dataset
        The examples, the codes of their classes, and where they came from.

    Raises
    ------
    ValueError
        If there is no such set, or if a file in one of the folders does not hold it.
    DownloadError
        If the set has to be fetched and cannot be; the message says where to put the files by hand.

    Examples
    --------
    >>> from stocmv.datasets import load
    >>> data = load("breast_cancer")
    >>> data.X.shape, data.target_names
    ((569, 30), ('malignant', 'benign'))
    """
    name = checked_name(name)
    if name in BUILT_IN:
        return BUILT_IN[name].make()
    known = PUBLIC.get(name)
    path = file_in(users_folders(data_dir), name)
    if path is not None:
        return read_npz(path, name, known)
    if known is None:
        raise unknown(name)
    return _obtain(known)


def fetch(*names: str, progress: bool | Progress = False) -> list[Path]:
    """Fetch public data sets into the cache, unless they are there already.

    Parameters
    ----------
    *names : str
        Which ones. Sets that need no file are passed over.
    progress : bool or callable, default=False
        Whether to say on standard error how far each file has come. A callable is told the name of the file, the
        number of bytes that have arrived, and their total number or None.

    Returns
    -------
    list of Path
        The files in the cache.

    Raises
    ------
    ValueError
        If a name is unknown; nothing is fetched then.
    DownloadError
        If a file cannot be fetched; the message says where to put it by hand.
    """
    for name in names:
        if name not in BUILT_IN and name not in PUBLIC:
            raise unknown(name)
    public = [PUBLIC[name] for name in names if name in PUBLIC]
    for known in public:
        _obtain(known, print_progress if progress is True else progress or None)
    return [_cache_path(known) for known in public]


def _cache_path(known: PublicSet) -> Path:
    return cache_dir() / f"{known.name}.npz"


def _obtain(known: PublicSet, progress: Progress | None = None) -> Dataset:
    path = _cache_path(known)
    if path.is_file():
        with suppress(ValueError):
            return read_npz(path, known.name, known, known.source)
    return _fetch(known, path, progress)


def _fetch(known: PublicSet, path: Path, progress: Progress | None) -> Dataset:
    folder = path.parent / "downloads" / known.name
    folder.mkdir(parents=True, exist_ok=True)
    with extra("filelock").FileLock(folder / ".lock"):
        if path.is_file():  # another process was faster, or the file is damaged
            try:
                return read_npz(path, known.name, known, known.source)
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
    return Dataset(X, y, known.name, known.target_names, known.feature_names, known.n_train, known.source)
