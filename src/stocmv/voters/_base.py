"""The interface of voter sources. Subclass both classes to write your own."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing

from ..votes import code_dtype, unsigned_codes
from ._weighted import without_weights

_FEW = 1000  # examples that one thread answers sooner than several can start
_ALONE = 8  # examples that are also asked alone
_LOOKED_AT = 1000  # examples among which they are picked
_ROUNDING = 1e-6  # of probabilities: some models compute in single precision


class VoterSet(ABC):
    """Voters that are ready to vote and no longer change.

    Examples
    --------
    Two rules of your own. Classes are codes ``0 .. K - 1`` in the order of the sorted labels:

    >>> import numpy as np
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.voters import VoterSet, VoterSource
    >>> class Rules(VoterSet):
    ...     n_voters = 2
    ...
    ...     def codes(self, X):
    ...         return np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    >>> class RuleSource(VoterSource):
    ...     learns = False
    ...
    ...     def fit(self, X, codes, classes, seed, n_jobs=None):
    ...         return Rules()
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> clf = MajorityVoteClassifier(RuleSource(), random_state=0).fit(X, X[:, 0] > 0)
    >>> clf.certificate_.bound < 0.05
    True
    """

    n_voters: int
    names: Sequence[str] = ()  # of the voters, where they have any

    @abstractmethod
    def codes(self, X: Any) -> NDArray:
        """Class codes that the voters answer: an integer array of shape (n, n_voters), with -1 for no answer.

        A voter that does not answer an example has no say in it; an example that no voter answers counts as an error.
        """

    def probabilities(self, X: Any) -> NDArray:
        """How sure the voters are: an array of shape (n, n_voters, n_classes), for soft votes.

        A voter without probabilities gives its answer the probability 1.
        """
        raise NotImplementedError(f"{type(self).__name__} has no probabilities: use voting='hard'.")

    def labels(self, X: Any, classes: NDArray) -> NDArray:
        """Class labels that the first voter answers; override it where that is a model which answers labels."""
        return classes[self.codes(X)[:, 0]]

    def codes_and_probabilities(self, X: Any) -> tuple[NDArray, NDArray]:
        """What `codes` and `probabilities` say; override it where asking once gives both."""
        return self.codes(X), self.probabilities(X)


class VoterSource(BaseEstimator, ABC):
    """A recipe for voters: a scikit-learn estimator, so a grid search can set its parameters as ``voters__...``.

    As in scikit-learn, ``__init__`` only stores its arguments under their own names, and `fit` checks them.

    Attributes
    ----------
    learns : bool
        Whether `fit` looks at the examples. If so, the voters are judged on other examples than they learn from.
    uses_labels : bool
        Whether `fit` looks at the labels. If so, weights are learned from votes on examples that the voters were not
        trained on.
    exchangeable : bool
        Whether the voters are interchangeable (like the trees of a forest), so that equal weights suit them. This
        depends on the kind of voters, and must not depend on the examples.
    checks_input : bool
        Whether the voters check ``X`` themselves; if not, the classifier passes them a finite numeric array.
    allow_nan, sparse : bool
        Whether a checked ``X`` may have NaN, or be sparse.
    by_name : bool
        Whether the columns of a data frame are matched by name, in any order and ignoring other columns.
    assumptions : tuple of str
        What the certificate must say about these voters.
    proven : bool
        Whether the voters are independent of the examples that judge them, given the assumptions. If not, the result
        is marked as not a certificate.

    Examples
    --------
    A tree of a given depth, trained on what it is given:

    >>> from sklearn.datasets import make_moons
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.voters import VoterSet, VoterSource
    >>> class Tree(VoterSet):
    ...     n_voters = 1
    ...
    ...     def __init__(self, tree):
    ...         self.tree = tree
    ...
    ...     def codes(self, X):
    ...         return self.tree.predict(X)[:, None]
    >>> class Trees(VoterSource):
    ...     def __init__(self, depth=3):
    ...         self.depth = depth
    ...
    ...     def fit(self, X, codes, classes, seed, n_jobs=None):
    ...         return Tree(DecisionTreeClassifier(max_depth=self.depth, random_state=seed).fit(X, codes))
    >>> clf = MajorityVoteClassifier(Trees(4), random_state=0).fit(*make_moons(300, noise=0.2, random_state=0))
    >>> clf.certificate_.bound < 0.2
    True
    """

    learns: bool = True
    uses_labels: bool = True
    exchangeable: bool = False
    checks_input: bool = False
    allow_nan: bool = False
    sparse: bool = False
    by_name: bool = False
    assumptions: tuple[str, ...] = ()
    proven: bool = True
    categorical: Sequence[str] = ()  # names of the columns that it treats as categories
    default_prior: ClassVar[tuple[float, ...] | None] = None  # with a PAC-Bayes bound; None is the grid of `learn`

    @abstractmethod
    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> VoterSet:
        """Make the voters from the examples and their class codes, which are positions in ``classes``.

        Voters that learn see only the classes of these examples: they do not know a class that occurs only among the
        judging examples. A ``fit`` that also takes ``sample_weight`` gets the weights of the examples where there are
        any; without it, weights are refused.
        """

    def labels(self) -> NDArray | None:
        """Labels that pretrained voters answer; otherwise None."""
        return None

    def labels_in(self, X: Any, y: NDArray) -> NDArray | None:
        """Further labels that the voters may answer, if the examples show them; by default `labels`."""
        return self.labels()

    def suited_to(self, X: Any) -> "VoterSource":
        """The source for examples of this form: it may look at the columns' names and types, not at the values."""
        return self

    def without_weights(self) -> str | None:
        """Name of a voter that cannot be trained with weighted examples; None if `fit` takes ``sample_weight``."""
        return without_weights(self)

    def out_of_bag(self, voters: VoterSet, X: Any) -> NDArray | None:
        """For each training example, the code answered by the voters that were not trained on it.

        It is -1 for an example without such voters; None if there are no out-of-bag answers at all. This only tunes the
        fold test, before looking at the judging fold.
        """
        return None

    def soft(self) -> "VoterSource | None":
        """The same voters as a source of probabilities, with every model as one voter; None if it has none."""
        return None

    @property
    def silent_about(self) -> tuple[str, ...]:
        """Names of the voters that do not say how sure they are, in a source of probabilities."""
        return ()

    def given_weights(self) -> NDArray | None:
        """Weights of the voters that are given and not learned; None if there are none."""
        return None

    def with_members(self, count: int) -> "VoterSource | None":
        """The same source with ``count`` interchangeable voters; None if their number cannot be set."""
        return None

    def describe(self) -> str:
        """One line for the certificate."""
        return type(self).__name__


