"""A folder that is there whole or not at all."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .._files import _umask

OURS = ("model.skops", "certificate.json", "votes.npz", "report.html")


def check_free(folder: Path, force: bool) -> None:
    """Refuse to overwrite, and even when forced what is not ours."""
    place = folder.resolve()
    if not place.parent.is_dir():
        raise ValueError(f"There is no folder {str(place.parent)!r} to write {place.name!r} into.")
    if not os.access(place.parent, os.W_OK):
        raise ValueError(f"Nothing can be written into the folder {str(place.parent)!r}: choose another with --out.")
    if not place.exists():
        return
    if not place.is_dir():
        raise ValueError(f"{str(folder)!r} is a file: choose another name with --out.")
    if place.samefile(Path.cwd()):
        raise ValueError("The current folder cannot be replaced: name one inside it with --out.")
    found = sorted(entry.name for entry in place.iterdir())
    if found and not force:
        raise ValueError(f"{str(folder)!r} is there already: choose another with --out, or overwrite it with --force.")
    others = [name for name in found if name not in OURS]
    if others:
        raise ValueError(f"{str(folder)!r} also holds {others[0]!r}, which is not ours: it is not overwritten.")


@contextmanager
def whole_folder(folder: Path, force: bool = False) -> Iterator[Path]:
    """A folder to write into, which takes its name only when the block has ended without an error."""
    check_free(folder, force)
    folder = folder.resolve()
    with _unfinished(folder) as unfinished:
        yield unfinished
        check_free(folder, force)
        _take_place(unfinished, folder)


def _take_place(unfinished: Path, folder: Path) -> None:
    """Give the folder its name; if there is one of that name, it goes only when the new one is in its place."""
    if not folder.exists():
        os.replace(unfinished, folder)
        return
    with _unfinished(folder) as hidden:
        os.replace(folder, hidden / "old")
        try:
            os.replace(unfinished, folder)
        except BaseException:
            os.replace(hidden / "old", folder)
            raise


@contextmanager
def _unfinished(folder: Path) -> Iterator[Path]:
    """A hidden folder beside another, locked as long as the block lasts, and gone when it ends."""
    hidden = Path(tempfile.mkdtemp(dir=folder.parent, prefix=_prefix(folder)))
    handle = _lock(hidden)
    try:
        hidden.chmod(0o777 & ~_umask())
        yield hidden
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def sweep(folder: Path) -> None:
    """Remove the hidden folders beside this one that runs which were killed have left."""
    folder = folder.resolve()
    if not folder.parent.is_dir():
        return
    for left in [entry for entry in folder.parent.iterdir() if entry.name.startswith(_prefix(folder))]:
        handle = _lock(left)
        if handle is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(handle)


def _prefix(folder: Path) -> str:
    return f".{folder.name}.unfinished-"


def _lock(folder: Path) -> int | None:
    """A handle that holds the folder until it is closed or its process ends; None if another process does."""
    if sys.platform == "win32":  # there folders cannot be locked, and nothing is swept
        return None
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
