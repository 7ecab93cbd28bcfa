"""The folders in which data sets are looked for."""

import os
from pathlib import Path

from ._download import extra


def cache_dir() -> Path:
    """The folder for fetched data sets.

    Its subfolders ``downloads/<name>`` hold files that were not read yet; put a file there if you obtained it by other
    means.

    Returns
    -------
    Path
        The value of the environment variable ``STOCMV_CACHE``, or a folder in the user's cache. It may not exist.
    """
    chosen = os.environ.get("STOCMV_CACHE")
    return Path(chosen).expanduser() if chosen else Path(extra("pooch").os_cache("stocmv")) / "datasets"


def users_file(name: str) -> Path | None:
    """The file of a data set in the folder named by the environment variable ``STOCMV_DATA``, if it exists."""
    chosen = os.environ.get("STOCMV_DATA")
    if not chosen:
        return None
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(
            f"The environment variable STOCMV_DATA must name a folder that exists, got '{folder}'."
        )
    path = folder / f"{name}.npz"
    return path if path.is_file() else None
