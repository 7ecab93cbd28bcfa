"""The command ``python -m reproduction``."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import click

from ._experiments import EXPERIMENTS
from ._reproduce import Reproduced, absent_sets, reproduce
from ._settings import Settings
from ._units import Task
from .datasets import fetch, known_sets

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_HERE = "here"


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--list", "only_list", is_flag=True, help="List the experiments and the data sets, and stop.")
@click.option("--trials", type=click.IntRange(min=1), help="Trials of each experiment, at most the paper's 10 or 4.")
@click.option("--datasets", metavar="NAME,...", help="Data sets to run on, instead of all of the paper's at hand.")
@click.option("--fetch", "fetch_first", is_flag=True, help="Download the data sets that are missing first.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Fixes all random numbers.")
@click.option("--jobs", type=int, help="Number of parallel tasks; by default 1, or all workers of the cluster.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="build/paper",
    show_default=True,
    help="Folder for the results. Existing results are not computed again.",
)
@click.option("--quick", is_flag=True, help="Small sets and coarse grids, to check that everything works.")
@click.option(
    "--cluster",
    is_flag=False,
    flag_value=_HERE,
    metavar="[ADDRESS]",
    help="Work on a Dask cluster: the one at this address, or one worker for each core of this machine.",
)
def command(
    names: tuple[str, ...],
    only_list: bool,
    trials: int | None,
    datasets: str | None,
    fetch_first: bool,
    seed: int,
    jobs: int | None,
    out: Path,
    quick: bool,
    cluster: str | None,
) -> None:
    """Reproduce tables and figures of the paper: table1, table2, fig-..., or all (--list has the names).

    Each task's results are written when it is done, so a killed run resumes where it stopped. The same seed gives the
    same tables to the last digit.

    \b
    Examples:
      python -m reproduction all --quick
      python -m reproduction table1 --datasets haberman,tictactoe --trials 3 --fetch
      python -m reproduction all --jobs 2 --out docs/results
      python -m reproduction all --cluster tcp://scheduler:8786
    """
    if only_list:
        _print_list()
        return
    if not names:
        raise click.UsageError("Name an experiment, or all; --list has the names.")
    chosen = None if datasets is None else tuple(name.strip() for name in datasets.split(",") if name.strip())
    settings = Settings(seed=seed, trials=trials, datasets=chosen, quick=quick)
    if fetch_first:
        fetch(*absent_sets(names, settings), progress=sys.stderr.isatty())
    with _working(cluster, jobs) as side_by_side, _watching() as watcher:
        done = reproduce(names, settings, out=out, jobs=side_by_side, watcher=watcher)
    _report(done, out)


def main() -> None:
    """Run the command; an error is one sentence and exit code 2."""
    try:
        command(prog_name="python -m reproduction")
    except (ValueError, OSError, ImportError) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(2)


def _print_list() -> None:
    click.echo("experiments")
    for name, experiment in EXPERIMENTS.items():
        click.echo(f"  {name:<18} {experiment.title}")
    click.echo("data sets")
    for name, known in known_sets().items():
        size = f"{known.n:,} x {known.n_features}, {known.n_classes} classes"
        click.echo(f"  {name:<18} {size:<28} {known.state}")


@contextmanager
def _working(cluster: str | None, jobs: int | None) -> Iterator[int]:
    """Number of parallel tasks: on this machine, or the number of threads of a cluster."""
    if cluster is None:
        yield jobs or 1
        return
    from joblib import parallel_config

    from stocmv.cluster import connected

    with connected(None if cluster == _HERE else cluster, jobs) as client, parallel_config(backend="dask"):
        _send_code(client)
        yield -1


def _send_code(client: Any) -> None:
    """Send this package, which is not installed with stocmv, to a scheduler and workers that lack it."""
    found = [client.run_on_scheduler(find_spec, __package__), *client.run(find_spec, __package__).values()]
    if None not in found:
        return
    source = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / f"{__package__}.zip"
        with ZipFile(packed, "w") as file:
            for path in sorted(source.rglob("*.py")):
                file.write(path, path.relative_to(source.parent))
        client.upload_file(str(packed))


def _report(done: Reproduced, out: Path) -> None:
    for name in done.absent:
        click.echo(f"Skipped {name}: its file is missing, run the same command with --fetch to download it.", err=True)
    click.echo(
        f"{done.computed} units computed, {done.reused} were there; {done.seconds:.0f} s. "
        f"The page is {out / done.files[-1]}."
    )


class _Shown:
    """Show what runs, what is done, and the estimated time left, on a terminal."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._whole: TaskID | None = None
        self._running: dict[int, TaskID] = {}

    def begins(self, tasks: Sequence[Task], done: int) -> None:
        if tasks:
            there = f", {done} units were there" if done else ""
            total = sum(task.cost for task in tasks)
            self._whole = self._progress.add_task(f"{len(tasks)} pieces of work{there}", total=total)

    def starts(self, task: Task) -> None:
        self._running[id(task)] = self._progress.add_task(f"[dim]{task.label}", total=None)

    def ends(self, task: Task, seconds: float) -> None:
        self._progress.remove_task(self._running.pop(id(task)))
        if self._whole is not None:
            self._progress.advance(self._whole, task.cost)


class Logged:
    """Report what is done and the estimated time left: an occasional line on standard error, for a log."""

    def __init__(self, every: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._every = every
        self._clock = clock

    def begins(self, tasks: Sequence[Task], done: int) -> None:
        self._began = self._told = self._clock()
        self._pieces, self._cost = len(tasks), sum(task.cost for task in tasks)
        self._done, self._spent = 0, 0.0

    def starts(self, task: Task) -> None:
        pass

    def ends(self, task: Task, seconds: float) -> None:
        now = self._clock()
        self._done, self._spent = self._done + 1, self._spent + task.cost
        if now - self._told >= self._every and self._done < self._pieces:
            self._told, minutes = now, (now - self._began) / 60
            left = minutes * (self._cost / self._spent - 1)
            click.echo(
                f"{self._done} of {self._pieces} pieces of work done in {minutes:.0f} minutes, "
                f"about {left:.0f} minutes left",
                err=True,
            )


@contextmanager
def _watching() -> Iterator[Any]:
    """A watcher that draws on standard error if that is a terminal, and otherwise writes an occasional line."""
    if not sys.stderr.isatty():
        yield Logged()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=600) as progress:
        yield _Shown(progress)
