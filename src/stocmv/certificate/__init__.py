"""The certificate: figures, statement, assumptions, JSON, and an independent check of all of them."""

from ..verify import Check as Check, Verification
from ._certificate import Certificate
from ._certify import certify, check_per_class as check_per_class
from ._holdout import HoldoutComparison as HoldoutComparison
from ._percent import confidence as confidence, percent as percent, percent_down as percent_down
from ._seal import sealed as sealed
from ._tested import Expected as Expected, certify_tested as certify_tested, check_tested as check_tested
from ._verify import verify_votes as verify_votes
from ._words import tested_assumptions as tested_assumptions

__all__ = ["Certificate", "Verification", "certify"]
