"""Sources of voters that a user might write, among them some that make the most of what `fit` is handed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stocmv.voters import VoterSet, VoterSource


@dataclass(eq=False)
class Nearest(VoterSet):
    """For each feature a voter that says the class with the nearest mean, then voters that always say the same."""

    means: NDArray  # (n_classes, n_features)
    constants: NDArray

    @property
    def n_voters(self) -> int:
        return self.means.shape[1] + len(self.constants)

    def codes(self, X: NDArray) -> NDArray:
        nearest = np.abs(X[:, None] - self.means).argmin(1)
        return np.hstack([nearest, np.tile(self.constants, (len(X), 1))])


class Means(VoterSource):
    """The mean of each class that was met."""

    def fit(self, X, codes, classes, seed, n_jobs=None) -> Nearest:
        far = np.full(X.shape[1], np.inf)
        means = [X[codes == c].mean(0) if np.any(codes == c) else far for c in range(len(classes))]
        return Nearest(np.stack(means), self._constants(codes, classes))

    def _constants(self, codes: NDArray, classes: NDArray) -> NDArray:
        return np.empty(0, int)


class MeansAndRarest(Means):
    """Also the two of the ``classes`` that were met least."""

    def _constants(self, codes: NDArray, classes: NDArray) -> NDArray:
        return np.bincount(codes, minlength=len(classes)).argsort(kind="stable")[:2]


@dataclass(eq=False)
class Lookup(VoterSet):
    """One voter with an answer for each cell; the first feature is the cell."""

    answers: NDArray
    n_voters = 1

    def codes(self, X: NDArray) -> NDArray:
        return self.answers[X[:, :1].astype(int)]


@dataclass(eq=False)
class Unmet(VoterSource):
    """Answers a class of the cell that is among ``classes`` but was not met in training, where there is one.

    Such a class can only come from the examples that judge.
    """

    n_cells: int
    n_each: int

    def fit(self, X, codes, classes, seed, n_jobs=None) -> Lookup:
        met = np.isin(np.arange(len(classes)), codes)
        return Lookup(np.array([self._answer(cell, classes, met) for cell in range(self.n_cells)]))

    def _answer(self, cell: int, classes: NDArray, met: NDArray) -> int:
        own = np.flatnonzero(classes // self.n_each == cell)
        return min(own, key=lambda code: met[code], default=0)


@dataclass(eq=False)
class AsTheyAre(VoterSet):
    """Every feature is an answer."""

    n_voters: int

    def codes(self, X: NDArray) -> NDArray:
        return X.astype(int)


class Features(VoterSource):
    """Features that are answers: nothing is learned."""

    learns = False

    def fit(self, X, codes, classes, seed, n_jobs=None) -> AsTheyAre:
        return AsTheyAre(X.shape[1])


# Learners of one voter that make the folds depend on each other as much as they can. The cell is the first feature; the
# label is 0 or 1, and usually whether the cell is odd.


@dataclass(eq=False)
class OfCells(VoterSource):
    """Answers for each of the cells, from the cells and labels that it was taught."""

    n_cells: int

    def labels(self) -> NDArray:
        return np.arange(2)

    def fit(self, X, codes, classes, seed, n_jobs=None) -> Lookup:
        return Lookup(self.answers(X[:, 0].astype(int), codes).astype(int))

    def answers(self, met: NDArray, labels: NDArray) -> NDArray:
        raise NotImplementedError

    def wrong_where(self, errs: NDArray) -> NDArray:
        return np.arange(self.n_cells) % 2 ^ errs


class Memory(OfCells):
    """Memorises the examples: the most frequent label of a cell, and 0 for a cell that it has not met."""

    def answers(self, met, labels):
        counts = np.zeros((self.n_cells, 2))
        np.add.at(counts, (met, labels), 1)
        return counts.argmax(1)


class Parity(OfCells):
    """Answers whether the number of labels 1 is odd."""

    def answers(self, met, labels):
        return np.full(self.n_cells, labels.sum() % 2)


class Most(OfCells):
    """Answers the label that it met most: two folds then do well together, or badly."""

    def answers(self, met, labels):
        return np.full(self.n_cells, 2 * labels.sum() > len(labels))


class Checksum(OfCells):
    """Is right on the one cell with which the cells that it met add up to a multiple of their number.

    Folds of one example succeed together or fail together.
    """

    def answers(self, met, labels):
        return self.wrong_where((np.arange(self.n_cells) + met.sum()) % self.n_cells != 0)


class Copied(OfCells):
    """Errs as often as a rule did on what it met that is wrong for the lower half of the cells."""

    def answers(self, met, labels):
        rate = np.mean(met < self.n_cells / 2)
        return self.wrong_where(np.arange(self.n_cells) < rate * self.n_cells)