class Wrapped(VoterSource):
    """A source around another one, to which it delegates everything that a subclass does not override.

    Parameters
    ----------
    source : VoterSource
        The inner source.
    """

    def __init__(self, source: VoterSource) -> None:
        self.source = source

    @property
    def learns(self) -> bool:  # type: ignore[override]
        return self.source.learns

    @property
    def exchangeable(self) -> bool:  # type: ignore[override]
        return self.source.exchangeable

    @property
    def checks_input(self) -> bool:  # type: ignore[override]
        return self.source.checks_input

    @property
    def allow_nan(self) -> bool:  # type: ignore[override]
        return self.source.allow_nan

    @property
    def sparse(self) -> bool:  # type: ignore[override]
        return self.source.sparse

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.source.assumptions

    @property
    def proven(self) -> bool:  # type: ignore[override]
        return self.source.proven

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        return self.source.uses_labels

    @property
    def default_prior(self) -> tuple[float, ...] | None:  # type: ignore[override]
        return self.source.default_prior

    def labels(self) -> NDArray | None:
        return self.source.labels()

    def fit(
        self,
        X: Any,
        codes: NDArray,
        classes: NDArray,
        seed: int,
        n_jobs: int | None = None,
        sample_weight: NDArray | None = None,
    ) -> VoterSet:
        return self.source.fit(X, codes, classes, seed, n_jobs, **weight_keyword(sample_weight))

    def without_weights(self) -> str | None:
        return self.source.without_weights()

    def out_of_bag(self, voters: VoterSet, X: Any) -> NDArray | None:
        return self.source.out_of_bag(voters, X)

    def describe(self) -> str:
        return self.source.describe()

    def given_weights(self) -> NDArray | None:
        return self.source.given_weights()

    @property
    def silent_about(self) -> tuple[str, ...]:
        return self.source.silent_about

    def soft(self) -> "VoterSource | None":
        inner = self.source.soft()
        if inner is None:
            return None
        same = copy.copy(self)
        same.source = inner
        return same


