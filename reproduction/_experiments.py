"""All tables and figures, by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from . import _forests, _table1, _toy_figures
from ._settings import Settings
from ._units import Row, Task, Unit
from .figures import n_voters

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[[list[Row], list[Row], Sequence[Unit]], "dict[str, Figure]"]


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper.

    Attributes
    ----------
    name, title : str
        Its name in the command, and a description.
    tasks : callable
        From the settings to the tasks to compute.
    draw : callable
        From the rows, the timings and the units to figures, by name.
    sets : tuple of (sets of the paper, sets of a quick run, whether of two classes), optional
        The data sets that it needs, if any.
    """

    name: str
    title: str
    tasks: Callable[[Settings], list[Task]]
    draw: Draw
    sets: tuple[Sequence[str], Sequence[str], bool] | None = None

    def absent(self, settings: Settings) -> list[str]:
        """The data sets that would have to be fetched first."""
        if self.sets is None:
            return []
        paper, quick, two_classes = self.sets
        return settings.absent(paper, quick, two_classes=two_classes)


def _from_rows(name: str) -> Draw:
    """The drawing function of that name; loads matplotlib only when called."""

    def draw(rows: list[Row], timings: list[Row], units: Sequence[Unit]) -> "dict[str, Figure]":
        from . import drawing

        return getattr(drawing, name)(rows)

    return draw


def _toy(name: str, title: str, sets: tuple[Sequence[str], Sequence[str], bool] | None = None) -> Experiment:
    return Experiment(name, title, partial(_toy_figures.tasks, name), partial(_toy_figures.draw, name), sets)


def _on_forests(name: str, title: str, draw: str) -> Experiment:
    sets = _forests.SETS, _forests.QUICK_SETS, False
    return Experiment(name, title, partial(_forests.tasks, name), _from_rows(draw), sets)


EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "table1",
            "Table 1: stumps on two classes",
            _table1.tasks,
            _from_rows("draw_table1"),
            (_table1.SETS, _table1.QUICK_SETS, True),
        ),
        _on_forests(_forests.TABLE2, "Table 2: forests on several classes", "draw_table2"),
        _toy("fig-oracle", "Oracle bounds of the risk"),
        _toy("fig-simplex", "Dirichlet densities"),
        _toy("fig-moons", "Decision surfaces on two moons"),
        _toy("fig-mc", "Exact and Monte Carlo"),
        _on_forests(_forests.STRENGTH, "Strength of the voters", "draw_strength"),
        _toy("fig-gamma", "The gamma family"),
        _toy("fig-expected", "Bound on the deterministic vote"),
        _toy("fig-training", "Training with and without the bound"),
        _toy("fig-moons-methods", "Methods by the number of voters"),
        _toy("fig-voters", "More voters, merged or not", (n_voters.SETS, n_voters.QUICK_SETS, True)),
        _toy("fig-noise", "Noise on the inputs"),
        _toy("fig-noise-merged", "Noise on the inputs: merged voters, paid priors and a hold-out"),
        _on_forests(_forests.PRIOR, "Choice of the prior", "draw_prior"),
    )
}
