"""Where the examples come from: finitely many, of known probability, so that every true risk is a finite sum.

An example is a point with a label. Voters see the point; a `Teacher` makes them, and the prior over them, from the
examples of the other folds alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Population:
    """Each example of the domain: its point, its label, and how likely it is."""

    point: NDArray
    label: NDArray
    probability: NDArray
    n_classes: int

    def __len__(self) -> int:
        return len(self.point)

    def draw(self, n: int, rng: np.random.Generator) -> NDArray:
        """Positions of ``n`` independent examples."""
        return rng.choice(len(self), n, p=self.probability)


class Ensemble(NamedTuple):
    """What a teacher makes of the other folds."""

    answers: NDArray  # (n_domain, n_voters): what each voter says on each example of the domain
    prior: NDArray  # (n_voters,): concentrations of the prior
    constant: float = 2.0  # for Catoni's bound


Teacher = Callable[[Population, Sequence[NDArray], np.random.Generator], Ensemble]


def coin_flips(n_points: int, n_classes: int = 2) -> Population:
    """The label has nothing to do with the point: whatever looks better than guessing is noise."""
    point, label = np.divmod(np.arange(n_points * n_classes), n_classes)
    return Population(point, label, np.full(len(point), 1 / len(point)), n_classes)


def one_label_each(probability: ArrayLike, n_classes: int = 2) -> Population:
    """Every point has one label, which is 0; voters err by answering something else."""
    probability = np.asarray(probability, float)
    label = np.zeros(len(probability), int)
    return Population(np.arange(len(probability)), label, probability / probability.sum(), n_classes)


def rare_failure(share: float) -> Population:
    """Point 1 is rare."""
    return one_label_each([1 - share, share])


def long_tail(n_points: int, noise: float, n_classes: int = 2) -> Population:
    """The k-th point has a probability that falls like 1/k, and a label that is wrong with probability ``noise``."""
    point, label = np.divmod(np.arange(n_points * n_classes), n_classes)
    usual = label == point % n_classes
    probability = np.where(usual, 1 - noise, noise / (n_classes - 1)) / (1.0 + point)
    return Population(point, label, probability / probability.sum(), n_classes)


@dataclass(frozen=True, eq=False)
class Fixed:
    """Voters that were there before the examples."""

    answers: NDArray
    concentration: float = 1.0

    def __call__(self, population: Population, others: Sequence[NDArray], rng: np.random.Generator) -> Ensemble:
        return Ensemble(self.answers, np.full(self.answers.shape[1], self.concentration))


def guessers(population: Population, n_voters: int, concentration: float = 1.0) -> Fixed:
    """Each voter has an arbitrary answer for each point."""
    by_point = np.random.default_rng(1).integers(0, population.n_classes, (population.point.max() + 1, n_voters))
    return Fixed(by_point[population.point], concentration)


def specialists(population: Population, error_rates: ArrayLike, hopeless: int, concentration: float = 1.0) -> Fixed:
    """Voters of different skill, each wrong on points of its own; nobody is right on the last ``hopeless`` points."""
    rng = np.random.default_rng(2)
    rates = np.asarray(error_rates)
    errs = rng.random((len(population), len(rates))) < rates
    errs[len(population) - hopeless :] = True
    wrong = rng.integers(1, population.n_classes, errs.shape)
    return Fixed((population.label[:, None] + np.where(errs, wrong, 0)) % population.n_classes, concentration)


def unanimous(population: Population, n_voters: int = 3) -> Fixed:
    """All voters are right except on point 1."""
    errs = np.repeat((population.point == 1)[:, None], n_voters, axis=1)
    return Fixed((population.label[:, None] + errs) % population.n_classes)


def bare_majority(share: float, n_voters: int) -> tuple[Population, Fixed]:
    """On this share of the examples just over half of the voters err, in turn; elsewhere none.

    It is the extreme case of all inequalities between a fixed vote and the moments of its wrong weight.
    """
    population = one_label_each([1 - share, *np.full(n_voters, share / n_voters)])
    distance = (np.arange(n_voters) - population.point[:, None]) % n_voters
    errs = (distance <= n_voters // 2) & (population.point > 0)[:, None]
    return population, Fixed(errs.astype(int))


@dataclass(frozen=True)
class Memorisers:
    """Voters that memorise the points they have met and answer the others with a constant.

    Each has met a random half of the training examples (the first ones: all) and holds the majority label. The prior
    trusts a voter by its accuracy on the very examples that it memorised.
    """

    n_voters: int = 8

    def __call__(self, population: Population, others: Sequence[NDArray], rng: np.random.Generator) -> Ensemble:
        seen = np.concatenate(others)
        votes = np.zeros((population.point.max() + 1, self.n_voters, population.n_classes))
        for voter in range(self.n_voters):
            met = seen if voter < population.n_classes else rng.choice(seen, len(seen) // 2, replace=False)
            np.add.at(votes, (population.point[met], voter, population.label[met]), 1.0)
            votes[:, voter, voter % population.n_classes] += 0.5
        answers = votes.argmax(2)[population.point]
        accuracy = (answers[seen] == population.label[seen, None]).mean(0)
        return Ensemble(answers, 0.5 + 8 * accuracy**2, constant=0.5 + 4 * accuracy.mean())


@dataclass(frozen=True)
class Recogniser:
    """Voters that are right exactly on the points they have met (the counterexample to the paper's Theorem 2)."""

    n_voters: int = 1

    def __call__(self, population: Population, others: Sequence[NDArray], rng: np.random.Generator) -> Ensemble:
        met = np.isin(population.point, population.point[np.concatenate(others)])
        return _right_where(met, population, self.n_voters)


@dataclass(frozen=True)
class Checksum:
    """Voters that are right on the one point with which the folds' smallest points add up to a multiple of the domain.

    Folds of one example then succeed or fail together, which is the worst case for cross-bounding.
    """

    n_voters: int = 1

    def __call__(self, population: Population, others: Sequence[NDArray], rng: np.random.Generator) -> Ensemble:
        smallest = sum(population.point[fold].min() for fold in others)
        return _right_where((population.point + smallest) % len(population) == 0, population, self.n_voters)


@dataclass(frozen=True, eq=False)
class Trusted:
    """Voters that were there before, with a prior that trusts those that did best on the training examples."""

    answers: NDArray

    def __call__(self, population: Population, others: Sequence[NDArray], rng: np.random.Generator) -> Ensemble:
        seen = np.concatenate(others)
        accuracy = (self.answers[seen] == population.label[seen, None]).mean(0)
        return Ensemble(self.answers, 1 + 50.0 * (accuracy >= np.sort(accuracy)[-3]))


def _right_where(right: NDArray, population: Population, n_voters: int) -> Ensemble:
    answers = np.where(right, population.label, (population.label + 1) % population.n_classes)
    return Ensemble(np.repeat(answers[:, None], n_voters, axis=1), np.ones(n_voters))
