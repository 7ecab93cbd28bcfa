"""Choose and certify thresholds: tests in an order fixed in advance, which share delta."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import RatioTest, one_sample
from ..certificate import Claim, percent_down, share
from ._tally import Tally

_LENIENT = (0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.0)
THRESHOLDS = (*(round(1 - k / 100, 2) for k in range(51)), *_LENIENT)  # scores, from strict to lenient
FEW = (*THRESHOLDS[:51:5], 0.4, 0.3, 0.0)  # for when all of them are compared
STARTS = {1.0: 0.25, 0.9: 0.5, 0.7: 0.25}  # first thresholds of the test sequences, with their shares of delta
NEVER = 2.0  # a score that no class can have
ERROR_SHARE = 0.9  # share of delta for the error; the rest is for the coverage


class NotCertified(ValueError):
    """The target cannot be certified with these examples; the message says what can.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.decisions import NotCertified
    >>> clf = MajorityVoteClassifier([GaussianNB()], random_state=0).fit(*load_breast_cancer(return_X_y=True))
    >>> try:
    ...     clf.threshold(1, min_precision=0.999)
    ... except NotCertified:
    ...     print("no threshold")
    no threshold
    """


@dataclass(frozen=True)
class FoldThreshold:
    """The threshold of a fold, with its certified figures."""

    threshold: float
    bound: float
    coverage: float


class FoldTests:
    """Tests of the vote of one fold, which is fixed given the other folds.

    Parameters
    ----------
    tally : Tally
        Counts on the judging examples at each of `THRESHOLDS`.
    delta : float
        The fold's share of delta.
    """

    way_out: ClassVar[str] = ", or use min_coverage, which pays for its choice"

    def __init__(self, tally: Tally, delta: float) -> None:
        self.tally = tally
        self.delta = delta

    def meet_error(self, max_error: float) -> FoldThreshold:
        """The most lenient threshold at which the error among the answers is certified to be at most ``max_error``.

        From each start, the thresholds are tested one after the other, each with the full delta of that start, until
        a test fails.
        """
        place = max(self._last_passed(start, share, max_error) for start, share in STARTS.items())
        if place < 0:
            return FoldThreshold(NEVER, max_error, 0.0)
        return FoldThreshold(THRESHOLDS[place], max_error, self.coverage(place, len(THRESHOLDS)))

    def meet_coverage(self, min_coverage: float) -> FoldThreshold:
        """Of a few thresholds with at least this certified coverage, the one with the smallest certified error."""
        tried = [self.tried(threshold) for threshold in FEW]
        enough = [found for found in tried if found.coverage >= min_coverage]
        return min(enough, key=lambda found: found.bound)

    def tried(self, threshold: float) -> FoldThreshold:
        """Bounds on error and coverage at one of a few thresholds; they hold for all of these at once."""
        place, delta = THRESHOLDS.index(threshold), ERROR_SHARE * self.delta / len(FEW)
        return FoldThreshold(threshold, self._upper(place, delta), self.coverage(place, len(FEW)))

    def coverage(self, place: int, among: int) -> float:
        """Lower bound on the coverage; the bounds at ``among`` thresholds hold at once."""
        return 1.0 if THRESHOLDS[place] == 0 else self._coverage(place, among)

    def _coverage(self, place: int, among: int) -> float:
        delta = (1 - ERROR_SHARE) * self.delta / among
        rest = max(self.tally.n * (1 - float(self.tally.means("answered")[place])), 0.0)
        return 1 - one_sample(rest, self.tally.n, delta, counted=not self.tally.grouped)

    def _last_passed(self, start: float, share: float, max_error: float) -> int:
        """Last certified position in the sequence from a start; -1 if there is none."""
        delta, first = ERROR_SHARE * self.delta * share, THRESHOLDS.index(start)
        for place in range(first, len(THRESHOLDS)):
            if not self._rejects(place, delta, max_error):
                return place - 1 if place > first else -1
        return len(THRESHOLDS) - 1

    def _rejects(self, place: int, delta: float, max_error: float) -> bool:
        test, tally = RatioTest((self.tally.n,), delta), self.tally
        if tally.grouped:
            return test.rejects(tally.errors[:, place], tally.answered[:, place], max_error)
        return test.rejects_counts(round(tally.errors[place]), round(tally.answered[place]), max_error)

    def _upper(self, place: int, delta: float) -> float:
        test, tally = RatioTest((self.tally.n,), delta), self.tally
        if tally.grouped:
            return test.upper(tally.errors[:, place], tally.answered[:, place])
        return test.upper_counts(round(tally.errors[place]), round(tally.answered[place]))


class ClassTests(FoldTests):
    """The same for the answers of one class, which are not all answers even at the threshold 0."""

    way_out: ClassVar[str] = ""  # min_coverage is about all answers together

    def coverage(self, place: int, among: int) -> float:
        return self._coverage(place, among)


def claims(delta: float, n_folds: int, *, by_error: bool) -> tuple[Claim, ...]:
    """How delta is split between the error among the answers and the coverage."""
    error = {"folds": n_folds} if by_error else {"folds": n_folds, "thresholds": len(FEW)}
    coverage = {"folds": n_folds, "thresholds": len(THRESHOLDS if by_error else FEW)}
    return (
        Claim("error among the answers", share(ERROR_SHARE * delta, **error), "bound", error),
        Claim("coverage", share((1 - ERROR_SHARE) * delta, **coverage), "bound", coverage),
    )


def fold_tests(tallies: Sequence[Tally], delta: float) -> list[FoldTests]:
    """The tests of all folds, which share delta: they hold at once, however dependent the folds are."""
    return [FoldTests(tally, delta / len(tallies)) for tally in tallies]


def meet_error(folds: Sequence[FoldTests], max_error: float) -> list[FoldThreshold]:
    """A threshold for each fold at which its error among the answers is certified to be at most ``max_error``."""
    found = [fold.meet_error(max_error) for fold in folds]
    if all(each.threshold == NEVER for each in found):
        judges = sum(fold.tally.n for fold in folds)
        raise NotCertified(
            f"max_error={max_error:g} cannot be certified with these {judges:,} judges; {_attainable(folds, max_error)}"
        )
    return found


def meet_coverage(folds: Sequence[FoldTests], min_coverage: float) -> list[FoldThreshold]:
    """A threshold for each fold with a certified coverage of at least ``min_coverage``, and the fewest errors."""
    found = [fold.meet_coverage(min_coverage) for fold in folds]
    if all(each.bound >= 1 for each in found):
        judges = sum(fold.tally.n for fold in folds)
        raise NotCertified(f"min_coverage={min_coverage:g}: these {judges:,} judges are too few to certify any error.")
    return found


def mixed_bound(found: Sequence[FoldThreshold], shares: NDArray) -> float:
    """Upper bound on the error among the answers of all folds together, which answer in these shares.

    The error is the mean of the folds' errors, weighted by how often each answers. In the worst case, folds whose bound
    is above the mean always answer, and the others as rarely as their coverage allows.
    """
    folds = sorted(zip(found, shares, strict=True), key=lambda pair: -pair[0].bound)
    weights = np.array([answers * each.coverage for each, answers in folds])
    bounds, worst = np.array([each.bound for each, _ in folds]), 0.0
    for k, (_, answers) in enumerate(folds):
        weights[k] = answers
        worst = max(worst, float(weights @ bounds) / float(weights.sum()))
    return min(worst * (1 + 1e-12), float(bounds[0]))


def _attainable(folds: Sequence[FoldTests], max_error: float) -> str:
    """What can be certified instead: about the smallest error at which some fold answers."""

    def met(error: float) -> list[FoldThreshold]:
        found = (fold.meet_error(error) for fold in folds)
        return [each for each in found if each.threshold < NEVER]

    low, high = max_error, 1.0 - 1e-9
    if not met(high):
        return "nothing can, there are too few of them."
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if met(middle) else (middle, high)
    high = min(math.ceil(1e4 * high) / 1e4, 1 - 1e-4)
    if not met(high):
        return "nothing can, there are too few of them."
    coverage = sum(found.coverage for found in met(high)) / len(folds)
    return (
        f"max_error={high:g} can, with a coverage of at least about {percent_down(coverage)}. That figure comes from "
        f"these examples, which is not paid for: let others judge it{folds[0].way_out}."
    )
