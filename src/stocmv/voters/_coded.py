"""Classifiers that take no labels but the numbers from 0 on, such as XGBoost's."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline

_NEED_CODES = ("XGBClassifier",)  # also what inherits from them


def needs_codes(estimator: Any) -> bool:
    """Whether it refuses labels that are not 0, 1, 2 and so on; of a pipeline, its last step."""
    if isinstance(estimator, Pipeline):
        return needs_codes(estimator.steps[-1][1])
    return any(kind.__name__ in _NEED_CODES for kind in type(estimator).__mro__)


class CodedClassifier(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose answers are places in the sorted labels, with the labels as its answers.

    Parameters
    ----------
    classifier : fitted classifier
        It answers 0, 1, 2 and so on.
    classes : ndarray
        The labels that these stand for.
    """

    def __init__(self, classifier: Any, classes: NDArray) -> None:
        self.classifier = classifier
        self.classes = classes

    @property
    def classes_(self) -> NDArray:
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray:
        return self.classes[np.asarray(self.classifier.predict(X)).astype(np.intp)]

    def predict_proba(self, X: Any) -> NDArray:
        return np.asarray(self.classifier.predict_proba(X))
