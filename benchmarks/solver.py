"""The default solver, beside the best of 20 descents by L-BFGS from random starts.

    python -m benchmarks.solver [dense | sparse [NUMBER OF PROBLEMS [FIRST SEED]]]

Random problems: 200 to 3,000 examples of 2, 3 or 5 classes, 5 to 200 voters that cut a few features at thresholds (so
that many agree), in a third of the problems 2 or 3 folds. Dense priors are 1 to 30 for each voter, sparse ones 0.5 to
30 for all voters together. The times are the processor's, on one
thread, and the two solvers take turns; the passes over the votes that evaluate the bound do not depend on the machine.
"""

import sys
import time
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np

from stocmv import VoteMatrix
from stocmv.learning import minimise
from stocmv.risks import Exact
from stocmv.solvers import LBFGS, Solver, random_start

from .targets import Target

PROBLEMS, RESTARTS = 200, 20
_SPREADS = (0.3, 1.0, 2.0)
_CLEARLY = 0.003


class Made(NamedTuple):
    """One problem: the votes of each fold, and the prior."""

    folds: list[VoteMatrix]
    prior: float

    def __str__(self) -> str:
        votes, n = self.folds[0], sum(v.n_examples for v in self.folds)
        sizes = f"n = {n:<7,}M = {votes.n_voters:<5}K = {votes.n_classes:<3}"
        return f"{sizes}folds {len(self.folds)}  prior {self.prior:<7.3g}"


def made(seed: int, kind: str = "dense") -> Made:
    """A random problem with a dense or a sparse prior."""
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
    if kind == "sparse":
        prior = log_uniform(rng, 0.5, 30) / folds[0].n_voters
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


def run(kind: str = "dense", count: int = PROBLEMS, first: int = 0) -> list[Target]:
    warnings.simplefilter("ignore")
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    for seed in range(3):  # compiles
        solved(made(seed), "quick", seed)
    pairs = np.array([compared(made(seed, kind), seed) for seed in range(first, first + count)])
    numba.set_num_threads(threads)
    return summary(pairs[:, 0], pairs[:, 1])


def compared(problem: Made, seed: int) -> tuple[Run, Run]:
    """The default solver and the restarts on one problem; prints it if the solver is clearly worse."""
    ours, theirs = solved(problem, "auto", seed), solved(problem, Restarts(), seed)
    if ours.bound > (1 + _CLEARLY) * theirs.bound:
        print(f"seed {seed:<6}{problem}{ours.bound:.5f} | {theirs.bound:.5f}", flush=True)
    return ours, theirs


def summary(ours: np.ndarray, theirs: np.ndarray) -> list[Target]:
    excess, ratio = ours[:, 0] / theirs[:, 0] - 1, ours.sum(0) / theirs.sum(0)
    print(f"{f'{len(excess)} problems':24}{'auto':>9}{f'{RESTARTS} restarts':>14}{'ratio':>8}")
    for row, column in (("processor time, s", 1), ("evaluations", 2)):
        print(f"{row:24}{ours[:, column].sum():>9,.0f}{theirs[:, column].sum():>14,.0f}{ratio[column]:>8.2f}")
    print(f"bound / best of the restarts - 1: {excess.min():+.2%} to {excess.max():+.2%}, mean {excess.mean():+.3%};")
    counts = [int((excess > limit).sum()) for limit in (_CLEARLY, 0.01)]
    print(f"{counts[0]} above by more than 0.3 %, {counts[1]} by more than 1 %,", end=" ")
    print(f"{int((excess < -_CLEARLY).sum())} below by more than 0.3 %")
    return [
        Target("solver: largest excess over the best of 20 restarts", 100 * excess.max(), "<=", 100 * _CLEARLY, " %"),
        Target("solver: processor time / 20 restarts", ratio[1], "<=", 0.5),
        Target("solver: evaluations / 20 restarts", ratio[2], "<=", 0.5),
    ]


if __name__ == "__main__":
    for target in run(*sys.argv[1:2], *map(int, sys.argv[2:])):
        print(target.line())
