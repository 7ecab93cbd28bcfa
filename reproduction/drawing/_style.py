"""Shared by the figures: a colour for each method, panels, and reproducible files."""

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stocmv.displays._canvas import INK, PURPLE, tidy

from .._methods import METHODS
from .._store import Store
from ..figures._compared import LOOKS as SHARED_LOOKS
from ..figures._panels import panels as empty_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Figures = Mapping[str, "Figure"]


class Look(NamedTuple):
    """How a method is drawn."""

    colour: str
    marker: str


_MARKERS = {
    "naive_bayes": "x",
    "first_order": "s",
    "second_order": "D",
    "binomial": "^",
    "exact": "o",
    "mc": "P",
    "merged": "v",
    "merged_paid": "h",
}
_ALL = {
    **{name: Look(SHARED_LOOKS[name].colour, marker) for name, marker in _MARKERS.items()},
    "binomial_51": Look("#b7dcf2", "^"),
    "argmax": Look(PURPLE, "*"),
    "best": Look(INK, "*"),
}
LOOKS: dict[str, Look] = {name: _ALL[name] for name in METHODS if name in _ALL}  # in the order of the tables


def panels(rows: int, columns: int, width: float, height: float, **options: Any) -> "tuple[Figure, NDArray]":
    """A figure with a grid of clean axes."""
    figure, axes = empty_panels(rows, columns, width, height, **options)
    for ax in axes.flat:
        tidy(ax)
    return figure, axes


def legend_of(figure: "Figure", names: list[str], **style: Any) -> None:
    """The methods' colours, below all panels."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=LOOKS[name].colour, marker=LOOKS[name].marker, label=METHODS[name].label, **style)
        for name in names
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 8), frameon=False)


def line(ax: "Axes", name: str, x: NDArray, mean: NDArray, deviation: NDArray) -> None:
    """One method's mean, with a band of one standard deviation."""
    look = LOOKS[name]
    ax.plot(x, mean, color=look.colour, marker=look.marker, markersize=5, linewidth=1.6)
    ax.fill_between(x, mean - deviation, mean + deviation, color=look.colour, alpha=0.15, linewidth=0)


def from_zero(ax: "Axes") -> None:
    """Start the axis of errors at zero and end it a little above the data."""
    ax.set_ylim(0, 1.06 * max(ax.dataLim.y1, 1e-9))


def vacuous(ax: "Axes") -> None:
    """Draw a line where bounds become vacuous, if any does."""
    if ax.get_ylim()[1] > 1:
        ax.axhline(1.0, color="#b30000", linewidth=1, linestyle=(0, (4, 3)))


def write_figures(store: Store, figures: Figures) -> list[str]:
    """Each figure as PNG and SVG; the same figure gives the same bytes."""
    from matplotlib import rc_context

    names = []
    for name, figure in figures.items():
        with rc_context({"svg.hashsalt": "stocmv", "svg.fonttype": "path"}):
            for kind, options in (("png", {"dpi": 130}), ("svg", {})):
                buffer = io.BytesIO()
                metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
                figure.savefig(buffer, format=kind, metadata=metadata, **options)  # type: ignore[arg-type]
                store.write_bytes(f"{name}.{kind}", buffer.getvalue())
                names.append(f"{name}.{kind}")
    return names


def as_columns(points: Mapping[Any, Any]) -> tuple[NDArray, NDArray, NDArray]:
    """Places, means and deviations, in the order of the places."""
    places = sorted(points)
    return (
        np.array(places, float),
        np.array([points[p].mean for p in places]),
        np.array([points[p].deviation for p in places]),
    )
