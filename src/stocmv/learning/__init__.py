"""Posterior, risk, bound and solver composed into one call."""

from ._history import History, Step
from ._learn import Found, Learned, learn, minimise

__all__ = ["Found", "History", "Learned", "Step", "learn", "minimise"]
