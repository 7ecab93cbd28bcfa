"""The error where the classes have other shares, such as in another hospital."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ._claims import Claim
from ._classes import Classes
from ._figure import Figure, Scope, Trial
from ._tables import Row, Table

if TYPE_CHECKING:
    from ._tested import TestedCertificate

_ROUND_UP = 1 + 1e-14
_SHOWN = 5  # classes that a row names


class Prevalence(Figure):
    """The error under given shares of the classes, for a hold-out without groups.

    It follows from the bounds on the classes, which hold all at once, so that it takes no further part of delta. For
    groups the error also depends on which classes come together in one.
    """

    name: ClassVar[str] = "prevalence"

    def claims(self, scope: Scope) -> list[Claim]:
        return []

    def compute(self, trial: Trial) -> dict[str, Any]:
        entries = Classes().compute(trial)
        shares = cast(Mapping[Any, float], trial.prevalence)
        listed = [{"label": own["label"], "share": shares.get(own["label"], 0.0)} for own in entries]
        return {
            "shares": listed,
            "measured": mean_of_classes(entries, shares, "empirical_risk"),
            "bound": mean_of_classes(entries, shares, "bound"),
        }

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        place = "figures.prevalence"
        row = Row(
            _title(content["shares"]), content["bound"], f"{place}.bound", content["measured"], f"{place}.measured"
        )
        return [Table("error where the classes have other shares", "at most", (row,))]

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        return [
            "The error where the classes have other shares follows from the bounds on the classes, and holds with them."
        ]


def check_shares(name: str, shares: Mapping[Any, Any], labels: Sequence[Any]) -> dict[Any, float]:
    """Shares of the classes by label, as numbers; refuses what is none."""
    if not isinstance(shares, Mapping):
        raise ValueError(
            f"{name} must be a dict with the share of each class, such as {{'yes': 0.02}}, got {shares!r}."
        )
    unknown = [label for label in shares if label not in labels]
    if unknown:
        raise ValueError(f"{name} names the class {unknown[0]!r}, which is not one of {list(labels)!r}.")
    try:
        found = {labels[labels.index(label)]: float(share) for label, share in shares.items()}
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers ({error}).") from error
    if not (all(share >= 0 for share in found.values()) and abs(math.fsum(found.values()) - 1) <= 1e-9):
        raise ValueError(f"{name} must not be negative and must sum to 1, got {dict(shares)!r}.")
    return found


def mean_of_classes(entries: Sequence[Mapping[str, Any]], shares: Mapping[Any, float], of: str) -> float:
    """The mean of a figure of the classes, weighted with their shares; rounded up."""
    total = math.fsum(shares.get(own["label"], 0.0) * own[of] for own in entries)
    return min(total / math.fsum(shares.values()) * _ROUND_UP, 1.0)


def _title(shares: Sequence[Mapping[str, Any]]) -> str:
    """The shares of the most frequent classes."""
    some = sorted((own for own in shares if own["share"] > 0), key=lambda own: -own["share"])
    more = f" and {len(some) - _SHOWN:,} more" if len(some) > _SHOWN else ""
    return ", ".join(f"{own['label']} {100 * own['share']:.4g} %" for own in some[:_SHOWN]) + more
