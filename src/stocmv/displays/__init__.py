"""Figures of a learned vote and its certificate, in the style of scikit-learn's displays; need ``stocmv[plot]``."""

from ._calibration import CalibrationDisplay
from ._canvas import (
    BLUE as BLUE,
    FAINT as FAINT,
    GREEN as GREEN,
    GREY as GREY,
    INK as INK,
    ORANGE as ORANGE,
    PURPLE as PURPLE,
    SKY as SKY,
    VERMILION as VERMILION,
    pyplot as pyplot,
)
from ._certificate import CertificateDisplay
from ._error_distribution import ErrorDistributionDisplay
from ._history import HistoryDisplay
from ._monitor import MonitorDisplay
from ._order import OrderDisplay
from ._panel import PanelDisplay
from ._plan import PlanDisplay
from ._posterior import PosteriorDisplay
from ._roc import RocDisplay
from ._selective import SelectiveDisplay

__all__ = [
    "CalibrationDisplay",
    "CertificateDisplay",
    "ErrorDistributionDisplay",
    "HistoryDisplay",
    "MonitorDisplay",
    "OrderDisplay",
    "PanelDisplay",
    "PlanDisplay",
    "PosteriorDisplay",
    "RocDisplay",
    "SelectiveDisplay",
]
