"""Lists of classifiers of any kind, to be trained or already fitted."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.ensemble._forest import ForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..progress import logger
from ..votes import code_dtype, exact_labels
from ._base import Joined, VoterSet, VoterSource, ask_each, recoded, set_seeds, without_seeds
from ._coded import CodedClassifier, needs_codes
from ._ensemble import Ensemble, EnsembleVoters, are_alike, is_ensemble, weights_of
from ._frozen import FROZEN_PARTS, frozen_parts
from ._transformed import TransformedVoters
from ._weighted import weight_arguments, without_weights


class Classifiers(VoterSource):
    """A list of classifiers of any kind, trained for every fold.

    Parameters
    ----------
    estimators : sequence of scikit-learn classifiers
        They are cloned, so earlier training is discarded; only parts wrapped in ``sklearn.frozen.FrozenEstimator``, at
        any depth, and fitted estimators that functions refer to are kept, and the certificate says what that assumes.
    n_repeats : int
        How often to train each one, with a different seed each time (for classifiers with a ``random_state``).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.voters import Classifiers
    >>> voters = Classifiers([LogisticRegression(), DecisionTreeClassifier(max_features=1)], n_repeats=2)
    >>> clf = MajorityVoteClassifier(voters, random_state=0).fit(*make_moons(300, noise=0.2, random_state=0))
    >>> clf.voters_[0].names
    ('voter 1', 'voter 2', 'voter 3', 'voter 4', 'stack of the others')
    """

    def __init__(self, estimators: Sequence[BaseEstimator], n_repeats: int = 1) -> None:
        self.estimators = estimators
        self.n_repeats = n_repeats

    @property
    def checks_input(self) -> bool:  # type: ignore[override]
        one = self.estimators[0] if len(self.estimators) == 1 else None
        return not is_ensemble(one) or Ensemble(one).checks_input

    @property
    def allow_nan(self) -> bool:  # type: ignore[override]
        return all(get_tags(e).input_tags.allow_nan for e in self.estimators)

    @property
    def sparse(self) -> bool:  # type: ignore[override]
        return all(get_tags(e).input_tags.sparse for e in self.estimators)

    @property
    def exchangeable(self) -> bool:  # type: ignore[override]
        return len(self.estimators) == 1  # one kind, trained with different seeds

    def soft(self) -> "Classifiers | None":
        return self if any(has_probabilities(e) for e in self.estimators) else None

    @property
    def silent_about(self) -> tuple[str, ...]:
        return tuple(type(e).__name__ for e in self.estimators if not has_probabilities(e))

    def out_of_bag(self, voters: VoterSet, X: Any) -> NDArray | None:
        """Out-of-bag answers of the members, if there is one model and it is an ensemble that remembers them."""
        if self.n_repeats > 1 or len(self.estimators) > 1 or not isinstance(voters, ClassifierVoters):
            return None
        model = voters.classifiers[0]
        return Ensemble(model).out_of_bag(EnsembleVoters(model), X) if is_ensemble(model) else None

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        return (FROZEN_PARTS,) if any(frozen_parts(self.estimators)) else ()

    def labels(self) -> NDArray | None:
        frozen = (part for part in frozen_parts(self.estimators) if isinstance(part, FrozenEstimator))
        return _labels_of(part for part in frozen if hasattr(part, "classes_"))

    def without_weights(self) -> str | None:
        return next(filter(None, map(without_weights, self.estimators)), None)

    def fit(
        self,
        X: Any,
        codes: NDArray,
        classes: NDArray,
        seed: int,
        n_jobs: int | None = None,
        sample_weight: NDArray | None = None,
    ) -> "ClassifierVoters":
        if not self.estimators or self.n_repeats < 1:
            raise ValueError("voters must hold at least one classifier, repeated at least once.")
        y = classes[codes]  # labels, because settings such as class_weight and frozen parts refer to them
        seeds = np.random.SeedSequence(seed).generate_state(len(self.estimators) * self.n_repeats)
        untrained = [e for e in self.estimators for _ in range(self.n_repeats)]
        if self.n_repeats > 1:
            untrained = [without_seeds(e) for e in untrained]
        jobs = list(zip(_named(untrained), seeds, strict=True))
        if len(jobs) == 1:  # processes would have nothing to share
            fitted = [_train(untrained[0], "", X, y, int(seeds[0]), sample_weight, n_jobs)]
        else:
            trained = Parallel(n_jobs=n_jobs, return_as="generator")(
                delayed(_train)(e, name, X, y, int(s), sample_weight) for (e, name), s in jobs
            )
            fitted = [next(trained) for _ in _log_each(untrained)]
        return ClassifierVoters(fitted, classes, n_jobs)

    def describe(self) -> str:
        each = repr(self.estimators[0] if len(self.estimators) == 1 else list(self.estimators))
        return f"{self.n_repeats} x {each}" if self.n_repeats > 1 else each


def _log_each(estimators: Sequence[BaseEstimator]) -> Iterator[BaseEstimator]:
    """Each estimator, when its training is waited for; its name is logged."""
    for k, estimator in enumerate(estimators):
        logger.info("training %s (%d of %d)", _kind(estimator), k + 1, len(estimators))
        yield estimator


def _kind(estimator: BaseEstimator) -> str:
    if isinstance(estimator, CodedClassifier):
        return _kind(estimator.classifier)
    return str(estimator.steps[-1][0]) if isinstance(estimator, Pipeline) else type(estimator).__name__


def _train(
    estimator: BaseEstimator,
    name: str,
    X: Any,
    y: NDArray,
    seed: int,
    weights: NDArray | None = None,
    n_jobs: int | None = None,
) -> BaseEstimator:
    """Train a copy, on so many cores if it has an ``n_jobs`` that the user left open."""
    estimator = clone(estimator)
    set_seeds(estimator, seed)
    shares = n_jobs is not None and estimator.get_params(deep=False).get("n_jobs", n_jobs) is None
    with _blamed(name):
        if shares:
            estimator.set_params(n_jobs=n_jobs)
        labels, codes = np.unique(y, return_inverse=True)
        coded = needs_codes(estimator)
        estimator.fit(X, codes if coded else y, **weight_arguments(estimator, weights))
        fitted = estimator.set_params(n_jobs=None) if shares else estimator
        return CodedClassifier(fitted, labels) if coded else fitted


def has_probabilities(estimator: BaseEstimator) -> bool:
    """Whether it will say how sure it is, once it is fitted."""
    return hasattr(estimator, "predict_proba") or _is_stack_by_default(estimator)


def _is_stack_by_default(estimator: BaseEstimator) -> bool:
    """Whether it ends in a stack that gets its logistic regression in `fit`, and has no `predict_proba` before."""
    last = _last(estimator)
    if isinstance(last, GridSearchCV | RandomizedSearchCV):
        return _is_stack_by_default(last.estimator)
    return isinstance(last, StackingClassifier) and last.final_estimator is None


def _probabilities(estimator: BaseEstimator, name: str, X: Any, classes: NDArray) -> NDArray:
    """Its probabilities of these classes; 1 for its answer if it has none."""
    with _blamed(name):
        if not has_probabilities(estimator):
            return np.eye(len(classes))[_answers(estimator, "", X, classes)]
        own = np.asarray(estimator.predict_proba(X))
    places = np.searchsorted(classes, estimator.classes_)
    if np.array_equal(places, np.arange(len(classes))):
        return own
    spread = np.zeros((len(own), len(classes)))
    spread[:, places] = own
    return spread


def _labels(estimator: BaseEstimator, name: str, X: Any) -> NDArray:
    """The labels that it answers, which some classifiers give as a column."""
    with _blamed(name):
        answers = np.asarray(estimator.predict(X))
    return answers[:, 0] if answers.ndim == 2 and answers.shape[1] == 1 else answers


def _answers(estimator: BaseEstimator, name: str, X: Any, classes: NDArray) -> NDArray:
    with _blamed(name):
        return _codes_of(_labels(estimator, "", X), classes)


def _codes_of(answers: NDArray, classes: NDArray) -> NDArray:
    codes = np.searchsorted(classes, answers)
    others = classes.take(codes, mode="clip") != answers
    if np.any(others):
        raise ValueError(
            f"predict answers {answers[others].tolist()[0]!r}, which is none of the {len(classes)} classes. To answer "
            "only sometimes, use selective."
        )
    return codes


def _named(estimators: Sequence[BaseEstimator]) -> list[tuple[BaseEstimator, str]]:
    """Each estimator with a name for its errors, which a single one does not need."""
    several = len(estimators) > 1
    return [(e, f"voters[{k}] ({type(e).__name__})" if several else "") for k, e in enumerate(estimators)]


@contextmanager
def _blamed(name: str) -> Iterator[None]:
    """Put the name, if there is one, before the message of any error."""
    try:
        yield
    except Exception as error:
        if name and error.args and isinstance(error.args[0], str):
            error.args = (f"{name}: {error.args[0]}", *error.args[1:])
        raise


class ClassifierVoters(VoterSet):
    """Fitted classifiers.

    Parameters
    ----------
    classifiers : sequence of fitted classifiers
        The voters.
    classes : ndarray
        The labels that they answer, sorted.
    n_jobs : int or None
        Number of threads for voting.
    """

    def __init__(
        self,
        classifiers: Sequence[BaseEstimator],
        classes: NDArray,
        n_jobs: int | None = None,
    ) -> None:
        self.classifiers = list(classifiers)
        self.classes = classes
        self.n_jobs = n_jobs
        self.n_voters = len(self.classifiers)

    @property
    def names(self) -> Sequence[str]:  # type: ignore[override]
        """The kinds of the classifiers, if no two are of the same kind."""
        kinds = [_kind(classifier) for classifier in self.classifiers]
        return kinds if len(set(kinds)) == len(kinds) > 1 else ()

    def labels(self, X: Any, classes: NDArray) -> NDArray:
        answers = _labels(*_named(self.classifiers)[0], X)
        return answers if answers.dtype == classes.dtype else classes[_codes_of(answers, classes)]

    def codes(self, X: Any) -> NDArray:
        return np.stack(self._ask(_answers, X, self.classes), axis=1).astype(code_dtype(len(self.classes)))

    def probabilities(self, X: Any) -> NDArray:
        return np.stack(self._ask(_probabilities, X, self.classes), axis=1)

    def codes_and_probabilities(self, X: Any) -> tuple[NDArray, NDArray]:
        if not all(map(_answers_the_most_probable, self.classifiers)):
            return super().codes_and_probabilities(X)
        probabilities = self.probabilities(X)
        return probabilities.argmax(2), probabilities

    def _ask(self, question: Callable[..., NDArray], *about: Any) -> list[NDArray]:
        """What each classifier says, in threads if there are several."""
        named = _named(self.classifiers)
        if len(named) == 1:
            return [question(*named[0], *about)]
        questions = (delayed(question)(c, name, *about) for c, name in named)
        return ask_each(questions, self.n_jobs, np.shape(about[0])[0])


class Frozen(VoterSource):
    """Classifiers already fitted on other data.

    All examples passed to the classifier's ``fit`` judge them, so none of these may have been used to train them; the
    certificate says so. In a hard vote the members of an ensemble vote individually, also at the end of a pipeline; in
    a soft vote each classifier votes as a whole.

    Parameters
    ----------
    estimators : sequence of fitted classifiers or FrozenEstimator
        The voters, or ensembles of them.
    whole : bool
        Whether an ensemble is one voter.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.voters import Frozen
    >>> model = GaussianNB().fit(*make_moons(300, noise=0.2, random_state=0))
    >>> clf = MajorityVoteClassifier(Frozen([model])).fit(*make_moons(300, noise=0.2, random_state=1))  # new examples
    >>> clf.certificate_.n
    300
    """

    learns = False
    uses_labels = False
    checks_input = True
    assumptions = (
        "The classifiers that vote were trained on other data: none of these examples helped to train or choose them.",
    )

    def __init__(self, estimators: Sequence[Any], whole: bool = False) -> None:
        self.estimators = estimators
        self.whole = whole

    def __sklearn_clone__(self) -> "Frozen":
        return Frozen(self.estimators, self.whole)  # like frozen estimators: keep what was learned

    def soft(self) -> "Frozen | None":
        return Frozen(self.estimators, True) if any(has_probabilities(e) for e in self._fitted) else None

    @property
    def silent_about(self) -> tuple[str, ...]:
        return tuple(type(e).__name__ for e in self._fitted if not has_probabilities(e))

    def given_weights(self) -> NDArray | None:
        single = _last(self._fitted[0]) if len(self.estimators) == 1 and not self.whole else None
        return weights_of(single) if isinstance(single, VotingClassifier) else None

    @property
    def _fitted(self) -> list[Any]:
        """The classifiers themselves, without the FrozenEstimator around them."""
        fitted = [e.estimator if isinstance(e, FrozenEstimator) else e for e in self.estimators]
        if not fitted:
            raise ValueError("voters must hold at least one fitted classifier.")
        for estimator in fitted:
            check_is_fitted(estimator)
        return fitted

    @property
    def exchangeable(self) -> bool:  # type: ignore[override]
        last = _last(self._fitted[0])
        return len(self.estimators) == 1 and (self.whole or are_alike(last) or not is_ensemble(last))

    @property
    def default_prior(self) -> tuple[float, ...] | None:  # type: ignore[override]
        split = not self.whole and is_ensemble(_last(self._fitted[0]))
        return (50.0,) if self.exchangeable and split else VoterSource.default_prior

    def labels(self) -> NDArray | None:
        return _labels_of(self._fitted)

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> VoterSet:
        if self.whole:
            return ClassifierVoters(self._fitted, classes, n_jobs)
        return Joined([_fixed(e, classes, n_jobs) for e in self._fitted])

    def describe(self) -> str:
        return f"frozen {self._fitted!r}"


def _labels_of(estimators: Iterable[Any]) -> NDArray | None:
    """The labels that fitted classifiers answer, without converting them."""
    known = [exact_labels(np.asarray(e.classes_), "classes_ of a frozen classifier") for e in estimators]
    if len({labels.dtype.kind in "USO" for labels in known}) > 1:
        raise ValueError("Some frozen classifiers answer strings and others numbers: use one kind.")
    return np.unique(np.concatenate(known)) if known else None


def _last(estimator: Any) -> Any:
    """The classifier itself, at the end of a pipeline."""
    return _last(estimator[-1]) if isinstance(estimator, Pipeline) else estimator


def _answers_the_most_probable(estimator: Any) -> bool:
    """Whether it is known to, as a forest does unless it has a `predict` of its own."""
    if type(estimator) is Pipeline and "predict" not in vars(estimator):
        return _answers_the_most_probable(estimator[-1])
    if not isinstance(estimator, ForestClassifier):
        return False
    return getattr(estimator.predict, "__func__", None) is ForestClassifier.predict


def _fixed(estimator: Any, classes: NDArray, n_jobs: int | None) -> VoterSet:
    """Voters of one fitted estimator; its answers are codes among ``classes``."""
    if isinstance(estimator, Pipeline) and len(estimator) > 1 and is_ensemble(_last(estimator)):
        return TransformedVoters(estimator[:-1], _fixed(estimator[-1], classes, n_jobs))
    if is_ensemble(estimator):
        return recoded(EnsembleVoters(estimator, n_jobs), np.searchsorted(classes, estimator.classes_), len(classes))
    return ClassifierVoters([estimator], classes)
