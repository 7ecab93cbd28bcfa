"""Certificates of two kinds: tested, from a table of judgments; and PAC-Bayes, from votes and posteriors."""

from ..verify import Check as Check, Verification
from ._certificate import Certificate
from ._certify_judgments import certify_judgments as certify_judgments
from ._challenger import ChallengerMonitor
from ._claims import Claim as Claim, share as share
from ._class_losses import known_labels as known_labels
from ._comparison import Comparison, compare_predictions
from ._costs import Costs as Costs, check_cost as check_cost, scaled_back as scaled_back
from ._drawn import DrawnCertificate, certify_drawn as certify_drawn
from ._figure import Figure as Figure, Scope as Scope, Trial as Trial
from ._groups import group_ids as group_ids
from ._guess import Guess as Guess
from ._judgments import Judgments
from ._monitor import Monitor
from ._pac_bayes import (
    PacBayesCertificate,
    certify,
    check_out_of_bag as check_out_of_bag,
    check_per_class as check_per_class,
    verify_precisely as verify_precisely,
)
from ._percent import amount as amount, confidence as confidence, percent as percent, percent_down as percent_down
from ._plan import ComparisonPlan, Plan, plan, plan_comparison
from ._predictions import certify_predictions
from ._subgroup_columns import SubgroupCodes as SubgroupCodes, subgroup_codes as subgroup_codes
from ._subgroups import ONE_VOTE as ONE_VOTE
from ._tables import FORMS as FORMS, Row as Row, Table as Table
from ._tested import (
    FIGURES as FIGURES,
    FIXED_MODEL as FIXED_MODEL,
    TestedCertificate,
    assumptions_of_tests as assumptions_of_tests,
)
from ._words import counted as counted

__all__ = [
    "Certificate",
    "ChallengerMonitor",
    "Comparison",
    "ComparisonPlan",
    "DrawnCertificate",
    "Judgments",
    "Monitor",
    "PacBayesCertificate",
    "Plan",
    "TestedCertificate",
    "Verification",
    "certify",
    "certify_predictions",
    "compare_predictions",
    "plan",
    "plan_comparison",
]
