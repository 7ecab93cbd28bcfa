"""What one fold answers: the mean vote, the probabilities of the drawn vote, and drawn votes."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Categorical, Dirichlet, Posterior
from ..special import argmax_probability, half_betainc
from ..voters import VoterSet
from ..votes._classes import class_weights

_BLOCK = 4096
_DRAWS = 1000  # votes drawn for the probabilities of a posterior that has no closed form


def ask(voters: VoterSet, X: Any, n_voters: int, n_classes: int) -> NDArray:
    """What the voters answer: codes of classes that there are, as the compiled sums over them rely on."""
    codes = voters.votes(X)
    if codes.ndim != 2 or codes.shape[1] != n_voters or codes.dtype.kind not in "iub":
        raise ValueError(f"{n_voters} voters answered an array of {codes.dtype} of shape {codes.shape}, not codes.")
    if codes.size and (codes.min() < 0 or codes.max() >= n_classes):
        raise ValueError(f"Voters must answer class codes, integers from 0 to {n_classes - 1}.")
    return codes


def mean_vote(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """Class with the largest mean weight; of equal ones the first.

    A posterior that is no Dirichlet and no categorical is certified for its most probable class instead.
    """
    if isinstance(posterior, Dirichlet | Categorical):
        # rounded, so that classes of equal weight are equal whatever the order of their sums
        return class_weights(codes, n_classes, posterior.mean).round(10).argmax(1)
    return win_probabilities(posterior, codes, n_classes).argmax(1)


def win_probabilities(posterior: Posterior, codes: NDArray, n_classes: int) -> NDArray:
    """Probability that the drawn vote answers each class: (n, n_classes)."""
    if isinstance(posterior, Categorical):
        return class_weights(codes, n_classes, posterior.theta)
    if not isinstance(posterior, Dirichlet):
        draws = posterior.sample(_DRAWS, np.random.default_rng(0))
        winners = np.stack([class_weights(codes, n_classes, theta).argmax(1) for theta in draws])
        return np.stack([(winners == k).mean(0) for k in range(n_classes)], axis=1)
    concentrations = class_weights(codes, n_classes, posterior.alpha)
    if n_classes == 2:
        total = concentrations.sum(1)
        second = half_betainc(concentrations[:, 1], total)[0]
        return np.column_stack([1 - second, second])
    probabilities = np.zeros_like(concentrations)
    for k in range(n_classes):
        rows = np.flatnonzero(concentrations[:, k] > 0)
        probabilities[rows, k] = argmax_probability(concentrations[rows], np.full(len(rows), k))
    return probabilities / probabilities.sum(1, keepdims=True)


def drawn_answers(posterior: Posterior, codes: NDArray, n_classes: int, rng: np.random.Generator) -> NDArray:
    """Answers of votes whose weights are drawn afresh for every example."""
    if isinstance(posterior, Dirichlet):
        # the weights of the classes, up to a common factor, are independent gammas
        return rng.standard_gamma(class_weights(codes, n_classes, posterior.alpha)).argmax(1)
    if isinstance(posterior, Categorical):
        chosen = rng.choice(posterior.n_voters, len(codes), p=posterior.theta)
        return codes[np.arange(len(codes)), chosen].astype(np.int64)
    answers = np.empty(len(codes), np.int64)
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK]
        theta = posterior.sample(len(block), rng)
        scores = np.stack([((block == k) * theta).sum(1) for k in range(n_classes)], axis=1)
        answers[start : start + _BLOCK] = scores.argmax(1)
    return answers


def assigned_folds(codes: NDArray, shares: NDArray, key: bytes) -> NDArray:
    """Fold of each example, by a keyed hash of what the voters say on it: the same example, the same fold.

    Over the choice of the key every example falls into a fold with the probability that is the fold's share.
    """
    digests = [hashlib.blake2b(row.tobytes(), key=key, digest_size=8).digest() for row in np.ascontiguousarray(codes)]
    uniform = np.frombuffer(b"".join(digests), "<u8") / 2.0**64
    return np.minimum(np.searchsorted(np.cumsum(shares), uniform, side="right"), len(shares) - 1)
