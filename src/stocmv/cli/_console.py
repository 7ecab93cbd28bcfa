"""What is shown: progress on a terminal, pages for people, JSON for programs."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from .._progress import listening
from .._text import visible

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


_LONGEST = 500
_WIDE = 160  # columns of what is no terminal


class Unbroken:
    """Standard output that goes on when its reader has gone, so that a command ends with its own exit code."""

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
    """Text without line breaks, cut where it is too long to be read; nothing in it is obeyed by a terminal."""
    words = visible(" ".join(text.split()))
    return words if len(words) <= _LONGEST else words[: _LONGEST - 3] + "..."


def say(text: str, *, err: bool = False) -> None:
    """Print a line on standard output or standard error; of what comes from files, a terminal obeys nothing."""
    print(visible(text), file=sys.stderr if err else sys.stdout)


def quoted(text: object) -> str:
    """Text of a file or a user within a page of `console`: shown as it is, markup and control characters included."""
    return escape(visible(text))


def print_json(content: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(content, allow_nan=False))


def console() -> Console:
    """Standard output; unbroken lines where it is not a terminal."""
    if sys.stdout.isatty():
        return Console(highlight=False, emoji=False)
    return Console(highlight=False, emoji=False, soft_wrap=True, width=_WIDE)


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Bars for the stages of the work in the block, on standard error; nothing where that is no terminal.

    Gives a function that names a stage of its own, which lasts until the next one.
    """
    shown = Progress(
        SpinnerColumn(finished_text="[green]✓[/]"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[remark]}"),
        console=Console(stderr=True),
        disable=quiet or not sys.stderr.isatty(),
    )
    stages: dict[str, TaskID] = {}
    own: list[str] = []

    def listen(stage: str, done: int, total: int | None, remark: str) -> None:
        if stage not in stages:
            stages[stage] = shown.add_task(stage, total=total, remark=remark)
        shown.update(stages[stage], completed=done, total=total, remark=remark)
        if total is not None and done >= total:
            shown.stop_task(stages[stage])

    def name_stage(stage: str) -> None:
        for earlier in own:
            listen(earlier, 1, 1, "")
        own.clear()
        if stage:
            own.append(stage)
            listen(stage, 0, None, "")

    with shown, listening(listen):
        yield name_stage
        name_stage("")