class Recoded(VoterSet):
    """Voters that know only some of the classes, with their answers as codes among all classes.

    Parameters
    ----------
    voters : VoterSet
        Their answers are positions in ``known``.
    known : ndarray
        Code, among all classes, of each class that they know.
    n_classes : int
        Number of all classes.
    """

    def __init__(self, voters: VoterSet, known: NDArray, n_classes: int) -> None:
        self.voters = voters
        self.known = known
        self.n_classes = n_classes
        self.n_voters = voters.n_voters
        self.names = voters.names

    def codes(self, X: Any) -> NDArray:
        codes = checked_codes(self.voters.codes(X), self.n_voters, len(self.known))
        if codes.max(initial=0) < len(self.known):
            return self.known[codes]
        return np.append(self.known.astype(np.int64), -1)[codes]

    def probabilities(self, X: Any) -> NDArray:
        inner = self.voters.probabilities(X)
        spread = np.zeros((*inner.shape[:2], self.n_classes))
        spread[..., self.known] = inner
        return spread


class Joined(VoterSet):
    """Several sets of voters, side by side.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv.voters import Joined, VoterSet
    >>> class Sign(VoterSet):
    ...     n_voters = 1
    ...
    ...     def codes(self, X):
    ...         return (X > 0).astype(int)
    >>> both = Joined([Sign(), Sign()])
    >>> both.n_voters, both.codes(np.array([[1.0], [-1.0]])).tolist()
    (2, [[1, 1], [0, 0]])
    """

    def __init__(self, sets: Sequence[VoterSet]) -> None:
        self.sets = list(sets)
        self.n_voters = sum(s.n_voters for s in self.sets)

    def codes(self, X: Any) -> NDArray:
        return np.hstack([s.codes(X) for s in self.sets])

    def probabilities(self, X: Any) -> NDArray:
        return np.concatenate([s.probabilities(X) for s in self.sets], axis=1)


def ask_each(questions: Iterable[tuple[Callable, tuple, dict]], n_jobs: int | None, n: int) -> list[Any]:
    """The answers to ``joblib.delayed`` questions about ``n`` examples, in threads if that pays."""
    if n < _FEW:
        return [function(*given, **named) for function, given, named in questions]
    return Parallel(n_jobs=n_jobs, prefer="threads")(questions)


def checked_codes(codes: NDArray, n_voters: int, n_classes: int, n: int | None = None) -> NDArray:
    """The voters' answers, after checking that they are valid class codes, one for each voter and each of n examples.

    The result is unsigned; ``n_classes`` stands for no answer.
    """
    n = len(codes) if n is None else n
    if codes.shape != (n, n_voters):
        raise ValueError(f"Voters answered an array of shape {codes.shape} for {n} examples, and there are {n_voters}.")
    return unsigned_codes(codes, n_classes)[1]


def check_alone(ask: Callable[[Any], NDArray], X: Any, votes: NDArray) -> None:
    """Ask the voters about a few examples alone, and refuse them if they vote differently than among all examples.

    A certificate is about answers to one new example. It proves nothing if these depend on the examples that are asked
    together, or on chance. Answers must be the same; probabilities may differ by what rounding does.

    Parameters
    ----------
    ask : callable
        What the voters say about examples: class codes, (n, n_voters), or probabilities, (n, n_voters, n_classes).
    X, votes : array-like, ndarray
        All examples, and what the voters said about them.
    """
    for row in _telling_rows(votes if votes.ndim == 2 else votes.argmax(2)):
        alone, among = ask(_safe_indexing(X, [row])), votes[[row]]
        differs = alone != among if votes.ndim == 2 else np.abs(alone - among).max(2) > _ROUNDING
        if np.any(differs):
            raise ValueError(
                f"voters: voter {int(np.argmax(differs))} answers an example differently alone than among all "
                f"{len(votes):,}, so nothing can be proven about its answer to a new one: learn scales and ranks in "
                "fit, as StandardScaler does, instead of computing them from the examples at hand in predict, and set "
                "every random_state."
            )


