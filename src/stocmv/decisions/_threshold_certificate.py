"""The certificate of a vote that answers a class where its score reaches a threshold."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ..certificate import (
    Judgments,
    Row,
    Table,
    Verification,
    amount,
    assumptions_of_tests,
    confidence,
    percent,
    percent_down,
)
from ..verify import verify_threshold
from ._decision_certificate import DecisionCertificate
from ._scored_class import ALARMS, COST, PRECISION, RECALL

_THEOREMS = {
    "at": "Clopper and Pearson's bounds at a threshold given before",
    "picked": "exact bands for all thresholds, and Clopper and Pearson's bound on the prevalence",
    "min_recall": "thresholds tested in a fixed sequence by Clopper and Pearson's bound; their bound for the others",
    "max_false_positive_rate": "thresholds tested in a fixed sequence by Clopper and Pearson's bound; their bound for "
    "the class",
    "min_precision": "thresholds tested in fixed sequences by Clopper and Pearson's bound; bands for the other rates",
    "max_cost": "thresholds tested in fixed sequences by Bentkus's bound; bands for the other rates",
}


@dataclass(frozen=True, kw_only=True)
class ThresholdCertificate(DecisionCertificate):
    """Bounds on recall, precision and false-positive rate of a threshold, all of which hold at once.

    Attributes
    ----------
    positive : object
        The class that is answered where its score reaches the threshold.
    threshold : float
        The threshold.
    target : dict
        What it was to achieve: ``min_recall``, ``min_precision``, ``max_false_positive_rate`` or ``max_cost``; or a
        threshold that was given before looking (``at``), or picked from the curve after it (``picked``).
    recall_bound, precision_bound, false_positive_rate_bound, cost_bound : float
        Lower bounds on recall and precision, and upper bounds on the false-positive rate and, if costs are given, the
        mean cost; the target itself for what was to be achieved.
    figures : dict
        The same with what was measured; "baseline" has what always giving the same answer would achieve.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from stocmv import MajorityVoteClassifier
    >>> clf = MajorityVoteClassifier([GaussianNB()], random_state=0).fit(*load_breast_cancer(return_X_y=True))
    >>> certificate = clf.threshold(0, min_recall=0.8).certificate_
    >>> certificate.recall_bound, 0 < certificate.threshold < 1
    (0.8, True)
    >>> certificate.precision_bound > 0.5
    True
    """

    format: ClassVar[str] = "stocmv threshold certificate 1"

    positive: Any
    threshold: float
    target: dict[str, float]

    @property
    def recall_bound(self) -> float:
        return self.figures[RECALL]["bound"]

    @property
    def precision_bound(self) -> float:
        return self.figures[PRECISION]["bound"]

    @property
    def false_positive_rate_bound(self) -> float:
        return self.figures[ALARMS]["bound"]

    @property
    def cost_bound(self) -> float | None:
        return self.figures.get(COST, {}).get("bound")

    @property
    def bound(self) -> float:
        raise AttributeError(
            "A threshold has no single bound: see recall_bound, precision_bound, false_positive_rate_bound, cost_bound."
        )

    @property
    def empirical_risk(self) -> float:
        return self.bound

    def statement(self) -> str:
        """The certificate in a few sentences."""
        if not self.proven:
            return f"Not a certificate: it uses parts without a proof ({', '.join(self.unproven)})."
        label = repr(self.positive)
        cost = "" if self.cost_bound is None else f" It costs at most {amount(self.cost_bound)} on average."
        return (
            f"With probability at least {confidence(self.delta)} over the draw of the {self.n:,} examples that judge "
            f"it, {self._rule_of} that answers {label} where its score is at least {self.threshold:.4g} finds at least "
            f"{percent_down(self.recall_bound)} of class {label} (recall), is right in at least "
            f"{percent_down(self.precision_bound)} of its answers {label} (precision), and gives this answer to at "
            f"most {percent(self.false_positive_rate_bound)} of the other new examples (false-positive rate), all at "
            f"the same time.{cost}{''.join(f' {remark}' for remark in self._remarks())}"
        )

    @property
    def rule(self) -> str:
        return (
            f"it answers {self.positive!r} where the score of that class is at least {self.threshold:.6g}, otherwise "
            "the class with the largest score among the others"
        )

    def tables(self) -> list[Table]:
        of, label = self.figures, repr(self.positive)
        found = [
            Table(
                "recall and precision",
                "at least",
                (
                    _row(f"{label} found: recall ({of[RECALL]['n']:,} examples)", RECALL, of),
                    _row(f"{label} right: precision ({of[PRECISION]['n']:,} answers)", PRECISION, of),
                ),
                "percent down",
            ),
            Table(
                "false-positive rate",
                "at most",
                (_row(f"others answered {label} ({of[ALARMS]['n']:,} examples)", ALARMS, of),),
            ),
        ]
        if COST in of:
            found.append(Table("mean cost", "at most", (_row("of an answer", COST, of),), "cost"))
        return found

    def _remarks(self) -> list[str]:
        of, baseline = self.figures, self.figures["baseline"]
        sentences = []
        if of[PRECISION]["bound"] <= baseline["prevalence"]:
            sentences.append(
                f"The bound on precision is no better than always answering {self.positive!r}, which is right for "
                f"{percent(baseline['prevalence'])} of the judges."
            )
        if COST in of and of[COST]["bound"] >= baseline["cost"]["measured"]:
            sentences.append(
                f"The bound on the mean cost is no better than always answering {baseline['cost']['label']!r}, which "
                f"costs {amount(baseline['cost']['measured'])} on the judges."
            )
        return sentences

    def notes(self) -> list[str]:
        baseline, label = self.figures["baseline"], repr(self.positive)
        cost = (
            f"; the cheapest constant answer, {baseline['cost']['label']!r}, costs "
            f"{amount(baseline['cost']['measured'])} on the judges"
            if "cost" in baseline
            else ""
        )
        return [
            f"The rule: {self.rule}.",
            f"Always answering {label} has the recall and the false-positive rate 100 % and, on the judges, the "
            f"precision {percent(baseline['prevalence'])}; never answering it has the recall 0 %{cost}.",
            f"All lines hold at once. Shares of delta = {self.delta:g}: {'; '.join(map(str, self.claims))}.",
            self._separate,
        ]

    @property
    def theorem(self) -> str:
        bentkus = "; Bentkus's bound for the mean cost" * (COST in self.figures and "max_cost" not in self.target)
        return _THEOREMS[next(iter(self.target))] + bentkus

    def _assumptions(self) -> list[str]:
        fixed = {"picked": "The class and delta were", "at": "The class, the threshold and delta were"}
        costs = ["The costs were fixed before looking at these examples, for all classes that can occur."]
        subject = fixed.get(next(iter(self.target)), "The class, the target and delta were")
        return assumptions_of_tests(1, False, subject, self._made) + costs * (COST in self.figures)

    def _subject(self) -> str:
        return f"{self.evidence}{self.positive!r}{self.threshold!r}"

    def verify(self, evidence: Judgments) -> Verification:
        """Recompute every figure of the certificate from the judgments, with independent code, and compare.

        Parameters
        ----------
        evidence : Judgments
            The judgments of the vote: ``clf.evidence_``.
        """
        return self._checked_by(lambda content, intact: verify_threshold(content, intact, evidence.columns()))


def _row(name: str, figure: str, of: dict[str, dict[str, Any]]) -> Row:
    own, place = of[figure], f"figures.{figure}"
    measured = (own["measured"], f"{place}.measured") if own["n"] else ()
    return Row(name, own["bound"], f"{place}.bound", *measured)
