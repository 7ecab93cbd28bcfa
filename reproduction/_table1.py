"""Table 1: stumps with an uninformative prior, on two classes."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from stocmv.classifier import MajorityVoteClassifier
from stocmv.risks import Exact
from stocmv.votes import VoteMatrix

from ._best import best_row
from ._distinct import DistinctVotes
from ._measures import measures
from ._methods import DELTA, METHODS, Fitted, fit, fit_methods, searches
from ._settings import Settings
from ._splits import BINARY, TWICE, Split, known_sets, split
from ._units import Outcome, Row, Task, Unit
from ._voters import stump_votes

NAME = "table1"
SETS = (*BINARY, TWICE)
QUICK_SETS = ("haberman", "tictactoe")
TRIALS = 10
OUR_TRIALS = 3
"""Trials of our own rows, the first of the table's: each takes minutes on the largest sets."""
_MERGED: dict[str, float | str] = {"merged": 1.0, "merged_paid": "auto"}  # the prior of each method
_METHODS = ("naive_bayes", "first_order", "second_order", "binomial", "binomial_51", "exact", "exact_recipe", "mc")


def tasks(settings: Settings) -> list[Task]:
    """The paper's methods, the exact one with merged voters, and our classifier, on each data set and trial."""
    found = []
    for dataset in settings.sets(SETS, QUICK_SETS, two_classes=True):
        for trial in settings.trials_of(TRIALS):
            for variant, work in (("paper", compare), ("merged", merge), ("best", best)):
                if trial >= _most_trials(variant, dataset, settings.quick):
                    continue
                unit = settings.unit(NAME, dataset, trial, _settings(variant, settings.quick), variant)
                found.append(Task(work, (unit,), unit.name, _cost(dataset, variant)))
    return found


def _most_trials(variant: str, dataset: str, quick: bool) -> int:
    if variant == "paper":
        return TRIALS
    if dataset == TWICE:
        return 0
    return 1 if quick else OUR_TRIALS


def _settings(variant: str, quick: bool) -> dict[str, Any]:
    if variant == "best":
        return {"voters": "stumps, MajorityVoteClassifier with Catoni's bound", "delta": DELTA}
    shared = {"voters": "stumps, ranges of the training part", "n_thresholds": 10, "delta": DELTA}
    if variant == "merged":
        return {**shared, "methods": list(_MERGED)}
    return {**shared, "methods": list(_METHODS), "prior": 1.0, "mc_steps": 50 if quick else 300}


def _cost(dataset: str, variant: str) -> float:
    known = known_sets()[dataset]
    size = (known.n * known.n_features / 1e6) ** 0.6
    return {"paper": 3 + 18 * size, "merged": 10 + 60 * size, "best": 2 + 16 * size}[variant]


def compare(units: Sequence[Unit], threads: int) -> list[Outcome]:
    """All of the paper's methods on the same stumps."""
    return [_compare(unit) for unit in units]


def _compare(unit: Unit) -> Outcome:
    began = time.perf_counter()
    data = split(unit, float)
    votes, test = stump_votes(data, unit.settings["n_thresholds"])
    judged: list[VoteMatrix] = [DistinctVotes.of(votes)]
    timings = [{"stage": "votes", "seconds": time.perf_counter() - began}]
    fitted = fit_methods(
        judged,
        unit.settings["methods"],
        unit.random_state("search"),
        prior=unit.settings["prior"],
        solvers=searches(unit.settings["mc_steps"], quick=unit.settings["quick"]),
    )
    always = {f"test_always_{code}": float((data.y_test != code).mean()) for code in (0, 1)}
    rows = [{**_row(unit, data, name, found, judged[0], test), **always} for name, found in fitted.items()]
    return Outcome(rows, timings + _learning_times(fitted))


def _row(unit: Unit, data: Split, name: str, found: Fitted, votes: VoteMatrix, test: VoteMatrix) -> Row:
    return {
        **unit.identity,
        **data.sizes,
        "n_voters": votes.n_voters,
        "n_folds": 1,
        "method": name,
        **measures(found, METHODS[name].risk, [votes], [test]),
    }


def _learning_times(fitted: Mapping[str, Fitted]) -> list[Row]:
    return [{"stage": "learning", "method": name, "seconds": found.seconds} for name, found in fitted.items()]


def merge(units: Sequence[Unit], threads: int) -> list[Outcome]:
    """The exact method on the same stumps, those that answer alike merged: with the prior 1, and with a paid grid."""
    return [_merge(unit) for unit in units]


def _merge(unit: Unit) -> Outcome:
    data = split(unit, float)
    votes, test = stump_votes(data, unit.settings["n_thresholds"])
    solver, seed = searches(0, quick=unit.settings["quick"])["exact"], unit.random_state("search")
    fitted = {
        name: fit([votes], Exact(), seed, prior=_MERGED[name], merge=True, solver=solver)
        for name in unit.settings["methods"]
    }
    n_blocs = int(votes.blocs().max()) + 1
    rows = [
        {
            **_row(unit, data, name, found, votes, test),
            "prior": _MERGED[name],
            "n_blocs": n_blocs,
            "bound_fixed": found.certificate.bound,
        }
        for name, found in fitted.items()
        if found.certificate is not None
    ]
    return Outcome(rows, _learning_times(fitted))


def best(units: Sequence[Unit], threads: int) -> list[Outcome]:
    """Our classifier with the tightest PAC-Bayes bound."""
    return [_best(unit, threads) for unit in units]


def _best(unit: Unit, threads: int) -> Outcome:
    solver = "lbfgs" if unit.settings["quick"] else "auto"
    seed = unit.random_state("best")
    data = split(unit, float)
    classifier = MajorityVoteClassifier(
        "stumps", bound="catoni", n_folds=3, solver=solver, n_jobs=threads, random_state=seed
    )
    return best_row(unit, classifier, data)
