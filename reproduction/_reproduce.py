"""From names to results: compute what is missing, then write tables, figures and the page."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ._experiments import EXPERIMENTS, Experiment
from ._page import write_page
from ._run import Watcher, run
from ._settings import Settings
from ._splits import FILE_OF
from ._store import Store, rows_of, timings_of
from ._units import Row, Unit, joined


@dataclass(frozen=True)
class Reproduced:
    """The result of a run.

    Attributes
    ----------
    experiments : list of str
        The requested experiments.
    computed, reused : int
        Number of units that were computed, and that existed already.
    absent : list of str
        Data sets that are not available, and were skipped.
    files : list of str
        What was written, relative to the folder; the page is the last.
    seconds : float
        Duration of the run.
    """

    experiments: list[str]
    computed: int
    reused: int
    absent: list[str]
    files: list[str] = field(default_factory=list)
    seconds: float = 0.0


def reproduce(
    names: Sequence[str],
    settings: Settings | None = None,
    *,
    out: str | os.PathLike,
    jobs: int | None = 1,
    watcher: Watcher | None = None,
) -> Reproduced:
    """Reproduce tables and figures of the paper.

    Parameters
    ----------
    names : sequence of str
        Keys of `EXPERIMENTS`; "all" stands for all of them.
    settings : Settings, optional
        Trials, data sets, seed.
    out : path-like
        The folder for results. Existing results with the same settings are not computed again.
    jobs : int or None
        Number of parallel tasks, by joblib; None leaves it to ``joblib.parallel_config``.
    watcher : Watcher, optional
        Is notified of progress.

    Returns
    -------
    Reproduced

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from reproduction import reproduce
    >>> reproduce(["fig-gamma"], out=mkdtemp()).files
    ['fig-gamma.jsonl', 'fig-gamma.png', 'fig-gamma.svg', 'index.md']
    """
    began = time.perf_counter()
    settings = settings or Settings()
    chosen = _chosen(names)
    store = Store(out)
    tasks = {experiment.name: experiment.tasks(settings) for experiment in chosen}
    everything = joined(task for own in tasks.values() for task in own)
    computed = run(everything, store, jobs=jobs, watcher=watcher)
    files: list[str] = []
    for experiment in chosen:
        units = [unit for task in tasks[experiment.name] for unit in task.units]
        files += _write_results(store, experiment, units)
    files.append(write_page(store).name)
    return Reproduced(
        [experiment.name for experiment in chosen],
        computed,
        sum(len(task.units) for task in everything) - computed,
        absent_sets(names, settings),
        list(dict.fromkeys(files)),
        time.perf_counter() - began,
    )


def absent_sets(names: Sequence[str], settings: Settings) -> list[str]:
    """The data sets that would have to be fetched for these experiments."""
    absent = (name for experiment in _chosen(names) for name in experiment.absent(settings))
    return list(dict.fromkeys(FILE_OF.get(name, name) for name in absent))


def _chosen(names: Sequence[str]) -> list[Experiment]:
    unknown = [name for name in names if name not in EXPERIMENTS and name != "all"]
    if unknown:
        raise ValueError(f"There is no experiment {unknown[0]!r}: the names are {', '.join(EXPERIMENTS)}, and all.")
    wanted = set(EXPERIMENTS) if "all" in names else set(names)
    return [experiment for name, experiment in EXPERIMENTS.items() if name in wanted]


def _write_results(store: Store, experiment: Experiment, units: Sequence[Unit]) -> list[str]:
    """The experiment's table, its part of the timings, and its figures."""
    from .drawing import write_figures

    rows, timings = rows_of(store, units), timings_of(store, units)
    files: list[Path] = []
    if rows:
        files.append(store.write_table(experiment.name, rows))
    if timings:
        files.append(_update_timings(store, experiment.name, timings))
    return [path.name for path in files] + write_figures(store, experiment.draw(rows, timings, units))


def _update_timings(store: Store, name: str, timings: list[Row]) -> Path:
    """Replace the lines of this experiment in the file for all experiments."""
    others = [line for line in store.read_table("timings") if line["experiment"] != name]
    return store.write_table("timings", others + timings)
