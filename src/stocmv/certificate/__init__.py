"""The certificate: figures, statement, assumptions, JSON, and an independent check of all of them."""

from ..verify import Check as Check, Verification
from ._certificate import Certificate
from ._certify import certify, check_per_class as check_per_class
from ._holdout import HoldoutComparison as HoldoutComparison
from ._monitor import Monitor
from ._tested import Expected as Expected, certify_tested as certify_tested, check_tested as check_tested

__all__ = ["Certificate", "Monitor", "Verification", "certify"]
