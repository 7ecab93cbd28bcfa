"""The bytes of a file, never more than fit in memory."""

import bz2
import codecs
import gzip
import zlib
from pathlib import Path
from typing import Any

from .._memory import check_fits, free_memory

_CHUNK = 1 << 22
_COMPRESSED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}


def read_bytes(path: Path) -> bytes | bytearray:
    """The content of a file, unpacked if its name ends in .gz or .bz2."""
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


def in_utf8(content: bytes | bytearray, encoding: str | None, file: str) -> bytes | bytearray:
    """The text converted to UTF-8, from the given encoding if there is one."""
    if encoding is None:
        if b"\0" in content:
            raise ValueError(f"{file} holds NUL bytes: it is not UTF-8 text; if it is text, name its --encoding.")
        _check_utf8(content, file)
        return content
    check_fits(4 * len(content), file)
    try:
        text = str(content, encoding)
    except UnicodeError as error:
        line = content.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise ValueError(f"{file} is not in {encoding}, as line {line:,} shows: try another.") from error
    if "\0" in text:
        raise ValueError(f"{file} holds NUL characters: it is not text in {encoding}.")
    return text.encode()


def _check_utf8(content: bytes | bytearray, file: str) -> None:
    """Refuse text in another encoding, without a second copy of it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(content), _CHUNK):
        end = start + _CHUNK
        try:
            decoder.decode(content[start:end], final=end >= len(content))
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, start + error.start) + 1
            cure = "name its encoding with --encoding, such as latin-1, cp1252 or utf-16"
            raise ValueError(f"{file} is not in UTF-8, as line {line:,} shows: {cure}.") from error


def check_encoding(name: str) -> str:
    """The name of an encoding of text that Python knows."""
    try:
        "a".encode(name)
    except (LookupError, ValueError):
        raise ValueError(f"{name!r} is not an encoding that Python knows: try latin-1, cp1252 or utf-16.") from None
    return name
