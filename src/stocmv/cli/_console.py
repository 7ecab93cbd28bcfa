"""Output: progress on a terminal, pages for people, JSON for programs."""

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

from .._text import visible
from ..progress import handled_by, listening

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


_LONGEST = 500
_WIDE = 160  # columns if the output is not a terminal


class PipeSafeOutput:
    """Standard output that ignores a closed pipe, so that a command ends with its own exit code."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._go_nowhere()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._go_nowhere()

    def _go_nowhere(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


def one_line(text: str) -> str:
    """Text without line breaks and control characters, shortened if it is too long to read."""
    words = visible(" ".join(text.split()))
    return words if len(words) <= _LONGEST else words[: _LONGEST - 3] + "..."


def say(text: str, *, err: bool = False, keep: str = "") -> None:
    """Print text on standard output or standard error, without control characters from files but those in ``keep``."""
    print(visible(text, keep=keep), file=sys.stderr if err else sys.stdout)


def quoted(text: object) -> str:
    """Text from a file or a user, escaped for a page of `console`: shows markup and control characters literally."""
    from rich.markup import escape

    return escape(visible(text))


def print_json(content: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(content, allow_nan=False))


def console() -> "Console":
    """Standard output; lines are not wrapped if it is not a terminal."""
    from rich.console import Console

    if sys.stdout.isatty():
        return Console(highlight=False, emoji=False)
    return Console(highlight=False, emoji=False, soft_wrap=True, width=_WIDE)


@contextmanager
def progress(quiet: bool = False) -> Iterator[None]:
    """Progress bars for the stages of the block, on standard error; nothing if that is not a terminal.

    Log messages appear beside the bar of the latest stage.
    """
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bars = Progress(
        SpinnerColumn(finished_text="[green]✓[/]"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.fields[remark]}", style="dim", markup=False),
        console=Console(stderr=True),
    )
    shown = _Bars(bars)
    with bars, listening(shown.move), handled_by(shown):
        yield


class _Bars(logging.Handler):
    """A bar for each stage, with log messages beside it."""

    def __init__(self, bars: "Progress") -> None:
        super().__init__(logging.DEBUG)
        self._bars = bars
        self._stages: dict[str, TaskID] = {}
        self._latest: TaskID | None = None

    def move(self, stage: str, done: float, total: int | None) -> None:
        if stage not in self._stages:
            self._stages[stage] = self._bars.add_task(stage, total=None, remark="")
        self._latest = self._stages[stage]
        # a single step shows no progress before it is done
        self._bars.update(self._latest, completed=done, total=None if total == 1 and done == 0 else total)
        if total is not None and done >= total:
            self._bars.stop_task(self._latest)

    def emit(self, record: logging.LogRecord) -> None:
        if self._latest is not None:
            self._bars.update(self._latest, remark=one_line(record.getMessage()))
