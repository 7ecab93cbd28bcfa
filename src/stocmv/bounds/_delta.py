"""Checks of delta, and of the number of alternatives that share it."""

from numbers import Integral, Real
from typing import Any

import numpy as np

# the shares of priors, margins (7) and classes (4e9 at most) leave more than 1e-230, far from where floats lose digits
SMALLEST_DELTA = 1e-200
MOST_ALTERNATIVES = 10**9


def check_delta(delta: Any) -> float:
    """Check that delta is a probability, large enough to be shared among margins, classes and priors."""
    value = float(delta) if isinstance(delta, Real) else np.nan
    if not 0 < value < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta!r}.")
    if value < SMALLEST_DELTA:
        raise ValueError(f"delta must be at least {SMALLEST_DELTA:g}, got {delta!r}.")
    return value


def check_alternatives(alternatives: Any) -> int:
    """Check the number of priors that share delta."""
    is_count = isinstance(alternatives, Integral) and not isinstance(alternatives, bool)
    if not is_count or not 1 <= alternatives <= MOST_ALTERNATIVES:
        raise ValueError(
            f"alternatives must be the number of priors to choose from, an integer from 1 to {MOST_ALTERNATIVES:,}, "
            f"got {alternatives!r}."
        )
    return int(alternatives)
