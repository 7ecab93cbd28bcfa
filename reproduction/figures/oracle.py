"""Oracle upper bounds on the error of a vote with fixed weights, example by example."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from stocmv.displays._canvas import INK, tidy

from ._compared import LOOKS
from ._panels import chosen, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

caption = (
    "Oracle upper bounds on the error of a weighted vote: each curve lies above the indicator that the erring voters "
    "have at least half of the weight, so its mean over the examples is at least the error."
)

_DRAWS = 100
_MEAN, _DEVIATION = 0.25, 0.15


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What agrees with the paper, what differs and why."""
    return [
        "As in the paper, every bound lies above the indicator, and is at least 1 where half of the weight errs.",
        "The C-bound is not one function of the wrong weight: it is the smallest mean among the parabolas that touch 0 "
        "and are 1 at one half. The one drawn is the best for a wrong weight of mean 0.25 and standard deviation 0.15; "
        "the second-order bound is the one that touches 0 at weight 0.",
        "The binomial curve is twice the probability that at least 50 of 100 drawn voters err. The authors' code "
        "counts from 51: twice that is 0.92 at one half, where the vote errs, so it is not a bound.",
    ]


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """One piece of work: all curves on a grid. There are no trials."""
    return [{"n_points": 41 if quick else 401, "n_draws": _DRAWS, "mean": _MEAN, "deviation": _DEVIATION}]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """The value of each curve at each wrong weight."""
    weight = np.linspace(0, 1, settings["n_points"])
    curves = {
        "error": np.where(weight >= 0.5, 1.0, 0.0),
        "first_order": 2 * weight,
        "second_order": 4 * weight**2,
        "c_bound": cantelli(weight, settings["mean"], settings["deviation"]),
        "binomial": 2 * betainc(settings["n_draws"] / 2, settings["n_draws"] / 2 + 1, weight),
    }
    return [
        {**settings, "curve": name, "wrong_weight": w, "value": v}
        for name, values in curves.items()
        for w, v in zip(weight.tolist(), values.tolist(), strict=True)
    ]


def cantelli(weight: NDArray, mean: float, deviation: float) -> NDArray:
    """The parabola above the indicator with the smallest mean, for a wrong weight with these two moments.

    Its mean is the C-bound, by the Cantelli-Chebyshev inequality.
    """
    bottom = mean - deviation**2 / (0.5 - mean)
    return ((weight - bottom) / (0.5 - bottom)) ** 2


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """All curves over the wrong weight."""
    figure, ((ax,),) = panels(1, 1, 5.6, 4.2)
    for name in ("first_order", "second_order", "c_bound", "binomial", "error"):
        own = chosen(rows, curve=name)
        x, y = ([row[key] for row in own] for key in ("wrong_weight", "value"))
        if name == "error":
            ax.plot(x, y, color=INK, linewidth=2.4, drawstyle="steps-post", label="error of the vote")
        else:
            ax.plot(x, y, color=LOOKS[name].colour, linestyle=LOOKS[name].dashes, linewidth=1.8, label=_label(own[0]))
    tidy(ax)
    ax.set(
        xlabel="weight of the voters that err, $W$", ylabel="error, and bounds on it", xlim=(0, 1), ylim=(-0.02, 2.2)
    )
    ax.legend(loc="upper left", frameon=False)
    return figure


def _label(row: dict[str, Any]) -> str:
    formulas = {
        "first_order": "first order, $2W$",
        "second_order": "second order, $4W^2$",
        "c_bound": f"C-bound, if W = {row['mean']:g} ± {row['deviation']:g}",
        "binomial": f"binomial, {row['n_draws']} draws",
    }
    return formulas[row["curve"]]
