"""Distributions of examples with features whose P(y | x) is known, so that the true error of any classifier is, too.

The labels are 0 .. n_classes - 1. Where the features have few values, a true error is a finite sum; where they are
continuous, it is a mean over points that are drawn once, and is given the benefit of a few standard errors.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_POINTS = 4000
STANDARD_ERRORS = 4.0
RARE = 1.0 / np.arange(1, 31) ** 2  # how often each of thirty classes occurs, up to a factor


class Errors(NamedTuple):
    """Of all examples, and of the examples of each class."""

    overall: float
    by_class: NDArray


@dataclass(frozen=True, eq=False)
class World:
    """Where examples come from, and the points at which classifiers are judged."""

    draw_features: Callable[[int, np.random.Generator], NDArray]
    label_probabilities: Callable[[NDArray], NDArray]  # P(y | x), (n, n_classes)
    points: NDArray
    weights: NDArray  # of the points; they sum to one
    is_exact: bool  # the points are all that there are, with their probabilities

    def draw(self, n: int, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
        """Independent examples."""
        X = self.draw_features(n, rng)
        below = np.cumsum(self.label_probabilities(X), axis=1)[:, :-1]
        return X, (rng.random(n)[:, None] > below).sum(1)

    def draw_groups(self, n: int, rng: np.random.Generator) -> tuple[NDArray, NDArray, NDArray]:
        """Independent groups: their rows share the label and the first feature.

        Where that feature tells the class, each row by itself is as in `draw`; with nine points and two classes not.

        Groups that are easy to classify have up to twelve rows, the others one or two, so that the mean over groups is
        not the mean over rows.
        """
        X, y = self.draw(n, rng)
        is_usual = y == self.label_probabilities(X).argmax(1)
        group = np.repeat(np.arange(n), np.where(is_usual, rng.integers(6, 13, n), rng.integers(1, 3, n)))
        rows = self.draw_features(len(group), rng)
        rows[:, 0] = X[group, 0]
        return rows, y[group], group

    @cached_property
    def p_y(self) -> NDArray:
        return self.label_probabilities(self.points)

    @cached_property
    def crowd(self) -> "World":
        """Where there are few points, each of them several times: for votes that are random."""
        if not self.is_exact:
            return self
        times = -(-N_POINTS // len(self.points))
        points, weights = np.repeat(self.points, times, axis=0), np.repeat(self.weights / times, times)
        return replace(self, points=points, weights=weights, is_exact=False)

    def answers(self, labels: NDArray) -> NDArray:
        """Labels as probabilities of answers, (n_points, n_classes)."""
        return np.eye(self.p_y.shape[1])[labels]

    def errors(self, answers: NDArray) -> Errors:
        """Errors of a vote that gives each answer with this probability, lowered by a few standard errors."""
        wrong = self.p_y * (1 - answers)
        overall, of_class = float(self.weights @ wrong.sum(1)), self.weights @ self.p_y
        by_class = self.weights @ wrong / of_class
        if self.is_exact:
            return Errors(overall, by_class)
        spread, class_spread = wrong.sum(1) - overall, (wrong - by_class * self.p_y) / of_class
        return Errors(overall - self._benefit(spread), by_class - self._benefit(class_spread))

    def shares_in(self, answers: NDArray, members: NDArray) -> tuple[float, float]:
        """Shares of errors and of right answers in a subgroup of the points; both lowered."""
        wrong, weights = (self.p_y * (1 - answers)).sum(1), self.weights * members / (self.weights @ members)
        error = float(weights @ wrong)
        benefit = 0.0 if self.is_exact else STANDARD_ERRORS * float(np.sqrt(weights**2 @ (wrong - error) ** 2))
        return error - benefit, 1 - error - benefit

    def errors_among(self, answers: NDArray) -> NDArray:
        """Share of errors among the answers of each class, lowered; 0 for a class that is never answered."""
        return self._ratios(answers * (1 - self.p_y), answers)

    def missing_f1(self, answers: NDArray) -> NDArray:
        """One minus the F1 of each class, lowered; 0 for a class that does not occur and is never answered."""
        both = self.p_y + answers
        return self._ratios(both - 2 * answers * self.p_y, both)

    def _ratios(self, part: NDArray, whole: NDArray) -> NDArray:
        """The mean of each column, divided by that of the same column of what it is a part of; lowered."""
        of = self.weights @ whole
        ratio = np.divide(self.weights @ part, of, out=np.zeros(len(of)), where=of > 0)
        if self.is_exact:
            return ratio
        return ratio - self._benefit((part - ratio * whole) / np.where(of > 0, of, 1.0))

    def errors_of_some(self, answers: NDArray, answered: NDArray) -> tuple[float, float]:
        """Share of errors among all answers of a vote that may be silent, and how often it is; both lowered."""
        wrong, given = answered - (answers * self.p_y).sum(1), float(self.weights @ answered)
        ratio = float(self.weights @ wrong) / given if given else 0.0
        if self.is_exact:
            return ratio, 1 - given
        benefits = self._benefit((wrong - ratio * answered) / (given or 1.0)), self._benefit(answered - given)
        return ratio - float(benefits[0]), 1 - given - float(benefits[1])

    def mean_cost(self, answers: NDArray, costs: NDArray) -> float:
        """Mean cost, from the cost of each answer given the true class; lowered."""
        each = np.einsum("xt,ta,xa->x", self.p_y, costs, answers, optimize=True)
        mean = float(self.weights @ each)
        return mean if self.is_exact else mean - float(self._benefit(each - mean))

    def mean_error(self, labels: NDArray) -> float:
        """Mean error of drawn votes, from what several of them say, (n_votes, n_points); lowered, too."""
        losses = 1 - self.p_y[np.arange(len(self.points)), labels]
        error, by_vote = float(self.weights @ losses.mean(0)), losses @ self.weights
        lowered = error - STANDARD_ERRORS * by_vote.std(ddof=1) / np.sqrt(len(labels))
        return lowered if self.is_exact else lowered - float(self._benefit(losses.mean(0) - error))

    def _benefit(self, spread: NDArray) -> NDArray:
        return STANDARD_ERRORS * np.sqrt(self.weights**2 @ spread**2)


@dataclass(frozen=True, eq=False)
class Bands:
    """The usual class of a point, and labels that are drawn regardless of the point at a certain rate."""

    usual: Callable[[NDArray], NDArray]
    shares: NDArray  # of the classes among the labels that are drawn regardless
    noise: float

    def __call__(self, X: NDArray) -> NDArray:
        return (1 - self.noise) * np.eye(len(self.shares))[self.usual(X)] + self.noise * self.shares


def class_shares(n_classes: int) -> NDArray:
    """Equal, but for thirty classes, most of which are rare."""
    shares = RARE if n_classes == len(RARE) else np.ones(n_classes)
    return shares / shares.sum()


@cache
def continuous(n_classes: int, n_features: int = 3, noise: float = 0.1) -> World:
    """Uniform features, of which the first tells the class."""
    shares = class_shares(n_classes)
    edges = np.cumsum(shares)[:-1]
    draw = lambda n, rng: rng.random((n, n_features))  # noqa: E731
    points = draw(N_POINTS, np.random.default_rng(0))
    bands = Bands(lambda X: np.searchsorted(edges, X[:, 0]), shares, noise)
    return World(draw, bands, points, np.full(N_POINTS, 1 / N_POINTS), is_exact=False)


@cache
def nine_valued(n_classes: int, noise: float = 0.2) -> World:
    """Two features with three values each, some of the nine points rarer than others."""
    points = np.stack(np.meshgrid(np.arange(3.0), np.arange(3.0)), axis=-1).reshape(-1, 2)
    weights = 1 / np.arange(2.0, 11.0)
    weights /= weights.sum()
    usual = {2: lambda X: X.sum(1) >= 2, 3: lambda X: X[:, 0], 30: lambda X: X[:, 0] + 3 * X[:, 1]}[n_classes]
    bands = Bands(lambda X: usual(X).astype(int), class_shares(n_classes), noise)
    return World(lambda n, rng: points[rng.choice(9, n, p=weights)], bands, points, weights, is_exact=True)


@cache
def cells(n_cells: int, noise: float = 0.0) -> World:
    """The label is whether the number of the cell is odd; at a certain rate it is the throw of a coin instead."""
    points = np.arange(n_cells, dtype=float)[:, None]
    bands = Bands(lambda X: X[:, 0].astype(int) % 2, class_shares(2), noise)
    weights = np.full(n_cells, 1 / n_cells)
    return World(lambda n, rng: points[rng.integers(n_cells, size=n)], bands, points, weights, is_exact=True)


@cache
def unforeseeable(n_cells: int, n_each: int) -> World:
    """The label is one of several that belong to the point's cell alone, whichever: nobody can tell which.

    There are ``n_cells * n_each`` classes; label ``y`` belongs to the cell ``y // n_each``.
    """
    points = np.arange(n_cells, dtype=float)[:, None]
    by_cell = np.kron(np.eye(n_cells), np.full(n_each, 1 / n_each))
    weights = np.full(n_cells, 1 / n_cells)
    draw = lambda n, rng: points[rng.integers(n_cells, size=n)]  # noqa: E731
    return World(draw, lambda X: by_cell[X[:, 0].astype(int)], points, weights, is_exact=True)


@cache
def copies(n_copies: int, error: float, n_points: int = 20_000) -> World:
    """Each feature is the label, wrong at a certain rate, independently: single ones err, a vote of many hardly."""

    def draw(n: int, rng: np.random.Generator) -> NDArray:
        label = rng.integers(2, size=(n, 1))
        return np.abs(label - (rng.random((n, n_copies)) < error)).astype(float)

    def label_probabilities(X: NDArray) -> NDArray:
        odds = ((1 - error) / error) ** (2 * X.sum(1) - n_copies)
        return np.column_stack([1 / (1 + odds), odds / (1 + odds)])

    points = draw(n_points, np.random.default_rng(0))
    return World(draw, label_probabilities, points, np.full(n_points, 1 / n_points), is_exact=False)
