"""Bounds for decisions: the precision of each class and the mean cost of `predict`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import FoldTest, clopper_pearson, one_sample
from ._claims import Claim, share_of
from ._costs import Costs, scaled_back
from ._expected import Expected
from ._judgments import Judgments

_ROUND_UP = 1 + 1e-12


def precisions(
    folds: Sequence[Judgments],
    expected: Sequence[Expected],
    shares: NDArray,
    claims: Sequence[Claim],
) -> tuple[dict[str, Any], ...]:
    """Lower bounds on the precision of each class, for all classes at once.

    Given which examples a fold's vote gives some answer, these are independent draws from one distribution. So the
    bound is the one on the error of a class, with the examples of an answer in place of those of a class. With folds,
    the answers are mixed in other proportions than the examples, known only up to intervals.
    """
    each, totals = [], [fold.errors.n for fold in folds]
    for c, answers in enumerate(zip(*(fold.by_answer() for fold in folds), strict=True)):
        losses = [part.losses(part.answer != part.truth) for part in answers]
        numbers, risks = [own.n for own in losses], [own.mean for own in losses]
        test: FoldTest | None = None
        if len(folds) == 1:
            counted = not folds[0].grouped
            wrong = one_sample(losses[0].total, numbers[0], share_of(claims, "precision"), counted=counted)
        elif not any(numbers):
            wrong = 1.0
        else:
            guesses, sizes = [float(e.by_answer[c]) for e in expected], [max(n, 1) for n in numbers]
            test = FoldTest.choose(guesses, sizes, share_of(claims, "precision"))
            ends = share_of(claims, "precision", "shares of the folds")
            intervals = [_interval(n, of, ends) for n, of in zip(numbers, totals, strict=True)]
            wrong = _mixed(test, np.array(risks), np.array(numbers), shares, np.array(intervals))
        weights = shares * np.divide(numbers, totals)
        measured = 1 - float(weights @ risks / weights.sum()) if any(numbers) else 0.0
        each.append(
            {
                "label": folds[0].classes[c].item(),
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
    folds: Sequence[Judgments],
    expected: Sequence[Expected],
    test: FoldTest | None,
    claims: Sequence[Claim],
) -> dict[str, Any]:
    """The bound on the mean cost: the costs are scaled to [0, 1], tested like errors, and scaled back.

    Parameters
    ----------
    costs : Costs
        The costs.
    folds : sequence of Judgments
        The judgments of each fold.
    expected, test : sequence of Expected, FoldTest or None
        Expected errors of each fold according to the others, and the test of the errors, whose fold shares this test
        uses too.
    claims : sequence of Claim
        How delta was split.
    """
    scaled, places = costs.scaled, np.array(costs.places(folds[0].classes.tolist()))
    losses = [fold.losses(scaled[places[fold.truth], places[fold.answer]]) for fold in folds]
    means = [own.mean for own in losses]
    share, own, shares = share_of(claims, "cost"), None, np.ones(1)
    if test is None:
        value = one_sample(losses[0].total, losses[0].n, share, counted=not folds[0].grouped and costs.are_counted)
    else:
        # the cost of errors at the mean cost of one error, so that it does not depend on the examples
        wrong = (scaled.sum() - scaled.trace()) / max(scaled.size - len(scaled), 1)
        own = FoldTest.choose(
            [e.among(places, len(scaled)).cost(scaled) for e in expected],
            [each.n for each in losses],
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
