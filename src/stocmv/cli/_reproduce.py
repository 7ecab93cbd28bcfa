"""``stocmv reproduce``."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._console import as_json, print_json, quoted, say
from ._kinds import HERE, cluster

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ..paper import Reproduced, Task


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--trials", type=click.IntRange(min=1), help="Trials of each experiment, at most the paper's 10 or 4.")
@click.option("--datasets", metavar="NAME,...", help="Data sets to run on, instead of all of the paper's at hand.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Fixes all random numbers.")
@click.option("--jobs", type=int, help="Pieces of work that run side by side; by default 1, or all workers.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="results",
    show_default=True,
    help="Folder for the results. What is there already is not computed again.",
)
@click.option("--quick", is_flag=True, help="Small sets and coarse grids, to see that everything works.")
@cluster
@as_json
def reproduce(
    names: tuple[str, ...],
    trials: int | None,
    datasets: str | None,
    seed: int,
    jobs: int | None,
    out: Path,
    quick: bool,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Compute tables and figures of the paper anew: table1, table2, fig-..., or all.

    Each piece of work is written when it is done: a run that was killed goes on where it was. The same seed gives the
    same tables to the last digit.

    \b
    Examples:
      stocmv reproduce all --quick
      stocmv reproduce table1 --datasets haberman,tictactoe --trials 3
      stocmv reproduce all --jobs 2 --out results
      stocmv reproduce all --cluster tcp://scheduler:8786

    \b
    Names:
      table1, table2      stumps on two classes, forests on several, beside the paper's figures
      fig-oracle          oracle bounds of the risk
      fig-simplex         Dirichlet densities
      fig-gamma           the functions of the gamma family
      fig-expected        the bound on the expected vote
      fig-moons           decision surfaces on two moons
      fig-mc              exact against Monte Carlo
      fig-training        training with and without the bound
      fig-moons-methods   methods by the number of voters
      fig-noise           noise on the inputs
      fig-prior           other priors (forests)
      fig-strength        trees of depth 1 to 10 (forests)
    """
    from ..paper import Settings, reproduce as run

    chosen = None if datasets is None else tuple(name.strip() for name in datasets.split(",") if name.strip())
    settings = Settings(seed=seed, trials=trials, datasets=chosen, quick=quick)
    with _working(cluster, jobs) as side_by_side, _watching(quiet=as_json) as watcher:
        done = run(names, settings, out=out, jobs=side_by_side, watcher=watcher)
    if as_json:
        print_json({**asdict(done), "out": str(out), "page": str(out / done.files[-1])})
    else:
        _say(done, out)


@contextmanager
def _working(cluster: str | None, jobs: int | None) -> Iterator[int]:
    """How many pieces run side by side: on this machine, or as many as a cluster has threads."""
    if cluster is None:
        yield jobs or 1
        return
    from joblib import parallel_config

    from ..engines._connection import connected

    with connected(None if cluster == HERE else cluster, jobs), parallel_config(backend="dask"):
        yield -1


def _say(done: "Reproduced", out: Path) -> None:
    for dataset in dict.fromkeys(name for absent in done.absent.values() for name in absent):
        say(
            f"Passed over {dataset}: its file is not at hand. Fetch it with 'stocmv datasets fetch {dataset}', then "
            "run the same command again.",
            err=True,
        )
    say(
        f"{done.computed} units computed, {done.reused} were there; {done.seconds:.0f} s. "
        f"The page is {out / done.files[-1]}."
    )


class _Shown:
    """What runs, what is done, and about how long it will take, on a terminal."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._whole: TaskID | None = None
        self._running: dict[int, TaskID] = {}

    def begins(self, tasks: Sequence["Task"], done: int) -> None:
        if tasks:
            there = f", {done} units were there" if done else ""
            total = sum(task.cost for task in tasks)
            self._whole = self._progress.add_task(f"{len(tasks)} pieces of work{there}", total=total)

    def starts(self, task: "Task") -> None:
        self._running[id(task)] = self._progress.add_task(f"[dim]{quoted(task.label)}", total=None)

    def ends(self, task: "Task", seconds: float) -> None:
        self._progress.remove_task(self._running.pop(id(task)))
        if self._whole is not None:
            self._progress.advance(self._whole, task.cost)


class Logged:
    """What is done, and about how long the rest will take: a line on standard error now and then, for a log."""

    def __init__(self, every: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._every = every
        self._clock = clock

    def begins(self, tasks: Sequence["Task"], done: int) -> None:
        self._began = self._told = self._clock()
        self._pieces, self._cost = len(tasks), sum(task.cost for task in tasks)
        self._done, self._spent = 0, 0.0

    def starts(self, task: "Task") -> None:
        pass

    def ends(self, task: "Task", seconds: float) -> None:
        now = self._clock()
        self._done, self._spent = self._done + 1, self._spent + task.cost
        if now - self._told >= self._every and self._done < self._pieces:
            self._told, minutes = now, (now - self._began) / 60
            left = minutes * (self._cost / self._spent - 1)
            say(
                f"{self._done} of {self._pieces} pieces of work done in {minutes:.0f} minutes, "
                f"about {left:.0f} minutes left",
                err=True,
            )


@contextmanager
def _watching(quiet: bool) -> Iterator[Any]:
    """A watcher that draws on standard error where that is a terminal, and writes a line now and then where not."""
    if quiet or not sys.stderr.isatty():
        yield None if quiet else Logged()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=600) as progress:
        yield _Shown(progress)
