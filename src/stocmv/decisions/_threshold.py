"""`ThresholdVote`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import check_delta
from ..certificate import Certificate, Claim, Costs, amount, scaled_back
from ._decision_certificate import of_vote
from ._roc import RocPoint, precision_from, prevalence_bound
from ._scored_class import ALARMS, COST, PRECISION, RECALL, Losses, ScoredClass, scored_class
from ._tally import ROOM
from ._threshold_certificate import ThresholdCertificate
from ._threshold_targets import AT, FROM_RATES, PICKED, SEARCHES, TARGETS, Target, local_level

_LOWER = (RECALL, PRECISION)  # figures that are one minus the mean loss


class ThresholdVote:
    """A fitted vote that answers a class wherever its score reaches a threshold.

    Made by `MajorityVoteClassifier.threshold`. It keeps the voters and their weights, whatever happens to the
    classifier afterwards. Where the score is below the threshold, it answers the class with the largest score among
    the others.

    Parameters
    ----------
    clf : MajorityVoteClassifier
        The fitted vote.
    certificate : ThresholdCertificate
        The bounds on recall, precision and false-positive rate at that threshold.

    Attributes
    ----------
    certificate_ : ThresholdCertificate
        What is certified.
    threshold_ : float
        The threshold.
    positive_ : object
        The class that is answered where its score reaches the threshold.
    classes_ : ndarray
        Class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stocmv import MajorityVoteClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = MajorityVoteClassifier(LogisticRegression(max_iter=5000), random_state=0).fit(X, y)
    >>> vote = clf.threshold(0, min_recall=0.9)  # class 0: malignant
    >>> vote.certificate_.recall_bound, vote.threshold_ > 0.1
    (0.9, True)
    >>> answers = vote.predict(X[:5])
    """

    def __init__(self, clf: Any, certificate: ThresholdCertificate) -> None:
        self._vote = clf._kept()
        if certificate.evidence != self._vote.certificate_.evidence:
            raise ValueError("certificate is about another vote than clf, as the digests of their evidence differ.")
        self._certificate = certificate

    @property
    def certificate_(self) -> ThresholdCertificate:
        return self._certificate

    @property
    def threshold_(self) -> float:
        return self.certificate_.threshold

    @property
    def positive_(self) -> Any:
        return self.certificate_.positive

    @property
    def classes_(self) -> NDArray:
        return self._vote.classes_

    def __repr__(self) -> str:
        return f"ThresholdVote({self._vote!r}, positive={self.positive_!r}, threshold={self.threshold_!r})"

    def predict(self, X: Any) -> NDArray:
        """The class where its score reaches the threshold, otherwise the best of the other classes."""
        elsewhere = self._vote._asked_on_cluster(self, "predict", X, self.classes_.dtype)
        if elsewhere is not None:
            return elsewhere
        code = self.classes_.tolist().index(self.positive_)
        return self.classes_[self._vote._answers_at(X, code, self.threshold_ - ROOM)]


def certify_threshold(
    evidence: Any,
    certificate: Certificate,
    positive: Any = None,
    *,
    at: float | RocPoint | None = None,
    delta: float | None = None,
    costs: Costs | None = None,
    **targets: float | None,
) -> ThresholdCertificate:
    """Find a threshold for a class that meets a target, and certify what it does.

    Parameters
    ----------
    evidence : Judgments
        What the judging examples showed.
    certificate : Certificate
        The certificate of the vote.
    positive : object, optional
        The class that is meant; with two classes by default the second.
    at : float or RocPoint, optional
        A threshold that was fixed before looking; or one that was picked from a `RocBand` after looking.
    delta : float, optional
        Probability that any of the bounds fails, at most; by default that of the vote.
    costs : Costs, optional
        Also bound the mean cost.
    **targets : float
        ``min_recall``, ``min_precision``, ``max_false_positive_rate`` or ``max_cost``.
    """
    target, value = _chosen(at, targets, costs)
    level = check_delta(certificate.delta if delta is None else delta)
    scored = scored_class(certificate.judgments(evidence), positive, costs)
    claims = target.claims(level, priced=costs is not None)
    threshold = value
    if target.name in SEARCHES:
        threshold = SEARCHES[target.name].meet(scored, value, target.level(target.figure, claims))
    return ThresholdCertificate(
        figures=_figures(scored, target, value, threshold, claims),
        positive=scored.label,
        threshold=threshold,
        target={target.name: value},
        delta=level,
        claims=claims,
        **of_vote(certificate),
    )


def _chosen(at: float | RocPoint | None, targets: dict[str, float | None], costs: Costs | None) -> tuple[Target, float]:
    """The one target that was given, and its value."""
    unknown = [name for name in targets if name not in SEARCHES]
    if unknown:
        raise TypeError(f"{unknown[0]} is not a target: use one of at, {', '.join(SEARCHES)}.")
    given = {name: value for name, value in (("at", at), *targets.items()) if value is not None}
    if len(given) != 1:
        got = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "none of them"
        raise ValueError(f"Give exactly one of at, {', '.join(SEARCHES)}, got {got}.")
    (name, value) = next(iter(given.items()))
    if isinstance(value, RocPoint):
        return PICKED, _checked("at", value.threshold, 0 <= value.threshold <= 1)
    if not isinstance(value, int | float | np.number):
        raise ValueError(f"{name} must be a number, got {value!r}.")
    if name == "at":
        return AT, _checked("at", value, 0 <= value <= 1)
    if name != "max_cost":
        return TARGETS[name], _checked(name, value, 0 < value < 1, "strictly ")
    if costs is None:
        raise ValueError(
            "max_cost needs the cost of each answer: give MajorityVoteClassifier or certify_predictions cost=..."
        )
    if not costs.least < value <= costs.least + costs.span:
        ends = f"{amount(costs.least)} and {amount(costs.least + costs.span)}"
        raise ValueError(f"max_cost must lie between the smallest and the largest cost, {ends}, got {value!r}.")
    return TARGETS[name], float(value)


def _checked(name: str, value: Any, holds: bool, strictly: str = "") -> float:
    if not holds:
        raise ValueError(f"{name} must lie {strictly}between 0 and 1, got {value!r}.")
    return float(value)


def _figures(
    scored: ScoredClass, target: Target, value: float, threshold: float, claims: tuple[Claim, ...]
) -> dict[str, Any]:
    """All figures at the threshold, by name; those from rates last."""
    found: dict[str, Any] = {}
    priced = scored.costs is not None and COST in (*target.ways, target.figure)
    names = [RECALL, ALARMS, PRECISION, *([COST] * priced)]
    for figure in names:
        losses, way = scored.losses(figure, threshold), target.ways.get(figure)
        own: dict[str, Any] = {"bound": value, "measured": _measured(figure, losses, scored.costs), "n": losses.n}
        if way is FROM_RATES:
            fewest = prevalence_bound(scored, target.level(figure, claims))
            rates = found[RECALL]["bound"], found[ALARMS]["bound"]
            own["bound"] = float(precision_from(*rates, fewest)) * (1 - 1e-12)
        elif way is not None:  # else it is the target itself
            level = target.level(figure, claims)
            own["bound"] = _as_figure(figure, way.upper(losses, level), scored.costs)
            own |= local_level(way, losses, level)
        found[figure] = own
    baseline: dict[str, Any] = {"prevalence": scored.prevalence}
    if scored.costs is not None and priced:
        found[COST] |= {"classes": scored.costs.classes, "matrix": scored.costs.matrix.tolist()}
        baseline["cost"] = _cheapest(scored, scored.costs)
    return {**found, "baseline": baseline}


def _as_figure(figure: str, loss: float, costs: Costs | None) -> float:
    """The bound on a figure, from the upper bound on its mean loss."""
    if figure in _LOWER:
        return max((1 - loss) * (1 - 1e-15), 0.0)
    return _in_costs(loss, costs) if figure == COST else loss


def _measured(figure: str, losses: Losses, costs: Costs | None) -> float:
    if figure in _LOWER:
        return 1 - losses.mean if losses.n else 0.0
    return _in_costs(losses.mean, costs) if figure == COST else losses.mean


def _in_costs(share: float, costs: Costs | None) -> float:
    assert costs is not None
    return scaled_back(costs.matrix, share)


def _cheapest(scored: ScoredClass, costs: Costs) -> dict[str, Any]:
    """The answer that would have been cheapest if it were always given, and its mean cost."""
    judgments = scored.judgments
    frequency = np.bincount(judgments.truth, minlength=len(judgments.classes))
    means = frequency @ costs.matrix[costs.places(judgments.classes.tolist())] / scored.n
    answer = int(np.argmax(means <= means.min() + 1e-12 * costs.span))  # the first of equally cheap ones
    return {"label": costs.classes[answer], "measured": float(means[answer])}
