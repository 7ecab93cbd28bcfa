"""The members of a scikit-learn ensemble as voters."""

from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaseEnsemble,
    GradientBoostingClassifier,
    VotingClassifier,
)
from sklearn.ensemble._forest import ForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from ..votes import class_weights, code_dtype
from ._base import VoterSet, VoterSource, ask_each, set_seeds
from ._frozen import FROZEN_PARTS, frozen_parts
from ._weighted import weight_arguments, without_weights


class Ensemble(VoterSource):
    """The members of a scikit-learn ensemble: a forest, extra trees, bagging, AdaBoost.

    Parameters
    ----------
    estimator : scikit-learn ensemble
        Not fitted; it is cloned for every fold.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.voters import Ensemble
    >>> voters = Ensemble(RandomForestClassifier(20))
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier(voters, voting="hard", random_state=0).fit(X, y)
    >>> clf.voters_[0].n_voters
    20
    """

    def __init__(self, estimator: BaseEstimator) -> None:
        self.estimator = estimator

    @property
    def allow_nan(self) -> bool:  # type: ignore[override]
        return bool(get_tags(self.estimator).input_tags.allow_nan)

    @property
    def sparse(self) -> bool:  # type: ignore[override]
        return bool(get_tags(self.estimator).input_tags.sparse)

    @property
    def exchangeable(self) -> bool:  # type: ignore[override]
        return are_alike(self.estimator)

    @property
    def checks_input(self) -> bool:  # type: ignore[override]
        inner = getattr(self.estimator, "estimator", None)
        return isinstance(inner, Pipeline) or isinstance(self.estimator, VotingClassifier)  # may take strings

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        return (FROZEN_PARTS,) if any(frozen_parts(self.estimator)) else ()

    @property
    def default_prior(self) -> tuple[float, ...] | None:  # type: ignore[override]
        return (50.0,) if self.exchangeable else VoterSource.default_prior

    def without_weights(self) -> str | None:
        return without_weights(self.estimator)

    def fit(
        self,
        X: Any,
        codes: NDArray,
        classes: NDArray,
        seed: int,
        n_jobs: int | None = None,
        sample_weight: NDArray | None = None,
    ) -> "EnsembleVoters":
        ensemble = clone(self.estimator)
        set_seeds(ensemble, seed)
        known = ensemble.get_params(deep=False)
        if n_jobs is not None and known.get("n_jobs", n_jobs) is None:
            ensemble.set_params(n_jobs=n_jobs)
        # labels, because settings such as class_weight refer to them
        ensemble.fit(X, classes[codes], **weight_arguments(ensemble, sample_weight))
        return EnsembleVoters(ensemble, n_jobs)

    def out_of_bag(self, voters: VoterSet, X: Any) -> NDArray | None:
        """Majority of the members not trained on an example, if the ensemble remembers which these are."""
        if not (getattr(self.estimator, "bootstrap", False) and isinstance(voters, EnsembleVoters)):
            return None
        n_classes = len(voters.ensemble.classes_)
        votes = voters.codes(X).astype(code_dtype(n_classes + 1), copy=False)
        for j, sample in enumerate(voters.ensemble.estimators_samples_):
            votes[sample, j] = n_classes  # no answer
        tally = class_weights(votes, n_classes, np.ones(voters.n_voters))
        return np.where(tally.any(1), tally.argmax(1), -1)

    def soft(self) -> "VoterSource | None":
        from ._classifiers import Classifiers  # which has whole models

        return Classifiers([self.estimator]).soft()

    def given_weights(self) -> NDArray | None:
        return weights_of(self.estimator) if isinstance(self.estimator, VotingClassifier) else None

    def with_members(self, count: int) -> "Ensemble | None":
        if not (self.exchangeable and hasattr(self.estimator, "n_estimators")):
            return None
        return Ensemble(clone(self.estimator).set_params(n_estimators=count))

    def describe(self) -> str:
        return repr(self.estimator)


class EnsembleVoters(VoterSet):
    """The members of a fitted ensemble; their answers are positions in its ``classes_``.

    Parameters
    ----------
    ensemble : fitted scikit-learn ensemble
        Its members vote.
    n_jobs : int or None
        Number of threads for voting.
    """

    def __init__(self, ensemble: BaseEstimator, n_jobs: int | None = None) -> None:
        self.ensemble = ensemble
        self.n_jobs = n_jobs
        self.n_voters = len(members(ensemble))

    def codes(self, X: Any) -> NDArray:
        dtype = code_dtype(len(self.ensemble.classes_))
        if isinstance(self.ensemble, ForestClassifier):
            X = self.ensemble._validate_X_predict(X)
            questions = [delayed(_tree_codes)(tree, X, dtype) for tree in self.ensemble.estimators_]
        else:
            voters = members(self.ensemble)
            columns = getattr(self.ensemble, "estimators_features_", [None] * len(voters))
            questions = [delayed(_member_answers)(v, X, c) for v, c in zip(voters, columns, strict=True)]
        answers = ask_each(questions, self.n_jobs, np.shape(X)[0])
        if isinstance(self.ensemble, AdaBoostClassifier):  # its members answer labels, those of all others positions
            answers = [np.searchsorted(self.ensemble.classes_, answer) for answer in answers]
        return np.ascontiguousarray(np.stack(answers).astype(dtype, copy=False).T)


def is_ensemble(estimator: Any) -> bool:
    """Whether it is an ensemble whose members are classifiers (those of gradient boosting are regressors)."""
    alike = isinstance(estimator, BaseEnsemble) and not isinstance(estimator, GradientBoostingClassifier)
    return alike or isinstance(estimator, VotingClassifier)


def are_alike(estimator: Any) -> bool:
    """Whether the members differ only by chance, unlike those of a VotingClassifier or the stages of boosting."""
    return is_ensemble(estimator) and not isinstance(estimator, VotingClassifier | AdaBoostClassifier)


def weights_of(voting: VotingClassifier) -> NDArray:
    """The weights that its members have in their own vote."""
    kept = [k for k, (_, member) in enumerate(voting.estimators) if not isinstance(member, str)]
    weights = np.ones(len(kept)) if voting.weights is None else np.asarray(voting.weights, float)[kept]
    return weights / weights.sum()


def members(ensemble: BaseEstimator) -> list[BaseEstimator]:
    """The fitted members; an error if they are not classifiers."""
    given = ensemble.estimators_
    fitted = list(given.ravel()) if isinstance(given, np.ndarray) else [m for m in given if m != "drop"]
    if not all(is_classifier(m) for m in fitted):
        raise ValueError(
            f"The members of {type(ensemble).__name__} are regressors and cannot vote: use a forest, extra trees, "
            "bagging, voting or AdaBoost, or pass a list of classifiers."
        )
    return fitted


def _tree_codes(tree: Any, X: Any, dtype: type) -> NDArray:
    """Answers of a decision tree, by its leaves: much faster than its ``predict``."""
    leaves, values = tree.tree_.apply(X), tree.tree_.value[:, 0, :]
    if len(leaves) < len(values):
        return values[leaves].argmax(1).astype(dtype)
    return values.argmax(1).astype(dtype)[leaves]


def _member_answers(member: Any, X: Any, columns: NDArray | None) -> NDArray:
    if hasattr(X, "columns") and not hasattr(member, "feature_names_in_"):
        X = np.asarray(X)
    return np.asarray(member.predict(X if columns is None else X[:, columns]))
