"""The scores of one class on the judging examples, and what a threshold on them does."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bounds import one_sample
from ..certificate import Costs, Judgments
from ._tally import ROOM

RECALL, PRECISION, ALARMS, COST = "recall", "precision", "false_positive_rate", "cost"


class Losses(NamedTuple):
    """A sum of losses in [0, 1], the number of examples that it is about, and whether each loss is 0 or 1."""

    total: float
    n: int
    counted: bool = True

    @property
    def mean(self) -> float:
        return self.total / self.n if self.n else 0.0

    def upper(self, delta: float) -> float:
        """Upper bound on the mean loss at a threshold that is fixed given these examples."""
        return one_sample(self.total, self.n, delta, counted=self.counted)


@dataclass(frozen=True, eq=False)
class ScoredClass:
    """What a threshold on the score of a class does on the judging examples.

    The vote answers this class, the positive one, where its score reaches the threshold, and otherwise the class with
    the largest score among the others.

    Parameters
    ----------
    judgments : Judgments
        The table, of one part without groups.
    code : int
        The positive class.
    costs : Costs or None
        The cost of each answer.
    """

    judgments: Judgments
    code: int
    costs: Costs | None = None

    @property
    def label(self) -> Any:
        return self.judgments.classes[self.code].item()

    @property
    def n(self) -> int:
        return len(self.judgments)

    @cached_property
    def positives(self) -> NDArray:
        """The sorted scores of the judging examples of the class."""
        return np.sort(self._scores[self.judgments.truth == self.code])

    @cached_property
    def negatives(self) -> NDArray:
        """The sorted scores of the others."""
        return np.sort(self._scores[self.judgments.truth != self.code])

    @property
    def prevalence(self) -> float:
        return len(self.positives) / self.n

    @property
    def _scores(self) -> NDArray:
        return table_scores(self.judgments)[:, self.code]

    def losses(self, figure: str, threshold: float) -> Losses:
        """The losses that a figure is about: misses, false alarms among the others or among the answers, or costs."""
        if figure == COST:
            return self._cost(threshold)
        alarms = reaching(self.negatives, threshold)
        found = reaching(self.positives, threshold)
        return {
            RECALL: Losses(len(self.positives) - found, len(self.positives)),
            ALARMS: Losses(alarms, len(self.negatives)),
            PRECISION: Losses(alarms, alarms + found),
        }[figure]

    def _cost(self, threshold: float) -> Losses:
        either, neither = self._payments
        paid = np.where(self._scores >= threshold - ROOM, either, neither)
        return Losses(float(paid.sum()), self.n, self.costs.are_counted)  # type: ignore[union-attr]

    @cached_property
    def _payments(self) -> tuple[NDArray, NDArray]:
        """For each example the scaled cost of answering the class, and that of answering the best of the others."""
        assert self.costs is not None  # else there is nothing to pay
        places = np.array(self.costs.places(self.judgments.classes.tolist()))
        truth, scaled = places[self.judgments.truth], self.costs.scaled
        others = places[best_other(table_scores(self.judgments), self.code)]
        return scaled[truth, places[self.code]], scaled[truth, others]


def reaching(scores: NDArray, threshold: float) -> int:
    """How many of sorted scores reach a threshold."""
    return len(scores) - int(np.searchsorted(scores, threshold - ROOM))


def best_other(scores: NDArray, code: int) -> NDArray:
    """The class with the largest score among all but one; of tied classes, the first."""
    rest = scores.copy()
    rest[:, code] = -np.inf
    return rest.argmax(1)


def table_scores(judgments: Judgments) -> NDArray:
    if judgments.scores is None:
        raise ValueError("These judgments have no scores, which thresholds need: pass scores.")
    return judgments.scores


def positive_code(classes: NDArray, positive: Any) -> int:
    """The code of the positive class: with two classes by default the second."""
    labels: Sequence[Any] = classes.tolist()
    if positive is None and len(labels) == 2:
        return 1
    if positive not in labels:
        raise ValueError(f"positive must be the class that is meant, one of {labels!r}, got {positive!r}.")
    return labels.index(positive)


def scored_class(judgments: Judgments, positive: Any, costs: Costs | None = None) -> ScoredClass:
    """The scores of the positive class; refused for folds and groups, for which nothing is proven here."""
    if len(judgments.classes) < 2:
        raise ValueError(f"A threshold needs two classes, got {judgments.classes.tolist()!r}.")
    if judgments.n_folds > 1:
        raise ValueError(
            "Thresholds are certified for one vote, but with folds there are several, whose scores differ: use a "
            "hold-out (n_folds=None)."
        )
    if judgments.grouped:
        raise ValueError(
            "Thresholds are not certified for groups: scores of one group depend on each other, so neither the hits of "
            "a class nor its answers are independent draws."
        )
    return ScoredClass(judgments, positive_code(judgments.classes, positive), costs)
