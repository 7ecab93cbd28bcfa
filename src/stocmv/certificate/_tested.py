"""Certificates of votes that their judging examples only tested: nothing is paid for learning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..verify import Verification, verify_tested
from ._baseline import Baseline
from ._calibration import Calibration
from ._certificate import Certificate
from ._classes import Classes, Recalls
from ._costs import Costs
from ._error import Error
from ._f1 import F1
from ._figure import Figure
from ._interval import Interval
from ._judgments import Judgments
from ._mean_cost import MeanCost
from ._panel import Panel
from ._precision import Precision
from ._prevalence import Prevalence, check_shares, mean_of_classes
from ._score_figures import ScoreFigures
from ._subgroups import Subgroups
from ._tables import Table
from ._words import SAME_DISTRIBUTION, counted, rule

if TYPE_CHECKING:
    from ..decisions import (
        ClassSelectiveCertificate,
        RocBand,
        RocPoint,
        SelectiveCertificate,
        ThresholdCertificate,
    )

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        Error(),
        Baseline(),
        Recalls(),
        Classes(),
        Precision(),
        F1(),
        MeanCost(),
        Prevalence(),
        Calibration(),
        Subgroups(),
        Interval(),
        ScoreFigures(),
        Panel(),
    )
}
_VOTES = {
    "hard": "the voters vote with fixed weights, and of classes that tie the first wins",
    "soft": "the voters' probabilities are added up with fixed weights, and the class with the largest sum wins",
    "given": "the model whose answers were given",
}


@dataclass(frozen=True, kw_only=True)
class TestedCertificate(Certificate):
    """The certificate of a vote that was made without the examples that judge it.

    All of its figures are functions of one table, the `Judgments`.

    Attributes
    ----------
    voting : {"hard", "soft", "given"}
        Whether the voters' answers are counted, or their probabilities added up, or a model's answers were given.
    fold_test : dict
        The constants of the fold test of the error; empty without folds.
    precisions : sequence of dict
        For each class, the number of times it is answered, the share of right ones among these answers, and a lower
        bound on that share; the bounds hold for all classes at once. Only if requested.
    precision : ndarray of shape (n_classes,)
        These bounds, in the order of the classes.
    f1_scores : sequence of dict
        For each class, the number of examples whose truth or answer it is, the F1 measured on them, and a lower bound;
        the bounds hold for all classes at once. Only if requested, for a hold-out without groups.
    f1 : ndarray of shape (n_classes,)
        These bounds, in the order of the classes.
    cost : dict
        If costs are given: the classes that they name, their matrix, the mean cost on the judging examples, the bound
        on it, and the same for always giving the cheapest answer ("baseline").
    cost_bound : float or None
        Upper bound on the mean cost.
    calibration : sequence of dict
        Only if requested: for each bin of the score of the answer that has any, its ends ("from", "to"), how many
        answers it has, their mean score, how often they are right, and bounds on that from both sides ("lower",
        "upper"), which hold for all bins at once.
    interval : dict
        Only if requested: bounds on the error from both sides ("lower", "upper") that hold at once.
    score_figures : dict
        Where there are scores: measured and certified "brier" score, "log_loss" and area under the ROC curve ("auc").
    subgroups : dict
        If subgroups are given: for each the bound on its error and an interval ("lower", "upper") that holds for all
        at once ("entries"), and for each attribute bounds on the largest difference ("gaps").
    prevalence : dict
        If other shares of the classes are given: these ("shares"), and the measured error and the bound with them.
    panel : dict
        If the voters are certified as a panel: name, measured error and bound of each where it answers ("voters"), the
        same for their vote with equal weights ("equal"), the agreement of each two and the correlation of their errors
        ("pairs"), and how many independent voters they are worth ("worth"; None if unknown). The bounds hold all at
        once; the rest is measured.
    evidence_ : Judgments or None
        The judgments themselves, if `certify_predictions` made this certificate; they are not in its file.

    Examples
    --------
    >>> from stocmv import certify_predictions
    >>> certificate = certify_predictions(["yes", "no"] * 50, ["yes", "no"] * 48 + ["no"] * 4)
    >>> certificate.precision.round(3).tolist()  # of "no" and of "yes"
    [0.868, 0.926]
    >>> round(float(certificate.f1[1]), 3)
    0.926
    """

    format: ClassVar[str] = "stocmv tested certificate 1"
    risk: ClassVar[str] = "exact"
    __test__: ClassVar[bool] = False  # or pytest takes it for a test

    voting: str = "hard"
    fold_test: dict[str, list[float]]
    evidence_: Judgments | None = field(default=None, compare=False, repr=False)

    @property
    def empirical_risk(self) -> float:
        return self.figures["error"]["empirical_risk"]

    @property
    def precisions(self) -> Sequence[dict[str, Any]]:
        return self.figures.get("precision", ())

    @property
    def precision(self) -> NDArray:
        return np.array([entry["bound"] for entry in self.precisions])

    @property
    def f1_scores(self) -> Sequence[dict[str, Any]]:
        return self.figures.get("f1", ())

    @property
    def f1(self) -> NDArray:
        return np.array([entry["bound"] for entry in self.f1_scores])

    @property
    def cost(self) -> dict[str, Any]:
        return self.figures.get("cost", {})

    @property
    def cost_bound(self) -> float | None:
        return self.cost.get("bound")

    @property
    def calibration(self) -> Sequence[dict[str, Any]]:
        return self.figures.get("calibration", ())

    @property
    def interval(self) -> dict[str, float]:
        return self.figures.get("interval", {})

    @property
    def score_figures(self) -> dict[str, Any]:
        return self.figures.get("scores", {})

    @property
    def subgroups(self) -> dict[str, Any]:
        return self.figures.get("subgroups", {})

    @property
    def prevalence(self) -> dict[str, Any]:
        return self.figures.get("prevalence", {})

    @property
    def panel(self) -> dict[str, Any]:
        return self.figures.get("panel", {})

    def at_prevalence(self, shares: Mapping[Any, float]) -> float:
        """A bound on the error where the classes are otherwise distributed: ``{"yes": 0.02, "no": 0.98}``.

        It assumes that the examples of each class look the same there. It follows from the bounds on the classes, so
        that it holds for any number of such shares at once. Not for groups: there the error also depends on which
        classes come together in a group.

        Examples
        --------
        >>> from stocmv import certify_predictions
        >>> truth, answers = ["no"] * 90 + ["yes"] * 10, ["no"] * 88 + ["yes"] * 12
        >>> certificate = certify_predictions(truth, answers)
        >>> rare = certificate.at_prevalence({"yes": 0.01, "no": 0.99})
        >>> f"{rare:.3f}"
        '0.080'
        """
        if not self.per_class:
            raise ValueError("at_prevalence needs bounds on the classes: certify with per_class=True.")
        if self.grouped:
            raise ValueError(
                "at_prevalence needs independent examples: with groups the error also depends on which classes come "
                "together in a group."
            )
        known = [entry["label"] for entry in self.per_class]
        return mean_of_classes(self.per_class, check_shares("shares", shares, known), "bound")

    def selective(
        self,
        max_error: float | Mapping[Any, float] | None = None,
        *,
        min_coverage: float | None = None,
        delta: float | None = None,
        evidence: Judgments | None = None,
    ) -> "SelectiveCertificate | ClassSelectiveCertificate":
        """Certify the same model answering only where its answer has a score high enough: error and coverage.

        Needs scores. The threshold is found on the judgments, and the certificate pays for that. A fitted vote has a
        method of the same name, which also gives the answers.

        Parameters
        ----------
        max_error : float or dict
            Error among the answers to certify, with as many answers as possible; or one for the answers of each class,
            ``{"yes": 0.5, "no": 0.02}``.
        min_coverage : float
            Alternatively, the share of answers to certify, with as few errors as possible.
        delta : float, optional
            Probability that the bound on the error or the one on coverage fails, at most; by default that of this
            certificate.
        evidence : Judgments, optional
            The judgments; by default ``evidence_``.

        Raises
        ------
        NotCertified
            If the target cannot be certified; the message says what can.

        Examples
        --------
        >>> import numpy as np
        >>> from stocmv import certify_predictions
        >>> rng = np.random.default_rng(0)
        >>> score = rng.random(2000)
        >>> truth, answers = rng.random(2000) < score, score > 0.5
        >>> sure = certify_predictions(truth, answers, scores=score).selective(max_error=0.1)
        >>> sure.bound, sure.coverage > 0.2, sure.thresholds[0] > 0.7
        (0.1, True, True)
        """
        from ..decisions import certify_selective

        table = self._own(evidence)
        return certify_selective(table, self, max_error=max_error, min_coverage=min_coverage, delta=delta)

    def threshold(
        self,
        positive: Any = None,
        *,
        at: "float | RocPoint | None" = None,
        min_recall: float | None = None,
        min_precision: float | None = None,
        max_false_positive_rate: float | None = None,
        max_cost: float | None = None,
        delta: float | None = None,
        evidence: Judgments | None = None,
    ) -> "ThresholdCertificate":
        """Certify the same model with a threshold on the score of one class: recall, precision, false-positive rate.

        It answers ``positive`` where the score of that class reaches the threshold. Give exactly one of the targets.
        Needs scores, without folds or groups. A fitted vote has a method of the same name, which also gives the
        answers.

        Parameters
        ----------
        positive : object
            The class that is meant. With two classes, the second if it is not given.
        at : float or RocPoint
            A threshold that was fixed before looking at these examples; or a point ``roc().at(...)``, picked after.
        min_recall : float
            Recall to certify, with as high a threshold as possible.
        min_precision, max_false_positive_rate : float
            Precision or false-positive rate to certify, with as low a threshold as possible.
        max_cost : float
            Mean cost to certify, by the costs of this certificate.
        delta : float, optional
            Probability that any of the bounds fails, at most; by default that of this certificate.
        evidence : Judgments, optional
            The judgments; by default ``evidence_``.

        Raises
        ------
        NotCertified
            If the target cannot be certified; the message says what can.

        Examples
        --------
        >>> import numpy as np
        >>> from stocmv import certify_predictions
        >>> rng = np.random.default_rng(0)
        >>> score = rng.random(2000)
        >>> truth, answers = rng.random(2000) < score, score > 0.5
        >>> found = certify_predictions(truth, answers, scores=score).threshold(True, min_recall=0.9)
        >>> found.recall_bound, found.threshold > 0.2
        (0.9, True)
        """
        from ..decisions import certify_threshold

        return certify_threshold(
            self._own(evidence),
            self,
            positive,
            at=at,
            min_recall=min_recall,
            min_precision=min_precision,
            max_false_positive_rate=max_false_positive_rate,
            max_cost=max_cost,
            delta=delta,
            costs=Costs(self.cost["classes"], np.array(self.cost["matrix"])) if self.cost else None,
        )

    def roc(self, positive: Any = None, delta: float | None = None, *, evidence: Judgments | None = None) -> "RocBand":
        """Recall and false-positive rate of one class at every threshold, with bounds for all of them at once.

        Parameters
        ----------
        positive : object
            The class that is meant. With two classes, the second if it is not given.
        delta : float, optional
            Probability that any bound of the curve fails, at most; by default that of this certificate.
        evidence : Judgments, optional
            The judgments; by default ``evidence_``.
        """
        from ..decisions import roc_band

        return roc_band(self._own(evidence), self, positive, delta)

    def _own(self, evidence: Judgments | None) -> Judgments:
        """The judgments that were given, or those that came with this certificate."""
        given = self.evidence_ if evidence is None else evidence
        if given is None:
            raise ValueError("The judgments are not in a certificate's file: pass evidence=Judgments.load(...).")
        return given

    @property
    def beats_baseline(self) -> bool:
        """Whether bound and measured error (or cost) are below those of always giving the same answer."""
        if self.cost:
            one = self.cost["baseline"]
            return self.cost["bound"] < one["bound"] and self.cost["measured"] < one["measured"]
        return super().beats_baseline and self.empirical_risk < self.baseline["empirical_risk"]

    @property
    def covers_silence(self) -> bool:
        return True  # it does not matter who answers: what predict does was tested

    def judgments(self, evidence: Any) -> Judgments:
        if not isinstance(evidence, Judgments) or evidence.digest() != self.evidence:
            raise ValueError(
                "evidence_ is not what certificate_ is about, as their digests differ: take both from the same fit, or "
                "load the evidence that was saved with the certificate."
            )
        return evidence

    def _of_each_figure(self, what: str) -> list[Any]:
        """What each figure adds: its tables, remarks or notes."""
        return [each for name, content in self.figures.items() for each in getattr(FIGURES[name], what)(self, content)]

    def tables(self) -> list[Table]:
        return self._of_each_figure("tables")

    def _remarks(self) -> list[str]:
        return self._of_each_figure("remarks")

    def _notes(self) -> list[str]:
        voters = () if self.voting == "given" else self.context.get("without_probabilities", ())
        notes = [_certain(name) for name in voters]
        figures = self._of_each_figure("notes")
        if self.grouped and figures:
            figures.append("Over all rows these figures may differ: a large group counts no more than a small one.")
        return notes + figures

    @property
    def theorem(self) -> str:
        if len(self.fold_sizes) > 1:
            return f"the fold test over {len(self.fold_sizes)} folds"
        exact = "Bentkus's bound for the means of groups" if self.grouped else "Clopper and Pearson's bound"
        uneven = len({x for row in self.cost.get("matrix", ()) for x in row}) > 2
        others = ["the stochastic vote"] * (self.stochastic_bound is not None) + ["the mean cost"] * uneven
        others += ["the figures of the scores"] * bool(self.score_figures)
        return f"{exact}; Bentkus's bound for {' and '.join(others)}" if others and not self.grouped else exact

    @property
    def rule(self) -> str:
        alone = self.has_one_voter and self.voting != "given"
        answers = "its voter answers" if alone else _VOTES[self.voting]
        return rule(answers, len(self.fold_sizes), self.abstains)

    @property
    def subject(self) -> str:
        return "the model" if self.voting == "given" else "predict"

    @property
    def made_and_judged(self) -> str:
        if not self.protocol:
            return ""
        kind, unit = ("groups", "group") if self.grouped else ("examples", "example")
        learning, judging = self.protocol["learning"], self.protocol["judging"]
        if learning and len(self.fold_sizes) > 1:
            return (
                f"All {judging:,} {kind} made the vote and judged it: the vote of each fold is made by the other folds."
            )
        if learning:
            return f"{counted(learning, unit)} made the vote; {counted(judging, 'other')} only judged it."
        return f"Nothing was learned here: {counted(judging, unit)} only judged the vote."

    @property
    def n_used(self) -> int:
        return super().n_used + (self.protocol.get("learning", 0) if len(self.fold_sizes) == 1 else 0)

    def _assumptions(self) -> list[str]:
        costs = ["The costs were fixed before looking at these examples, for all classes that can occur."]
        made = FIXED_MODEL if self.voting == "given" else ""
        assumed = assumptions_of_tests(len(self.fold_sizes), self.grouped, "The bound and delta were", made)
        parts = ["The subgroups were defined before looking at how the model did on them."]
        alike = ["Where the classes have other shares, the examples of each class look the same as here."]
        answer = [f"That it is compared with always answering {self.baseline['label']!r} was fixed before, too."]
        further = costs * bool(self.cost) + parts * bool(self.subgroups) + alike * bool(self.prevalence)
        further += answer * ("fixed" in self.baseline)
        return assumed + further + self._complete_lists()

    def _complete_lists(self) -> list[str]:
        """What shares delta must not depend on the answers, nor on which classes come together in a group.

        For recall and precision without groups it cannot: given the truths, or given the answers, the number of
        classes that have examples is fixed. But F1 counts a class also where it is only answered in place of another.
        """
        listed = [
            name
            for name, needed in (
                ("classes", self.f1_scores or (self.grouped and self.per_class)),
                ("subgroups", self.grouped and self.subgroups),
            )
            if needed
        ]
        return [f"There are no other {' or '.join(listed)} than those listed."] * bool(listed)

    def verify(self, evidence: Judgments | None = None) -> Verification:
        """Recompute every figure of the certificate from the judgments, with independent code, and compare.

        This runs `stocmv.verify`: one file that uses only numpy and scipy, and no code that learned or certified.

        Parameters
        ----------
        evidence : Judgments, optional
            The judgments: ``clf.evidence_``, or `Judgments.load` of evidence.npz; by default ``evidence_``.
        """
        evidence = self.evidence_ if evidence is None else evidence
        if not isinstance(evidence, Judgments):
            raise TypeError(f"evidence must be the judgments of this vote, got {type(evidence).__name__}.")
        return self._checked_by(lambda content, intact: verify_tested(content, intact, evidence.columns()))


FIXED_MODEL = (
    "The model was fixed before: it was not trained on these examples, nor tuned on them, nor chosen by how it did on "
    "them."
)


def _certain(name: str) -> str:
    return f"{name} gives no probabilities: its answer counts as certain."


def assumptions_of_tests(n_folds: int, grouped: bool, fixed: str, made: str = "") -> list[str]:
    """What a certificate assumes whose judging examples only tested.

    ``fixed`` says what was fixed before, ``made`` how the model was made if it is not a vote made here.
    """
    drawn = (
        "The groups are independent draws from one distribution, and new groups come from the same one; within a "
        "group anything may depend on anything."
        if grouped
        else SAME_DISTRIBUTION
    )
    unseen = (
        "The voters and the weights of each fold were chosen without looking at the examples of that fold, and the "
        "folds were drawn without looking at the examples."
        if n_folds > 1
        else "The voters and their weights were chosen without looking at the examples that judge them."
    )
    constants = "; the constants of each fold were chosen from the others" if n_folds > 1 else ""
    return [drawn, made or unseen, f"{fixed} fixed before looking at these examples{constants}."]
