"""`RocBand`: recall and false-positive rate at every threshold, with bounds that hold for all of them at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import DistributionBand, bentkus, check_delta
from ..certificate import Certificate, Claim, confidence, percent_down
from ._scored_class import ALARMS, PRECISION, RECALL, Losses, ScoredClass, scored_class
from ._tally import ROOM
from ._threshold_targets import PICKED

_DOWN = 1 - 1e-12


class RocPoint(NamedTuple):
    """What holds at a threshold, picked from a `RocBand` before or after looking.

    Pass it to ``clf.threshold(at=...)`` for a vote with that threshold.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from stocmv import MajorityVoteClassifier
    >>> clf = MajorityVoteClassifier([GaussianNB()], random_state=0).fit(*load_breast_cancer(return_X_y=True))
    >>> point = clf.roc(1).at(0.5)
    >>> bool(point.recall_bound <= point.recall)
    True
    """

    threshold: float
    recall: float
    recall_bound: float
    false_positive_rate: float
    false_positive_rate_bound: float
    precision: float
    precision_bound: float


@dataclass(frozen=True, eq=False)
class RocBand:
    """The ROC curve of a class on the judging examples, with bounds that hold for all thresholds at once.

    Made by `MajorityVoteClassifier.roc`. Since everything holds at every threshold, one may be picked after looking.

    Parameters
    ----------
    scored : ScoredClass
        The scores of the class on the judging examples.
    delta : float
        Probability that any of the bounds of the curve fails, at most; the area's has as much again.

    Attributes
    ----------
    positive : object
        The class that is meant.
    thresholds : ndarray
        All scores of the judging examples, from infinity (never answer the class) downwards.
    recall, recall_bound : ndarray
        Share of the class that reaches each threshold, measured, and the lower bound.
    false_positive_rate, false_positive_rate_bound : ndarray
        Share of the other classes that reaches it, and the upper bound.
    precision, precision_bound : ndarray
        Share of the class among all that reach it, and the lower bound.
    auc, auc_bound : float
        Area under the curve, the probability that an example of the class has a larger score than one of the others,
        and the lower bound.
    claims : tuple of Claim
        How delta is split.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stocmv import MajorityVoteClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = MajorityVoteClassifier(LogisticRegression(max_iter=5000), random_state=0).fit(X, y)
    >>> band = clf.roc(0)
    >>> band.auc_bound > 0.95
    True
    >>> point = band.at(0.3)
    >>> point.recall_bound < point.recall
    True
    """

    scored: ScoredClass
    delta: float

    @property
    def positive(self) -> Any:
        return self.scored.label

    @property
    def n(self) -> int:
        """Number of judging examples."""
        return self.scored.n

    @property
    def thresholds(self) -> NDArray:
        scores = np.concatenate([self.scored.positives, self.scored.negatives])
        return np.append(np.inf, np.unique(scores)[::-1])

    @property
    def recall(self) -> NDArray:
        return self._recall(self.thresholds)[0]

    @property
    def recall_bound(self) -> NDArray:
        return self._recall(self.thresholds)[1]

    @property
    def false_positive_rate(self) -> NDArray:
        return self._alarms(self.thresholds)[0]

    @property
    def false_positive_rate_bound(self) -> NDArray:
        return self._alarms(self.thresholds)[1]

    @property
    def precision(self) -> NDArray:
        return self._precision(self.thresholds)[0]

    @property
    def precision_bound(self) -> NDArray:
        return self._precision(self.thresholds)[1]

    @property
    def auc(self) -> float:
        return 1 - self._misordered

    @property
    def auc_bound(self) -> float:
        """Lower bound: by Hoeffding's decomposition, Bentkus's bound for as many pairs as the rarer side has."""
        pairs = min(len(self.scored.positives), len(self.scored.negatives))
        return (1 - bentkus(min(self._misordered * (1 + 1e-13), 1.0), pairs, self.delta)) * _DOWN

    @property
    def claims(self) -> tuple[Claim, ...]:
        return (*PICKED.claims(self.delta, priced=False), Claim("area under the curve", self.delta))

    def at(self, threshold: float) -> RocPoint:
        """What holds at a threshold, whichever it is and whenever it was picked."""
        found = (of(np.array([threshold])) for of in (self._recall, self._alarms, self._precision))
        return RocPoint(float(threshold), *(float(each[0]) for pair in found for each in pair))

    def statement(self) -> str:
        """What is certified, in a few sentences."""
        sure, of = confidence(self.delta), f"{len(self.scored.positives):,} of them of class {self.positive!r}"
        return (
            f"With probability at least {sure} over the draw of the {self.n:,} examples that judge it, {of}, the "
            f"bounds on recall, false-positive rate and precision hold for all thresholds at once, so that one may be "
            f"picked after looking. The score of an example of class {self.positive!r} exceeds that of another with "
            f"probability at least {percent_down(self.auc_bound)} ({percent_down(self.auc)} measured), again with "
            f"probability at least {sure}."
        )

    def __str__(self) -> str:
        return self.statement()

    def _level(self, figure: str) -> float:
        return PICKED.level(figure, self.claims)

    def _recall(self, thresholds: NDArray) -> tuple[NDArray, NDArray]:
        """Measured, and bounds."""
        misses, n = np.searchsorted(self.scored.positives, thresholds - ROOM), len(self.scored.positives)
        return 1 - misses / n, (1 - DistributionBand(n, self._level(RECALL)).upper(misses)) * _DOWN

    def _alarms(self, thresholds: NDArray) -> tuple[NDArray, NDArray]:
        n = len(self.scored.negatives)
        alarms = n - np.searchsorted(self.scored.negatives, thresholds - ROOM)
        return alarms / n, DistributionBand(n, self._level(ALARMS)).upper(alarms)

    def _precision(self, thresholds: NDArray) -> tuple[NDArray, NDArray]:
        (recall, least), (rate, most) = self._recall(thresholds), self._alarms(thresholds)
        share, fewest = self.scored.prevalence, prevalence_bound(self.scored, self._level(PRECISION))
        return precision_from(recall, rate, share), precision_from(least, most, fewest) * _DOWN

    @property
    def _misordered(self) -> float:
        """Share of the pairs in which the example of the class has the smaller score; ties count one half."""
        positives, negatives = self.scored.positives, self.scored.negatives
        sides = (np.searchsorted(positives, negatives, side).sum(dtype=float) for side in ("left", "right"))
        return float(sum(sides)) / (2.0 * len(positives) * len(negatives))


def prevalence_bound(scored: ScoredClass, level: float) -> float:
    """Lower bound on the share of the class."""
    return (1 - Losses(len(scored.negatives), scored.n).upper(level)) * (1 - 1e-15)


def precision_from(recall: ArrayLike, rate: ArrayLike, prevalence: float) -> NDArray:
    """The precision that follows from recall, false-positive rate and prevalence; 0 without answers."""
    found = prevalence * np.asarray(recall, float)
    answers = found + (1 - prevalence) * np.asarray(rate, float)
    return np.divide(found, answers, out=np.zeros_like(found), where=answers > 0)


def roc_band(evidence: Any, certificate: Certificate, positive: Any, delta: float | None = None) -> RocBand:
    """The band of a class from the judgments of a certificate."""
    scored = scored_class(certificate.judgments(evidence), positive)
    _check_both(scored)
    return RocBand(scored, check_delta(certificate.delta if delta is None else delta))


def _check_both(scored: ScoredClass) -> None:
    sides: Sequence[tuple[str, NDArray]] = (("", scored.positives), ("other than ", scored.negatives))
    for other, scores in sides:
        if not len(scores):
            raise ValueError(f"None of the {scored.n:,} judges is of a class {other}{scored.label!r}: no curve.")
