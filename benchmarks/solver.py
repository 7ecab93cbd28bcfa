"""The default solver, beside the best of 20 descents by L-BFGS from random starts.

    python -m benchmarks.solver [NUMBER OF PROBLEMS [FIRST SEED]]

Random problems: 200 to 3,000 examples of 2, 3 or 5 classes, 5 to 200 voters that cut a few features at thresholds (so
that many agree), priors from 1 to 30, in a third of the problems 2 or 3 folds. The times are the processor's, on one
thread, and the two solvers take turns; the passes over the votes that evaluate the bound do not depend on the machine.
"""

import sys
import time
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stocmv import VoteMatrix
from stocmv.learning import minimise
from stocmv.risks import Exact
from stocmv.solvers import LBFGS, Solver, random_start

from .targets import Target

PROBLEMS, RESTARTS = 200, 20
_SPREADS = (0.3, 1.0, 2.0)


class Made(NamedTuple):
    """One problem: the votes of each fold, and the prior."""

    folds: list[VoteMatrix]
    prior: float

    def __str__(self) -> str:
        votes, n = self.folds[0], sum(v.n_examples for v in self.folds)
        return (
            f"n = {n:<6,}M = {votes.n_voters:<5}K = {votes.n_classes:<3}folds {len(self.folds)}  prior {self.prior:<6.3g}"
        )


def made(seed: int) -> Made:
    """A random problem."""
    rng = np.random.default_rng(seed)
    n, n_voters, prior = (log_uniform(rng, *ends) for ends in ((200, 3000), (5, 200), (1, 30)))
    n_classes, n_folds = int(rng.choice([2, 3, 5])), int(rng.choice([1, 1, 1, 1, 2, 3]))
    n_features = int(rng.integers(2, 9))
    centres = rng.normal(0, rng.uniform(0.5, 1.5), (n_classes, n_features))
    y = rng.integers(0, n_classes, int(n))
    X = centres[y] + rng.standard_normal((len(y), n_features))
    parts = np.array_split(np.arange(len(y)), n_folds)
    answers = [stumps(X[part], centres, int(n_voters), rng) for part in parts]
    classes = np.arange(n_classes)
    folds = [VoteMatrix.from_labels(a, y[part], classes=classes) for a, part in zip(answers, parts, strict=True)]
    return Made(folds, float(prior))


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def stumps(X: np.ndarray, centres: np.ndarray, n_voters: int, rng: np.random.Generator) -> np.ndarray:
    """Voters that compare a feature with a threshold between two classes' centres, and answer the class on that side.

    One answer in 20 is a coin toss between the two, and some voters have their sides exchanged.
    """
    votes = np.empty((len(X), n_voters), int)
    for j in range(n_voters):
        feature, pair = rng.integers(X.shape[1]), rng.choice(len(centres), 2, replace=False)
        low, high = pair[np.argsort(centres[pair, feature])]
        threshold = centres[pair, feature].mean() + 0.5 * rng.standard_normal()
        above = (X[:, feature] > threshold) != (rng.random() < 0.1)
        tossed = rng.random(len(X)) < 0.05
        votes[:, j] = np.where(np.where(tossed, rng.random(len(X)) < 0.5, above), high, low)
    return votes


@dataclass(frozen=True)
class Restarts(Solver):
    """The best of several descents by L-BFGS: one from the given start, the others from random points around it."""

    count: int = RESTARTS

    def minimise(self, problem, start, rng):
        spreads = np.resize(_SPREADS, self.count - 1)
        starts = [start, *(random_start(start, rng, spread) for spread in spreads)]
        ends = [LBFGS().minimise(problem, point, rng) for point in starts]
        return min(ends, key=lambda point: problem(point)[0])


class Counted(Exact):
    """The exact risk, which counts its evaluations."""

    def __init__(self) -> None:
        self.evaluations = 0

    def fold_moments(self, posteriors, votes, rng=None):
        self.evaluations += 1
        return super().fold_moments(posteriors, votes, rng)


class Run(NamedTuple):
    bound: float
    seconds: float
    evaluations: int


def solved(problem: Made, solver: str | Solver, seed: int) -> Run:
    risk, began = Counted(), time.process_time()
    found = minimise(problem.folds, risk=risk, prior=problem.prior, solver=solver, random_state=seed)
    return Run(found.bound, time.process_time() - began, risk.evaluations)


def run(count: int = PROBLEMS, first: int = 0) -> list[Target]:
    warnings.simplefilter("ignore")
    for seed in range(3):  # compiles
        solved(made(seed), "quick", seed)
    excesses, ours, theirs = [], [], []
    for seed in range(first, first + count):
        problem = made(seed)
        ours.append(solved(problem, "auto", seed))
        theirs.append(solved(problem, Restarts(), seed))
        excesses.append(ours[-1].bound / theirs[-1].bound - 1)
        if excesses[-1] > 0.003:
            print(f"seed {seed:<5}{problem}  {ours[-1].bound:.5f} | {theirs[-1].bound:.5f}  {excesses[-1]:+.2%}", flush=True)
    return summary(np.array(excesses), np.array(ours), np.array(theirs))


def summary(excess: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> list[Target]:
    (_, seconds, evaluations), (_, their_seconds, their_evaluations) = ours.sum(0), theirs.sum(0)
    print(f"{len(excess)} problems{'auto':>20}{f'{RESTARTS} restarts':>14}{'ratio':>8}")
    print(f"{'processor time, s':24}{seconds:>7.1f}{their_seconds:>14.1f}{seconds / their_seconds:>8.2f}")
    print(f"{'evaluations':24}{evaluations:>7.0f}{their_evaluations:>14.0f}{evaluations / their_evaluations:>8.2f}")
    print(f"bound of auto / best of the restarts - 1: from {excess.min():+.2%} to {excess.max():+.2%}, mean {excess.mean():+.3%}")
    print(f"above by more than 1 %: {(excess > 0.01).sum()}, by more than 0.3 %: {(excess > 0.003).sum()};", end=" ")
    print(f"below by more than 0.3 %: {(excess < -0.003).sum()}")
    return [
        Target("solver: largest excess over the best of 20 restarts", 100 * excess.max(), "<=", 0.3, " %"),
        Target("solver: time / 20 restarts", seconds / their_seconds, "<=", 0.5),
        Target("solver: evaluations / 20 restarts", evaluations / their_evaluations, "<=", 0.5),
    ]


if __name__ == "__main__":
    for target in run(*map(int, sys.argv[1:])):
        print(target.line())
