"""The oracle bound on the deterministic vote: it errs at most twice as often as the stochastic vote."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stocmv.displays._canvas import CYCLE, INK, tidy
from stocmv.special import half_betainc

from ._panels import chosen, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

caption = (
    "Oracle bound on the deterministic vote: twice the error of the stochastic vote is at least the error of the "
    "deterministic vote, whatever the total concentration s of the Dirichlet."
)

_TOTALS = (2.0, 10.0, 100.0)


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What agrees with the paper, what differs and why."""
    return [
        "As in the paper, twice the stochastic vote's error is exactly 1 where the mean weight of the voters that err "
        "is one half, and nowhere below the error of the deterministic vote.",
        "The paper does not say which concentrations it shows. With a larger total the curve approaches twice a "
        "step: nothing is lost where the vote is right, and a factor of two where it errs.",
    ]


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """One piece of work for each total concentration. There are no trials."""
    return [{"total": total, "n_points": 41 if quick else 401} for total in _TOTALS]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Both errors on an example, for each mean weight of the voters that err there."""
    share = np.linspace(0, 1, settings["n_points"])
    drawn, _, _ = half_betainc(settings["total"] * share, settings["total"])
    return [
        {**settings, "wrong_weight": w, "drawn_error": d, "mean_error": float(w >= 0.5), "bound": 2 * d}
        for w, d in zip(share.tolist(), drawn.tolist(), strict=True)
    ]


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """The bound for each total concentration, over the mean weight of the voters that err."""
    figure, ((ax,),) = panels(1, 1, 5.6, 4.2)
    dashes = ((0, (2, 1.2)), (0, (6, 2)), "-")
    totals = list(dict.fromkeys(row["total"] for row in rows))
    for total, colour, dash in zip(totals, CYCLE, dashes, strict=False):
        own = chosen(rows, total=total)
        x, y = ([row[key] for row in own] for key in ("wrong_weight", "bound"))
        label = f"twice the stochastic vote's error, $s$ = {total:g}"
        ax.plot(x, y, color=colour, linestyle=dash, linewidth=1.8, label=label)
    own = chosen(rows, total=totals[0])
    x, y = ([row[key] for row in own] for key in ("wrong_weight", "mean_error"))
    ax.plot(x, y, color=INK, linewidth=2.4, drawstyle="steps-post", label="error of the deterministic vote")
    tidy(ax)
    ax.set(
        xlabel="mean weight of the voters that err, $w / s$",
        ylabel="error on the example, and bounds on it",
        xlim=(0, 1),
        ylim=(-0.02, 2.6),
    )
    ax.legend(loc="upper left", frameon=False)
    return figure
