"""Empirical risks of a vote, each with its gradient and a certified evaluation without interpolation."""

from ._c_bound import CBound as CBound, Disagreement as Disagreement
from ._cantelli import CantelliBennett, CantelliSplit, CantelliTandem
from ._curves import Binomial, FirstOrder as FirstOrder, Half as Half, SecondOrder as SecondOrder
from ._exact import Exact as Exact, error_rows as error_rows, margin_rows as margin_rows
from ._monte_carlo import MonteCarlo
from ._risk import Moments as Moments, Risk, VoteBound
from ._soft import Soft as Soft

RISKS: dict[str, Risk] = {
    risk.name: risk
    for risk in (
        Exact(),
        Half(),
        MonteCarlo(),
        FirstOrder(),
        SecondOrder(),
        Binomial(),
        CBound(),
        CantelliTandem(),
        CantelliBennett(),
        CantelliSplit(),
        Disagreement(),
        Soft(),
    )
}

__all__ = ["Binomial", "CantelliBennett", "CantelliSplit", "CantelliTandem", "MonteCarlo", "Risk", "VoteBound"]
