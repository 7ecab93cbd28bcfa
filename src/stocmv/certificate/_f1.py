"""The F1 of each class: its right answers, set against both its examples and its answers."""

from typing import TYPE_CHECKING, Any, ClassVar

from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._tables import Row, Table

if TYPE_CHECKING:
    from ._tested import TestedCertificate

_ROUND_DOWN = 1 - 1e-15


class F1(Figure):
    """Lower bounds on the F1 of each class, for all classes at once; for a hold-out without groups.

    Given which examples have the class as their truth or as their answer, these are independent draws from one
    distribution, and on a share J of it (the Jaccard index) truth and answer agree. F1 is 2 J / (1 + J), which
    increases with J.
    """

    name: ClassVar[str] = "f1"

    def claims(self, scope: Scope) -> list[Claim]:
        return [claim(self.name, scope.delta, {"classes": scope.classes})]

    def compute(self, trial: Trial) -> list[dict[str, Any]]:
        return [self._of_class(trial, c) for c in range(len(trial.judgments.classes))]

    def _of_class(self, trial: Trial, c: int) -> dict[str, Any]:
        table = trial.judgments.bare()
        either = table.among((table.truth == c) | (table.answer == c))
        losses = either.losses(either.answer != either.truth)
        apart = trial.upper([losses], self.share(trial), counted=True)
        both = losses.n - losses.total
        return {
            "label": table.classes[c].item(),
            "n": losses.n,
            "measured": 2 * both / (losses.n + both) if losses.n else 0.0,
            "bound": 2 * (1 - apart) / (2 - apart) * _ROUND_DOWN,
        }

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        rows = []
        for c, entry in enumerate(content):
            place = f"figures.f1.{c}"
            measured = (entry["measured"], f"{place}.measured") if entry["n"] else ()
            title = f"{entry['label']} ({entry['n']:,} true or answered)"
            rows.append(Row(title, entry["bound"], f"{place}.bound", *measured))
        return [Table("F1 of class", "at least", tuple(rows), "percent down")]

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        return ["F1 of a class: twice its right answers, divided by its examples plus its answers."]
