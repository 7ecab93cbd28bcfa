"""Baselines without any model: always give the same answer, the most frequent one or the cheapest."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import one_sample
from ..votes import VoteMatrix
from ._claims import Claim, share_of
from ._costs import Costs, is_counted, scaled_back


def baseline(labels: NDArray, frequency: NDArray, n: int, claims: Sequence[Claim], *, grouped: bool) -> dict[str, Any]:
    """The most frequent class among the judging examples, the error of always answering it, and the bound on that.

    Parameters
    ----------
    labels, frequency : ndarray of shape (n_classes,)
        The classes, and the number of examples of each.
    n, claims : int, sequence of Claim
        Number of examples, and how delta was split.
    grouped : bool
        Whether these are groups, which may be of several classes.
    """
    most = int(np.argmax(frequency >= frequency.max() * (1 - 1e-12)))  # the first of equally frequent classes
    total = n - float(frequency[most])
    return {
        "label": labels[most].item(),
        "empirical_risk": total / n,
        "bound": _upper(total, n, share_of(claims, "baseline"), counted=not grouped),
    }


def cheapest_answer(
    costs: Costs, labels: NDArray, frequency: NDArray, claims: Sequence[Claim], *, grouped: bool
) -> dict[str, Any]:
    """Of the answers that have costs, the one that is cheapest if it is always given, its mean cost, and the bound.

    The costs of an answer are scaled to [0, 1] by themselves; each answer that might have been chosen has its share of
    delta.
    """
    n, rows = round(float(frequency.sum())), costs.matrix[costs.places(labels.tolist())]
    means = frequency @ rows / n
    answer = int(np.argmax(means <= means.min() + 1e-12 * costs.span))  # the first of equally cheap ones
    column = costs.matrix[:, answer]
    least, span = float(column.min()), float(np.ptp(column))
    mean = value = 0.0
    if span > 0:
        total = float(frequency @ ((rows[:, answer] - least) / span))
        counted = not grouped and is_counted(column)
        mean, value = total / n, one_sample(total, n, share_of(claims, "cost of one answer"), counted=counted)
    return {
        "label": costs.classes[answer],
        "measured": scaled_back(column, mean),
        "bound": scaled_back(column, value),
    }


def _upper(total: float, n: int, delta: float, *, counted: bool) -> float:
    """The bound on the error of an answer that was chosen on these same examples.

    Any class could have been chosen. For an answer that errs with probability p the bound may fail with probability
    ``delta (1 - p)``: the probabilities 1 - p of the classes sum to one, so this adds up to delta for any number of
    classes. Once one p is excluded at its level, so are all larger ones.
    """
    value = one_sample(total, n, delta, counted=counted)
    while (tried := value * (1 + 1e-11)) < 1:
        value = one_sample(total, n, delta * (1 - tried), counted=counted)
        if value <= tried:
            return tried
    return 1.0


def class_counts(votes: VoteMatrix) -> NDArray:
    """Number of examples of each class; of all examples if the classes are not known."""
    if votes.targets is None or votes.classes is None:
        return np.array([float(votes.n_examples)])
    return np.bincount(votes.targets, votes.counts if votes.counts.size else None, len(votes.classes)).astype(float)
