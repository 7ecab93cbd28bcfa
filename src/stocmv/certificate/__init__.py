"""The certificate: figures, statement, assumptions, JSON, and an independent check of all of them."""

from ..verify import Check as Check, Verification
from ._certificate import Certificate
from ._certify import certify, check_per_class as check_per_class
from ._claims import Claim as Claim, share as share
from ._costs import check_cost as check_cost
from ._expected import Expected as Expected
from ._holdout import HoldoutComparison as HoldoutComparison
from ._percent import amount as amount, percent_down as percent_down
from ._tested import certify_tested as certify_tested, check_tested as check_tested

__all__ = ["Certificate", "Verification", "certify"]
