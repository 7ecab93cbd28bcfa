"""Certificates: figures, statement, assumptions, JSON, and an independent check of all of them."""

from ..verify import Check as Check, Verification
from ._certificate import Certificate
from ._certify import certify, check_per_class as check_per_class
from ._claims import Claim as Claim, share as share
from ._class_losses import known_labels as known_labels
from ._costs import Costs as Costs, check_cost as check_cost
from ._expected import Expected as Expected
from ._holdout import HoldoutComparison as HoldoutComparison
from ._judgments import Judgments as Judgments
from ._monitor import Monitor
from ._percent import amount as amount, confidence as confidence, percent as percent, percent_down as percent_down
from ._seal import sealed as sealed
from ._tested import certify_tested as certify_tested, check_tested as check_tested
from ._verify import check_same_vote as check_same_vote, verify_content as verify_content, verify_votes as verify_votes
from ._words import tested_assumptions as tested_assumptions

__all__ = ["Certificate", "Monitor", "Verification", "certify"]
