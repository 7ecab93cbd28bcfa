"""What a posterior's votes answer: the deterministic vote, the probabilities of the drawn vote, and drawn votes."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..certificate import Certificate
from ..posteriors import Posterior, WeightedPosterior
from ..votes import class_weights, heaviest

_BLOCK = 4096
_ROUNDING = 1e-9  # more than a sum of weights that are one loses


def check_silence(codes: Sequence[NDArray], n_classes: int, certificate: Certificate) -> None:
    """Refuse voters that abstain where a certificate rests on their never doing so.

    The bound on the vote with mean weights counts the close contests of all voters; of some of them there are closer
    ones. Where the vote is only tested, it does not matter who answers.
    """
    if certificate.tested or certificate.abstains:
        return
    if any(each.max(initial=0) >= n_classes for each in codes):
        raise ValueError(
            "Some voter does not answer an example of X, and all of them answered all examples that judge: this "
            "certificate does not cover that. Use bound='auto', which does."
        )


def mean_vote(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """The deterministic vote of a fold: the class with the largest mean weight; of classes that tie the first."""
    return heaviest(mean_weights(posterior, codes, n_classes))


def mean_weights(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """Mean weight of each class, (n, n_classes), as a share of those that answer; equal where nobody does.

    For a posterior without mean weights, the share of its fixed votes that answer the class.
    """
    votes = posterior.fixed_votes()
    if len(votes) > 1:
        return _share_of_each(votes, codes, n_classes)
    weights = class_weights(codes, n_classes, votes[0])
    answered = weights.sum(1, keepdims=True)
    if answered.min(initial=1.0) > 1 - _ROUNDING:
        return weights
    return np.divide(weights, answered, out=np.full(weights.shape, 1 / n_classes), where=answered > 0)


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
    concentrations = class_weights(codes, n_classes, weighted.concentrations)
    silent = concentrations.max(1) <= 0
    concentrations[silent, 0] = 1.0  # of classes without any weight the first wins
    return weighted.win_probabilities(concentrations)


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
