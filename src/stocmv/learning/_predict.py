"""Answers of the deterministic vote, probabilities and draws of the stochastic vote."""

from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..certificate import Certificate
from ..posteriors import Posterior, WeightedPosterior
from ..votes import class_weights, heaviest

_BLOCK = 4096
_DRAWS = 1000  # votes by which a probability without a closed form is estimated
_ROUNDING = 1e-9  # more than rounding can take off weights that sum to one


def check_silence(codes: NDArray, n_classes: int, certificate: Certificate) -> None:
    """Refuse voters that abstain if the certificate assumes that they never do.

    The PAC-Bayes bound on the deterministic vote counts the close contests among all voters, and among some of them
    contests may be closer. If the vote is only tested, it does not matter who answers.
    """
    if certificate.covers_silence:
        return
    if codes.max(initial=0) >= n_classes:
        raise ValueError(
            "Some voter does not answer an example of X, but all voters answered all judging examples: this "
            "certificate does not cover that. Use bound='auto', which does."
        )


def mean_vote(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """Deterministic vote of a fold: the class with the largest mean weight, or the first of tied classes."""
    return heaviest(mean_weights(posterior, codes, n_classes))


def mean_weights(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """Mean weight of each class, (n, n_classes), as a share of the voters that answer; equal if none does.

    For a posterior without mean weights, the share of its drawn votes that answer the class.
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
    """Share of the votes with these weights that answer each class: (n, n_classes)."""
    answered = np.zeros((len(codes), n_classes))
    rows = np.arange(len(codes))
    for weights in votes:
        answered[rows, class_weights(codes, n_classes, weights).argmax(1)] += 1
    return answered / len(votes)


def win_probabilities(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """Probability that the stochastic vote gives each class, (n, n_classes); that of drawn votes if unknown."""
    if posterior.law == "drawn":
        return _share_of_each(posterior.fixed_votes(), codes, n_classes)
    weighted = cast(WeightedPosterior, posterior)
    concentrations = class_weights(codes, n_classes, weighted.concentrations)
    silent = concentrations.max(1) <= 0
    concentrations[silent, 0] = 1.0  # if no class has any weight, the first one wins
    probabilities = weighted.win_probabilities(concentrations)
    split = np.flatnonzero(posterior.splits(codes))
    if len(split):
        drawn = posterior.sample(_DRAWS, np.random.default_rng(0))
        probabilities[split] = _share_of_each(drawn, codes[split], n_classes)
    return probabilities


def drawn_answers(posterior: Posterior, codes: NDArray, n_classes: int, rng: np.random.Generator) -> NDArray:
    """Answers of the stochastic vote, with new weights drawn for every example."""
    if posterior.law == "drawn":
        return _answers_of_draws(posterior, codes, n_classes, rng)
    weighted = cast(WeightedPosterior, posterior)
    answers = weighted.drawn_answers(class_weights(codes, n_classes, weighted.concentrations), rng)
    split = np.flatnonzero(posterior.splits(codes))
    answers[split] = _answers_of_draws(posterior, codes[split], n_classes, rng)
    return answers


def _answers_of_draws(posterior: Posterior, codes: NDArray, n_classes: int, rng: np.random.Generator) -> NDArray:
    answers = np.empty(len(codes), np.int64)
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK]
        theta = posterior.sample(len(block), rng)
        scores = np.stack([((block == k) * theta).sum(1) for k in range(n_classes)], axis=1)
        answers[start : start + _BLOCK] = scores.argmax(1)
    return answers
