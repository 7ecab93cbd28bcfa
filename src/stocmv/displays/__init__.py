"""Figures of a learned vote and its certificate, in scikit-learn's manner; they need ``stocmv[plot]``."""

from ._certificate import CertificateDisplay
from ._error_distribution import ErrorDistributionDisplay
from ._history import HistoryDisplay
from ._posterior import PosteriorDisplay
from ._selective import SelectiveDisplay

__all__ = [
    "CertificateDisplay",
    "ErrorDistributionDisplay",
    "HistoryDisplay",
    "PosteriorDisplay",
    "SelectiveDisplay",
]
