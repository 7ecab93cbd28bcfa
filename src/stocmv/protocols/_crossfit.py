"""The fold loop: for each judging part, make a vote from the other examples and collect its votes on the part."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..checks import Fingerprints, OrderTest, doubt_of_copies
from ..posteriors import Posterior
from ..progress import logger, report
from ..voters import VoterSet, VoterSource, check_alone
from ..votes import VoteMatrix, Votes
from ._cut import Cut
from ._recipe import Made, Recipe


class Examples(ABC):
    """Labelled examples that make and judge votes, wherever they are stored.

    Attributes
    ----------
    source : VoterSource
        Makes the voters.
    classes : ndarray
        Sorted class labels: those that occur, and those that pretrained voters may answer.
    n_units : int
        Number of examples, or of groups.
    fingerprints : Fingerprints
        Fingerprints of all or some of the examples.
    doubt : str or None
        Caveat for the certificate if rows seem to be copies of each other.
    """

    source: VoterSource
    classes: NDArray
    n_units: int
    fingerprints: Fingerprints
    doubt: str | None

    @abstractmethod
    def cut(self, cut: Cut, rng: np.random.RandomState) -> None:
        """Assign every example to a part."""

    @abstractmethod
    def make(self, recipe: Recipe, k: int, seed: int) -> Made:
        """Make the vote that part ``k`` judges."""

    @abstractmethod
    def votes(self, made: Made, k: int) -> Votes:
        """The votes of its voters on part ``k``."""

    def plain_errors(self, voters: VoterSet, k: int) -> tuple[int, int] | None:
        """Errors on part ``k`` of the model that the voters belong to, and the part's size; None without a model."""
        return None

    def order_test(self, votes: Sequence[Votes], posteriors: Sequence[Posterior]) -> OrderTest | None:
        """Test whether the judging examples look randomly ordered; None if their order is not known."""
        return None


class LocalExamples(Examples):
    """Checked examples in memory, with their class codes and group numbers."""

    def __init__(
        self,
        X: Any,
        codes: NDArray,
        groups: NDArray | None,
        source: VoterSource,
        classes: NDArray,
        n_jobs: int | None = None,
        times: NDArray | None = None,
    ) -> None:
        self.X = X
        self.codes = codes
        self.groups = groups
        self.source = source
        self.classes = classes
        self.n_jobs = n_jobs
        self.times = times
        self.n_units = len(codes if groups is None else np.unique(groups))
        self.fingerprints = Fingerprints.of(X, codes, groups)
        self.doubt = doubt_of_copies(self.fingerprints, X)

    def cut(self, cut: Cut, rng: np.random.RandomState) -> None:
        self._cut = cut
        self._part = cut.parts(len(self.codes), self.groups, rng)

    def _rows(self, rows: NDArray) -> tuple[Any, NDArray, NDArray | None]:
        """The examples in these rows; not copied if that is all of them."""
        if len(rows) == len(self.codes):
            return self.X, self.codes, self.groups
        return _safe_indexing(self.X, rows), self.codes[rows], None if self.groups is None else self.groups[rows]

    def make(self, recipe: Recipe, k: int, seed: int) -> Made:
        return recipe.make(*self._rows(self._cut.teachers(self._part, k)), seed, self.n_jobs)

    def votes(self, made: Made, k: int) -> VoteMatrix:
        X, codes, groups = self._rows(np.flatnonzero(self._part == k))
        return judging_votes(made.voters, X, codes, self.classes, groups)

    def plain_errors(self, voters: VoterSet, k: int) -> tuple[int, int] | None:
        if self.groups is not None:
            return None
        X, codes, _ = self._rows(np.flatnonzero(self._part == k))
        answers = voters.plain_answers(X)
        return None if answers is None else (int(np.count_nonzero(answers != codes)), len(codes))

    def order_test(self, votes: Sequence[Votes], posteriors: Sequence[Posterior]) -> OrderTest:
        wrong = np.zeros(len(self.codes), bool)
        for k, (own, posterior) in enumerate(zip(votes, posteriors, strict=True)):
            wrong[self._part == k] = own.whole().vote_errors(posterior.mean)
        judges = self._part < self._cut.n_parts
        times, groups = (None if given is None else given[judges] for given in (self.times, self.groups))
        return OrderTest.of(wrong[judges], self.codes[judges], self.classes, times, groups)


def judging_votes(voters: VoterSet, X: Any, codes: NDArray, classes: NDArray, groups: NDArray | None) -> VoteMatrix:
    """The votes on judging examples, of voters that answer each example in the same way alone."""
    answers = voters.codes(X)
    votes = VoteMatrix.from_codes(answers, codes, classes, groups)
    check_alone(voters, X, answers)
    return votes


class CrossFit(NamedTuple):
    """What was made for each judging part, and the votes that judge it."""

    made: list[Made]
    votes: list[Votes]
    plain_errors: tuple[int, int] | None  # on the first part
    timings: dict[str, float]


def cross_fit(examples: Examples, cut: Cut, recipe: Recipe, rng: np.random.RandomState) -> CrossFit:
    """For each judging part, make a vote from the other examples and collect its votes on the part."""
    fitted = CrossFit([], [], None, dict.fromkeys(("voters", "votes"), 0.0))
    examples.cut(cut, rng)
    for k in range(cut.n_parts):
        began = time.perf_counter()
        report("training voters", k, cut.n_parts)
        made = examples.make(recipe, k, rng.randint(2**31 - 1))
        if any(made.voters is others.voters for others in fitted.made):
            raise ValueError("The source returned the same voters for two folds: make new ones in each fit.")
        fitted.made.append(made)
        trained = time.perf_counter()
        fitted.timings["voters"] += trained - began
        report("training voters", k + 1, cut.n_parts)
        where = f"fold {k + 1} of {cut.n_parts}" if cut.n_parts > 1 else "trained"
        logger.info("%s: %d voters in %.1f s", where, made.voters.n_voters, trained - began)

        report("collecting votes", k, cut.n_parts)
        fitted.votes.append(examples.votes(made, k))
        if k == 0 and recipe.source.learns:
            fitted = fitted._replace(plain_errors=examples.plain_errors(made.voters, k))
        fitted.timings["votes"] += time.perf_counter() - trained
        report("collecting votes", k + 1, cut.n_parts)
    return fitted


def all_classes(present: NDArray, known: NDArray | None) -> NDArray:
    """The labels that occur, and those that pretrained voters may answer."""
    if known is None:
        return present
    if (known.dtype.kind in "USO") != (present.dtype.kind in "USO"):
        raise ValueError("The voters answer strings and y holds numbers, or the other way round: use one kind.")
    return np.union1d(present, known)
