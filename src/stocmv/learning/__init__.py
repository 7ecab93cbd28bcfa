"""Posterior, risk, bound and solver composed into one call."""

from ._history import History, Step as Step
from ._learn import (
    Found as Found,
    Learned,
    learn,
    minimise as minimise,
    named as named,
    posterior_kind as posterior_kind,
    warn_unfinished as warn_unfinished,
)

__all__ = ["History", "Learned", "learn"]
