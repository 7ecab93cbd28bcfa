"""Figures as text, rounded so that no more is claimed than is proven."""

import decimal
import math
from decimal import Decimal


def percent(value: float) -> str:
    """A share as a percentage, rounded up in the last digit shown."""
    return f"{math.ceil(round(value * 1e4, 7)) / 100:.2f} %"


def percent_down(value: float) -> str:
    """A share as a percentage, rounded down in the last digit shown: for lower bounds."""
    return f"{max(math.floor(round(value * 1e4, 7)), 0) / 100:.2f} %"


def percent_excluded(value: float) -> str:
    """A share that a test excludes, as a percentage of at least four digits, rounded down.

    What is said to exceed it must not be a larger figure than the one that was tested.
    """
    exact = Decimal(repr(value)).scaleb(2)
    places = max(2, 3 - exact.adjusted())
    rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=decimal.ROUND_FLOOR)
    return f"{rounded:.2f} %" if rounded == round(rounded, 2) else f"{rounded.normalize():f} %"


def points(value: float, rounding: str = decimal.ROUND_HALF_EVEN) -> str:
    """A difference of shares in percentage points, without unit: two decimals, more if they would show nothing."""
    exact = Decimal(repr(value)).scaleb(2)
    places = 2 if not exact else max(2, 1 - exact.adjusted())
    return f"{exact.quantize(Decimal(1).scaleb(-places), rounding=rounding):f}"


def amount(value: float) -> str:
    """A cost with four digits, rounded up in the last one."""
    rounded = decimal.Context(prec=4, rounding=decimal.ROUND_CEILING).create_decimal(Decimal(f"{value:.12g}"))
    return f"{rounded.normalize():f}"


def confidence(delta: float) -> str:
    """One minus delta as a percentage, rounded down in the last digit shown: never 100 %."""
    return f"{min(math.floor(round((1 - delta) * 1e6, 7)), 999_999) / 1e4:g} %"
