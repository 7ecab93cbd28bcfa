"""Lists of classifiers of any kind, to be trained or already fitted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from ..votes._labels import code_dtype
from ._base import VoterSet, VoterSource, contiguous, set_seeds
from ._ensemble import EnsembleVoters, is_ensemble


class Classifiers(VoterSource):
    """A list of classifiers of any kind, trained for every fold.

    Parameters
    ----------
    estimators : sequence of scikit-learn classifiers
        Not fitted; they are cloned.
    n_repeats : int
        How often each is trained, each time with another seed (for classifiers that have a ``random_state``).
    """

    checks_input = True

    def __init__(self, estimators: Sequence[BaseEstimator], n_repeats: int = 1) -> None:
        if not estimators or n_repeats < 1:
            raise ValueError("voters must hold at least one classifier, repeated at least once.")
        self.estimators = list(estimators)
        self.n_repeats = n_repeats

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> "ClassifierVoters":
        present, inner = contiguous(codes)
        seeds = np.random.SeedSequence(seed).generate_state(len(self.estimators) * self.n_repeats)
        jobs = zip([e for e in self.estimators for _ in range(self.n_repeats)], seeds, strict=True)
        fitted = Parallel(n_jobs=n_jobs)(delayed(_train)(e, X, inner, int(s)) for e, s in jobs)
        return ClassifierVoters(fitted, present, len(classes), n_jobs)

    def describe(self) -> str:
        return f"{self.n_repeats} x {self.estimators!r}" if self.n_repeats > 1 else repr(self.estimators)


def _train(estimator: BaseEstimator, X: Any, codes: NDArray, seed: int) -> BaseEstimator:
    estimator = clone(estimator)
    set_seeds(estimator, seed)
    return estimator.fit(X, codes)


class ClassifierVoters(VoterSet):
    """Fitted classifiers whose answers are positions in ``present``."""

    def __init__(
        self, classifiers: Sequence[BaseEstimator], present: NDArray, n_classes: int, n_jobs: int | None = None
    ) -> None:
        self.classifiers = list(classifiers)
        self.present = present
        self.n_classes = n_classes
        self.n_jobs = n_jobs
        self.n_voters = len(self.classifiers)

    def votes(self, X: Any) -> NDArray:
        answers = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(c.predict)(X) for c in self.classifiers)
        positions = np.stack(answers, axis=1).astype(np.int64)
        return self.present.astype(code_dtype(self.n_classes))[positions]


class Frozen(VoterSource):
    """Classifiers that were fitted before, on other data.

    All examples given to the classifier's ``fit`` judge them, so these must be new to them; the certificate says so. An
    ensemble is taken apart: its members vote.

    Parameters
    ----------
    estimators : sequence of fitted classifiers or FrozenEstimator
        The voters, or ensembles of them.
    """

    learns = False
    checks_input = True
    assumptions = (
        "The classifiers that vote were trained on other data: none of these examples helped to train or choose them.",
    )

    def __init__(self, estimators: Sequence[Any]) -> None:
        self.estimators = [e.estimator if isinstance(e, FrozenEstimator) else e for e in estimators]
        for estimator in self.estimators:
            check_is_fitted(estimator)

    @property
    def exchangeable(self) -> bool:  # type: ignore[override]
        return len(self.estimators) == 1 and is_ensemble(self.estimators[0])

    @property
    def default_prior(self) -> tuple[float, ...]:  # type: ignore[override]
        return (50.0,) if self.exchangeable else VoterSource.default_prior

    def labels(self) -> NDArray:
        return np.unique(np.concatenate([np.asarray(e.classes_) for e in self.estimators]))

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> "FrozenVoters":
        return FrozenVoters([_fixed(e, classes, n_jobs) for e in self.estimators])

    def describe(self) -> str:
        return f"frozen {self.estimators!r}"


def _fixed(estimator: Any, classes: NDArray, n_jobs: int | None) -> VoterSet:
    """Voters of one fitted estimator; its answers are codes among ``classes``."""
    present = np.searchsorted(classes, estimator.classes_)
    if is_ensemble(estimator):
        return EnsembleVoters(estimator, present, len(classes), n_jobs)
    return LabelVoters(estimator, classes)


class LabelVoters(VoterSet):
    """One fitted classifier that answers labels."""

    n_voters = 1

    def __init__(self, classifier: BaseEstimator, classes: NDArray) -> None:
        self.classifier = classifier
        self.classes = classes

    def votes(self, X: Any) -> NDArray:
        return np.searchsorted(self.classes, self.classifier.predict(X))[:, None].astype(code_dtype(len(self.classes)))


class FrozenVoters(VoterSet):
    """Several sets of voters, side by side."""

    def __init__(self, sets: Sequence[VoterSet]) -> None:
        self.sets = list(sets)
        self.n_voters = sum(s.n_voters for s in self.sets)

    def votes(self, X: Any) -> NDArray:
        return np.hstack([s.votes(X) for s in self.sets])
