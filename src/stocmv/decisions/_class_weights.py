"""`ClassWeightVote`."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import check_delta
from ..certificate import Certificate, Costs, Judgments, TestedCertificate, certify_judgments
from ._tally import ROOM


class ClassWeightVote:
    """A fitted vote that multiplies the score of each class by a weight, and answers the largest.

    Made by `MajorityVoteClassifier.class_weights`. It keeps the voters and their weights, whatever happens to the
    classifier afterwards.

    Parameters
    ----------
    clf : MajorityVoteClassifier
        The fitted vote.
    class_weights : dict
        The weight of each class, by label.
    certificate : TestedCertificate
        The bounds on its error and on the classes.

    Attributes
    ----------
    certificate_ : TestedCertificate
        What is certified.
    evidence_ : Judgments
        What it is checked against: the answers with these weights.
    class_weights_ : dict
        The weight of each class, by label.
    classes_ : ndarray
        Class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stocmv import MajorityVoteClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MajorityVoteClassifier(LogisticRegression(max_iter=5000), random_state=0).fit(X, y)
    >>> vote = clf.class_weights({2: 5})
    >>> bool(vote.certificate_.recall[2] >= clf.class_weights({}).certificate_.recall[2])
    True
    >>> answers = vote.predict(X[:5])
    """

    def __init__(self, clf: Any, class_weights: dict[Any, float], certificate: TestedCertificate) -> None:
        self._vote = clf._kept()
        self._weights, self._certificate = class_weights, certificate

    @property
    def certificate_(self) -> TestedCertificate:
        return self._certificate

    @property
    def evidence_(self) -> Judgments | None:
        return self.certificate_.evidence_

    @property
    def class_weights_(self) -> dict[Any, float]:
        return dict(self._weights)

    @property
    def classes_(self) -> NDArray:
        return self._vote.classes_

    def __repr__(self) -> str:
        return f"ClassWeightVote({self._vote!r}, class_weights={self._weights!r})"

    def predict(self, X: Any) -> NDArray:
        """The class with the largest score after weighting."""
        elsewhere = self._vote._asked_on_cluster(self, "predict", X, self.classes_.dtype)
        if elsewhere is not None:
            return elsewhere
        return self.classes_[heaviest_class(self._vote._one_vote_scores(X), self._weights)]


def certify_class_weights(
    evidence: Any,
    certificate: Certificate,
    class_weights: Mapping[Any, float],
    *,
    delta: float | None = None,
    costs: Costs | None = None,
) -> tuple[dict[Any, float], TestedCertificate]:
    """Certify what a vote answers if the scores of its classes are multiplied by weights that were fixed before.

    Parameters
    ----------
    evidence : Judgments
        What the judging examples showed, with scores.
    certificate : Certificate
        The certificate of the vote.
    class_weights : dict
        Weights by label; classes that are not named have the weight 1.
    delta : float, optional
        Probability that a statement fails, at most; by default that of the vote.
    costs : Costs, optional
        Also bound the mean cost.

    Returns
    -------
    dict
        The weight of each class.
    TestedCertificate
        With its judgments as ``evidence_``.
    """
    judgments = certificate.judgments(evidence)
    if judgments.scores is None or judgments.n_folds > 1 or judgments.silent is not None:
        raise ValueError(
            "class_weights needs the scores of one vote that always answers: use a hold-out, and voters without gaps."
        )
    weights = _weight_of_each(class_weights, judgments.classes.tolist())
    answers = heaviest_class(judgments.scores, weights).astype(judgments.answer.dtype)
    table = replace(judgments, answer=answers, scores=None, loss=None, votes=None, voters=None)
    listed = ", ".join(f"{label!r}: {weight:g}" for label, weight in weights.items())
    found = certify_judgments(
        table,
        check_delta(certificate.delta if delta is None else delta),
        per_class=True,
        costs=costs,
        one_voter=True,
        voting="given",
        unproven=certificate.unproven,
        assumptions=(
            *certificate.further_assumptions,
            f"The weights of the classes, {listed}, were fixed before looking at these examples.",
        ),
        warnings=certificate.warnings,
        protocol=certificate.protocol,
        context={**certificate.context, "class_weights": {str(label): weight for label, weight in weights.items()}},
    )
    object.__setattr__(found, "evidence_", table)
    return weights, found


def heaviest_class(scores: NDArray, class_weights: dict[Any, float]) -> NDArray:
    """Codes of the classes whose weighted scores are largest; of tied ones, the first."""
    weights = np.array(list(class_weights.values()))
    weighed = scores.astype(float, copy=False) * (weights / weights.max())
    return (weighed >= weighed.max(1, keepdims=True) * (1 - ROOM)).argmax(1)


def _weight_of_each(given: Any, labels: list[Any]) -> dict[Any, float]:
    if not isinstance(given, Mapping):
        raise ValueError(f"class_weights must be a dict such as {{{labels[-1]!r}: 3}}, got {given!r}.")
    unknown = [label for label in given if label not in labels]
    if unknown:
        raise ValueError(f"class_weights names the class {unknown[0]!r}, which is not one of {labels!r}.")
    for label, weight in given.items():
        usable = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not usable or not (math.isfinite(weight) and weight > 0):
            raise ValueError(f"The weight of a class must be a number above 0, got {weight!r} for {label!r}.")
    return {label: float(given.get(label, 1.0)) for label in labels}
