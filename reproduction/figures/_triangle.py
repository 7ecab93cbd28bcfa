"""The density of three weights that sum to one, as a filled triangle."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from stocmv.displays._canvas import GREY, INK, VERMILION, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.tri import TriContourSet

SHARES = (0.99, 0.95, 0.8, 0.5, 0.2)
"""Shares of the drawn weights inside the bands, starting with the widest."""
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_STEPS = 120  # intervals along one side of the triangle
_DRAWS = 20_000
_EDGE = 1e-3  # a smaller weight is taken for this one where the density is evaluated


def draw_triangle(ax: "Axes", alpha: ArrayLike) -> "TriContourSet":
    """Draw a Dirichlet over three voters; in a corner, one voter has all the weight.

    The bands, which are returned, are the smallest regions that hold the `SHARES` of the drawn weights.
    """
    from matplotlib import colormaps
    from matplotlib.tri import Triangulation

    concentrations = np.asarray(alpha, float)
    mean = concentrations / concentrations.sum()
    weights = lattice()
    density = log_density(weights, concentrations)
    levels = _levels(concentrations, density)
    colours = colormaps["Blues"](np.linspace(0.02, 0.9, len(levels) - 1))
    bands = ax.tricontourf(Triangulation(*(weights @ _CORNERS).T), density, colors=colours, levels=levels)
    mark: dict[str, Any] = {"color": VERMILION, "marker": "P", "markersize": 9, "markeredgecolor": "white"}
    (centre,) = ax.plot(*(mean @ _CORNERS)[:, None], linestyle="", label="mean weights, as at the corners", **mark)
    _draw_frame(ax, mean)
    legend_below(ax, [centre])
    return bands


def _draw_frame(ax: "Axes", mean: NDArray) -> None:
    ax.plot(*_CORNERS[[0, 1, 2, 0]].T, color=GREY, linewidth=1.2, solid_joinstyle="round")
    for k, (align, y) in enumerate((("left", -6), ("right", -6), ("center", 6))):
        ax.annotate(
            f"voter {k + 1}\n{100 * mean[k]:.1f} %",
            _CORNERS[k],
            (0, y),
            textcoords="offset points",
            ha=align,
            va="top" if y < 0 else "bottom",
            color=INK,
        )
    ax.set(aspect="equal", xlim=(-0.04, 1.04), ylim=(-0.14, 1.01))
    ax.set_axis_off()


def lattice() -> NDArray:
    """Points that fill the triangle evenly."""
    i, j = (index.ravel() for index in np.indices((_STEPS + 1, _STEPS + 1)))
    return np.column_stack([i, j, _STEPS - i - j])[i + j <= _STEPS] / _STEPS


def log_density(weights: NDArray, concentrations: NDArray) -> NDArray:
    """Logarithm of the Dirichlet's density; on the edges, where it may be infinite, that of a point beside them."""
    weights = np.maximum(weights, _EDGE)
    constant = gammaln(concentrations.sum()) - gammaln(concentrations).sum()
    return constant + np.log(weights) @ (concentrations - 1)


def _levels(concentrations: NDArray, density: NDArray) -> NDArray:
    """Log-densities above which lie the shares of the drawn weights, rising; the ends take in every point."""
    draws = np.random.default_rng(0).dirichlet(concentrations, _DRAWS)
    inner = np.quantile(log_density(draws, concentrations), 1 - np.array(SHARES))
    lowest, highest = min(density.min(), inner.min()) - 1, max(density.max(), inner.max()) + 1
    # an even density has one level only: the shares then lie a hair apart
    return np.concatenate([[lowest], inner + 1e-9 * np.arange(len(inner)) - 1e-8, [highest]])
