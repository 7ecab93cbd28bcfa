"""The settings of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._splits import known_sets
from ._units import Unit


@dataclass(frozen=True)
class Settings:
    """The size of a run.

    Attributes
    ----------
    seed : int
        All random numbers follow from it.
    trials : int or None
        Trials of each experiment, at most as many as the paper has; None for as many as the paper.
    datasets : tuple of str or None
        Data sets to run on; None for the paper's.
    quick : bool
        Small sets, coarse grids and two trials: to check that everything works, not to compare.
    """

    seed: int = 0
    trials: int | None = None
    datasets: tuple[str, ...] | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        if self.trials is not None and self.trials < 1:
            raise ValueError(f"trials must be at least 1, got {self.trials}.")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, got {self.seed}.")
        unknown = [name for name in self.datasets or () if name not in known_sets()]
        if unknown:
            raise ValueError(f"There is no data set named {unknown[0]!r}: the names are {', '.join(known_sets())}.")

    def unit(self, experiment: str, dataset: str, trial: int, own: dict[str, Any], variant: str = "") -> Unit:
        """A unit of this run."""
        return Unit(experiment, dataset, trial, self.seed, variant, {"quick": self.quick, **own})

    def trials_of(self, paper: int) -> range:
        """The trials of an experiment that has ``paper`` trials in the paper."""
        most = 2 if self.quick else paper
        return range(most if self.trials is None else min(self.trials, most))

    def sets(self, paper: Sequence[str], quick: Sequence[str], *, two_classes: bool) -> list[str]:
        """The data sets of an experiment that are available."""
        return [name for name in self._wanted(paper, quick, two_classes) if known_sets()[name].at_hand]

    def absent(self, paper: Sequence[str], quick: Sequence[str], *, two_classes: bool) -> list[str]:
        """The data sets of an experiment that would have to be fetched."""
        return [name for name in self._wanted(paper, quick, two_classes) if not known_sets()[name].at_hand]

    def _wanted(self, paper: Sequence[str], quick: Sequence[str], two_classes: bool) -> list[str]:
        if self.datasets is None:
            return list(quick if self.quick else paper)
        known = known_sets()
        toys = ("moons", "normals")
        return [name for name in self.datasets if (known[name].n_classes == 2) is two_classes and name not in toys]