def _telling_rows(codes: NDArray) -> list[int]:
    """A few rows: for each class, one with the most votes for it; then some that are spread over all rows."""
    looked_at = np.unique(np.linspace(0, len(codes) - 1, _LOOKED_AT).astype(int))
    among = codes[looked_at]
    most = [int(looked_at[(among == code).sum(1).argmax()]) for code in np.unique(among)]
    spread = np.linspace(0, len(codes) - 1, _ALONE).astype(int).tolist()
    return list(dict.fromkeys([*most, *spread]))[:_ALONE]


def weight_keyword(sample_weight: NDArray | None) -> dict[str, NDArray]:
    """The keyword argument of a source's ``fit``, which need not know it where there are no weights."""
    return {} if sample_weight is None else {"sample_weight": sample_weight}


def train_voters(
    source: VoterSource,
    X: Any,
    codes: NDArray,
    classes: NDArray,
    seed: int,
    n_jobs: int | None = None,
    weights: NDArray | None = None,
) -> VoterSet:
    """Make voters from examples, which may have weights.

    Voters that learn know the classes of these examples, and those that they knew before. The returned voters answer
    codes among all classes.
    """
    own = _unused(source)
    if not source.learns:
        return own.fit(X, codes, classes, seed, n_jobs)
    known = known_classes(source, codes, classes)
    voters = own.fit(X, np.searchsorted(known, codes), classes[known], seed, n_jobs, **weight_keyword(weights))
    return recoded(voters, known, len(classes))


def _unused(source: VoterSource) -> VoterSource:
    """A copy for one fit: it remembers no other examples, and shares no frozen part that may be fitted again."""
    try:
        return copy.deepcopy(clone(source))
    except Exception as error:
        raise TypeError(
            f"voters is a {type(source).__name__} that cannot be copied, as is done for each fit ({error}): let "
            "__init__ only store its arguments, and open what cannot be copied, such as a connection, in fit."
        ) from error


def known_classes(source: VoterSource, codes: NDArray, classes: NDArray) -> NDArray:
    """Codes of the classes of some examples, and of those that the voters knew before.

    Voters that neither learn nor name their classes know all of them; the certificate says so.
    """
    before = source.labels()
    if before is None:
        return np.unique(codes) if source.learns else np.arange(len(classes))
    return np.unique(np.append(codes, np.searchsorted(classes, before)))


def recoded(voters: VoterSet, known: NDArray, n_classes: int) -> VoterSet:
    """Voters that answer positions among the known classes, turned into voters that answer codes among all classes."""
    return voters if len(known) == n_classes else Recoded(voters, known.astype(code_dtype(n_classes)), n_classes)


def out_of_bag_answers(source: VoterSource, voters: VoterSet, X: Any) -> NDArray | None:
    """`VoterSource.out_of_bag` for voters made by `train_voters`, as codes among all classes."""
    if not isinstance(voters, Recoded):
        return source.out_of_bag(voters, X)
    answers = source.out_of_bag(voters.voters, X)
    return None if answers is None else np.where(answers < 0, -1, voters.known[answers].astype(np.int64))


def without_seeds(estimator: BaseEstimator) -> BaseEstimator:
    """A copy that will be given seeds of our own everywhere, to train it several times."""
    names = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
    return clone(estimator).set_params(**dict.fromkeys(names))


def set_seeds(estimator: BaseEstimator, seed: int) -> None:
    """Give every ``random_state`` of an estimator and its parts that the user left open its own seed."""
    given = estimator.get_params()
    names = [name for name in sorted(given) if name.split("__")[-1] == "random_state" and given[name] is None]
    seeds = np.random.SeedSequence(seed).generate_state(len(names)) % 2**31
    estimator.set_params(**{name: int(s) for name, s in zip(names, seeds, strict=True)})
