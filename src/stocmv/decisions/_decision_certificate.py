"""What the certificates of decision rules have in common."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ..certificate import Certificate

SEPARATE = (
    "This is a separate statement: it holds together with the certificate of predict with probability at least one "
    "minus the sum of their deltas."
)
_OF_VOTE = (
    "n",
    "has_one_voter",
    "abstains",
    "further_assumptions",
    "warnings",
    "unproven",
    "fold_sizes",
    "fold_shares",
    "grouped",
    "evidence",
    "protocol",
    "context",
)


@dataclass(frozen=True, kw_only=True)
class DecisionCertificate(Certificate):
    """The certificate of a rule on the scores of a vote, from the judgments of that vote."""

    is_of_predict: ClassVar[bool] = False

    def _remarks(self) -> list[str]:
        return []

    def _notes(self) -> list[str]:
        return []

    @property
    def made_and_judged(self) -> str:
        return ""


def of_vote(certificate: Certificate) -> dict[str, Any]:
    """The fields that a decision's certificate has from that of the vote."""
    return {name: getattr(certificate, name) for name in _OF_VOTE} | {"covers_drawn": False}
