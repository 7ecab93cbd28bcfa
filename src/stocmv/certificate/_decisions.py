"""Bounds for decisions: the precision of each class and the mean cost of `predict`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import FoldTest, clopper_pearson, one_sample
from ..votes import Total, VoteMatrix, Votes, ask
from ._claims import Claim, share_of
from ._class_losses import GroupLosses
from ._costs import Costs, scaled_back
from ._expected import Expected

_ROUND_UP = 1 + 1e-12


@dataclass(frozen=True)
class Answered:
    """Number of answers of each class in one fold, of wrong ones among them, costs, and number of examples.

    If rows belong to groups, groups are counted: a group has an answer if any of its rows has, its share of wrong
    answers is that among these rows, and its cost is the mean over all rows.
    """

    answers: NDArray
    wrong: NDArray
    cost: float
    n: int

    @classmethod
    def of(cls, found: "tuple[NDArray, NDArray, float, int] | GroupLosses") -> "Answered":
        if not isinstance(found, GroupLosses):
            return cls(*found)
        # one column for each class, and the last one for the cost
        means = np.divide(found.sums, found.counts, out=np.zeros_like(found.sums), where=found.counts > 0).sum(0)
        return cls((found.counts[:, :-1] > 0).sum(0), means[:-1], float(means[-1]), len(found.ids))


def answered(weights: Sequence[NDArray], costs: NDArray | None, votes: Sequence[Votes]) -> list[Answered]:
    """Count the answers of the votes with these weights on each fold, and their costs if costs are given."""
    found = ask((v, Total(partial(_sums, w, costs))) for w, v in zip(weights, votes, strict=True))
    return [Answered.of(sums) for sums in found]


def _sums(
    weights: NDArray, costs: NDArray | None, votes: VoteMatrix
) -> tuple[NDArray, NDArray, float, int] | GroupLosses:
    """The sums for one matrix. If rounding may change an answer, it is left out if right and counted if wrong."""
    first, second = (answers.astype(np.int64) for answers in votes.possible_answers(weights))
    targets = np.asarray(votes.targets, np.int64)
    n_classes = len(votes.classes)  # type: ignore[arg-type]
    counts = votes.counts if votes.counts.size else np.ones(votes.n_rows)
    surely_right = (first == targets) & (second == targets)
    doubtful = (second != targets) & (second != first)
    kinds = ((targets, surely_right, 0), (first, first != targets, 1), (second, doubtful, 1))
    cost = np.zeros(len(targets))
    if costs is not None:
        cost = np.maximum(costs[targets, first], costs[targets, second])
    if votes.groups is None:
        right, *wrongs = (np.bincount(a[some], counts[some], n_classes) for a, some, _ in kinds)
        wrong = np.sum(wrongs, axis=0)
        return right + wrong, wrong, float(cost @ counts), int(counts.sum())
    ids, place = np.unique(votes.groups, return_inverse=True)
    sums, numbers = np.zeros((2, len(ids), n_classes + 1))
    for answers, some, loss in kinds:
        np.add.at(sums, (place[some], answers[some]), loss)
        np.add.at(numbers, (place[some], answers[some]), 1)
    sums[:, -1], numbers[:, -1] = np.bincount(place, cost), np.bincount(place)
    return GroupLosses(ids, sums, numbers)


def precisions(
    labels: NDArray,
    found: Sequence[Answered],
    expected: Sequence[Expected],
    shares: NDArray,
    claims: Sequence[Claim],
    *,
    grouped: bool,
) -> tuple[dict[str, Any], ...]:
    """Lower bounds on the precision of each class, for all classes at once.

    Given which examples a fold's vote gives some answer, these are independent draws from one distribution. So the
    bound is the one on the error of a class, with the examples of an answer in place of those of a class. With folds,
    the answers are mixed in other proportions than the examples, known only up to intervals.
    """
    each = []
    for c, label in enumerate(labels.tolist()):
        numbers = [int(part.answers[c]) for part in found]
        risks = [min(part.wrong[c] / n * (1 + 1e-13), 1.0) if (n := part.answers[c]) else 1.0 for part in found]
        test: FoldTest | None = None
        if len(found) == 1:
            wrong = one_sample(float(found[0].wrong[c]), numbers[0], share_of(claims, "precision"), counted=not grouped)
        elif not any(numbers):
            wrong = 1.0
        else:
            guesses, sizes = [float(e.by_answer[c]) for e in expected], [max(n, 1) for n in numbers]
            test = FoldTest.choose(guesses, sizes, share_of(claims, "precision"))
            ends = share_of(claims, "precision", "shares of the folds")
            intervals = [_interval(n, part.n, ends) for n, part in zip(numbers, found, strict=True)]
            wrong = _mixed(test, np.array(risks), np.array(numbers), shares, np.array(intervals))
        weights = shares * [n / part.n for n, part in zip(numbers, found, strict=True)]
        measured = 1 - float(weights @ risks / weights.sum()) if any(numbers) else 0.0
        each.append(
            {
                "label": label,
                "n": sum(numbers),
                "measured": max(measured, 0.0),
                "bound": max((1 - wrong) * (1 - 1e-15), 0.0),
                "bound_settings": {} if test is None else test.settings(),
            }
        )
    return tuple(each)


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


def mean_cost(
    costs: Costs,
    labels: Sequence[Any],
    found: Sequence[Answered],
    expected: Sequence[Expected],
    test: FoldTest | None,
    claims: Sequence[Claim],
    *,
    grouped: bool,
) -> dict[str, Any]:
    """The bound on the mean cost: the costs are scaled to [0, 1], tested like errors, and scaled back.

    Parameters
    ----------
    costs, labels : Costs, sequence
        The costs, and the classes that occur.
    found : sequence of Answered
        Counts with the scaled costs, one entry per fold.
    expected, test : sequence of Expected, FoldTest or None
        Expected errors of each fold according to the others, and the test of the errors, whose fold shares this test
        uses too.
    claims : sequence of Claim
        How delta was split.
    grouped : bool
        Whether rows belong to groups.
    """
    scaled = costs.scaled
    means = [min(part.cost / part.n * (1 + 1e-13), 1.0) for part in found]
    share, own, shares = share_of(claims, "cost"), None, np.ones(1)
    if test is None:
        value = one_sample(found[0].cost, found[0].n, share, counted=not grouped and costs.are_counted)
    else:
        # the cost of errors at the mean cost of one error, so that it does not depend on the examples
        wrong = (scaled.sum() - scaled.trace()) / max(scaled.size - len(scaled), 1)
        own = FoldTest.choose(
            [e.among(np.array(costs.places(labels)), len(scaled)).cost(scaled) for e in expected],
            [part.n for part in found],
            share,
            [float(np.sqrt(wrong)) * c for c in test.scale],
        )
        value, shares = own.upper(means), test.shares
    return {
        "classes": costs.classes,
        "matrix": costs.matrix.tolist(),
        "measured": scaled_back(costs.matrix, min(float(shares @ means), 1.0)),
        "bound": scaled_back(costs.matrix, value),
        "bound_settings": {} if own is None else own.settings(),
    }
