"""Percentages, rounded so that what is shown is never more than what is proven."""

import math


def percent(value: float) -> str:
    """A share as a percentage, rounded up in the last digit shown."""
    return f"{math.ceil(round(value * 1e4, 7)) / 100:.2f} %"


def percent_down(value: float) -> str:
    """A share that is at least so much as a percentage, rounded down in the last digit shown."""
    return f"{math.floor(round(value * 1e4, 7)) / 100:.2f} %"


def confidence(delta: float) -> str:
    """One minus delta as a percentage, rounded down in the last digit shown: never 100 %."""
    return f"{min(math.floor(round((1 - delta) * 1e6, 7)), 999_999) / 1e4:g} %"
