"""Compute missing results."""

import os
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Protocol

import joblib
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ._store import Store
from ._units import Outcome, Task


class Watcher(Protocol):
    """Is notified of progress."""

    def begins(self, tasks: Sequence[Task], done: int) -> None:
        """These tasks are to be done; ``done`` units existed already."""

    def starts(self, task: Task) -> None:
        """A task is sent to a worker."""

    def ends(self, task: Task, seconds: float) -> None:
        """A task is done, and its results are written."""


class Nobody:
    """A watcher that does nothing."""

    def begins(self, tasks: Sequence[Task], done: int) -> None:
        pass

    def starts(self, task: Task) -> None:
        pass

    def ends(self, task: Task, seconds: float) -> None:
        pass


def run(tasks: Sequence[Task], store: Store, *, jobs: int | None = 1, watcher: Watcher | None = None) -> int:
    """Compute the units that are not in the store, and return their number.

    Each outcome is written as soon as its task is done, so a killed run resumes where it stopped.

    Parameters
    ----------
    tasks : sequence of Task
        The tasks whose outcomes are needed.
    store : Store
        Where the outcomes are kept.
    jobs : int or None
        Number of parallel tasks, by joblib; None leaves it to ``joblib.parallel_config``, whose backend is always used.
    watcher : Watcher, optional
        Is notified of progress.
    """
    watcher = watcher or Nobody()
    left = [task.without(unit for unit in task.units if store.has(unit)) for task in tasks]
    missing = [task for task in left if task.units]
    count = sum(len(task.units) for task in missing)
    watcher.begins(missing, sum(len(task.units) for task in tasks) - count)
    threads = max(1, (os.cpu_count() or 1) // joblib.effective_n_jobs(jobs))

    def handed_out() -> Iterator[tuple]:
        for place, task in enumerate(missing):
            watcher.starts(task)
            yield joblib.delayed(_perform)(place, task, threads)

    parallel = joblib.Parallel(jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped")  # loky replaces one that has grown; nothing is lost
        for place, outcomes, seconds in parallel(handed_out()):
            for unit, outcome in zip(missing[place].units, outcomes, strict=True):
                store.write(unit, outcome)
            watcher.ends(missing[place], seconds)
    return count


def _perform(place: int, task: Task, threads: int) -> tuple[int, list[Outcome], float]:
    """Perform one task, with a single thread for linear algebra, so that no sum depends on their number."""
    began = time.perf_counter()
    with threadpool_limits(1, user_api="blas"), joblib.parallel_config(backend="threading", n_jobs=threads):
        outcomes = task.work(task.units, threads)
    return place, outcomes, time.perf_counter() - began
