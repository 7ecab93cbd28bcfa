"""Errors and bounds along a grid: the prior, and the depth of the trees."""

from typing import TYPE_CHECKING

from stocmv.displays._canvas import INK, SKY, in_percent

from .._summary import means, values_of
from .._units import Row
from ._style import LOOKS, as_columns, from_zero, legend_of, line, panels, vacuous
from ._tables import with_reported

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_prior(rows: list[Row]) -> "dict[str, Figure]":
    """Test error and bound by the prior's concentration, a line of panels for each data set."""
    if not rows:
        return {}
    datasets = values_of(rows, "dataset")
    figure, axes = panels(len(datasets), 2, 10, 2.9 * len(datasets) + 0.5)
    pairs = (
        (("test_drawn", ""), ("test_drawn_argmax", "")),
        (("bound", "W ≥ 1/2 (bound in the paper's setting)"), ("bound_argmax", "arg-max (bound proven)")),
    )
    for panel, dataset in zip(axes, datasets, strict=True):
        own = [row for row in rows if row["dataset"] == dataset]
        for ax, pair, title in zip(panel, pairs, ("test error of the stochastic vote", "bound"), strict=True):
            for (column, label), colour in zip(pair, (LOOKS["exact"].colour, SKY), strict=True):
                x, mean, deviation = as_columns({p: m for (p,), m in means(own, ["prior"], column).items()})
                ax.plot(x, mean, color=colour, marker="o", markersize=5, label=label)
                ax.fill_between(x, mean - deviation, mean + deviation, color=colour, alpha=0.15, linewidth=0)
            ax.set(xscale="log", title=f"{dataset}: {title}", xlabel="concentration of the prior, β")
            from_zero(ax)
            in_percent(ax.yaxis)
    handles, labels = axes[0, 1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return {"fig-prior": figure}


def draw_strength(rows: list[Row]) -> "dict[str, Figure]":
    """Strength of the voters, training error, test error and bound by the depth of the trees."""
    if not rows:
        return {}
    rows = with_reported(rows)
    datasets = values_of(rows, "dataset")
    figure, axes = panels(len(datasets), 4, 15, 2.9 * len(datasets) + 0.7)
    columns = {"train_error": "training error", "test_error": "test error", "bound": "bound"}
    for panel, dataset in zip(axes, datasets, strict=True):
        own = [row for row in rows if row["dataset"] == dataset]
        _strength(panel[0], own, dataset)
        for ax, (column, label) in zip(panel[1:], columns.items(), strict=True):
            _curves(ax, own, "depth", column)
            ax.set(xlabel="maximal depth of the trees", title=f"{dataset}: {label}")
        vacuous(panel[3])
    legend_of(figure, _names(rows))
    return {"fig-strength": figure}


def _strength(ax: "Axes", rows: list[Row], dataset: str) -> None:
    x, mean, deviation = as_columns({d: m for (d,), m in means(rows, ["depth"], "strength").items()})
    ax.errorbar(x, mean, deviation, color=INK, marker="o", markersize=5)
    ax.set(xlabel="maximal depth of the trees", title=f"{dataset}: accuracy of a random tree", ylim=(0, 1.03))
    in_percent(ax.yaxis)


def _curves(ax: "Axes", rows: list[Row], x: str, column: str) -> None:
    """One line for each method."""
    found = means(rows, ["method", x], column)
    for name in _names(rows):
        line(ax, name, *as_columns({place: mean for (method, place), mean in found.items() if method == name}))
    from_zero(ax)
    in_percent(ax.yaxis)


def _names(rows: list[Row]) -> list[str]:
    present = values_of(rows, "method")
    return [name for name in LOOKS if name in present]
