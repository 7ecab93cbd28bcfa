"""Posterior, risk, bound and solver composed into one call."""

from ._history import History, Step as Step
from ._learn import Found as Found, Learned, learn, minimise as minimise

__all__ = ["History", "Learned", "learn"]
