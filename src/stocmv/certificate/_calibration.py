"""Calibration: how often the answers with a score of 80 to 90 % are right, and so on."""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..bounds import clopper_pearson
from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._percent import percent, percent_down
from ._tables import Row, Table
from ._words import counted

if TYPE_CHECKING:
    from ._tested import TestedCertificate

BINS = 10  # of equal width, fixed before looking
_ROOM = 1e-9  # 80 of 100 equal weights may add up to slightly less than 0.8


class Calibration(Figure):
    """How often `predict` is right, by the score of its answer: bounds from both sides, for all bins at once.

    Given which examples fall into a bin, they are independent draws from the examples of that bin. It says nothing
    about a single case: a bin is a mixture of cases, of which some may be hopeless and others certain.
    """

    name: ClassVar[str] = "calibration"

    def claims(self, scope: Scope) -> list[Claim]:
        return [claim(self.name, scope.delta, {"bins": BINS, "sides": 2})]

    def compute(self, trial: Trial) -> list[dict[str, Any]]:
        judgments = trial.judgments
        if judgments.grouped or judgments.n_folds > 1:
            raise ValueError(
                "calibration=True needs a hold-out without groups: scores of different folds are not of one vote, and "
                "rows of a group may fall into different bins."
            )
        share, scores, wrong = self.share(trial), judgments.answer_score, judgments.wrong
        place = np.clip(np.floor(BINS * (scores + _ROOM)).astype(int), 0, BINS - 1)
        number = np.bincount(place, minlength=BINS)
        errors = np.bincount(place, wrong, BINS).astype(int)
        sums = np.bincount(place, scores, BINS)
        return [
            _bin(b, int(n), int(e), float(total), share)
            for b, (n, e, total) in enumerate(zip(number, errors, sums, strict=True))
            if n
        ]

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        found = []
        for how, end, form in (("at least", "lower", "percent down"), ("at most", "upper", "percent")):
            rows = (
                Row(_title(own), own[end], f"figures.calibration.{k}.{end}", own["measured"], _place(k))
                for k, own in enumerate(content)
            )
            found.append(Table("right, by the score of the answer", how, tuple(rows), form))
        return found

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        sentences = ["Right, by the score of the answer: all bins hold at once, from both sides; about no single case."]
        high = [own for own in content if own["from"] > own["upper"]]
        low = [own for own in content if own["to"] < own["lower"]]
        for which, bins, end, shown in (("high", high, "upper", percent), ("low", low, "lower", percent_down)):
            if bins:
                own = max(bins, key=lambda each: each["n"])
                sentences.append(
                    f"Scores are too {which} to be probabilities: of the answers with a score of {_span(own)}, at "
                    f"{'most' if which == 'high' else 'least'} {shown(own[end])} are right."
                )
        return sentences


def _bin(b: int, n: int, errors: int, total: float, share: float) -> dict[str, Any]:
    return {
        "from": b / BINS,
        "to": (b + 1) / BINS,
        "n": n,
        "mean_score": total / n,
        "measured": (n - errors) / n,
        "lower": max((1 - clopper_pearson(errors, n, share)) * (1 - 1e-15), 0.0),
        "upper": clopper_pearson(n - errors, n, share),
    }


def _span(own: dict[str, Any]) -> str:
    return f"{100 * own['from']:.0f} to {100 * own['to']:.0f} %"


def _title(own: dict[str, Any]) -> str:
    return f"{_span(own)} ({counted(own['n'], 'answer')})"


def _place(k: int) -> str:
    return f"figures.calibration.{k}.measured"
