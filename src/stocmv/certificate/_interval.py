"""The error from both sides."""

from typing import TYPE_CHECKING, Any, ClassVar

from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._percent import percent, percent_down

if TYPE_CHECKING:
    from ._tested import TestedCertificate


class Interval(Figure):
    """An interval for the error: each side fails with probability at most delta / 2."""

    name: ClassVar[str] = "interval"

    def claims(self, scope: Scope) -> list[Claim]:
        return [claim(self.name, scope.delta, {"sides": 2})]

    def compute(self, trial: Trial) -> dict[str, Any]:
        judgments, share = trial.judgments, self.share(trial)
        if judgments.n_folds > 1:
            raise ValueError("sides=2 needs judges of one vote instead of folds.")
        right = judgments.losses(~judgments.wrong)
        return {
            "lower": max((1 - trial.upper([right], share, counted=True)) * (1 - 1e-15), 0.0),
            "upper": trial.upper([judgments.errors], share, counted=True),
        }

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        ends = percent_down(content["lower"]), percent(content["upper"])
        return [f"From both sides at once: the error is between {ends[0]} and {ends[1]}."]
