"""Functions of the gamma family, which the KL of two Dirichlets and its gradient are made of."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import digamma, gamma as gamma_function, gammaln, polygamma

from ...displays._canvas import CYCLE, GREY, tidy
from ._panels import chosen, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

caption = (
    "The gamma function, its logarithm, and the first two derivatives of the logarithm: the functions that make up the "
    "KL of two Dirichlet distributions and its gradient."
)

_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "gamma": gamma_function,
    "ln gamma": gammaln,
    "digamma": digamma,
    "trigamma": lambda a: polygamma(1, a),
}
_LABELS = {
    "gamma": r"$\Gamma(a)$",
    "ln gamma": r"$\ln \Gamma(a)$",
    "digamma": r"$\psi(a) = (\ln \Gamma)'(a)$",
    "trigamma": r"$\psi'(a)$",
}


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What agrees with the paper, what differs and why."""
    return [
        "As in the paper; it does not say which functions its figure shows. The trigamma function is here because the "
        "gradient of the KL needs it.",
    ]


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """One piece of work: all functions on a grid. There are no trials."""
    return [{"n_points": 50 if quick else 500, "largest": 5.0}]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """The value of each function at each argument."""
    argument = settings["largest"] * np.arange(1, settings["n_points"] + 1) / settings["n_points"]
    return [
        {**settings, "function": name, "argument": a, "value": v}
        for name, function in _FUNCTIONS.items()
        for a, v in zip(argument.tolist(), function(argument).tolist(), strict=True)
    ]


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """All functions over their argument."""
    figure, ((ax,),) = panels(1, 1, 5.6, 4.2)
    ax.axhline(0, color=GREY, linewidth=0.8)
    dashes = ("-", (0, (6, 2)), (0, (4, 2, 1, 2)), (0, (2, 1.2)))
    for name, colour, dash in zip(_FUNCTIONS, CYCLE, dashes, strict=False):
        own = chosen(rows, function=name)
        x, y = ([row[key] for row in own] for key in ("argument", "value"))
        ax.plot(x, y, color=colour, linestyle=dash, linewidth=1.8, label=_LABELS[name])
    tidy(ax)
    ax.set(xlabel="argument $a$", ylabel="value", xlim=(0, rows[0]["largest"]), ylim=(-5, 8))
    ax.legend(loc="lower right", frameon=False)
    return figure
