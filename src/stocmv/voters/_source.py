"""From what a user writes as ``voters`` to a source of them."""

from typing import Any

from sklearn.base import is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import _is_fitted

from ._base import VoterSource
from ._classifiers import Classifiers, Frozen
from ._ensemble import Ensemble, is_ensemble
from ._stumps import Stumps


def as_source(voters: Any) -> VoterSource:
    """The source that a ``voters`` argument stands for.

    Parameters
    ----------
    voters : str, VoterSource, estimator or list
        "forest" (100 trees), "stumps", a source of one's own, a scikit-learn ensemble, a list of classifiers (all to be
        trained, or all fitted before), a FrozenEstimator or a list of them.
    """
    if isinstance(voters, VoterSource):
        return voters
    if isinstance(voters, str):
        if voters == "forest":
            return Ensemble(RandomForestClassifier(100))
        if voters == "stumps":
            return Stumps()
        raise ValueError(f"voters must be 'forest', 'stumps', an ensemble or a list of classifiers, got {voters!r}.")
    if isinstance(voters, list | tuple | FrozenEstimator):
        return _from_list([voters] if isinstance(voters, FrozenEstimator) else list(voters))
    if _classifies(voters) and is_ensemble(voters):
        return Ensemble(voters)
    if _classifies(voters):
        return Classifiers([voters])
    raise TypeError(f"voters must be 'forest', 'stumps', an ensemble or a list of classifiers, got {voters!r}.")


def _from_list(voters: list) -> VoterSource:
    voters = [v[1] if isinstance(v, tuple) and len(v) == 2 else v for v in voters]  # (name, classifier) pairs, too
    if not voters or not all(_classifies(v) for v in voters):
        raise TypeError("voters must be a list of classifiers with at least one entry.")
    fitted = [isinstance(v, FrozenEstimator) or _is_fitted(v) for v in voters]
    if all(fitted):
        return Frozen(voters)
    if any(fitted):
        raise ValueError("voters mixes fitted and unfitted classifiers: give all of them fitted, or none.")
    return Classifiers(voters)


def _classifies(estimator: Any) -> bool:
    """Whether it is a classifier, also for what is no estimator at all."""
    inner = estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator
    return hasattr(inner, "__sklearn_tags__") and not isinstance(inner, type) and is_classifier(inner)
