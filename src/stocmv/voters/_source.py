"""From a user's ``voters`` argument to a voter source."""

from typing import Any

from sklearn.base import is_classifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from ._answers import Answers
from ._base import VoterSource
from ._classifiers import Classifiers, Frozen
from ._encoded import Readable
from ._ensemble import Ensemble, is_ensemble
from ._frozen import is_frozen
from ._models import Models
from ._scores import Scores
from ._stumps import Stumps
from ._transformed import Transformed

_WAYS = "'forest', 'models', 'stumps', 'answers', 'scores', an ensemble or a list of classifiers"


def as_source(voters: Any) -> VoterSource:
    """The source for a ``voters`` argument.

    Parameters
    ----------
    voters : str, VoterSource, estimator or list
        "forest" (100 trees), "models" (seven different classifiers), "stumps", "answers" (``X`` is a table of the
        voters' answers), "scores" (``X`` is a table of their probabilities, a block of columns for each voter), your
        own source, a scikit-learn ensemble, also at the end of a pipeline, or a list of classifiers. All of them are
        cloned and trained, except what is wrapped in ``sklearn.frozen.FrozenEstimator``.
    """
    if isinstance(voters, VoterSource):
        return voters
    if isinstance(voters, str):
        if voters == "forest":
            return Readable(Ensemble(RandomForestClassifier(100)), voters)
        if voters == "models":
            return Models()
        if voters == "stumps":
            return Stumps()
        if voters == "answers":
            return Answers()
        if voters == "scores":
            return Scores()
        raise ValueError(f"voters must be {_WAYS}, got {voters!r}.")
    if isinstance(voters, list | tuple):
        return _from_list([v[1] if isinstance(v, tuple) and len(v) == 2 else v for v in voters])  # or named
    if not _classifies(voters):
        raise TypeError(f"voters must be {_WAYS}, got {voters!r}.")
    if is_ensemble(voters):
        return _from_ensemble(voters)
    if isinstance(voters, Pipeline) and len(voters) > 1 and not is_frozen(voters[-1]):
        inner = as_source(voters[-1])
        if isinstance(inner, Ensemble | Transformed) or isinstance(voters[-1], VotingClassifier):
            return Transformed(voters[:-1], inner)
    return _from_list([voters])


def _from_list(voters: list) -> VoterSource:
    """A source that trains all but the frozen classifiers; `Frozen` if all of them are frozen."""
    if not voters:
        raise TypeError("voters must be a list of classifiers with at least one entry.")
    for place, voter in enumerate(voters):
        if not _classifies(voter):
            raise TypeError(f"voters must be a list of classifiers, but voters[{place}] is {voter!r}.")
    return Frozen(voters) if all(isinstance(v, FrozenEstimator) for v in voters) else Classifiers(voters)


def _from_ensemble(ensemble: Any) -> VoterSource:
    """The members of an ensemble; frozen parts inside it are not trained."""
    if not is_frozen(ensemble):
        return Ensemble(ensemble)
    if isinstance(ensemble, VotingClassifier):  # it would train its members on codes, and a frozen one answers labels
        if ensemble.weights is not None:
            raise ValueError(
                "voters is a VotingClassifier with weights around something frozen: pass the classifiers as a list, "
                "whose weights are learned, or freeze the fitted VotingClassifier as a whole."
            )
        return _from_list([member for _, member in ensemble.estimators if not isinstance(member, str)])
    base = getattr(ensemble, "estimator", None)
    if isinstance(ensemble, BaggingClassifier) and isinstance(base, FrozenEstimator):
        return Frozen([base])  # its members would all be the same
    raise ValueError(
        f"voters is a {type(ensemble).__name__} around something frozen, which it cannot train: pass the frozen "
        "classifiers as a list of FrozenEstimators."
    )


def _classifies(estimator: Any) -> bool:
    """Whether it is a classifier; works for any object."""
    inner = estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator
    return hasattr(inner, "__sklearn_tags__") and not isinstance(inner, type) and is_classifier(inner)
