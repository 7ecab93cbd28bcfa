"""One vote with fixed weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from ..certificate import DrawnCertificate
from ..protocols import HARD, VotingRule
from ..voters import VoterSet


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
    rule : VotingRule
        How they vote.
    checks_input : bool
        Whether the voters check ``X`` themselves; if not, it is converted to an array first.
    certificate : DrawnCertificate, optional
        The bound on the error of this vote. Without one, only the average over draws is certified.
    """

    def __init__(
        self,
        voters: VoterSet,
        weights: NDArray,
        classes: NDArray,
        rule: VotingRule = HARD,
        checks_input: bool = True,
        certificate: DrawnCertificate | None = None,
    ) -> None:
        self.voters = voters
        self.weights = weights
        self.classes = classes
        self.rule = rule
        self.checks_input = checks_input
        self.certificate = certificate

    def fit(self, X: Any = None, y: Any = None) -> "DrawnVote":
        """Do nothing: the weights are already drawn."""
        return self

    @property
    def classes_(self) -> NDArray:
        return self.classes

    @property
    def certificate_(self) -> DrawnCertificate | None:
        return self.certificate

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray:
        """Class with the largest weight, for each example."""
        if self.checks_input:
            X = validate_data(self, X, skip_check_array=True, reset=False)
        else:
            X = validate_data(self, X, accept_sparse="csr", ensure_all_finite=False, reset=False)
        weights = np.asarray(self.weights, float)
        scores = self.rule.class_scores(self.voters, weights, X, len(self.classes))
        return self.classes[scores.argmax(1)]
