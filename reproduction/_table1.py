"""Table 1: stumps with an uninformative prior, on two classes."""

import time
from collections.abc import Sequence
from typing import Any

from stocmv.classifier import MajorityVoteClassifier
from stocmv.votes import VoteMatrix

from ._best import best_row
from ._distinct import DistinctVotes
from ._measures import measures
from ._methods import DELTA, METHODS, fit_methods, searches
from ._settings import Settings
from ._splits import BINARY, TWICE, known_sets, split
from ._units import Outcome, Task, Unit
from ._voters import stump_votes

NAME = "table1"
SETS = (*BINARY, TWICE)
QUICK_SETS = ("haberman", "tictactoe")
TRIALS = 10
_METHODS = ("naive_bayes", "first_order", "second_order", "binomial", "binomial_51", "exact", "exact_recipe", "mc")


def tasks(settings: Settings) -> list[Task]:
    """The paper's methods, and our classifier, on each data set and trial."""
    found = []
    for dataset in settings.sets(SETS, QUICK_SETS, two_classes=True):
        for trial in settings.trials_of(TRIALS):
            for variant, work in (("paper", compare), ("best", best)):
                if settings.quick and variant == "best" and trial > 0:
                    continue
                unit = settings.unit(NAME, dataset, trial, _settings(variant, settings.quick), variant)
                found.append(Task(work, (unit,), unit.name, _cost(dataset, variant)))
    return found


def _settings(variant: str, quick: bool) -> dict[str, Any]:
    if variant == "best":
        return {"voters": "stumps, MajorityVoteClassifier with the cheaper PAC-Bayes bound", "delta": DELTA}
    return {
        "voters": "stumps, ranges of the training part",
        "methods": list(_METHODS),
        "n_thresholds": 10,
        "delta": DELTA,
        "prior": 1.0,
        "mc_steps": 50 if quick else 300,
    }


def _cost(dataset: str, variant: str) -> float:
    known = known_sets()[dataset]
    size = (known.n * known.n_features / 1e6) ** 0.6
    return 3 + 18 * size if variant == "paper" else 2 + 16 * size


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
    rows = []
    for name, found in fitted.items():
        rows.append(
            {
                **unit.identity,
                **data.sizes,
                "n_voters": votes.n_voters,
                "n_folds": 1,
                "method": name,
                **measures(found, METHODS[name].risk, judged, [test]),
                "test_always_0": float((data.y_test != 0).mean()),
                "test_always_1": float((data.y_test != 1).mean()),
            }
        )
        timings.append({"stage": "learning", "method": name, "seconds": found.seconds})
    return Outcome(rows, timings)


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
