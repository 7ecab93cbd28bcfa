"""Experiments with two forests, each judged on the half that trained the other: Table 2, the prior, the depth."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stocmv.classifier import MajorityVoteClassifier
from stocmv.risks import Exact
from stocmv.solvers import LBFGS
from stocmv.votes import VoteMatrix

from ._best import best_row
from ._measures import argmax_bound, measures
from ._methods import DELTA, METHODS, Fitted, fit, fit_methods, searches
from ._settings import Settings
from ._splits import SEVERAL_CLASSES, Split, known_sets, split
from ._units import Outcome, Row, Task, Unit
from ._voters import Answers, Forest, grow_forest, halves

SETS = SEVERAL_CLASSES
QUICK_SETS = ("digits",)
TABLE2, PRIOR, STRENGTH = "table2", "fig-prior", "fig-strength"
TRIALS = {TABLE2: 10, PRIOR: 4, STRENGTH: 4}
_TABLE2_METHODS = ("naive_bayes", "first_order", "second_order", "binomial", "binomial_51", "exact", "mc")
_STRENGTH_METHODS = ("first_order", "second_order", "binomial", "exact")
_SHORT = LBFGS(max_iter=50, tolerance=1e-6, stops_early=True)  # as in the classifier, for interchangeable voters


def tasks(name: str, settings: Settings) -> list[Task]:
    """The units of an experiment; those of the same data set and trial share their forests."""
    found = []
    for dataset in settings.sets(SETS, QUICK_SETS, two_classes=False):
        for trial in settings.trials_of(TRIALS[name]):
            unit = settings.unit(name, dataset, trial, _settings(name, settings.quick))
            found.append(Task(on_forests, (unit,), unit.name, _cost(name, dataset)))
            if name == TABLE2 and not (settings.quick and trial > 0):
                own = settings.unit(name, dataset, trial, _settings("best", settings.quick), "best")
                found.append(Task(best, (own,), own.name, _cost("best", dataset)))
    return found


def _settings(name: str, quick: bool) -> dict[str, Any]:
    if name == "best":
        return {"voters": "forests, MajorityVoteClassifier with bound='catoni_per_fold'", "delta": DELTA}
    shared = {
        "voters": "two forests, each tree on half of the other half of the rows",
        "n_trees": 20 if quick else 100,
        "delta": DELTA,
    }
    if name == TABLE2:
        return {**shared, "methods": [*_TABLE2_METHODS, "argmax"], "prior": 1.0, "mc_steps": 50 if quick else 300}
    if name == PRIOR:
        return {**shared, "priors": [0.1, 1.0, 10.0] if quick else [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]}
    return {
        **shared,
        "methods": list(_STRENGTH_METHODS),
        "prior": 1.0,
        "depths": [1, 3, 5] if quick else list(range(1, 11)),
    }


def _cost(name: str, dataset: str) -> float:
    known = known_sets()[dataset]
    forest = known.n * known.n_features**0.5 * known.n_classes**0.5 / 1e5
    return {
        TABLE2: 8 + 0.8 * forest,
        "best": 3 + 1.8 * forest,
        PRIOR: 12 + 0.25 * forest,
        STRENGTH: 32 + 0.7 * forest,
    }[name]


@dataclass(frozen=True, eq=False)
class Crossed:
    """Two forests, with their votes on the half that they were not trained on and on the test part."""

    data: Split
    forests: list[Forest]
    judged: list[Answers]
    tests: list[Answers]

    def votes(self, depth: int | None = None) -> tuple[list[VoteMatrix], list[VoteMatrix]]:
        """Votes on the judging halves and on the test part, with the trees cut at a depth."""
        return (
            [forest.votes(answers, depth) for forest, answers in zip(self.forests, self.judged, strict=True)],
            [forest.votes(answers, depth) for forest, answers in zip(self.forests, self.tests, strict=True)],
        )


def _cross(unit: Unit, threads: int) -> Crossed:
    data = split(unit, np.float32)
    parts = halves(len(data.y), unit.random_state("halves"))
    forests, judged, tests = [], [], []
    for k, part in enumerate(parts):
        other = parts[1 - k]
        seed = unit.random_state(f"forest {k}")
        forest = grow_forest(data.X[other], data.y[other], data.n_classes, unit.settings["n_trees"], seed, threads)
        forests.append(forest)
        judged.append(forest.ask(data.X[part], data.y[part], threads))
        tests.append(forest.ask(data.X_test, data.y_test, threads))
    return Crossed(data, forests, judged, tests)


def on_forests(units: Sequence[Unit], threads: int) -> list[Outcome]:
    """All experiments of one data set and trial on the same two forests."""
    began = time.perf_counter()
    crossed = _cross(units[0], threads)
    grown = {"stage": "forests", "seconds": time.perf_counter() - began}
    outcomes = [_PARTS[unit.experiment](unit, crossed) for unit in units]
    outcomes[0].timings.insert(0, grown)
    return outcomes


def _table2(unit: Unit, crossed: Crossed) -> Outcome:
    votes, tests = crossed.votes()
    errors = [v.errors_only() for v in votes]
    seed = unit.random_state("search")
    solvers = searches(unit.settings["mc_steps"], quick=unit.settings["quick"])
    fitted = fit_methods(errors, _TABLE2_METHODS, seed, prior=unit.settings["prior"], solvers=solvers)
    fitted["argmax"] = fit(votes, Exact(), seed, prior=unit.settings["prior"], solver=_SHORT)
    rows = [_row(unit, crossed, name, found, votes, tests) for name, found in fitted.items()]
    return Outcome(rows, [_learning(name, found) for name, found in fitted.items()])


def _prior(unit: Unit, crossed: Crossed) -> Outcome:
    votes, tests = crossed.votes()
    errors = [v.errors_only() for v in votes]
    solvers = searches(0, quick=unit.settings["quick"])
    rows, timings = [], []
    for prior in unit.settings["priors"]:
        found = fit(errors, Exact(), unit.random_state("search"), prior=prior, solver=solvers["exact"])
        rows.append(_row(unit, crossed, "exact", found, votes, tests, prior=prior))
        timings.append(_learning("exact", found, prior=prior))
    return Outcome(rows, timings)


def _strength(unit: Unit, crossed: Crossed) -> Outcome:
    solvers = searches(0, quick=unit.settings["quick"])
    rows, timings = [], []
    for depth in unit.settings["depths"]:
        votes, tests = crossed.votes(depth)
        strength = 1 - float(np.mean([v.voter_errors().mean() for v in votes]))
        errors = [v.errors_only() for v in votes]
        fitted = fit_methods(errors, _STRENGTH_METHODS, unit.random_state("search"), solvers=solvers)
        for name, found in fitted.items():
            rows.append(_row(unit, crossed, name, found, votes, tests, depth=depth, strength=strength))
            timings.append(_learning(name, found, depth=depth))
    return Outcome(rows, timings)


_PARTS: dict[str, Callable[[Unit, Crossed], Outcome]] = {TABLE2: _table2, PRIOR: _prior, STRENGTH: _strength}


def _row(
    unit: Unit,
    crossed: Crossed,
    name: str,
    found: Fitted,
    votes: Sequence[VoteMatrix],
    tests: Sequence[VoteMatrix],
    **place: float,
) -> Row:
    """One row; ``place`` is its position on the grid."""
    return {
        **unit.identity,
        **crossed.data.sizes,
        "n_voters": sum(v.n_voters for v in votes),
        "n_folds": len(votes),
        **place,
        "method": name,
        **measures(found, METHODS[name].risk, votes, tests),
        "bound_argmax": argmax_bound(found, votes) if unit.experiment != STRENGTH else None,
    }


def _learning(name: str, found: Fitted, **place: float) -> Row:
    return {"stage": "learning", "method": name, **place, "seconds": found.seconds}


def best(units: Sequence[Unit], threads: int) -> list[Outcome]:
    """Our classifier with the PAC-Bayes bound that suits forests."""
    return [_best(unit, threads) for unit in units]


def _best(unit: Unit, threads: int) -> Outcome:
    classifier = MajorityVoteClassifier(
        bound="catoni_per_fold", n_folds=3, n_jobs=threads, random_state=unit.random_state("best")
    )
    return best_row(unit, classifier, split(unit, np.float32))
