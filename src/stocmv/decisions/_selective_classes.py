"""A vote that answers only when it is sure, with a target for the error among the answers of each class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import check_delta
from ..certificate import (
    Certificate,
    Claim,
    Judgments,
    Row,
    Table,
    Verification,
    assumptions_of_tests,
    confidence,
    percent,
    percent_down,
    share,
)
from ..verify import verify_class_selective
from ._decision_certificate import DecisionCertificate, of_vote
from ._selective_certificate import how_often
from ._tally import Tally, tally
from ._threshold_tests import ERROR_SHARE, NEVER, THRESHOLDS, ClassTests, FoldThreshold, NotCertified, meet_error


@dataclass(frozen=True, kw_only=True)
class ClassSelectiveCertificate(DecisionCertificate):
    """Upper bounds on the error among the answers of each class, and a lower bound on coverage.

    Attributes
    ----------
    thresholds : tuple of tuples
        For each fold and each class: its vote gives this answer if the class has at least this score; above 1 if it
        never does.
    answers : list of dict
        For each class: its label, the ``bound`` on the error among its answers (the target), what was measured
        (``empirical_risk``), a lower bound on how often it is answered (``coverage``), and the number of judging
        examples (for groups, the sum of their shares) with that answer (``n``).
    bound : float
        Bound on the error among all answers: the largest of those of the classes that are answered.
    coverage : float
        Lower bound on the share of new examples that are answered. All bounds hold at once.
    empirical_risk, empirical_coverage : float
        Error among the answers, and coverage, on the judging examples.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from stocmv import MajorityVoteClassifier
    >>> clf = MajorityVoteClassifier([GaussianNB()], random_state=0).fit(*load_breast_cancer(return_X_y=True))
    >>> certificate = clf.selective(max_error={0: 0.2, 1: 0.15}).certificate_
    >>> [(entry["label"], entry["bound"]) for entry in certificate.answers]
    [(0, 0.2), (1, 0.15)]
    >>> certificate.coverage > 0.5
    True
    """

    format: ClassVar[str] = "stocmv class selective certificate 1"

    thresholds: tuple[tuple[float, ...], ...]

    @property
    def answers(self) -> Sequence[dict[str, Any]]:
        return self.figures["answers"]

    @property
    def empirical_risk(self) -> float:
        return self.figures["error"]["empirical_risk"]

    @property
    def coverage(self) -> float:
        return self.figures["coverage"]["bound"]

    @property
    def empirical_coverage(self) -> float:
        return self.figures["coverage"]["measured"]

    def statement(self) -> str:
        """The certificate in a few sentences."""
        if not self.proven:
            return super().statement()
        judges = f"{self.n:,} {'groups' if self.grouped else 'examples'}"
        on = "rows of new groups, each group counting the same," if self.grouped else "new examples"
        folds = ", both averaged over the key that shares examples out among the folds" * (len(self.fold_sizes) > 1)
        errors = " and ".join(
            f"{percent(own['bound'])} of its answers {own['label']!r}" for own in self.answers if own["n"]
        )
        return (
            f"With probability at least {confidence(self.delta)} over the draw of the {judges} that judge it, "
            f"{self._rule_of} answers at least {percent_down(self.coverage)} of {on} and errs on at most "
            f"{errors}{folds}. "
            f"{how_often(self.answers)}"
        )

    @property
    def rule(self) -> str:
        parts = []
        for c, own in enumerate(self.answers):
            used = sorted({fold[c] for fold in self.thresholds if fold[c] <= 1})
            span = " to ".join(f"{100 * end:.0f} %" for end in (used[:1] + used[-1:] if len(used) > 1 else used))
            parts.append(f"{own['label']!r} from a score of {span} on" if used else f"{own['label']!r} never")
        return f"it answers {', '.join(parts)}"

    def tables(self) -> list[Table]:
        places = [(own, f"figures.answers.{c}") for c, own in enumerate(self.answers)]
        unit, risk = "answers of groups" if self.grouped else "answers", "empirical_risk"
        errors = tuple(
            Row(
                f"{own['label']} ({own['n']:,.0f} {unit})", own["bound"], f"{place}.bound", own[risk], f"{place}.{risk}"
            )
            for own, place in places
            if own["n"]
        )
        coverage = self.figures["coverage"]
        rates = [
            Row(f"{own['label']}", own["coverage"], f"{place}.coverage", own["measured"], f"{place}.measured")
            for own, place in places
        ]
        total = Row(
            "all", coverage["bound"], "figures.coverage.bound", coverage["measured"], "figures.coverage.measured"
        )
        return [
            Table("error among the answers of class", "at most", errors),
            Table("share that is answered", "at least", (*rates, total), "percent down"),
        ]

    def notes(self) -> list[str]:
        return [
            f"The rule: {self.rule}.",
            f"All lines hold at once. Shares of delta = {self.delta:g}: {'; '.join(map(str, self.claims))}.",
            self._separate,
        ]

    @property
    def theorem(self) -> str:
        test = (
            "the ratio test for the means of groups"
            if self.grouped
            else "Clopper and Pearson's bound given the number of answers"
        )
        return f"{test}, thresholds of each class tested in fixed sequences, which share delta"

    def _assumptions(self) -> list[str]:
        return assumptions_of_tests(
            len(self.fold_sizes), self.grouped, "The targets, the candidate thresholds and delta were", self._made
        )

    def _subject(self) -> str:
        return f"{self.evidence}{self.thresholds!r}"

    @classmethod
    def _restored(cls, name: str, value: Any) -> Any:
        if name == "thresholds":
            return tuple(tuple(fold) for fold in value)
        return super()._restored(name, value)

    def verify(self, evidence: Judgments) -> Verification:
        """Recompute every figure of the certificate from the judgments, with independent code, and compare.

        Parameters
        ----------
        evidence : Judgments
            The judgments of the vote: ``clf.evidence_``.
        """
        return self._checked_by(lambda content, intact: verify_class_selective(content, intact, evidence.columns()))


def certify_selective_classes(
    evidence: Any, certificate: Certificate, max_error: Mapping[Any, float], delta: float | None
) -> ClassSelectiveCertificate:
    """Choose thresholds for each class, and certify the error among its answers and the coverage."""
    judgments = certificate.judgments(evidence)
    labels = judgments.classes.tolist()
    targets = _checked_targets(max_error, labels)
    level = check_delta(certificate.delta if delta is None else delta)
    folds, shares = judgments.folds(), np.array(certificate.fold_shares)
    tallies = [[tally(fold, THRESHOLDS, code) for fold in folds] for code in range(len(labels))]
    part = level / len(labels) / len(folds)
    found = _met([[ClassTests(own, part) for own in counted] for counted in tallies], targets, labels)
    answers = [
        _of_class(label, target, own, counted, shares)
        for label, target, own, counted in zip(labels, targets, found, tallies, strict=True)
    ]
    answered = sum(own["measured"] for own in answers)
    wrong = sum(own["measured"] * own["empirical_risk"] for own in answers)
    return ClassSelectiveCertificate(
        figures={
            "error": {
                "bound": max(own["bound"] for own in answers if own["n"]),
                "empirical_risk": wrong / answered if answered else 0.0,
            },
            "coverage": {"bound": sum(own["coverage"] for own in answers), "measured": min(answered, 1.0)},
            "answers": answers,
        },
        thresholds=tuple(tuple(own[k].threshold for own in found) for k in range(len(folds))),
        delta=level,
        claims=_claims(level, len(folds), len(labels)),
        **of_vote(certificate),
    )


def _checked_targets(max_error: Mapping[Any, Any], labels: Sequence[Any]) -> list[float]:
    missing = [label for label in labels if label not in max_error]
    unknown = [label for label in max_error if label not in labels]
    if missing or unknown:
        raise ValueError(f"max_error must name each of the classes {list(labels)!r}, got {list(max_error)!r}.")
    for label, value in max_error.items():
        if not (isinstance(value, int | float | np.number) and 0 < value < 1):
            raise ValueError(f"max_error of class {label!r} must lie strictly between 0 and 1, got {value!r}.")
    return [float(max_error[label]) for label in labels]


def _met(
    tests: Sequence[Sequence[ClassTests]], targets: Sequence[float], labels: Sequence[Any]
) -> list[list[FoldThreshold]]:
    """The thresholds of each class and fold; a class whose target cannot be met is never answered."""
    found, refused = [], []
    for folds, target, label in zip(tests, targets, labels, strict=True):
        try:
            found.append(meet_error(folds, target))
        except NotCertified as error:
            refused.append(f"{label!r}: {error}")
            found.append([FoldThreshold(NEVER, target, 0.0)] * len(folds))
    if len(refused) == len(labels):
        raise NotCertified(f"No class can be answered. {' '.join(refused)}")
    return found


def _of_class(
    label: Any, target: float, found: Sequence[FoldThreshold], counted: Sequence[Tally], shares: NDArray
) -> dict[str, Any]:
    """The figures of the answers of one class."""
    rates = np.array([_means(own, at.threshold) for own, at in zip(counted, found, strict=True)])
    errors, answered = (float(each) for each in shares @ rates)
    number = sum(own.n * rate for own, rate in zip(counted, rates[:, 1], strict=True))
    return {
        "label": label,
        "bound": target,
        "empirical_risk": min(errors / answered, 1.0) if answered else 0.0,
        "coverage": float(shares @ [at.coverage for at in found]) * (1 - 1e-12),
        "measured": min(answered, 1.0),
        "n": float(number),
    }


def _means(counted: Tally, threshold: float) -> tuple[float, float]:
    """Shares of a fold's units that are answered wrongly, and that are answered."""
    if threshold == NEVER:
        return 0.0, 0.0
    place = THRESHOLDS.index(threshold)
    return float(counted.means("errors")[place]), float(counted.means("answered")[place])


def _claims(delta: float, n_folds: int, n_classes: int) -> tuple[Claim, ...]:
    each = {"classes": n_classes, "folds": n_folds}
    coverage = {**each, "thresholds": len(THRESHOLDS)}
    return (
        Claim("error among the answers", share(ERROR_SHARE * delta, **each), "bound", each),
        Claim("coverage", share((1 - ERROR_SHARE) * delta, **coverage), "bound", coverage),
    )
