"""The certificate of a vote that answers only when it is sure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..certificate import (
    Judgments,
    Row,
    Table,
    Verification,
    assumptions_of_tests,
    confidence,
    percent,
    percent_down,
)
from ..verify import verify_selective
from ._decision_certificate import DecisionCertificate

_NAMED = 5  # classes in a sentence


@dataclass(frozen=True, kw_only=True)
class SelectiveCertificate(DecisionCertificate):
    """An upper bound on the error among a vote's answers, and a lower bound on its coverage.

    Attributes
    ----------
    bound : float
        Bound on the error among the answers: the target itself if ``max_error`` was given. With folds, the share of
        errors and the share of answers are both averaged over the key, and this is a bound on their ratio.
    coverage : float
        Lower bound on the share of new examples that are answered. Both bounds hold at once with probability at least
        ``1 - delta``.
    thresholds : tuple of float
        For each fold: its vote answers if the answered class has at least this score; above 1 if it never answers.
    target : dict
        The target: ``max_error`` or ``min_coverage``.
    empirical_risk, empirical_coverage : float
        Error among the answers, and coverage, on the judging examples.
    answers : list of dict
        For each class its label, and the number of judging examples (for groups, the sum of their shares) with that
        answer (``n``).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from stocmv import MajorityVoteClassifier
    >>> clf = MajorityVoteClassifier([GaussianNB()], random_state=0).fit(*load_breast_cancer(return_X_y=True))
    >>> certificate = clf.selective(max_error=0.1).certificate_
    >>> certificate.bound, certificate.target
    (0.1, {'max_error': 0.1})
    >>> certificate.coverage <= certificate.empirical_coverage
    True
    """

    format: ClassVar[str] = "stocmv selective certificate 3"

    thresholds: tuple[float, ...]
    target: dict[str, float]

    @property
    def empirical_risk(self) -> float:
        return self.figures["error"]["empirical_risk"]

    @property
    def answers(self) -> Sequence[dict[str, Any]]:
        return self.figures["answers"]

    @property
    def coverage(self) -> float:
        return self.figures["coverage"]["bound"]

    @property
    def empirical_coverage(self) -> float:
        return self.figures["coverage"]["measured"]

    def statement(self) -> str:
        """The certificate in three sentences."""
        if not self.proven:
            return super().statement()
        judges = f"{self.n:,} {'groups' if self.grouped else 'examples'}"
        on = "rows of new groups, each group counting the same," if self.grouped else "new examples"
        folds = len(self.fold_sizes)
        # with folds, a ratio of averages is proven, not an average of ratios
        among = (
            f"times the share that it answers, both averaged over the key that shares them out among the {folds} folds"
            if folds > 1
            else "of those that it answers"
        )
        return (
            f"With probability at least {confidence(self.delta)} over the draw of the {judges} that judge it, "
            f"{self._rule_of} answers at least {percent_down(self.coverage)} of {on} and errs on at most "
            f"{percent(self.bound)} "
            f"{among}. {self.rule} {how_often(self.answers)}"
        )

    @property
    def rule(self) -> str:
        """When the vote answers, in words."""
        if not any(self.thresholds):
            return "It always answers."
        used = sorted({threshold for threshold in self.thresholds if threshold <= 1})
        low, high = f"{100 * used[0]:.0f} %", f"{100 * used[-1]:.0f} %"
        span = low if low == high else f"{low} to {high}, depending on the fold"
        silent = sum(threshold > 1 for threshold in self.thresholds)
        never = f" ({silent} of the folds never answer{'s' if silent == 1 else ''})" if silent else ""
        return f"It answers where its answer has a score of at least {span + never}."

    def tables(self) -> list[Table]:
        figures = self.figures
        return [
            Table(
                "error among the answers",
                "at most",
                (Row("answers", *_places(figures, "error", "empirical_risk")),),
            ),
            Table(
                "share that is answered",
                "at least",
                (Row("coverage", *_places(figures, "coverage", "measured")),),
                "percent down",
            ),
        ]

    def notes(self) -> list[str]:
        return [
            f"Measured on the judging {'groups' if self.grouped else 'examples'}: "
            f"{percent_down(self.empirical_coverage)} answered, {percent(self.empirical_risk)} of the answers wrong.",
            self._separate,
        ]

    @property
    def theorem(self) -> str:
        error, coverage = (
            ("the ratio test for the means of groups", "Bentkus's bound")
            if self.grouped
            else ("Clopper and Pearson's bound given the number of answers", "Clopper and Pearson's bound")
        )
        by_error = "max_error" in self.target
        order = "thresholds tested in fixed sequences" if by_error else "delta shared among the thresholds"
        n_folds = len(self.fold_sizes)
        folds = f", for each of {n_folds} folds, which share delta" if n_folds > 1 else ""
        return f"{error}, {order}; {coverage} for the coverage{folds}"

    def _assumptions(self) -> list[str]:
        return assumptions_of_tests(
            len(self.fold_sizes), self.grouped, "The target, the candidate thresholds and delta were", self._made
        )

    def _subject(self) -> str:
        return f"{self.evidence}{self.thresholds!r}"

    def verify(self, evidence: Judgments) -> Verification:
        """Recompute every figure of the certificate from the judgments, with independent code, and compare.

        Parameters
        ----------
        evidence : Judgments
            The judgments of the vote: ``clf.evidence_``.
        """
        return self._checked_by(lambda content, intact: verify_selective(content, intact, evidence.columns()))


def how_often(answers: Sequence[dict[str, Any]]) -> str:
    """How often each class is answered on the judging examples, in words."""
    counts = {repr(own["label"]): round(own["n"]) for own in answers}
    total, most = sum(counts.values()), max(counts, key=counts.__getitem__)
    if counts[most] == total:
        return f"On the judges, all {total:,} answers are {most}."
    shown = sorted(counts.items(), key=lambda named: -named[1])[:_NAMED]
    each = ", ".join(f"{label} ({count:,} times)" for label, count in shown)
    more = f", and {len(counts) - _NAMED:,} more classes" if len(counts) > _NAMED else ""
    return f"On the judges, it answers {each}{more}."


def _places(figures: dict[str, dict[str, float]], name: str, measured: str) -> tuple[float, str, float, str]:
    of = figures[name]
    return of["bound"], f"figures.{name}.bound", of[measured], f"figures.{name}.{measured}"
