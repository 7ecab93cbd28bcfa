"""How good the scores are: Brier score, log loss and the area under the ROC curve."""

import math
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ..bounds import one_sample
from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._judgments import Judgments
from ._tables import Row, Table

if TYPE_CHECKING:
    from ._tested import TestedCertificate

CLIP = 0.01  # smaller probabilities count as this one in the log loss, which would have no bound otherwise
_ROUND_UP = 1 + 1e-12


class ScoreFigures(Figure):
    """Bounds on the Brier score and the log loss; for two classes without groups also on the area under the ROC curve.

    The first two are means of losses between 0 and a constant. The area is an average over pairs, which Hoeffding
    (1963) wrote as a mean of averages over as many independent pairs as the rarer class has examples. A bound that
    comes from a convex function of such averages, as Bentkus's does, holds for their mean too.
    """

    name: ClassVar[str] = "scores"

    def claims(self, scope: Scope) -> list[Claim]:
        return [claim(name, scope.delta) for name in ("Brier score", "log loss", *(["AUC"] * _has_area(scope)))]

    def compute(self, trial: Trial) -> dict[str, Any]:
        judgments = trial.judgments
        if judgments.scores is None or judgments.n_folds > 1:
            raise ValueError("Figures of the scores need scores, and judges of one vote instead of folds.")
        brier, log_loss = judgments.losses(brier_losses(judgments)), judgments.losses(log_losses(judgments))
        content = {
            "brier": {"measured": brier.mean, "bound": one_sample(*brier, trial.delta, counted=False)},
            "log_loss": {
                "clip": CLIP,
                "measured": log_loss.mean * -math.log(CLIP) * _ROUND_UP,
                "bound": one_sample(*log_loss, trial.delta, counted=False) * -math.log(CLIP) * _ROUND_UP,
            },
        }
        if _has_area(trial.scope):
            content["auc"] = _area(judgments, trial.delta)
        return content

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        rows = tuple(_row(content, name, title) for name, title in (("brier", "Brier score"), ("log_loss", "log loss")))
        heading = f"scores on new {'groups' if certificate.grouped else 'examples'}"
        found = [Table(heading, "at most", rows, "cost")]
        if "auc" in content:
            row = _row(content, "auc", f"of {content['auc']['positive']}")
            found.append(Table("area under the ROC curve", "at least", (row,), "percent down"))
        return found

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        sentences = [
            "Brier score: half the sum of the squared differences between the scores and the truth. Log loss: natural "
            f"logarithm, scores below {100 * CLIP:g} % count as {100 * CLIP:g} %."
        ]
        if "auc" not in content:
            sentences.append(
                "The area under the ROC curve is not certified for groups: it compares rows, and rows of a group "
                "depend on each other."
                if certificate.grouped
                else "The area under the ROC curve is only for two classes."
            )
        return sentences


def _row(content: Any, name: str, title: str) -> Row:
    own, place = content[name], f"figures.scores.{name}"
    return Row(title, own["bound"], f"{place}.bound", own["measured"], f"{place}.measured")


def _has_area(scope: Scope) -> bool:
    return scope.classes == 2 and not scope.grouped


def brier_losses(judgments: Judgments) -> NDArray:
    """Half the squared distance of each row's scores from its truth, between 0 and 1."""
    apart = np.array(cast(NDArray, judgments.scores))
    apart[np.arange(len(judgments)), judgments.truth] -= 1
    return np.minimum((apart**2).sum(1) / 2 * _ROUND_UP, 1.0)


def log_losses(judgments: Judgments) -> NDArray:
    """Minus the logarithm of the score of each row's truth, divided by the largest that it can be."""
    own = cast(NDArray, judgments.scores)[np.arange(len(judgments)), judgments.truth]
    return np.minimum(np.log(np.maximum(own, CLIP)) / math.log(CLIP) * _ROUND_UP, 1.0)


def _area(judgments: Judgments, delta: float) -> dict[str, Any]:
    positive = judgments.truth == 1
    n, others = int(positive.sum()), int((~positive).sum())
    rank = rankdata(cast(NDArray, judgments.scores)[:, 1])
    won = float(rank[positive].sum()) - n * (n + 1) / 2  # pairs, ties half
    lost = 1 - won / (n * others) if n and others else 1.0
    pairs = min(n, others)
    wrong = one_sample(min(lost * _ROUND_UP, 1.0) * pairs, pairs, delta, counted=False)
    return {
        "positive": judgments.classes[1].item(),
        "measured": max((1 - lost) * (1 - 1e-12), 0.0),
        "bound": max((1 - wrong) * (1 - 1e-15), 0.0),
    }
