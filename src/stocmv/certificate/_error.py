"""The error of `predict`, and of the stochastic vote where that is certified too."""

from typing import TYPE_CHECKING, Any, ClassVar

from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._tables import Row, Table

if TYPE_CHECKING:
    from ._tested import TestedCertificate


class Error(Figure):
    """The headline: how often `predict` errs."""

    name: ClassVar[str] = "error"

    def claims(self, scope: Scope) -> list[Claim]:
        return [claim("predict", scope.delta), *([claim("stochastic vote", scope.delta)] * scope.stochastic)]

    def compute(self, trial: Trial) -> dict[str, Any]:
        share = self.share(trial, "predict")
        errors = [fold.errors for fold in trial.folds]
        content = {
            "empirical_risk": trial.mean(errors),
            "bound": trial.upper(errors, share, counted=True, test=trial.test),
        }
        if trial.judgments.loss is None:
            return content
        drawn = [fold.stochastic_errors for fold in trial.folds]
        return {
            **content,
            "stochastic_risk": trial.mean(drawn),
            "stochastic_bound": trial.upper(drawn, share, counted=False, test=trial.test),
        }

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        rows = [
            Row(certificate.subject, content["bound"], "figures.error.bound", *_measured(content, "empirical_risk"))
        ]
        if "stochastic_bound" in content:
            place, measured = "figures.error.stochastic_bound", _measured(content, "stochastic_risk")
            rows.append(Row("stochastic vote", content["stochastic_bound"], place, *measured))
        rows += certificate.baseline_rows()
        return [Table(certificate.measure, "at most", tuple(rows))]


def _measured(content: dict[str, Any], name: str) -> tuple[float, str]:
    return content[name], f"figures.error.{name}"
