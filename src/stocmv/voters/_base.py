"""What a source of voters has to offer. Write one of your own by subclassing both classes."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator


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
    ...     def votes(self, X):
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
    def votes(self, X: Any) -> NDArray:
        """Class codes that the voters answer: an integer array of shape (n, n_voters)."""


class VoterSource(ABC):
    """A recipe for voters.

    Attributes
    ----------
    learns : bool
        Whether `fit` looks at the examples. If so, the classifier trains the voters of each fold on the other folds;
        if not, all examples judge one set of voters.
    exchangeable : bool
        Whether the voters are alike (the trees of a forest), so that a prior concentrated on equal weights fits.
    checks_input : bool
        Whether the voters check ``X`` themselves; if not, the classifier hands them a finite numeric array.
    allow_nan, sparse : bool
        What a checked ``X`` may hold.
    assumptions : tuple of str
        What the certificate must say about these voters.
    """

    learns: bool = True
    exchangeable: bool = False
    checks_input: bool = False
    allow_nan: bool = False
    sparse: bool = False
    assumptions: tuple[str, ...] = ()
    default_prior: ClassVar[tuple[float, ...]] = (0.3, 3.0, 30.0)  # several are a grid, which the certificate pays for

    @abstractmethod
    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> VoterSet:
        """Make the voters from examples with codes of the classes; a class may be missing among them."""

    def labels(self) -> NDArray | None:
        """Labels that the voters are known to use, for voters that were trained before; otherwise None."""
        return None

    def expected_error(self, voters: VoterSet, X: Any, codes: NDArray) -> float | None:
        """An estimate, from the voters' own training examples, of the error of their vote on new ones.

        It only tunes the bound before the fold that judges is looked at; None where there is none.
        """
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
    def default_prior(self) -> tuple[float, ...]:  # type: ignore[override]
        return self.source.default_prior

    def labels(self) -> NDArray | None:
        return self.source.labels()

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> VoterSet:
        return self.source.fit(X, codes, classes, seed, n_jobs)

    def expected_error(self, voters: VoterSet, X: Any, codes: NDArray) -> float | None:
        return self.source.expected_error(voters, X, codes)

    def describe(self) -> str:
        return self.source.describe()


def contiguous(codes: NDArray) -> tuple[NDArray, NDArray]:
    """The class codes that occur, and the examples' codes among them: what an estimator can be trained on."""
    present, inner = np.unique(codes, return_inverse=True)
    return present, inner


def set_seeds(estimator: BaseEstimator, seed: int) -> None:
    """Give every ``random_state`` of an estimator, also those of its parts, a seed of its own."""
    names = [name for name in sorted(estimator.get_params()) if name.split("__")[-1] == "random_state"]
    seeds = np.random.SeedSequence(seed).generate_state(len(names)) % 2**31
    estimator.set_params(**{name: int(s) for name, s in zip(names, seeds, strict=True)})
