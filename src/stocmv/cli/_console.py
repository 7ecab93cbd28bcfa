"""What is shown: progress on a terminal, pages for people, JSON for programs."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from .._progress import listening

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


def print_json(content: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(content, allow_nan=False))


def console() -> Console:
    """Standard output; unbroken lines where it is not a terminal."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


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
