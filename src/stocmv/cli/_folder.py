"""A folder that is there whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OURS = ("model.skops", "certificate.json", "votes.npz", "report.html")


def check_free(folder: Path, force: bool) -> None:
    """Refuse to overwrite, and even when forced what is not ours."""
    if not folder.exists():
        if not folder.absolute().parent.is_dir():
            raise ValueError(f"There is no folder {str(folder.absolute().parent)!r} to write {folder.name!r} into.")
        return
    if not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is a file: choose another name with --out.")
    found = sorted(entry.name for entry in folder.iterdir())
    if found and not force:
        raise ValueError(f"{str(folder)!r} is there already: choose another with --out, or overwrite it with --force.")
    others = [name for name in found if name not in OURS]
    if others:
        raise ValueError(f"{str(folder)!r} also holds {others[0]!r}, which is not ours: it is not overwritten.")


@contextmanager
def whole_folder(folder: Path, force: bool = False) -> Iterator[Path]:
    """A folder to write into, which takes its name only when the block has ended without an error."""
    check_free(folder, force)
    folder = folder.absolute()
    _sweep(folder)
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.{os.getpid()}."))
    try:
        yield unfinished
        unfinished.chmod(0o755)
        if folder.exists():
            old = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.{os.getpid()}."))
            os.replace(folder, old)
            shutil.rmtree(old)
        os.replace(unfinished, folder)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


def _sweep(folder: Path) -> None:
    """Remove what runs that were killed have left behind."""
    for left in folder.parent.glob(f".{folder.name}.*.*"):
        owner = left.name.removeprefix(f".{folder.name}.").split(".")[0]
        if owner.isdigit() and left.is_dir() and not _is_alive(int(owner)):
            shutil.rmtree(left, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OSError):
        return True
    return True
