"""The bytes of a file, never more of them than the memory can take."""

import bz2
import gzip
import zlib
from pathlib import Path
from typing import Any

from .._memory import check_fits, free_memory

_CHUNK = 1 << 22
_COMPRESSED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}


def read_bytes(path: Path) -> bytes | bytearray:
    """The content of a file, unpacked when its name ends in .gz or .bz2."""
    if path.suffix not in _COMPRESSED:
        check_fits(path.stat().st_size, path.name)
        return path.read_bytes()
    limit, content = free_memory() // 2, bytearray()
    try:
        with _COMPRESSED[path.suffix](path, "rb") as file:
            while chunk := file.read(_CHUNK):
                content += chunk
                if len(content) > limit:
                    raise ValueError(f"{path.name} unpacks to more than half of the free memory.")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path.name} is damaged: {error}.") from error
    return content
