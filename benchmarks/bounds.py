"""Every bound of the field on the same votes, beside a fold test, a hold-out and the test error.

Four kinds of voters: the paper's stumps (all training rows judge), forests of 100 trees and seven different classifiers
(both in two folds, the voters of each trained on the other), and forests whose trees are judged by the rows outside
their bags. All bounds at delta = 0.05, in percent:

    STOCMV_DATA=... python -m benchmarks.bounds [--page] [--kept] [--splits N] [--voters KIND] [NAME ...]

The bounds in the first part of a table are on a deterministic vote, those in the second on the stochastic vote. The
weights are found with solver="alternating" for the classical bounds, where the others can end far from the minimum,
and with "quick" for the exact risk. What was measured is kept in build/benchmarks/bounds_*.jsonl, row by row, so that
an interrupted run goes on where it ended, and only new rows are measured; remove these files to measure again. Two
processes may work at once, on different kinds of voters. With --kept nothing is measured, and with --page
docs/benchmarks.md gets the tables and the figure.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier, VoteMatrix, learn
from stocmv.voters import Stumps, out_of_bag_votes
from stocmv.votes import Votes

from .bounds_picture import picture, save
from .paper_bounds import with_table
from .splits import DELTA, Split, keep, shown, split, stored, summary

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PICTURE = PAGE.parent / "images" / "bounds.svg"
NAMES = ("haberman", "tictactoe", "svmguide1", "mushrooms", "phishing")
CLASSICAL = {  # on the weighted vote, with a categorical posterior
    "first order": {"risk": "first_order"},
    "first order, lambda": {"risk": "first_order", "bound": "lambda"},
    "second order": {"risk": "second_order"},
    "second order, Catoni": {"risk": "second_order", "bound": "catoni"},
    "binomial": {"risk": "binomial"},
    "C-bound": {"risk": "c_bound"},
    "CCTND": {"risk": "cctnd"},
    "CCPBB": {"risk": "ccpbb"},
    "CCPBSkl": {"risk": "ccpbskl"},
    "CCPBSkl, Catoni": {"risk": "ccpbskl", "bound": "catoni"},
}
EXACT: dict[str, dict[str, Any]] = {  # on the stochastic vote, with a Dirichlet posterior
    "exact, prior 1": {"prior": 1.0, "merge": False},
    "exact, prior 1, merged": {"prior": 1.0},
    "exact, merged, paid priors": {},
    "exact, merged, paid priors, Catoni": {"bound": "catoni"},
}
BEST = "exact, merged, paid priors, Catoni"
DETERMINISTIC = (*CLASSICAL, f"{BEST}: predict", "fold test, 3 folds", "hold-out", "test error")
MARK = "all bounds"
OUT_OF_BAG = "out-of-bag"


def forest(seed: int) -> Any:
    return RandomForestClassifier(100, random_state=seed)


VOTERS: dict[str, Callable[[int], Any]] = {
    "stumps": lambda seed: "stumps",
    "forests": forest,
    "models": lambda seed: "models",
    OUT_OF_BAG: forest,
}


@dataclass(frozen=True)
class Case:
    """A kind of voters on one split of a data set; the votes are made when they are first needed."""

    kind: str
    name: str
    seed: int

    @cached_property
    def parts(self) -> Split:
        return split(self.name, self.seed)

    @cached_property
    def votes(self) -> Votes | list[Votes]:
        """Votes on the training rows: of stumps, out of bag, or in two folds of voters trained on the other."""
        X, y, _, _ = self.parts
        if self.kind == OUT_OF_BAG:
            return out_of_bag_votes(forest(self.seed).fit(X, y), X, y)
        if self.kind == "stumps":
            classes, codes = np.unique(y, return_inverse=True)
            voters = Stumps(10, ranges="training").fit(np.asarray(X, float), codes, classes, self.seed)
            return VoteMatrix.from_codes(voters.codes(X), codes, classes)
        return self.fit(bound="seeger", n_folds=2, solver="quick", prior=1.0).evidence_

    def fit(self, **settings: Any) -> MajorityVoteClassifier:
        X, y, _, _ = self.parts
        return MajorityVoteClassifier(VOTERS[self.kind](self.seed), random_state=self.seed, **settings).fit(X, y)

    def learn(self, **settings: Any) -> Any:
        return learn(self.votes, delta=DELTA, random_state=self.seed, **settings).certificate


def classical(row: str, case: Case) -> dict[str, float]:
    return {row: case.learn(solver="alternating", **CLASSICAL[row]).bound}


def exact(row: str, case: Case) -> dict[str, float]:
    certificate = case.learn(solver="quick", **EXACT[row])
    return {row: certificate.stochastic_bound, f"{row}: predict": certificate.bound}


def fold_test(case: Case) -> dict[str, float]:
    return {"fold test, 3 folds": case.fit(n_folds=3).certificate_.bound}


def hold_out(case: Case) -> dict[str, float]:
    clf, (_, _, X_test, y_test) = case.fit(), case.parts
    return {"hold-out": clf.certificate_.bound, "test error": 1 - clf.score(X_test, y_test)}


MEASURED: dict[str, Callable[[Case], dict[str, float]]] = {
    **{row: partial(classical, row) for row in CLASSICAL},
    **{row: partial(exact, row) for row in EXACT},
    "fold test, 3 folds": fold_test,
    "hold-out": hold_out,
}


def rows_of(kind: str) -> list[str]:
    """The rows to measure; a vote of drawn trees has no error out of bag, since they have different judges."""
    missing = (*EXACT, "binomial") if kind == OUT_OF_BAG else ()
    return [row for row in MEASURED if row not in missing]


def complete(kind: str, name: str, seed: int, known: dict[str, float]) -> dict[str, float]:
    """The figures of a split: those that are known, and the others, each stored as soon as it is measured."""
    case, figures = Case(kind, name, seed), dict(known)
    for row in rows_of(kind):
        if row not in figures:
            figures |= (found := MEASURED[row](case))
            keep(f"bounds_{kind}", name, seed, found)
    return figures


def table(results: dict[str, dict]) -> str:
    """A row for each bound, a column for each data set; the smallest bound of each part in bold."""
    lines = [f"| bound on the deterministic vote | {' | '.join(results)} |", "|---|" + "---:|" * len(results)]
    measured = set.intersection(*(set(figures) for figures in results.values()))
    for part in (DETERMINISTIC, EXACT):
        compared = [row for row in part if row != "test error" and row in measured]
        if not compared:
            continue
        least = {name: min(compared, key=lambda row, f=f: f[row][0]) for name, f in results.items()}
        if part is EXACT:
            lines.append(f"| **bound on the stochastic vote** |{' |' * len(results)}")
        for row in filter(measured.__contains__, part):
            cells = [shown(figures, [row], spread=[row]) for figures in results.values()]
            marked = (f"**{cell}**" if least[name] == row else cell for name, cell in zip(results, cells, strict=True))
            lines.append(f"| {row} | {' | '.join(marked)} |")
    return "\n".join(lines)


def results_of(kind: str, names: list[str], n_splits: int, *, kept: bool) -> dict[str, dict]:
    """Means and standard deviations of each data set, or of those that are complete."""
    known, results = stored(f"bounds_{kind}"), {}
    for name in names:
        splits = [known.get((name, seed), {}) for seed in range(n_splits)]
        if not kept:
            splits = [complete(kind, name, seed, figures) for seed, figures in enumerate(splits)]
        if all(row in figures for figures in splits for row in rows_of(kind)):
            results[name] = summary(splits)
    return results


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES, help="data sets in the folder STOCMV_DATA")
    parser.add_argument("--splits", type=int, default=5, help="random splits of each data set, at least two")
    parser.add_argument("--voters", action="append", choices=VOTERS, help="one kind only; may be repeated")
    parser.add_argument("--kept", action="store_true", help="measure nothing: show the data sets that are complete")
    parser.add_argument("--page", action="store_true", help="write the tables and the figure to the page")
    given = parser.parse_args(arguments)
    results = {kind: results_of(kind, given.names, given.splits, kept=given.kept) for kind in given.voters or VOTERS}
    results = {kind: sets for kind, sets in results.items() if sets}
    if not results:
        parser.error("no data set is complete: run without --kept")
    text = "\n\n".join(
        f"### {kind.capitalize()}, {given.splits} splits\n\n{table(sets)}" for kind, sets in results.items()
    )
    if given.page:
        PAGE.write_text(with_table(PAGE.read_text(), text, MARK))
        save(picture(results, (DETERMINISTIC, tuple(EXACT))), PICTURE)
    print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
