"""What one fold answers: the deterministic vote, the probabilities of the drawn vote, and drawn votes."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Posterior, WeightedPosterior
from ..voters import hash_examples
from ..votes import class_weights, heaviest

_BLOCK = 4096


def mean_vote(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """The deterministic vote of a fold: the class with the largest mean weight; of classes that tie the first."""
    return heaviest(mean_weights(posterior, codes, n_classes))


def mean_weights(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """Mean weight of each class, (n, n_classes).

    For a posterior without mean weights, the share of its fixed votes that answer the class.
    """
    votes = posterior.fixed_votes()
    return class_weights(codes, n_classes, votes[0]) if len(votes) == 1 else _share_of_each(votes, codes, n_classes)


def _share_of_each(votes: NDArray, codes: NDArray, n_classes: int) -> NDArray:
    """Share of some votes, given by their weights, that answer each class: (n, n_classes)."""
    answered = np.zeros((len(codes), n_classes))
    rows = np.arange(len(codes))
    for weights in votes:
        answered[rows, class_weights(codes, n_classes, weights).argmax(1)] += 1
    return answered / len(votes)


def win_probabilities(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """Probability that the stochastic vote answers each class, (n, n_classes); the fixed votes' if unknown."""
    if posterior.law == "drawn":
        return _share_of_each(posterior.fixed_votes(), codes, n_classes)
    weighted = cast(WeightedPosterior, posterior)
    return weighted.win_probabilities(class_weights(codes, n_classes, weighted.concentrations))


def drawn_answers(posterior: Posterior, codes: NDArray, n_classes: int, rng: np.random.Generator) -> NDArray:
    """Answers of votes whose weights are drawn afresh for every example."""
    if posterior.law != "drawn":
        weighted = cast(WeightedPosterior, posterior)
        return weighted.drawn_answers(class_weights(codes, n_classes, weighted.concentrations), rng)
    answers = np.empty(len(codes), np.int64)
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK]
        theta = posterior.sample(len(block), rng)
        scores = np.stack([((block == k) * theta).sum(1) for k in range(n_classes)], axis=1)
        answers[start : start + _BLOCK] = scores.argmax(1)
    return answers


def assigned_folds(X: Any, shares: NDArray, key: bytes) -> NDArray:
    """Fold of each example, by a keyed hash of its features: the same example, the same fold.

    Over the choice of the key every example falls into a fold with the probability that is the fold's share,
    independently of any one other example that has other features.
    """
    uniform = hash_examples(X, key) / 2.0**64
    return np.minimum(np.searchsorted(np.cumsum(shares), uniform, side="right"), len(shares) - 1)
