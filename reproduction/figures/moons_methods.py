"""Errors and bounds of all methods on the two moons, by the number of stumps."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from stocmv.displays._canvas import GREY, INK, in_percent, tidy

from .._methods import DELTA, METHODS
from ._compared import LOOKS, compare_on_moons
from ._panels import chosen, legend_outside, panels
from ._told import mean_percent, one_by_one, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

caption = (
    "Test errors and bounds of all methods on the two moons by the number of stumps: means and standard deviations "
    "over the trials."
)

_COMPARED = ("first_order", "second_order", "binomial", "exact", "mc")
_COUNTS = (8, 12, 16, 32, 64, 128)


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What agrees with the paper, what differs and why."""

    def means(name: str, key: str, counts: Iterable[int] = _COUNTS) -> list[float]:
        return [mean_percent(rows, key, method=name, n_voters=m) for m in counts]

    others, enough = ("first_order", "second_order", "binomial"), (16, 32, 64, 128)
    exact, drawn = means("exact", "bound"), means("mc", "bound")
    above = [theirs - ours for theirs, ours in zip(drawn, exact, strict=True)]
    fixed = means("exact", "bound_fixed", [12])[0] - means("exact", "bound", [12])[0]
    return [
        f"As in the paper, our bounds are the smallest for every number of stumps: {span(exact, 1)} %, where those of "
        f"the others lie between {span([b for name in others for b in means(name, 'bound')]).replace(' to ', ' and ')} "
        "%.",
        "As in the paper, our bound grows with the number of stumps once they suffice, to "
        f"{one_by_one(means('exact', 'bound', enough), 1)} % for 16, 32, 64 and 128, at test errors of at most "
        f"{max(means('exact', 'test_drawn', enough)):.1f} %; the binomial one does not "
        f"({one_by_one(means('binomial', 'bound', enough))} %).",
        "As in the paper, the first- and second-order votes err more often than ours from 16 stumps on "
        f"({span(means('first_order', 'test_fixed', enough))} %, and "
        f"{span(means('second_order', 'test_fixed', enough))} %). The binomial vote errs rarely, too (at most "
        f"{max(means('binomial', 'test_fixed', enough)):.1f} %): the difference is in its bound.",
        "The Monte-Carlo bound is the exact bound of the posterior that was found, and "
        f"{span(above, 1)} points above that of the exact method. The paper uses a sigmoid of ten draws as the "
        "risk, which is not a certificate.",
        "Full bars show the error of what is bounded: the stochastic vote for our methods, the deterministic vote for "
        "the others. The marks show our deterministic vote, which errs a little less on average but has the higher "
        f"bound, by {fixed:.0f} points with 12 stumps.",
        "Four stumps are left out: in equal steps from the lower end of each feature they are all constant.",
    ]


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """All methods, for each trial and number of stumps."""
    counts = (8, 16) if quick else _COUNTS
    shared = {"n_examples": 200 if quick else 1000, "noise": 0.05, "delta": DELTA, "quick": quick}
    count = min(trials, 2) if quick else trials
    return [{"trial": trial, "n_voters": m, **shared} for trial in range(count) for m in counts]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Errors and bounds of each method."""
    return compare_on_moons(settings, _COMPARED, seed)


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """Bars of the test error inside bars of the bound, one block for each number of stumps."""
    counts = sorted({row["n_voters"] for row in rows})
    figure, (axes,) = panels(1, len(counts), 1.75 * len(counts) + 0.8, 4, sharey=True)
    for ax, count in zip(axes, counts, strict=True):
        block = {name: chosen(rows, n_voters=count, method=name) for name in _COMPARED}
        for place, (name, own) in enumerate(block.items()):
            _draw_bars(ax, place, name, own)
        tidy(ax)
        bounds = [f"{100 * np.mean([row['bound'] for row in own]):.1f}" for own in block.values()]
        ax.set_xticks(range(len(block)), bounds, fontsize="x-small")
        ax.tick_params(axis="x", length=0, pad=7)
        ax.set_xlabel(f"bound in percent\n{count} stumps")
    in_percent(axes[0].yaxis)
    axes[0].set(ylabel="test error, and bound on it", ylim=(0, None))
    legend_outside(figure, _handles(), columns=5)
    return figure


def _draw_bars(ax: "Axes", place: int, name: str, rows: list[dict[str, Any]]) -> None:
    """The bound, the test error of what it bounds, and marks for our deterministic vote."""
    bars: dict[str, dict[str, Any]] = {"bound": {"width": 0.84, "alpha": 0.35}}
    bars[f"test_{METHODS[name].reports}"] = {"width": 0.5}
    for key, style in bars.items():
        values = np.array([row[key] for row in rows])
        ax.bar(place, values.mean(), color=LOOKS[name].colour, linewidth=0, **style)
        ax.errorbar(place, values.mean(), values.std(), color=INK, linewidth=1, capsize=2)
    if METHODS[name].reports == "drawn":
        for key, mark in _MARKS.items():
            ax.plot(place, np.mean([row[key] for row in rows]), linestyle="", color=INK, clip_on=False, **mark)


_MARKS: dict[str, dict[str, Any]] = {
    "bound_fixed": {"marker": "_", "markersize": 11},
    "test_fixed": {"marker": "D", "markersize": 3.5},
}


def _handles() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        *(Patch(facecolor=LOOKS[name].colour, label=LOOKS[name].label) for name in _COMPARED),
        Patch(facecolor=GREY, alpha=0.35, label="pale: bound"),
        Patch(facecolor=GREY, label="full: test error of what it bounds"),
        Line2D([], [], linestyle="", color=INK, **_MARKS["bound_fixed"], label="ours: bound, deterministic vote"),
        Line2D([], [], linestyle="", color=INK, **_MARKS["test_fixed"], label="ours: test error, deterministic vote"),
    ]
