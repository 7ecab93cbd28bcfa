"""The precision of each class: how often `predict` is right when it answers it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import FoldTest, clopper_pearson
from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._judgments import Judgments
from ._tables import Row, Table
from ._words import counted

if TYPE_CHECKING:
    from ._tested import TestedCertificate

_ROUND_UP = 1 + 1e-12
_FOR_FOLDS = 0.1  # part of delta that pays for not knowing how often each fold gives an answer


class Precision(Figure):
    """Lower bounds on the precision of each class, for all classes at once.

    Given which examples a fold's vote gives some answer, these are independent draws from one distribution. So the
    bound is the one on the error of a class, with the examples of an answer in place of those of a class. With folds,
    the answers are mixed in other proportions than the examples, known only up to intervals.
    """

    name: ClassVar[str] = "precision"

    def claims(self, scope: Scope) -> list[Claim]:
        if scope.folds == 1:
            return [claim(self.name, scope.delta, {"classes": scope.classes})]
        intervals = {"classes": scope.classes, "folds": scope.folds, "sides": 2}
        return [
            claim(self.name, scope.delta * (1 - _FOR_FOLDS), {"classes": scope.classes}),
            claim(self.name, scope.delta * _FOR_FOLDS, intervals, "shares of the folds"),
        ]

    def compute(self, trial: Trial) -> list[dict[str, Any]]:
        answers = zip(*(fold.by_answer() for fold in trial.folds), strict=True)
        return [self._of_answer(trial, c, parts) for c, parts in enumerate(answers)]

    def _of_answer(self, trial: Trial, c: int, answers: Sequence[Judgments]) -> dict[str, Any]:
        share = self.share(trial)
        losses = [part.losses(part.answer != part.truth) for part in answers]
        numbers, risks = [own.n for own in losses], [own.mean for own in losses]
        test: FoldTest | None = None
        if trial.test is None:
            wrong = trial.upper(losses, share, counted=True)
        elif not any(numbers):
            wrong = 1.0
        else:
            guesses = [float(guess.by_answer[c]) for guess in trial.guesses]
            test = FoldTest.choose(guesses, [max(n, 1) for n in numbers], share)
            ends = self.share(trial, pays_for="shares of the folds")
            intervals = [_interval(n, of, ends) for n, of in zip(numbers, trial.sizes, strict=True)]
            wrong = _mixed(test, np.array(risks), np.array(numbers), trial.shares, np.array(intervals))
        weights = trial.shares * np.divide(numbers, trial.sizes)
        measured = 1 - float(weights @ risks / weights.sum()) if any(numbers) else 0.0
        return {
            "label": trial.judgments.classes[c].item(),
            "n": sum(numbers),
            "measured": max(measured, 0.0),
            "bound": max((1 - wrong) * (1 - 1e-15), 0.0),
            "fold_test": {} if test is None else test.settings(),
        }

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        rows = []
        for c, entry in enumerate(content):
            place = f"figures.precision.{c}"
            measured = (entry["measured"], f"{place}.measured") if entry["n"] else ()
            unit = counted(entry["n"], "group") + " with such answers"
            told = unit if certificate.grouped else counted(entry["n"], "answer")
            rows.append(Row(f"{entry['label']} ({told})", entry["bound"], f"{place}.bound", *measured))
        by_group = ", group by group" * certificate.grouped
        heading = f"right among the answers of {certificate.subject}{by_group}"
        return [Table(heading, "at least", tuple(rows), "percent down")]

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        if certificate.grouped:
            return [
                "Right among the answers: the share in a group's answers of the class, averaged over the groups that "
                "have some."
            ]
        if len(certificate.fold_sizes) > 1:
            return [
                "Right among the answers: the share of right answers divided by the share of all answers of the class, "
                "both averaged over the key."
            ]
        return []


def _interval(number: int, n: int, delta: float) -> tuple[float, float]:
    """Two-sided Clopper-Pearson bounds on a probability, each of which fails with probability at most delta."""
    return 1 - clopper_pearson(n - number, n, delta), clopper_pearson(number, n, delta)


def _mixed(test: FoldTest, risks: NDArray, numbers: NDArray, shares: NDArray, intervals: NDArray) -> float:
    r"""The largest mean error of the folds over all proportions in which their answers may be mixed.

    The fold test says more than its bound: with :math:`U_k = (R_k - a_k \hat R_k - t_k)_+ / c_k` the mean of the
    :math:`U_k` is at most 1, so that for any weights :math:`\sum_k w_k R_k \le \sum_k w_k (a_k \hat R_k + t_k) + F
    \max_k w_k c_k`. A fold without answers has :math:`R_k \le 1`.
    """
    scale = np.where(numbers > 0, test.scale, 0.0)
    base = np.where(numbers > 0, np.array(test.slope) * risks + np.array(test.offset), 1.0)
    low, high = (shares * end for end in intervals.T)
    largest = 0.0
    for j in range(len(risks)):
        values = base.copy()
        values[j] += len(risks) * scale[j]
        # the mean is largest if the largest values get as much weight as possible and the others as little
        order = np.argsort(-values)
        for k in range(1, len(order) + 1):
            weights = np.concatenate([high[order[:k]], low[order[k:]]])
            largest = max(largest, float(weights @ values[order] / weights.sum()))
    return min(largest * _ROUND_UP, 1.0)
