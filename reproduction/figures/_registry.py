"""The figures, by the names of their commands."""

from typing import TYPE_CHECKING, Any, Protocol

from . import expected, gamma, mc, moons, moons_methods, n_voters, noise, noise_merged, oracle, simplex, training

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class FigureModule(Protocol):
    """What every module of a figure has.

    Attributes
    ----------
    caption : str
        What the figure shows, in a sentence.
    """

    caption: str

    def notes(self, rows: list[dict[str, Any]]) -> list[str]:
        """What agrees with the paper, what differs and why, with the numbers of the rows of a full run."""
        ...

    def units(self, *, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
        """The settings of each independent piece of work."""
        ...

    def compute(self, settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
        """The rows of one piece of work, every setting in each; they follow from the settings and the seed."""
        ...

    def draw(self, rows: list[dict[str, Any]]) -> "Figure":
        """The figure, from the rows of all pieces alone."""
        ...


FIGURES: dict[str, FigureModule] = {
    "fig-oracle": oracle,
    "fig-simplex": simplex,
    "fig-moons": moons,
    "fig-mc": mc,
    "fig-gamma": gamma,
    "fig-expected": expected,
    "fig-training": training,
    "fig-moons-methods": moons_methods,
    "fig-voters": n_voters,
    "fig-noise": noise,
    "fig-noise-merged": noise_merged,
}
