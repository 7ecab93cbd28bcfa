"""Download files over an unreliable connection: retry after a failure, and resume where it broke off."""

import importlib
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._registry import SourceFile

Progress = Callable[[str, int, int | None], None]

ATTEMPTS = 4
FIRST_WAIT = 1.0  # seconds; doubled after each failure
_TIMEOUT = (10.0, 30.0)  # seconds to connect, and between two blocks
_BLOCK = 1 << 16
LARGEST = 1 << 30  # bytes of a file; the largest known set has 55 million values
_PASSING = (408, 425, 429, 500, 502, 503, 504)


class DownloadError(OSError):
    """A file could not be fetched; the message says from where, why, and what to do by hand."""


class _Passing(Exception):
    """A failure that may not happen again."""


def extra(module: str) -> Any:
    """A module that only downloads need."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"Fetching data sets needs {module}: pip install 'stocmv[paper]'.") from error


def retrieve(file: SourceFile, folder: Path, progress: Progress | None = None) -> Path:
    """The path of the file in the folder, downloaded first unless it exists.

    A download whose SHA-256 is not the known one is not kept.
    """
    pooch = extra("pooch")
    known_hash = None if file.sha256 is None else f"sha256:{file.sha256}"
    downloader = ResumingDownloader(folder / f"{file.filename}.part", progress)
    try:
        with _quiet(pooch.get_logger()):
            pooch.retrieve(file.url, known_hash, file.filename, folder, downloader=downloader)
    except ValueError as error:
        raise DownloadError(f"What {file.url} sends is not the known file, so it was not kept: {error}") from error
    except DownloadError as error:
        raise DownloadError(
            f"{file.url} could not be fetched ({error}): try again, which continues where it broke off, or get the"
            f" file by other means and put it into the folder {folder} under the name {file.filename}."
        ) from error
    return folder / file.filename


class ResumingDownloader:
    """A downloader for pooch that writes to `part`, which is kept after a failure so that it can be resumed."""

    def __init__(self, part: Path, progress: Progress | None = None) -> None:
        self.part = part
        self.progress = progress
        self.requests = extra("requests")

    def __call__(self, url: str, output_file: str, pooch: Any) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._advance(url)
            except _Passing as failure:
                if attempt == ATTEMPTS:
                    raise DownloadError(f"{failure}, {ATTEMPTS} times") from failure
                time.sleep(FIRST_WAIT * 2 ** (attempt - 1))
            else:
                os.replace(self.part, output_file)
                return

    def _advance(self, url: str) -> None:
        """Request what is missing; return when nothing is."""
        have = self.part.stat().st_size if self.part.exists() else 0
        # An encoding on the way would let positions in the answer differ from those in the file.
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        try:
            with self.requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
                self._receive(answer, self._start(answer, have))
        except (self.requests.RequestException, extra("urllib3").exceptions.HTTPError) as error:
            raise _Passing(f"no connection, or a broken one: {type(error).__name__}") from error

    def _start(self, answer: Any, have: int) -> int:
        """Where in the file the answer begins."""
        if answer.status_code == 200:
            return 0
        if answer.status_code == 206 and re.match(rf"bytes {have}-", answer.headers.get("Content-Range", "")):
            return have
        if answer.status_code in (206, 416):  # what is here does not fit what is there
            self.part.unlink(missing_ok=True)
            raise _Passing("the server does not continue the file")
        verdict = f"the server answers {answer.status_code} {answer.reason}"
        raise _Passing(verdict) if answer.status_code in _PASSING else DownloadError(verdict)

    def _receive(self, answer: Any, start: int) -> None:
        length = self._length(answer)
        total = None if length is None else start + length
        done = start
        self._check_size(total or 0)
        with open(self.part, "ab" if start else "wb") as file:
            for block in answer.raw.stream(_BLOCK, decode_content=False):
                file.write(block)
                done += len(block)
                self._check_size(done)
                if self.progress is not None:
                    self.progress(self.part.stem, done, total)
        if total is not None and done != total:
            raise _Passing("the connection broke off")

    @staticmethod
    def _length(answer: Any) -> int | None:
        """Number of bytes still to come, if the server says so."""
        length = answer.headers.get("Content-Length", "")
        return int(length) if length.isdecimal() else None

    def _check_size(self, size: int) -> None:
        if size > LARGEST:
            self.part.unlink(missing_ok=True)
            raise DownloadError(f"the server sends more than {LARGEST >> 20:,} MiB, and no known set is so large")


def print_progress(filename: str, done: int, total: int | None) -> None:
    """Show the progress of a file on standard error, always on the same line."""
    of_total = "" if total is None else f" of {total / 1e6:.1f}"
    sys.stderr.write(f"\r{filename}: {done / 1e6:.1f}{of_total} MB" + ("\n" if done == total else ""))
    sys.stderr.flush()


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
