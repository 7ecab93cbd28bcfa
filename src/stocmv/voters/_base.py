"""What a source of voters has to offer. Write one of your own by subclassing both classes."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from ..votes import code_dtype, unsigned_codes

FROZEN_PARTS = "Parts of the voters are frozen: none of these examples helped to train or choose those parts."


class VoterSet(ABC):
    """Voters that are ready to vote; they never change again.

    Examples
    --------
    Two rules of one's own. Classes are given as codes, ``0 .. K - 1`` in the order of the sorted labels:

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

    @abstractmethod
    def codes(self, X: Any) -> NDArray:
        """Class codes that the voters answer: an integer array of shape (n, n_voters); -1 where one does not answer.

        A voter that does not answer an example has no say in it; an example that no voter answers counts as an error.
        """

    def plain_answers(self, X: Any) -> NDArray | None:
        """Class codes that the model these voters belong to predicts by itself; None where there is no such model.

        A forest averages its trees' probabilities, for example. This is what a user would have without `stocmv`, and
        only serves for a comparison.
        """
        return None


class VoterSource(BaseEstimator, ABC):
    """A recipe for voters: a scikit-learn estimator, whose parameters a grid search reaches as ``voters__...``.

    As in scikit-learn, ``__init__`` only stores its arguments, each under its own name, and `fit` checks them.

    Attributes
    ----------
    learns : bool
        Whether `fit` looks at the examples. If so, other examples judge the voters than those that they learn from.
    uses_labels : bool
        Whether `fit` looks at the labels. If so, weights are learned from votes on examples that the voters were not
        trained on.
    exchangeable : bool
        Whether the voters are alike (the trees of a forest), so that equal weights suit them. It is a matter of the
        kind of voters, and must not depend on the examples.
    checks_input : bool
        Whether the voters check ``X`` themselves; if not, the classifier hands them a finite numeric array.
    allow_nan, sparse : bool
        What a checked ``X`` may hold.
    by_name : bool
        Whether the columns of a data frame are found by their names, in whatever order and beside whatever others.
    assumptions : tuple of str
        What the certificate must say about these voters.
    proven : bool
        Whether the voters are independent of the examples that judge them, given the assumptions. If not, what comes
        out is marked as not being a certificate.
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
    categorical: Sequence[str] = ()  # names of the columns that it takes for categories
    default_prior: ClassVar[tuple[float, ...]] = (0.3, 3.0, 30.0)  # with a PAC-Bayes bound, which pays for a grid

    @abstractmethod
    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> VoterSet:
        """Make the voters from the examples and the codes of their classes, which are positions in ``classes``.

        Voters that learn are handed the classes of these examples and no others: a class that only shows up among the
        examples that judge them is unknown to them.
        """

    def labels(self) -> NDArray | None:
        """Labels that the voters are known to use, for voters that were trained before; otherwise None."""
        return None

    def labels_in(self, X: Any, y: NDArray) -> NDArray | None:
        """Further labels that the voters may answer, where the examples show them; by default `labels`."""
        return self.labels()

    def out_of_bag(self, voters: VoterSet, X: Any) -> NDArray | None:
        """For each of the voters' own training examples, the code that the voters answer who did not train on it.

        It is -1 where there are none of these, and None stands for all of them. This only tunes the fold test, before
        the fold that judges is looked at.
        """
        return None

    def with_members(self, count: int) -> "VoterSource | None":
        """The same source with so many alike voters; None where their number cannot be set."""
        return None

    def describe(self) -> str:
        """One line for the certificate."""
        return type(self).__name__


class Wrapped(VoterSource):
    """A source around another one, which answers for everything that a subclass does not say itself.

    Parameters
    ----------
    source : VoterSource
        The one inside.
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
    def default_prior(self) -> tuple[float, ...]:  # type: ignore[override]
        return self.source.default_prior

    def labels(self) -> NDArray | None:
        return self.source.labels()

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> VoterSet:
        return self.source.fit(X, codes, classes, seed, n_jobs)

    def out_of_bag(self, voters: VoterSet, X: Any) -> NDArray | None:
        return self.source.out_of_bag(voters, X)

    def describe(self) -> str:
        return self.source.describe()


