"""Writes the output folder atomically."""

import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from .._files import _umask
from ..progress import listening

OURS = ("model.skops", "certificate.json", "selective.json", "threshold.json", "evidence.npz", "report.html")
_OF_OLD_VERSIONS = ("votes.npz",)
_OLD, _REPLACED = "old", "replaced"
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


class FolderExists(ValueError):
    """The folder to write is there already."""


def check_free(folder: Path, force: bool) -> None:
    """Refuse to overwrite a folder, and even with ``force`` one that holds other files."""
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
        raise FolderExists(f"{str(folder)!r} already exists: choose another with --out, or overwrite it with --force.")
    others = [name for name in found if name not in (*OURS, *_OF_OLD_VERSIONS)]
    if others:
        raise ValueError(f"{str(folder)!r} also holds {others[0]!r}, not written by stocmv: it is left alone.")


def checked_later(folder: Path, force: bool) -> AbstractContextManager[None]:
    """A block that fits a vote: if the folder exists, it is refused once the fit has accepted its arguments.

    A mistyped argument is then reported before the user has to decide what to do with the folder.
    """
    try:
        check_free(folder, force)
    except FolderExists as error:
        there = error

        def refuse(*_: object) -> None:
            raise there

        return listening(refuse)  # called first when the voters are about to be trained
    return nullcontext()


@contextmanager
def whole_folder(folder: Path, force: bool = False) -> Iterator[Path]:
    """A temporary folder to write into, renamed only if the block ends without an error."""
    check_free(folder, force)
    folder = folder.resolve()
    with _unfinished(folder) as unfinished:
        yield unfinished
        check_free(folder, force)
        _take_place(unfinished, folder)


def _take_place(unfinished: Path, folder: Path) -> None:
    """Rename the folder; an old one of that name is removed only when the new one is in place."""
    if not folder.exists():
        os.replace(unfinished, folder)
        return
    shutil.copymode(folder, unfinished)
    if not _exchange(unfinished, folder):
        with _unfinished(folder) as hidden:
            os.replace(folder, hidden / _OLD)
            os.replace(unfinished, folder)


def _exchange(one: Path, other: Path) -> bool:
    """Swap the names of two folders atomically; False if the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):  # not on Linux
        return False
    return rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0


@contextmanager
def _unfinished(folder: Path) -> Iterator[Path]:
    """A hidden folder next to another, locked during the block and removed at its end."""
    hidden = Path(tempfile.mkdtemp(dir=folder.parent, prefix=_prefix(folder)))
    handle = _lock(hidden)
    try:
        hidden.chmod(0o777 & ~_umask())
        yield hidden
    finally:
        _clear(hidden, folder)
        if handle is not None:
            os.close(handle)


def _clear(hidden: Path, folder: Path) -> None:
    """Remove a hidden folder; if it holds the old one and nothing replaced it, put the old one back first."""
    old = hidden / _OLD
    if old.exists():
        # renamed before anything in it is removed, so that half of it can never be put back
        os.replace(old, hidden / _REPLACED if folder.exists() else folder)
    shutil.rmtree(hidden, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove hidden folders that killed runs have left next to this one, and put back what they moved."""
    folder = folder.resolve()
    if not folder.parent.is_dir():
        return
    for left in [entry for entry in folder.parent.iterdir() if entry.name.startswith(_prefix(folder))]:
        handle = _lock(left)
        if handle is not None:
            _clear(left, folder)
            os.close(handle)


def _prefix(folder: Path) -> str:
    return f".{folder.name}.unfinished-"


def _lock(folder: Path) -> int | None:
    """A handle that locks the folder until it is closed or the process ends; None if another process holds the lock.

    The folder itself is locked, which filelock cannot do: a lock file inside would remain when the folder is renamed,
    and one next to it would outlive killed runs.
    """
    if sys.platform == "win32":  # folders cannot be locked there, so nothing is swept
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
