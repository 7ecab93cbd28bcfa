"""The smallest pieces of an experiment that are computed, stored, and skipped if they exist already."""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from stocmv import __version__

Row = dict[str, Any]
_FORMAT = 1  # increased when rows of earlier versions must not be reused


@dataclass(frozen=True)
class Unit:
    """One trial of an experiment on one data set.

    Attributes
    ----------
    experiment, dataset, trial : str, str, int
        What it belongs to.
    seed : int
        The seed of the whole run; all random numbers of the unit follow from it, the data set and the trial.
    variant : str
        Distinguishes units of the same trial.
    settings : dict
        Everything else that the rows depend on.
    """

    experiment: str
    dataset: str
    trial: int
    seed: int
    variant: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        variant = f"-{self.variant}" if self.variant else ""
        return f"{self.dataset}{variant}-{self.trial:02d}"

    @property
    def key(self) -> str:
        """A hash of everything that the rows depend on."""
        content = {"format": _FORMAT, "version": __version__, **asdict(self)}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def identity(self) -> Row:
        """What every row of the unit begins with: lists, which span its rows, are left to the columns of the rows."""
        settings = {name: value for name, value in self.settings.items() if not isinstance(value, list)}
        return {
            "experiment": self.experiment,
            "dataset": self.dataset,
            "trial": self.trial,
            "seed": self.seed,
            "variant": self.variant,
            **settings,
        }

    def random_state(self, purpose: str) -> int:
        """A different seed for each purpose; the same for all experiments that share the data set and the trial."""
        words = [self.seed, zlib.crc32(self.dataset.encode()), self.trial, zlib.crc32(purpose.encode())]
        return int(np.random.SeedSequence(words).generate_state(1)[0] % 2**31)


@dataclass(frozen=True)
class Outcome:
    """The result of a unit: rows that its key determines to the last digit, and timings."""

    rows: list[Row]
    timings: list[Row] = field(default_factory=list)


Work = Callable[[Sequence[Unit], int], list[Outcome]]


@dataclass(frozen=True)
class Task:
    """Units that are computed together because they share something expensive, such as voters.

    Attributes
    ----------
    work : callable
        From the units and a number of threads to their outcomes.
    units : tuple of Unit
        In the order in which they are computed.
    shared : str
        Name of what they share; tasks with the same work and the same name are joined.
    cost : float
        Estimated processor seconds of the task, for the order and the estimated time left.
    """

    work: Work
    units: tuple[Unit, ...]
    shared: str
    cost: float

    @property
    def label(self) -> str:
        experiments = " + ".join(dict.fromkeys(unit.experiment for unit in self.units))
        first = self.units[0]
        return f"{experiments}: {first.dataset}{f' ({first.variant})' if first.variant else ''}, trial {first.trial}"

    def without(self, done: Iterable[Unit]) -> "Task":
        """The same task without the units that are done."""
        kept = {unit.key for unit in done}
        units = tuple(unit for unit in self.units if unit.key not in kept)
        return replace(self, units=units, cost=self.cost * len(units) / len(self.units))


def joined(tasks: Iterable[Task]) -> list[Task]:
    """Join tasks that share voters, and sort them, the longest first."""
    together: dict[tuple[Work, str], Task] = {}
    for task in tasks:
        place = task.work, task.shared
        earlier = together.get(place)
        together[place] = (
            task
            if earlier is None
            else replace(earlier, units=earlier.units + task.units, cost=earlier.cost + task.cost)
        )
    return sorted(together.values(), key=lambda task: -task.cost)
