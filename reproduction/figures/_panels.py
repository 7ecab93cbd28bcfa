"""Figures of several panels, and means over trials."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stocmv.displays._canvas import pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


def panels(n_rows: int, n_columns: int, width: float, height: float, **sharing: Any) -> "tuple[Figure, NDArray]":
    """A figure of panels, with sizes in inches, that is not registered with pyplot."""
    pyplot()  # its error says how to install matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, **sharing)


def legend_outside(figure: "Figure", handles: Sequence[Any], columns: int = 7) -> None:
    """One legend for all panels, below them."""
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=min(columns, len(handles)),
        frameon=False,
        handlelength=2.6,
        columnspacing=1.6,
    )


def chosen(rows: Iterable[dict[str, Any]], **values: Any) -> list[dict[str, Any]]:
    """The rows that have these values."""
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def over_trials(rows: Sequence[dict[str, Any]], x: str, y: str) -> tuple[NDArray, NDArray, NDArray]:
    """The sorted values of ``x``, with the mean of ``y`` over the trials and its standard deviation."""
    places = sorted({row[x] for row in rows})
    found = [np.array([row[y] for row in rows if row[x] == place], float) for place in places]
    return np.array(places, float), np.array([f.mean() for f in found]), np.array([f.std() for f in found])


def median_line(ax: "Axes", rows: Sequence[dict[str, Any]], x: str, y: str, **style: Any) -> None:
    """The median over the trials as a line, with a band between the quartiles: for times, which are noisy."""
    places = sorted({row[x] for row in rows})
    quartiles = [np.quantile([row[y] for row in rows if row[x] == place], (0.25, 0.5, 0.75)) for place in places]
    low, middle, high = np.transpose(quartiles)
    ax.fill_between(places, low, high, color=style["color"], alpha=0.15, linewidth=0)
    ax.plot(places, middle, **style)


def mean_line(ax: "Axes", rows: Sequence[dict[str, Any]], x: str, y: str, **style: Any) -> None:
    """The mean over the trials as a line, with a band of one standard deviation on either side."""
    places, mean, spread = over_trials(rows, x, y)
    ax.fill_between(places, mean - spread, mean + spread, color=style["color"], alpha=0.15, linewidth=0)
    ax.plot(places, mean, **style)


def plain_ticks(axis: "Axis", ticks: Sequence[float] | None = None) -> None:
    """Ticks of a logarithmic axis at 1, 2 and 5 times a power of ten, or at the given places, in plain figures."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)) if ticks is None else FixedLocator(list(ticks)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}" if value < 1000 else f"{value:,.0f}"))
    axis.set_minor_locator(NullLocator())
