"""`SelectiveVote`."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..bounds import check_delta
from ..certificate import Certificate, Judgments
from ._decision_certificate import of_vote
from ._selective_certificate import SelectiveCertificate
from ._selective_classes import ClassSelectiveCertificate, certify_selective_classes
from ._tally import ROOM, Tally, tally
from ._threshold_tests import (
    FEW,
    NEVER,
    THRESHOLDS,
    FoldThreshold,
    claims,
    fold_tests,
    meet_coverage,
    meet_error,
    mixed_bound,
)

_COUNTED = ("errors", "answered")


class SelectiveVote:
    """A fitted vote that answers only if the answered class has a high enough score.

    Made by `MajorityVoteClassifier.selective`. Its answers are those that this classifier's `predict` gave then: it
    keeps the voters and their weights, whatever happens to the classifier afterwards.

    Parameters
    ----------
    clf : MajorityVoteClassifier
        The fitted vote.
    certificate : SelectiveCertificate or ClassSelectiveCertificate
        The bounds on error and coverage of that vote.
    unanswered : object
        What `predict` returns for an example that it does not answer.

    Attributes
    ----------
    certificate_ : SelectiveCertificate or ClassSelectiveCertificate
        The bound on the error among the answers, the lower bound on coverage, and the thresholds.
    classes_ : ndarray
        Class labels.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier(n_folds=3, random_state=0).fit(X, y)
    >>> sure = clf.selective(max_error=0.04)
    >>> sure.certificate_.bound, sure.certificate_.coverage > 0.5
    (0.04, True)
    >>> answers = sure.predict(X[:5])  # None if the vote is not sure
    """

    def __init__(
        self, clf: Any, certificate: SelectiveCertificate | ClassSelectiveCertificate, unanswered: Any = None
    ) -> None:
        self._vote = clf._kept()
        if certificate.evidence != self._vote.certificate_.evidence:
            raise ValueError("certificate is about another vote than clf, as the digests of their evidence differ.")
        if certificate.fold_shares != self._vote.certificate_.fold_shares:
            raise ValueError("certificate states other shares of the folds than those in which clf answers.")
        self._certificate = certificate
        self.unanswered = unanswered

    @property
    def certificate_(self) -> SelectiveCertificate | ClassSelectiveCertificate:
        return self._certificate

    @property
    def classes_(self) -> NDArray:
        return self._vote.classes_

    def __repr__(self) -> str:
        return f"SelectiveVote({self._vote!r}, thresholds={self.certificate_.thresholds!r})"

    def answers(self, X: Any) -> NDArray:
        """Whether the vote answers, for each example."""
        elsewhere = self._vote._asked_on_cluster(self, "answers", X, bool)
        if elsewhere is not None:
            return elsewhere
        return self._asked(X)[1]

    def predict(self, X: Any) -> NDArray:
        """Answers of the vote, or ``unanswered`` if it has none: an array of objects if that is not a label."""
        elsewhere = self._vote._asked_on_cluster(self, "predict", X, object)
        if elsewhere is not None:
            return elsewhere
        codes, sure = self._asked(X)
        labels = self.classes_[codes]
        if sure.all():
            return labels
        filler = np.asarray(self.unanswered)
        alike = filler.ndim == 0 and filler.dtype.kind == labels.dtype.kind
        given = labels.astype(np.result_type(labels, filler) if alike else object)
        given[~sure] = self.unanswered
        return given

    def _asked(self, X: Any) -> tuple[NDArray, NDArray]:
        """Codes of the answers, and whether there is one."""
        return self._vote._sure_answers(X, np.array(self.certificate_.thresholds) - ROOM)


def certify_selective(
    evidence: Any,
    certificate: Certificate,
    *,
    max_error: float | Mapping[Any, float] | None = None,
    min_coverage: float | None = None,
    delta: float | None = None,
) -> SelectiveCertificate | ClassSelectiveCertificate:
    """Choose thresholds for a vote made without its judging examples, and certify error and coverage."""
    if (max_error is None) == (min_coverage is None):
        raise ValueError(
            f"Give one of max_error and min_coverage, got max_error={max_error!r} and min_coverage={min_coverage!r}."
        )
    if isinstance(max_error, Mapping):
        return certify_selective_classes(evidence, certificate, max_error, delta)
    given: tuple[tuple[str, Any], ...] = (("max_error", max_error), ("min_coverage", min_coverage))
    for name, value in given:
        if value is not None and not (isinstance(value, int | float | np.number) and 0 < value < 1):
            raise ValueError(f"{name} must lie strictly between 0 and 1, got {value!r}.")
    level = check_delta(certificate.delta if delta is None else delta)
    judgments = certificate.judgments(evidence)
    counted = [tally(fold, THRESHOLDS) for fold in judgments.folds()]
    folds = fold_tests(counted, level)
    if max_error is not None:
        target, found = {"max_error": float(max_error)}, meet_error(folds, float(max_error))
    else:
        least = float(min_coverage)  # type: ignore[arg-type]
        target, found = {"min_coverage": least}, meet_coverage(folds, least)
    shares = np.array(certificate.fold_shares)
    errors, answered = (
        float(shares @ [_mean(tally, name, each.threshold) for tally, each in zip(counted, found, strict=True)])
        for name in _COUNTED
    )
    error = {
        "bound": found[0].bound if max_error is not None else mixed_bound(found, shares),
        "empirical_risk": min(errors / answered, 1.0) if answered else 0.0,
    }
    coverage = {
        "bound": float(shares @ [each.coverage for each in found]) * (1 - 1e-12),
        "measured": min(answered, 1.0),  # the shares of the folds sum to one but for rounding
    }
    return SelectiveCertificate(
        figures={"error": error, "coverage": coverage, "answers": _answers(judgments, found)},
        thresholds=tuple(each.threshold for each in found),
        target=target,
        delta=level,
        claims=claims(level, len(folds), by_error=max_error is not None),
        **of_vote(certificate),
    )


def _answers(judgments: Judgments, found: Sequence[FoldThreshold]) -> list[dict[str, Any]]:
    """How often each class is answered; in groups each row counts as its share of its group."""
    total = np.zeros(len(judgments.classes))
    for fold, each in zip(judgments.folds(), found, strict=True):
        weight = np.ones(len(fold))
        if fold.grouped:
            _, place, sizes = np.unique(cast(NDArray, fold.group), return_inverse=True, return_counts=True)
            weight = 1 / sizes[place]
        sure = (fold.answer_score >= each.threshold - ROOM) & (each.threshold != NEVER)
        total += np.bincount(fold.answer[sure], weight[sure], len(total))
    return [{"label": label, "n": n} for label, n in zip(judgments.classes.tolist(), total.tolist(), strict=True)]


class Tradeoff(NamedTuple):
    """Error and coverage at a threshold, the same for all folds: certified, and on the judging examples."""

    threshold: float
    bound: float
    coverage: float
    empirical_risk: float
    empirical_coverage: float


def tradeoffs(evidence: Any, certificate: Certificate, delta: float | None = None) -> list[Tradeoff]:
    """Error among the answers and coverage at a few thresholds; all these bounds hold at once."""
    level = check_delta(certificate.delta if delta is None else delta)
    counted = [tally(fold, THRESHOLDS) for fold in certificate.judgments(evidence).folds()]
    shares, found = np.array(certificate.fold_shares), []
    for threshold in FEW:
        folds = [fold.tried(threshold) for fold in fold_tests(counted, level)]
        errors, answered = (float(shares @ [_mean(t, name, threshold) for t in counted]) for name in _COUNTED)
        coverage = float(shares @ [fold.coverage for fold in folds]) * (1 - 1e-12)
        measured = errors / answered if answered else 0.0
        found.append(Tradeoff(threshold, mixed_bound(folds, shares), coverage, measured, answered))
    return found


def _mean(tally: Tally, name: str, threshold: float) -> float:
    """Share of a fold's units that are answered, or answered wrongly."""
    return 0.0 if threshold == NEVER else float(tally.means(name)[THRESHOLDS.index(threshold)])
