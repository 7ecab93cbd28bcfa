"""One more voter: a logistic regression on the probabilities of the others."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from ._base import VoterSet

STACK = "stack of the others"
_LOOSE = 10.0  # C of the logistic regression: its inputs are probabilities, so its coefficients are large
_STEPS = 1000


class Stack(NamedTuple):
    """The added voter, and what it says about the examples that it learned from, cross-validated."""

    model: LogisticRegression
    probabilities: NDArray  # (n, n_classes)


class StackedVoters(VoterSet):
    """Voters, and after them one that turns their probabilities into its own.

    Parameters
    ----------
    voters : VoterSet
        The others.
    model : LogisticRegression
        Fitted on their probabilities, side by side, and class codes.
    """

    def __init__(self, voters: VoterSet, model: LogisticRegression) -> None:
        self.voters = voters
        self.model = model
        self.n_voters = voters.n_voters + 1

    @property
    def names(self) -> Sequence[str]:  # type: ignore[override]
        """The others' names, or their numbers, and the stack's."""
        others = self.voters.names or [f"voter {j + 1}" for j in range(self.voters.n_voters)]
        return (*others, STACK)

    @property
    def categories(self) -> dict[str, NDArray]:
        """The categories that the others know, by column."""
        return getattr(self.voters, "categories", {})

    def codes(self, X: Any) -> NDArray:
        own = _spread(self.model, self.voters.probabilities(X)).argmax(1)
        return np.column_stack([self.voters.codes(X), own])

    def probabilities(self, X: Any) -> NDArray:
        others = self.voters.probabilities(X)
        return np.concatenate([others, _spread(self.model, others)[:, None]], axis=1)


def learn_stack(probabilities: NDArray, codes: NDArray, cuts: Sequence[tuple[NDArray, NDArray]]) -> Stack | None:
    """Learn one more voter from what the others say about examples that did not train them.

    Parameters
    ----------
    probabilities : ndarray of shape (n, n_voters, n_classes)
        Probabilities from voters that have not seen the example.
    codes : ndarray of int, shape (n,)
        True class of each example.
    cuts : sequence of pairs of ndarray
        Folds for the stack's own probabilities: the rows of each, and the other rows.

    Returns
    -------
    Stack or None
        None if there are no folds, or one of them leaves examples of a single class.
    """
    if not cuts or any(len(np.unique(codes[others])) < 2 for _, others in cuts):
        return None
    own = np.empty((len(codes), probabilities.shape[2]))
    for rows, others in cuts:
        own[rows] = _spread(_train(probabilities[others], codes[others]), probabilities[rows])
    return Stack(_train(probabilities, codes), own)


def _inputs(probabilities: NDArray) -> NDArray:
    """The probabilities of all voters side by side; of two classes, only the second, as the first adds nothing."""
    needed = probabilities[:, :, 1:] if probabilities.shape[2] == 2 else probabilities
    return needed.reshape(len(needed), -1)


def _train(probabilities: NDArray, codes: NDArray) -> LogisticRegression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a model that stopped early is a voter like any other
        return LogisticRegression(C=_LOOSE, max_iter=_STEPS).fit(_inputs(probabilities), codes)


def _spread(model: LogisticRegression, probabilities: NDArray) -> NDArray:
    """The model's probabilities, (n, n_classes), with 0 for a class that it does not know.

    They are summed input by input, so that a row alone gets what it gets among others; a product of matrices depends on
    their sizes.
    """
    logits = np.tile(model.intercept_, (len(probabilities), 1))
    for column, weights in zip(_inputs(probabilities).T, model.coef_.T, strict=True):
        logits += column[:, None] * weights
    if logits.shape[1] == 1:
        logits = np.column_stack([np.zeros(len(logits)), logits])
    spread = np.zeros((len(probabilities), probabilities.shape[2]))
    spread[:, model.classes_] = softmax(logits, axis=1)
    return spread
