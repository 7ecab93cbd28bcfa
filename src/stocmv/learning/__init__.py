"""Posterior, risk, bound and solver composed into one call."""

from ._history import History, Step
from ._learn import Learned, learn

__all__ = ["History", "Learned", "Step", "learn"]
