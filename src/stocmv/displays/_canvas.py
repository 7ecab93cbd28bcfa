"""Shared by the figures: matplotlib, colours, and clean axes with a legend below."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

# Okabe and Ito's palette, which works for every kind of colour vision
BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY = "#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9"
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION)
# Paul Tol's muted colours, for more classes than that
MUTED = (
    *("#332288", "#ddcc77", "#117733", "#cc6677", "#88ccee"),
    *("#882255", "#44aa99", "#999933", "#aa4499", "#888888"),
)
INK, GREY, FAINT = "#222222", "#767676", "#e4e4e4"


def colours(count: int) -> list[str]:
    """``count`` distinguishable colours; they repeat after ten."""
    cycle = CYCLE if count <= len(CYCLE) else MUTED
    return [cycle[i % len(cycle)] for i in range(count)]


def pyplot() -> Any:
    """The module ``matplotlib.pyplot``, which is not needed to import stocmv."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Displays need matplotlib: install it with `pip install 'stocmv[plot]'`.") from error
    return plt


def canvas(ax: "Axes | None", width: float, height: float) -> "tuple[Axes, Figure]":
    """The given axes, or new ones of that size in inches, with the figure they are in."""
    if ax is None:
        _, ax = pyplot().subplots(figsize=(width, height), layout="constrained")
    else:
        pyplot()
    axes = cast("Axes", ax)
    return axes, cast("Figure", axes.get_figure())


def tidy(ax: "Axes", grid: str = "y") -> None:
    """Remove what carries no information, and draw a faint grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    for spine in ax.spines.values():
        spine.set_color(GREY)
    ax.tick_params(color=GREY)
    ax.set_axisbelow(True)
    ax.grid(False)
    if grid in ("x", "y"):
        ax.grid(True, axis="x" if grid == "x" else "y", color=FAINT, linewidth=0.8)


def in_percent(axis: "Axis") -> None:
    """Label shares as percentages, with no more digits than they need."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6):g} %"))


def legend_below(ax: "Axes", handles: Sequence[Any], columns: int = 4) -> "Legend":
    """A legend below the x-axis label, whatever the size of the figure; leaves room for a title."""
    from matplotlib.transforms import ScaledTranslation

    lines = 2 if ax.axison else 0  # the ticks and the label of the x-axis
    figure = cast("Figure", ax.get_figure())
    down = (8 + lines * (4 + float(ax.xaxis.label.get_fontsize()))) / 72
    below = ax.transAxes + ScaledTranslation(0, -down, figure.dpi_scale_trans)
    return ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=below,
        ncols=min(len(handles), columns),
        frameon=False,
        borderaxespad=0,
        handletextpad=0.5,
        columnspacing=1.6,
    )
