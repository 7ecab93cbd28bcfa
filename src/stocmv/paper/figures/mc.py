"""The exact risk against the Monte-Carlo one: error, bound and time by the number of points and of stumps."""

from typing import TYPE_CHECKING, Any

from ...displays._canvas import in_percent, tidy
from ...risks import Exact, MonteCarlo, Risk
from ...solvers import Adam
from .._methods import DELTA, fit
from ._compared import LOOKS, report
from ._panels import chosen, legend_outside, mean_line, panels
from ._toys import RandomStart, moons, seeded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

caption = ""
notes: list[str] = []

_SIZES, _COUNTS = (10, 100, 1000, 10_000), (16, 64, 256, 1024)
_DRAWS = (0, 1, 10, 100)  # 0 is the exact risk
_MOST_WEIGHTS = 6400  # drawn at one step; a run with more takes minutes


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """One run for each trial, place on one of the grids, and number of draws (0 for the exact risk)."""
    sizes, counts, draws = ((30, 100), (16, 32), (0, 1, 10)) if quick else (_SIZES, _COUNTS, _DRAWS)
    at_size, at_count = (100, 16) if quick else (1000, 16)
    places = dict.fromkeys([*((n, at_count) for n in sizes), *((at_size, m) for m in counts)])
    shared = {"noise": 0.05, "delta": DELTA, "steps_per_stage": 10 if quick else 100}
    return [
        {"trial": trial, "n_examples": n, "n_voters": m, "n_draws": t, **shared}
        for trial in range(min(trials, 2) if quick else trials)
        for n, m in places
        for t in draws
        if m * t <= _MOST_WEIGHTS
    ]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Errors, bound, and the seconds it took to learn and to certify."""
    trial, count, draws = settings["trial"], settings["n_voters"], settings["n_draws"]
    toy = moons(settings["n_examples"], count, settings["noise"], seed, trial)
    risk: Risk = MonteCarlo(n_draws=draws) if draws else Exact()
    steps = settings["steps_per_stage"]
    solver = RandomStart((Adam(steps, rate=0.3), Adam(steps, rate=0.1)))
    fit([toy.votes], risk, 0, solver=RandomStart((Adam(n_steps=2),)))  # loads compiled code before time is taken
    fitted = fit([toy.votes], risk, seeded(seed, trial, 2, count), solver=solver)
    name = "mc" if draws else "exact"
    return [{**settings, "method": name, **report(name, fitted, toy), "seconds": fitted.seconds}]


_STYLES: dict[int, tuple[Any, str]] = {0: ("-", "o"), 1: ((0, (1, 1.2)), "v"), 10: ((0, (4, 2)), "s"), 100: ("-", "D")}


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """Error, bound and time (across) by the number of points and by the number of stumps (down)."""
    from matplotlib.lines import Line2D

    figure, axes = panels(2, 3, 10.5, 6.4)
    draws = sorted({row["n_draws"] for row in rows})
    for line, (varied, fixed) in zip(axes, (("n_examples", "n_voters"), ("n_voters", "n_examples")), strict=True):
        own = _on_grid(rows, varied, fixed)
        for ax, key in zip(line, ("test_drawn", "bound", "seconds"), strict=True):
            for count in draws:
                mean_line(ax, chosen(own, n_draws=count), varied, key, **_style(count))
            tidy(ax)
            ax.set(xscale="log", xlabel=_AXES[varied], ylabel=_AXES[key])
            if key == "seconds":
                ax.set_yscale("log")
            else:
                in_percent(ax.yaxis)
                ax.set_ylim(0, None)
        line[1].set_title(f"{_AXES[fixed]}: {own[0][fixed]:,}")
    legend_outside(figure, [Line2D([], [], **_style(count), label=_label(count)) for count in draws])
    return figure


_AXES = {
    "n_examples": "training points $n$",
    "n_voters": "stumps $M$",
    "test_drawn": "test error",
    "bound": "bound on the error",
    "seconds": "time to learn (s)",
}


def _on_grid(rows: list[dict[str, Any]], varied: str, fixed: str) -> list[dict[str, Any]]:
    """The rows in which one setting varies: those with the value of the other that most values of it come with."""
    met = {value: len({row[varied] for row in chosen(rows, **{fixed: value})}) for value in {r[fixed] for r in rows}}
    return chosen(rows, **{fixed: max(met, key=lambda value: met[value])})


def _style(count: int) -> dict[str, Any]:
    dashes, mark = _STYLES[count]
    colour = LOOKS["mc" if count else "exact"].colour
    return {"color": colour, "linestyle": dashes, "marker": mark, "markersize": 5, "linewidth": 1.8}


def _label(count: int) -> str:
    return f"Monte Carlo, {count} draw{'s' * (count > 1)}" if count else "exact"
