"""Labelled examples, in memory or elsewhere: they make votes and judge them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..certificate import Judgments, SubgroupCodes
from ..checks import Fingerprints, OrderTest, doubt_of_copies
from ..voters import VoterSource
from ..votes import Votes
from ._cut import Cut, parts_of
from ._judge import judge, judging_votes
from ._recipe import FoldVote, Recipe


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
    weighted : bool
        Whether some examples have more weight than others when they train voters.
    doubt : str or None
        Caveat for the certificate if rows seem to be copies of each other.
    """

    source: VoterSource
    classes: NDArray
    n_units: int
    fingerprints: Fingerprints
    doubt: str | None
    weighted: bool = False

    @abstractmethod
    def cut(self, cut: Cut, rng: np.random.RandomState) -> None:
        """Assign every example to a part."""

    @abstractmethod
    def make(self, recipe: Recipe, k: int, seed: int) -> FoldVote:
        """Make the vote that part ``k`` judges."""

    @abstractmethod
    def votes(self, vote: FoldVote, k: int) -> Votes:
        """What its voters answer on part ``k``."""

    @abstractmethod
    def judgments(self, vote: FoldVote, k: int, *, stochastic: bool, panel: bool) -> Judgments:
        """What part ``k`` shows about the vote; also about its stochastic vote, and about each voter, if asked for."""

    def order_test(self, wrong: Sequence[NDArray]) -> OrderTest | None:
        """Test whether the judging examples look randomly ordered; None if their order is not known.

        ``wrong`` says for each part on which of its examples the vote errs.
        """
        return None


class LocalExamples(Examples):
    """Checked examples in memory, with their class codes, group numbers, times, subgroups and training weights."""

    def __init__(
        self,
        X: Any,
        codes: NDArray,
        groups: NDArray | None,
        source: VoterSource,
        classes: NDArray,
        n_jobs: int | None = None,
        times: NDArray | None = None,
        subgroups: SubgroupCodes | None = None,
        weights: NDArray | None = None,
    ) -> None:
        self.X = X
        self.codes = codes
        self.groups = groups
        self.source = source
        self.classes = classes
        self.n_jobs = n_jobs
        self.times = times
        self.subgroups = subgroups
        self.weights = weights
        self.weighted = weights is not None
        self.n_units = len(codes if groups is None else np.unique(groups))
        self.fingerprints = Fingerprints.of(X, codes, groups)
        self.doubt = doubt_of_copies(self.fingerprints, X)

    def cut(self, cut: Cut, rng: np.random.RandomState) -> None:
        self._cut = cut
        self._part = parts_of(cut, len(self.codes), self.groups, rng)

    def _rows(self, rows: NDArray) -> tuple[Any, NDArray, NDArray | None]:
        """The examples in these rows; not copied if that is all of them."""
        if len(rows) == len(self.codes):
            return self.X, self.codes, self.groups
        return _safe_indexing(self.X, rows), self.codes[rows], None if self.groups is None else self.groups[rows]

    def make(self, recipe: Recipe, k: int, seed: int) -> FoldVote:
        rows = self._cut.teachers(self._part, k)
        weights = None if self.weights is None else self.weights[rows]
        return recipe.make(*self._rows(rows), seed, self.n_jobs, weights)

    def _judges(self, k: int) -> NDArray:
        return np.flatnonzero(self._part == k)

    def votes(self, vote: FoldVote, k: int) -> Votes:
        X, codes, _ = self._rows(self._judges(k))
        return judging_votes(vote, X, codes, self.classes)

    def judgments(self, vote: FoldVote, k: int, *, stochastic: bool, panel: bool) -> Judgments:
        rows = self._judges(k)
        shown = judge(vote, *self._rows(rows), self.classes, stochastic=stochastic, panel=panel)
        if self.subgroups is None:
            return shown
        codes, names = self.subgroups.among(rows)
        return replace(shown, subgroup=codes, subgroups=names)

    def order_test(self, wrong: Sequence[NDArray]) -> OrderTest:
        errors = np.zeros(len(self.codes), bool)
        for k, own in enumerate(wrong):
            errors[self._part == k] = own
        judges = self._part < self._cut.n_parts
        times, groups = (None if given is None else given[judges] for given in (self.times, self.groups))
        return OrderTest.of(errors[judges], self.codes[judges], self.classes, times, groups)


def all_classes(present: NDArray, known: NDArray | None) -> NDArray:
    """The labels that occur, and those that pretrained voters may answer."""
    if known is None:
        return present
    if (known.dtype.kind in "USO") != (present.dtype.kind in "USO"):
        raise ValueError("The voters answer strings and y holds numbers, or the other way round: use one kind.")
    return np.union1d(present, known)
