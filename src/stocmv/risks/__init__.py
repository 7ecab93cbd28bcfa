"""Empirical risks of a vote, each with its gradient and with a certified evaluation that interpolates nothing."""

from ._base import Composed, Question, Risk
from ._c_bound import CBound
from ._curves import Binomial, FirstOrder, Half, SecondOrder
from ._exact import Exact, error_rows, margin_rows
from ._mc import MonteCarlo

RISKS: dict[str, Risk] = {
    risk.name: risk for risk in (Exact(), Half(), MonteCarlo(), FirstOrder(), SecondOrder(), Binomial(), CBound())
}

__all__ = [
    "RISKS",
    "Binomial",
    "CBound",
    "Composed",
    "Exact",
    "FirstOrder",
    "Half",
    "MonteCarlo",
    "Question",
    "Risk",
    "SecondOrder",
    "error_rows",
    "margin_rows",
]
