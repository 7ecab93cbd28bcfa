"""One process at a time."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def locked(path: str | os.PathLike) -> Iterator[None]:
    """Hold the lock on a file, and wait for it if another process has it; it is free again when its holder ends."""
    with open(path, "ab") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
