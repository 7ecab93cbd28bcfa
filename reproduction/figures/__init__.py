"""The figures on toys and closed forms: each module lists its units, computes their rows and draws them."""

from ._registry import FIGURES, FigureModule

__all__ = ["FIGURES", "FigureModule"]
