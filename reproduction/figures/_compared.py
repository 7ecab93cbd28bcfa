"""Compare the methods: the figures reported for each, and its look in every figure."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from stocmv.displays._canvas import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION

from .._measures import bound_value, errors
from .._methods import METHODS, Fitted, fit_methods, paper_bound, searches
from ._toys import Toy, moons, seeded

Row = dict[str, Any]


class Look(NamedTuple):
    """Name, colour and dashes of a method."""

    label: str
    colour: str
    dashes: Any = "-"


LOOKS: dict[str, Look] = {
    "naive_bayes": Look("naive Bayes", GREY),
    "first_order": Look("first order", ORANGE, (0, (6, 2))),
    "second_order": Look("second order", GREEN, (0, (4, 2, 1, 2))),
    "c_bound": Look("C-bound", PURPLE),
    "binomial": Look("binomial", SKY, (0, (2, 1.2))),
    "exact": Look("ours, exact", BLUE),
    "mc": Look("ours, Monte Carlo", VERMILION),
    "merged": Look("merged voters, prior 1", "#44aa99", (0, (4, 1.5))),
    "merged_paid": Look("merged voters, paid priors", "#882255"),
    "holdout": Look("hold-out", INK, (0, (5, 1.5, 1, 1.5))),
}
_MC_STEPS, _QUICK_MC_STEPS = 300, 50


def compare(toy: Toy, names: Iterable[str], key: tuple[int, ...], *, quick: bool) -> list[tuple[Row, Fitted]]:
    """Fit the methods to the same votes and report on each.

    ``bound`` is on the error of the deterministic vote for methods with fixed weights, and on the error of the
    stochastic vote for ours, whose deterministic vote has ``bound_fixed``. The first is not cut at 1, the second is.
    """
    votes = toy.votes.merged()
    solvers = searches(_QUICK_MC_STEPS if quick else _MC_STEPS, quick=quick)
    fitted = fit_methods([votes], names, seeded(*key), solvers=solvers)
    return [({"method": name, **report(name, found, toy)}, found) for name, found in fitted.items()]


def compare_on_moons(settings: Row, names: Iterable[str], seed: int) -> list[Row]:
    """The methods on the two moons that a figure's settings describe: the settings and the report on each."""
    trial, count = settings["trial"], settings["n_voters"]
    toy = moons(settings["n_examples"], count, settings["noise"], seed, trial)
    compared = compare(toy, names, (seed, trial, 2, count), quick=settings["quick"])
    return [{**settings, **found} for found, _ in compared]


def report(name: str, fitted: Fitted, toy: Toy) -> Row:
    """Errors of the stochastic and the deterministic vote on both parts, and the bounds; None where there is none."""
    sizes, one = [toy.votes.n_examples], np.ones(1)
    found = {**errors("train", fitted, [toy.votes], one), **errors("test", fitted, [toy.test], one)}
    certificate = fitted.certificate
    return {
        **{kind: error for kind, error in found.items() if not kind.endswith("argmax")},
        "kl": None if certificate is None else certificate.kl,
        "bound": bound_value(fitted, METHODS[name].risk, paper_bound(1), sizes),
        "bound_fixed": None if certificate is None else certificate.bound,
    }