class Recoded(VoterSet):
    """Voters that know some of the classes, answering codes among all of them.

    Parameters
    ----------
    voters : VoterSet
        Their answers are positions in ``known``.
    known : ndarray
        Code, among all classes, of each class that they know.
    """

    def __init__(self, voters: VoterSet, known: NDArray) -> None:
        self.voters = voters
        self.known = known
        self.n_voters = voters.n_voters

    def codes(self, X: Any) -> NDArray:
        codes = checked_codes(self.voters.codes(X), self.n_voters, len(self.known))
        if codes.max(initial=0) < len(self.known):
            return self.known[codes]
        return np.append(self.known.astype(np.int64), -1)[codes]

    def plain_answers(self, X: Any) -> NDArray | None:
        answers = self.voters.plain_answers(X)
        return None if answers is None else self.known[answers]


class Joined(VoterSet):
    """Several sets of voters, side by side."""

    def __init__(self, sets: Sequence[VoterSet]) -> None:
        self.sets = list(sets)
        self.n_voters = sum(s.n_voters for s in self.sets)

    def codes(self, X: Any) -> NDArray:
        return np.hstack([s.codes(X) for s in self.sets])


def checked_codes(codes: NDArray, n_voters: int, n_classes: int) -> NDArray:
    """What voters answered, if these are codes of classes that there are, one for each voter.

    ``n_classes`` stands for no answer in what is returned, which is unsigned.
    """
    if codes.ndim != 2 or codes.shape[1] != n_voters or codes.dtype.kind not in "iub":
        raise ValueError(f"{n_voters} voters answered an array of {codes.dtype} of shape {codes.shape}, not codes.")
    return unsigned_codes(codes, n_classes)[1]


def train_voters(
    source: VoterSource, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None
) -> VoterSet:
    """Voters from examples.

    Voters that learn get to know the classes of these examples, and those that they knew before; the voters that are
    returned answer codes among all classes.
    """
    if not source.learns:
        return source.fit(X, codes, classes, seed, n_jobs)
    known = known_classes(source, codes, classes)
    voters = source.fit(X, np.searchsorted(known, codes), classes[known], seed, n_jobs)
    return recoded(voters, known, len(classes))


def known_classes(source: VoterSource, codes: NDArray, classes: NDArray) -> NDArray:
    """Codes of the classes of some examples, and of those that voters knew before.

    Voters that neither learn nor name their classes know all of them; the certificate says so.
    """
    before = source.labels()
    if before is None:
        return np.unique(codes) if source.learns else np.arange(len(classes))
    return np.unique(np.append(codes, np.searchsorted(classes, before)))


def recoded(voters: VoterSet, known: NDArray, n_classes: int) -> VoterSet:
    """Voters who answer positions among the known classes, as voters who answer codes among all classes."""
    return voters if len(known) == n_classes else Recoded(voters, known.astype(code_dtype(n_classes)))


def out_of_bag_answers(source: VoterSource, voters: VoterSet, X: Any) -> NDArray | None:
    """What `VoterSource.out_of_bag` says of voters that `train_voters` made, as codes among all classes."""
    if not isinstance(voters, Recoded):
        return source.out_of_bag(voters, X)
    answers = source.out_of_bag(voters.voters, X)
    return None if answers is None else np.where(answers < 0, -1, voters.known[answers].astype(np.int64))


def frozen_parts(value: Any) -> Iterator[FrozenEstimator]:
    """The frozen estimators inside a value, at any depth of what scikit-learn nests."""
    if isinstance(value, FrozenEstimator):
        yield value
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from frozen_parts(entry)
    elif isinstance(value, dict):
        yield from frozen_parts(list(value.values()))
    elif hasattr(value, "get_params") and not isinstance(value, type):
        yield from frozen_parts(list(value.get_params(deep=False).values()))


def set_seeds(estimator: BaseEstimator, seed: int) -> None:
    """Give every ``random_state`` of an estimator, also those of its parts, a seed of its own."""
    names = [name for name in sorted(estimator.get_params()) if name.split("__")[-1] == "random_state"]
    seeds = np.random.SeedSequence(seed).generate_state(len(names)) % 2**31
    estimator.set_params(**{name: int(s) for name, s in zip(names, seeds, strict=True)})
