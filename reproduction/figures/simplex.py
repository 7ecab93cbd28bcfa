"""Dirichlet densities over the weights of three voters."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stocmv.displays._canvas import GREY

from ._panels import legend_outside, panels
from ._triangle import SHARES, draw_triangle

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.tri import TriContourSet

caption = (
    "Dirichlet densities over the weights of three voters: every point of the triangle is a majority vote, and the "
    "darker it is, the more often it is drawn."
)

_ALPHAS = ((0.99, 0.99, 0.99), (2.0, 2.0, 2.0), (2.0, 1.5, 5.0))


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What agrees with the paper, what differs and why."""
    return [
        "The three distributions are the paper's: nearly even, around the centre, and leaning to one voter.",
        "The bands are not levels of the density: they contain 20, 50, 80, 95 and 99 % of the draws, so "
        "that they can be compared between panels.",
    ]


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """One piece of work for each distribution. There are no trials."""
    return [{"alpha_1": a, "alpha_2": b, "alpha_3": c} for a, b, c in _ALPHAS]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Mean and standard deviation of each voter's weight."""
    alpha = np.array([settings[f"alpha_{j}"] for j in (1, 2, 3)])
    mean = alpha / alpha.sum()
    deviation = np.sqrt(mean * (1 - mean) / (alpha.sum() + 1))
    return [
        {**settings, "voter": j, "mean": m, "deviation": d}
        for j, m, d in zip((1, 2, 3), mean.tolist(), deviation.tolist(), strict=True)
    ]


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """One triangle for each distribution."""
    alphas = list(dict.fromkeys((row["alpha_1"], row["alpha_2"], row["alpha_3"]) for row in rows))
    figure, (axes,) = panels(1, len(alphas), 4.0 * len(alphas), 4.7)
    for ax, alpha in zip(axes, alphas, strict=True):
        bands = draw_triangle(ax, alpha)
        ax.set_title(f"$\\alpha$ =\n({alpha[0]:g}, {alpha[1]:g}, {alpha[2]:g})", loc="left", y=0.84, fontsize="medium")
    legend_outside(figure, _held(bands))
    return figure


def _held(bands: "TriContourSet") -> list[Any]:
    """What the colours hold, the densest first."""
    from matplotlib.patches import Patch

    colours = np.asarray(bands.get_facecolor())[::-1]
    first, *others = (f"{100 * share:.0f} %" for share in SHARES[::-1])
    labels = [f"densest {first} of the draws", *others, "all"]
    return [Patch(facecolor=c, edgecolor=GREY, linewidth=0.4, label=t) for c, t in zip(colours, labels, strict=True)]
