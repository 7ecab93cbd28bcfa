"""What each method answers on the two moons, with few and with many stumps."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stocmv.certificate._percent import percent
from stocmv.displays._canvas import BLUE, GREY, INK, ORANGE
from stocmv.special import half_betainc

from .._methods import DELTA, Fitted, dirichlets
from ._compared import LOOKS, compare
from ._panels import chosen, legend_outside, panels
from ._told import mean_percent
from ._toys import REACH, Toy, moons

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

caption = (
    "What each method answers on the two moons, with 16 stumps (above) and 128 (below) spread evenly over the square; "
    "the bound on the error of what is shown is in the upper right corner."
)

_METHODS = ("naive_bayes", "first_order", "second_order", "c_bound", "binomial", "exact")


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What agrees with the paper, what differs and why."""
    reports = chosen(rows, kind="method")

    def both(name: str, key: str, digits: int = 0) -> list[str]:
        return [f"{mean_percent(reports, key, method=name, n_voters=m):.{digits}f}" for m in (16, 128)]

    ours, binomial = both("exact", "bound", 1), both("binomial", "bound", 1)
    wrong = {name: " and ".join(dict.fromkeys(both(name, "train_fixed"))) for name in _METHODS}
    return [
        "As in the paper, only the binomial bound and ours lead to votes that separate the moons (no training point is "
        f"wrong), and ours has by far the smallest bound: {ours[0]} % against {binomial[0]} % with 16 stumps, "
        f"{ours[1]} % against {binomial[1]} % with 128.",
        "As in the paper, the first-order vote rests on few stumps (it errs on "
        f"{wrong['first_order']} % of the training points), and the second-order vote ({wrong['second_order']} %) and "
        f"the C-bound's ({wrong['c_bound']} %) do not use the variety of the stumps either. Naive Bayes errs on "
        f"{wrong['naive_bayes']} %.",
        "For a deterministic vote a cell has the colour of its answer. For ours, a stochastic vote, it is paler where "
        "the answer is less certain: the border is sharp with 16 stumps and wide with 128.",
        "The points are standardised with the mean and the variance of the population, which are known; the authors' "
        "code uses those of the training part, so that the stumps depend on it. The C-bound has its correct form, and "
        "the binomial bound counts at least half of the drawn voters.",
    ]


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """One piece of work for each number of stumps, on the same points. There is one trial, as in the paper."""
    counts = (16,) if quick else (16, 128)
    shared = {"n_examples": 200 if quick else 1000, "noise": 0.05, "delta": DELTA, "quick": quick}
    return [{"trial": 0, "n_voters": count, **shared} for count in counts]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Rows of three kinds: training points, methods, and for each method and cell between thresholds the answer."""
    trial, count = settings["trial"], settings["n_voters"]
    toy = moons(settings["n_examples"], count, settings["noise"], seed, trial)
    rows = [
        {**settings, "kind": "point", "x1": x1, "x2": x2, "label": label}
        for (x1, x2), label in zip(toy.X.tolist(), toy.y.tolist(), strict=True)
    ]
    corners, centres = _cells(toy)
    says_one = toy.voters.codes(centres) == 1
    for report, fitted in compare(toy, _METHODS, (seed, trial, 2, count), quick=settings["quick"]):
        rows.append({**settings, "kind": "method", **report})
        cell = {**settings, "kind": "cell", "method": report["method"], "size": _cell_size(toy)}
        rows += [
            {**cell, "x1": x1, "x2": x2, "answers_one": share}
            for (x1, x2), share in zip(corners.tolist(), _share_of_one(fitted, says_one).tolist(), strict=True)
        ]
    return rows


def _cell_size(toy: Toy) -> float:
    return 2 * REACH / toy.voters.thresholds.shape[1]


def _cells(toy: Toy) -> tuple[NDArray, NDArray]:
    """Lower left corners and centres of the cells between the thresholds, on which no vote changes."""
    across, up = np.meshgrid(*toy.voters.thresholds)
    corners = np.column_stack([across.ravel(), up.ravel()])
    return corners, corners + _cell_size(toy) / 2


def _share_of_one(fitted: Fitted, says_one: NDArray) -> NDArray:
    """How probably the vote answers class 1, given which voters do; a tie of fixed weights is one half."""
    posteriors = dirichlets(fitted)
    if posteriors:
        return half_betainc(says_one @ posteriors[0].alpha, posteriors[0].total)[0]
    lead = np.where(says_one, 1.0, -1.0) @ fitted.weights[0]
    clear = np.abs(lead) > 1e-12 * np.abs(fitted.weights[0]).sum()
    return np.where(clear, lead > 0, 0.5)


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """One panel for each method (across) and number of stumps (down)."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    counts = sorted({row["n_voters"] for row in rows})
    names = list(dict.fromkeys(row["method"] for row in chosen(rows, kind="method")))
    figure, axes = panels(len(counts), len(names), 2.1 * len(names), 2.1 * len(counts) + 0.7, sharex=True, sharey=True)
    for line, count in zip(axes, counts, strict=True):
        points = chosen(rows, kind="point", n_voters=count)
        for ax, name in zip(line, names, strict=True):
            own = [row for row in rows if row.get("method") == name and row["n_voters"] == count]
            _draw_surface(ax, chosen(own, kind="cell"))
            _draw_points(ax, points)
            _write_bound(ax, chosen(own, kind="method")[0]["bound"])
            if ax in axes[0]:
                ax.set_title(LOOKS[name].label)
            if ax in axes[-1]:
                ax.set_xlabel("feature 1")
        line[0].set_ylabel(f"{count} stumps\nfeature 2")
    handles = [
        *(Patch(facecolor=_pale(c), label=f"answers class {k}") for k, c in enumerate((ORANGE, BLUE))),
        Patch(facecolor="white", edgecolor=GREY, linewidth=0.6, label="either with equal probability"),
        Line2D([], [], marker="o", linestyle="", color=INK, markersize=3, label="training point"),
    ]
    legend_outside(figure, handles)
    return figure


def _draw_surface(ax: "Axes", cells: list[dict[str, Any]]) -> None:
    """Pale colours of the classes, white where both answers are equally likely."""
    from matplotlib.colors import LinearSegmentedColormap

    ramp = LinearSegmentedColormap.from_list("answers", [_pale(ORANGE), "#ffffff", _pale(BLUE)])
    edges = [sorted({cell[key] for cell in cells}) for key in ("x1", "x2")]
    grid = np.array([cell["answers_one"] for cell in cells]).reshape(len(edges[1]), len(edges[0]))
    across, up = (np.append(e, e[-1] + cells[0]["size"]) for e in edges)
    ax.pcolormesh(across, up, grid, cmap=ramp, vmin=0, vmax=1, linewidth=0, rasterized=True)
    ax.set(aspect="equal", xlim=(-REACH, REACH), ylim=(-REACH, REACH), xticks=(-2, 0, 2), yticks=(-2, 0, 2))


def _write_bound(ax: "Axes", bound: float | None) -> None:
    if bound is not None:
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
        ax.text(0.97, 0.97, percent(bound), transform=ax.transAxes, ha="right", va="top", fontsize="small", bbox=box)


def _draw_points(ax: "Axes", points: list[dict[str, Any]]) -> None:
    ax.scatter([p["x1"] for p in points], [p["x2"] for p in points], s=1.5, color=INK, linewidths=0, rasterized=True)


def _pale(colour: str, strength: float = 0.55) -> str:
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = 1 - strength * (1 - np.array(to_rgb(colour)))
    return to_hex((red, green, blue))
