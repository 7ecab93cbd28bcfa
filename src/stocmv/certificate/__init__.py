"""The certificate: figures, statement, assumptions, JSON, and an independent check of all of them."""

from ..verify import Check, Verification
from ._certificate import Certificate
from ._certify import certify, check_per_class
from ._holdout import HoldoutComparison

__all__ = ["Certificate", "Check", "HoldoutComparison", "Verification", "certify", "check_per_class"]
