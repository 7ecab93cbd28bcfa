"""The certificate: figures, statement, assumptions, JSON, and an independent check of all of them."""

from ..verify import Check, Verification
from ._certificate import Certificate
from ._certify import certify, check_per_class
from ._holdout import HoldoutComparison
from ._tested import Expected, certify_tested, check_tested

__all__ = [
    "Certificate",
    "Check",
    "Expected",
    "HoldoutComparison",
    "Verification",
    "certify",
    "certify_tested",
    "check_per_class",
    "check_tested",
]
