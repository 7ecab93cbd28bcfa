"""The certificate: figures, statement, assumptions, JSON, and an independent check of all of them."""

from ._certificate import Certificate
from ._certify import certify
from ._holdout import HoldoutComparison, clopper_pearson, compare_fold
from ._verify import Check, Verification

__all__ = ["Certificate", "Check", "HoldoutComparison", "Verification", "certify", "clopper_pearson", "compare_fold"]
