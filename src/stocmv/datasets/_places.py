"""The folders in which data sets are looked for."""

import difflib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from ._built_in import BUILT_IN
from ._download import extra
from ._registry import PUBLIC


def names() -> tuple[str, ...]:
    """The names of all data sets that `load` knows.

    Returns
    -------
    tuple of str
        Bundled sets, toys, then public ones.

    Examples
    --------
    >>> from stocmv.datasets import names
    >>> "haberman" in names()
    True
    """
    return (*BUILT_IN, *PUBLIC)


def cache_dir() -> Path:
    """The folder that fetched data sets are kept in.

    Its subfolders ``downloads/<name>`` hold files that were not read yet; that is where a file that was obtained by
    other means has to be put.

    Returns
    -------
    Path
        What the environment variable ``STOCMV_CACHE`` names, or else a folder in the user's cache. It may not exist.
    """
    chosen = os.environ.get("STOCMV_CACHE")
    return Path(chosen).expanduser() if chosen else Path(extra("pooch").os_cache("stocmv")) / "datasets"


def users_folders(data_dir: str | os.PathLike | None) -> list[Path]:
    """The given folder and that of the environment, as far as they are named."""
    given = {"data_dir": data_dir, "The environment variable STOCMV_DATA": os.environ.get("STOCMV_DATA")}
    folders = {origin: Path(value).expanduser() for origin, value in given.items() if value}
    for origin, folder in folders.items():
        if not folder.is_dir():
            raise NotADirectoryError(f"{origin} has to name a folder that exists, got '{folder}'.")
    return list(folders.values())


def file_in(folders: Iterable[Path], name: str) -> Path | None:
    """The first of the files ``<name>.npz`` that exists."""
    return next((path for folder in folders if (path := folder / f"{name}.npz").is_file()), None)


def checked_name(name: object) -> str:
    """The name, if it can be that of a file in a folder and leads nowhere else."""
    if not (isinstance(name, str) and re.fullmatch(r"\w[\w.-]*", name)):
        raise unknown(name)
    return name


def unknown(name: object) -> ValueError:
    """The error for a name that nothing has."""
    close = difflib.get_close_matches(str(name).lower().replace("_", "-"), names(), n=3)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"the names are {', '.join(names())}."
    return ValueError(f"There is no data set named {name!r}: {hint}")
