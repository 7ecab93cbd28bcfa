"""One vote with fixed weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from ..voters import VoterSet
from ..votes._classes import class_weights
from ._answers import ask


class DrawnVote(ClassifierMixin, BaseEstimator):
    """A majority vote with fixed weights, as `MajorityVoteClassifier.draw` returns it.

    Parameters
    ----------
    voters : VoterSet
        The voters of one fold.
    weights : array-like of shape (n_voters,)
        Their weights, which sum to one.
    classes : array-like
        Class labels in the order of the voters' codes.
    """

    def __init__(self, voters: VoterSet, weights: NDArray, classes: NDArray) -> None:
        self.voters = voters
        self.weights = weights
        self.classes = classes

    @property
    def classes_(self) -> NDArray:
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray:
        """Class with the largest weight."""
        weights = np.asarray(self.weights, float)
        scores = class_weights(ask(self.voters, X, len(weights), len(self.classes)), len(self.classes), weights)
        return self.classes[scores.argmax(1)]
