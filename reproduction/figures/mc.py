"""The exact risk against the Monte-Carlo one: error, bound and time by the number of points and of stumps."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stocmv.displays._canvas import in_percent, tidy
from stocmv.risks import Exact, MonteCarlo, Risk
from stocmv.solvers import Adam

from .._methods import DELTA, fit
from ._compared import LOOKS, report
from ._panels import chosen, legend_outside, mean_line, median_line, panels, plain_ticks
from ._told import mean_percent, one_by_one, span
from ._toys import RandomStart, moons, seeded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

caption = (
    "The exact and the Monte-Carlo variant of our method on the two moons: test error, bound, and time to train, by "
    "the number of training points (above) and of stumps (below); means over the trials, medians for the time."
)

_SIZES, _COUNTS = (10, 100, 1000, 10_000), (16, 64, 256)
_STEPS = {0: 200, 1: 1000, 10: 200, 100: 150}  # by the number of draws; 0 is the exact risk
_MOST_WEIGHTS = 6400  # drawn at one step: with more, a run takes half a minute


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What agrees with the paper, what differs and why."""

    def bound(n_draws: int, n_voters: int = 16, n_examples: int = 1000) -> float:
        return mean_percent(rows, "bound", n_draws=n_draws, n_voters=n_voters, n_examples=n_examples)

    draws = [count for count in _STEPS if count]
    few, many = [[bound(count, m) for count in draws] for m in (16, 64)]
    seconds = {count: span(_medians(rows, count), 1) for count in _STEPS}
    return [
        f"As in the paper, more draws bring the bound closer to the exact one: with 1,000 points, {one_by_one(few, 1)} "
        f"% with 1, 10 and 100 draws and 16 stumps (exact: {bound(0):.1f} %), and {one_by_one(many, 1)} % with 64 "
        f"(exact: {bound(0, 64):.1f} %).",
        "As in the paper, one draw is nearly as good as the exact risk with 16 stumps once there are enough points: "
        f"within {max(bound(1, n_examples=n) - bound(0, n_examples=n) for n in _SIZES if n >= 1000):.1f} points from "
        f"1,000 on; with 100 it is not ({bound(1, n_examples=100):.0f} against {bound(0, n_examples=100):.0f} %).",
        "As in the paper, bounds and errors grow with the number of stumps: the exact bound from "
        f"{span((bound(0, m) for m in _COUNTS), 1)} %.",
        "Unlike in the paper, the exact risk is the fastest everywhere, and the time of a step hardly grows with the "
        f"points and the stumps: 1,000 steps take {seconds[0]} s, against {seconds[1]} s with one draw, {seconds[10]} "
        f"s with 10 and {seconds[100]} s with 100. Its special functions are tabulated once for all points; draws "
        "have to be made and applied to the votes at every step.",
        "Times depend on the machine and on what else was running.",
        "All runs start at the paper's random concentrations and use Adam, the first half of the steps at rate 0.3 and "
        "the second at 0.1: 1,000 steps with one draw, 200 with 10 and for the exact risk, 150 with 100. The paper "
        "makes 1,000 in all cases, so the time is shown for 1,000.",
        "The Monte-Carlo bound is the exact bound of the posterior that was found. Runs that draw more than 6,400 "
        "weights per step are left out.",
    ]


def _medians(rows: list[dict[str, Any]], n_draws: int) -> list[float]:
    """Time for 1,000 steps at each place of the grids."""
    own = chosen(rows, n_draws=n_draws)
    places = {(row["n_examples"], row["n_voters"]) for row in own}
    return [
        float(np.median([1000 * row["seconds"] / row["n_steps"] for row in chosen(own, n_examples=n, n_voters=m)]))
        for n, m in places
    ]


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """One run for each trial, place on one of the grids, and number of draws (0 for the exact risk)."""
    sizes, counts, size = ((30, 100), (16, 32), 100) if quick else (_SIZES, _COUNTS, 1000)
    places = dict.fromkeys([*((n, 16) for n in sizes), *((size, m) for m in counts)])
    steps = {0: 20, 1: 20, 10: 20} if quick else _STEPS
    return [
        {"trial": trial, "n_examples": n, "n_voters": m, "n_draws": t, "n_steps": k, "noise": 0.05, "delta": DELTA}
        for trial in range(min(trials, 2) if quick else trials)
        for n, m in places
        for t, k in steps.items()
        if m * t <= _MOST_WEIGHTS
    ]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Errors, bound, and the seconds it took to learn and to certify."""
    trial, count, draws = settings["trial"], settings["n_voters"], settings["n_draws"]
    toy = moons(settings["n_examples"], count, settings["noise"], seed, trial)
    risk: Risk = MonteCarlo(n_draws=draws) if draws else Exact()
    half = settings["n_steps"] // 2
    solver = RandomStart((Adam(half, rate=0.3), Adam(half, rate=0.1)))
    fit([toy.votes], risk, 0, solver=RandomStart((Adam(n_steps=2),)))  # loads compiled code before time is taken
    fitted = fit([toy.votes], risk, seeded(seed, trial, 2, count), solver=solver)
    name = "mc" if draws else "exact"
    return [{**settings, "method": name, **report(name, fitted, toy), "seconds": fitted.seconds}]


_STYLES: dict[int, tuple[Any, str]] = {0: ("-", "o"), 1: ((0, (1, 1.2)), "v"), 10: ((0, (4, 2)), "s"), 100: ("-", "D")}


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """Error, bound and time (across) by the number of points and by the number of stumps (down)."""
    from matplotlib.lines import Line2D

    figure, axes = panels(2, 3, 10.5, 6.4)
    rows = [{**row, "time": 1000 * row["seconds"] / row["n_steps"]} for row in rows]
    draws = sorted({row["n_draws"] for row in rows})
    for line, (varied, fixed) in zip(axes, (("n_examples", "n_voters"), ("n_voters", "n_examples")), strict=True):
        own = _on_grid(rows, varied, fixed)
        for ax, key in zip(line, ("test_drawn", "bound", "time"), strict=True):
            line_of = median_line if key == "time" else mean_line
            for count in draws:
                line_of(ax, chosen(own, n_draws=count), varied, key, **_style(count))
            tidy(ax)
            ax.set(xscale="log", xlabel=_AXES[varied], ylabel=_AXES[key])
            plain_ticks(ax.xaxis, sorted({row[varied] for row in own}))
            if key == "time":
                ax.set_yscale("log")
                plain_ticks(ax.yaxis)
            else:
                in_percent(ax.yaxis)
                ax.set_ylim(0, None)
        line[1].set_title(f"{_SYMBOLS[fixed]} = {own[0][fixed]:,}", fontsize="medium")
    legend_outside(figure, [Line2D([], [], **_style(count), label=_label(count)) for count in draws])
    return figure


_SYMBOLS = {"n_examples": "$n$", "n_voters": "$M$"}
_AXES = {
    "n_examples": "training points $n$",
    "n_voters": "stumps $M$",
    "test_drawn": "test error",
    "bound": "bound on the error",
    "time": "time for 1,000 steps (s)",
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
