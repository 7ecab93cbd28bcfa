"""What the certificates of decision rules have in common."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ..certificate import FIXED_MODEL, Certificate

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
    "voting",
)


@dataclass(frozen=True, kw_only=True)
class DecisionCertificate(Certificate):
    """The certificate of a rule on the scores of a vote, or of a given model, from their judgments."""

    voting: str = "hard"  # that of the vote's own certificate

    is_of_predict: ClassVar[bool] = False

    def _remarks(self) -> list[str]:
        return []

    def _notes(self) -> list[str]:
        return []

    @property
    def made_and_judged(self) -> str:
        return ""

    @property
    def _made(self) -> str:
        """How the model was made, if its answers were given; a vote that was made here says nothing."""
        return FIXED_MODEL if self.voting == "given" else ""

    @property
    def _rule_of(self) -> str:
        return "the model" if self.voting == "given" else "the vote"

    @property
    def _separate(self) -> str:
        return (
            "This is a separate statement: it holds together with the certificate of "
            f"{'the model' if self.voting == 'given' else 'predict'} with probability at least one minus the sum of "
            "their deltas."
        )


def of_vote(certificate: Certificate) -> dict[str, Any]:
    """The fields that a decision's certificate has from that of the vote."""
    return {name: getattr(certificate, name) for name in _OF_VOTE} | {"covers_drawn": False}
