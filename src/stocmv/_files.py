"""Write files atomically, and read arrays without running code."""

import hashlib
import lzma
import os
import tempfile
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ._memory import check_fits

DAMAGE = (
    *(ValueError, TypeError, LookupError, AttributeError, SyntaxError, RuntimeError, EOFError, OSError),
    *(MemoryError, OverflowError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, tokenize.TokenError),
)
"""Exceptions of numpy and zipfile for files that are damaged, forged or of another kind."""


@contextmanager
def whole_file(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only if the block ends without an error.

    A link stays a link and a file keeps its permissions. A device or a pipe is written to, not replaced.
    """
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:  # which names the temporary file
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def read_arrays(file: str | os.PathLike | BinaryIO) -> dict[str, NDArray]:
    """The arrays of an npz file; refuses pickled ones, and more than fit into memory.

    A bad file raises one of `DAMAGE`.
    """
    with zipfile.ZipFile(file) as packed:
        check_packing(packed, "what it holds")
    if not isinstance(file, str | os.PathLike):
        file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        members: dict[str, Any] = {name: arrays[name] for name in arrays.files}
    return {name: member for name, member in members.items() if isinstance(member, np.ndarray)}


def check_packing(packed: zipfile.ZipFile, what: str, times: int = 1) -> None:
    """Refuse a zip file whose members do not fit into memory ``times`` times, or whose sizes cannot be trusted."""
    entries = packed.infolist()
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise ValueError("it is packed by another method than deflate")  # else unpacked whole, whatever its stated size
    check_fits(times * sum(entry.file_size for entry in entries), what)


def reason(error: BaseException) -> str:
    """The first line of an error, as the end of a sentence."""
    text = next(iter(str(error).strip().splitlines()), "").rstrip(" .:") or type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
