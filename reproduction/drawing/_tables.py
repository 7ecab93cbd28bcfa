"""Bars made from the two tables."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stocmv.displays._canvas import INK, in_percent

from .._methods import METHODS
from .._published import published
from .._summary import Mean, means, values_of
from .._units import Row
from ._style import LOOKS, panels, vacuous

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHORT = {
    "naive_bayes": "NB",
    "first_order": "FO",
    "second_order": "SO",
    "binomial": "Bin",
    "binomial_51": "Bin>",
    "exact": "exact",
    "mc": "MC",
    "merged": "merged",
    "merged_paid": "paid",
    "argmax": "argmax",
    "best": "best",
}


def draw_table1(rows: list[Row]) -> "dict[str, Figure]":
    """Test errors and bounds of stumps, and all other figures."""
    return _draw("table1", rows)


def draw_table2(rows: list[Row]) -> "dict[str, Figure]":
    """Test errors and bounds of forests, and all other figures."""
    return _draw("table2", rows)


def _draw(table: str, rows: list[Row]) -> "dict[str, Figure]":
    if not rows:
        return {}
    return {f"{table}-bars": _overview(table, rows), f"{table}-all": _everything(rows)}


def reported(row: Row, part: str) -> float | None:
    """The error that the paper reports for the row's method: of drawn or of fixed weights, by W >= 1/2.

    Our own two columns are about the arg-max.
    """
    method = row["method"]
    by_argmax = "_argmax" if method in ("argmax", "best") else ""
    return row.get(f"{part}_{METHODS[method].reports}{by_argmax}")


def with_reported(rows: list[Row]) -> list[Row]:
    """The rows with the errors that the paper reports."""
    return [{**row, "train_error": reported(row, "train"), "test_error": reported(row, "test")} for row in rows]


def _overview(table: str, rows: list[Row]) -> "Figure":
    rows = with_reported(rows)
    datasets = values_of(rows, "dataset")
    names = [name for name in LOOKS if name in values_of(rows, "method")]
    figure, axes = panels(2, 1, max(10.0, 1.9 * len(datasets)), 7.0, sharex=True)
    for ax, (kind, label) in zip(
        axes[:, 0], (("test_error", "test error"), ("bound", "bound, paper's setting")), strict=True
    ):
        _groups(ax, table, kind, means(rows, ["dataset", "method"], kind), datasets, names)
        ax.set_ylabel(label)
        in_percent(ax.yaxis)
        if kind == "bound":
            vacuous(ax)
    axes[1, 0].set_xticks(np.arange(len(datasets)), datasets)
    _bar_legend(figure, names)
    return figure


def _groups(ax: "Axes", table: str, kind: str, found: dict[Any, Mean], datasets: list[str], names: list[str]) -> None:
    """Bars of all methods, side by side for each data set; a mark where the paper's figure lies."""
    width = 0.84 / len(names)
    for j, name in enumerate(names):
        places = np.arange(len(datasets)) + (j - (len(names) - 1) / 2) * width
        for place, dataset in zip(places, datasets, strict=True):
            mean = found.get((dataset, name))
            paper = published(table, kind, name, dataset)
            if mean is not None:
                ax.bar(place, mean.mean, 0.9 * width, color=LOOKS[name].colour)
                ax.errorbar(place, mean.mean, mean.deviation, color="#c2185b", linewidth=1.4)
            if paper is not None:
                ax.plot(place, paper.mean / 100, marker="_", color=INK, markersize=11 * width / 0.12, linewidth=0)


def _bar_legend(figure: "Figure", names: list[str]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(color=LOOKS[name].colour, label=METHODS[name].label) for name in names]
    handles.append(Line2D([], [], marker="_", color=INK, linestyle="", markersize=11, label="paper"))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 6), frameon=False)


def _everything(rows: list[Row]) -> "Figure":
    """One line of panels for each data set: entropy, KL, training error, test error, bound."""
    rows = with_reported(rows)
    datasets = values_of(rows, "dataset")
    names = [name for name in LOOKS if name in values_of(rows, "method")]
    columns = {
        "entropy": "entropy, nats",
        "kl": "KL, nats",
        "train_error": "training error",
        "test_error": "test error",
        "bound": "bound",
    }
    figure, axes = panels(len(datasets), len(columns), 15, 2.3 * len(datasets) + 0.4)
    for line, dataset in zip(axes, datasets, strict=True):
        own = [row for row in rows if row["dataset"] == dataset]
        for ax, (column, label) in zip(line, columns.items(), strict=True):
            _bars(ax, means(own, ["method"], column), names)
            ax.set_title(label, fontsize=10)
            if column not in ("entropy", "kl"):
                in_percent(ax.yaxis)
            if column == "bound":
                vacuous(ax)
        line[0].set_ylabel(f"{dataset}\nd = {own[0]['n_features']}, n = {own[0]['n_train']:,}", fontsize=10)
    return figure


def _bars(ax: "Axes", found: dict[Any, Mean], names: list[str]) -> None:
    for place, name in enumerate(names):
        mean = found.get((name,))
        if mean is not None:
            ax.bar(place, mean.mean, 0.8, color=LOOKS[name].colour)
            ax.errorbar(place, mean.mean, mean.deviation, color=INK, linewidth=1.2)
    labels = [_SHORT[name] for name in names]
    ax.set_xticks(np.arange(len(names)), labels, fontsize=8, rotation=35, ha="right", rotation_mode="anchor")
    ax.set_xlim(-0.6, len(names) - 0.4)
