"""Every bound of the field on the same votes, beside a fold test, a hold-out and the test error.

Three kinds of voters: the paper's stumps (all training rows judge), forests of 100 trees and seven different
classifiers (both in two folds, the voters of each trained on the other). All bounds at delta = 0.05, in percent:

    STOCMV_DATA=... python -m benchmarks.bounds [--page] [--kept] [--splits N] [NAME ...]

The bounds in the first part of a table are on a deterministic vote, those in the second on the stochastic vote. The
weights are found with solver="alternating" for the classical bounds, where the others can end far from the minimum,
and with "quick" for the exact risk. What was measured is kept in build/benchmarks/bounds_*.jsonl, split by split, so
that an interrupted run goes on where it ended; remove these files to measure again. With --kept nothing is measured,
and with --page docs/benchmarks.md gets the tables.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier, VoteMatrix, learn
from stocmv.voters import Stumps
from stocmv.votes import Votes

from .paper_bounds import with_table
from .splits import DELTA, measured, shown, split, stored

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
NAMES = ("haberman", "tictactoe", "svmguide1", "mushrooms", "phishing")
CLASSICAL = {  # on the weighted vote, with a categorical posterior
    "first order": {"risk": "first_order"},
    "first order, lambda": {"risk": "first_order", "bound": "lambda"},
    "second order": {"risk": "second_order"},
    "binomial": {"risk": "binomial"},
    "C-bound": {"risk": "c_bound"},
    "CCTND": {"risk": "cctnd"},
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


def forest(seed: int) -> Any:
    return RandomForestClassifier(100, random_state=seed)


VOTERS: dict[str, Callable[[int], Any]] = {
    "stumps": lambda seed: "stumps",
    "forests": forest,
    "models": lambda seed: "models",
}


def judged_votes(kind: str, X: Any, y: Any, seed: int) -> Votes | list[Votes]:
    """Votes on the training rows: of stumps, or in two folds of voters trained on the other."""
    if kind != "stumps":
        settings = {"bound": "seeger", "n_folds": 2, "solver": "quick", "prior": 1.0, "random_state": seed}
        return MajorityVoteClassifier(VOTERS[kind](seed), **settings).fit(X, y).evidence_
    classes, codes = np.unique(y, return_inverse=True)
    voters = Stumps(10, ranges="training").fit(np.asarray(X, float), codes, classes, seed)
    return VoteMatrix.from_codes(voters.codes(X), codes, classes)


def classical(votes: Votes | list[Votes], seed: int) -> dict[str, float]:
    common: dict[str, Any] = {"delta": DELTA, "solver": "alternating", "random_state": seed}
    return {row: learn(votes, **settings, **common).certificate.bound for row, settings in CLASSICAL.items()}


def measure(kind: str, name: str, seed: int) -> dict[str, float]:
    X, y, X_test, y_test = split(name, seed)
    votes = judged_votes(kind, X, y, seed)
    common: dict[str, Any] = {"delta": DELTA, "random_state": seed}
    figures = classical(votes, seed)
    for row, settings in EXACT.items():
        certificate = learn(votes, solver="quick", **settings, **common).certificate
        figures[row], figures[f"{row}: predict"] = certificate.stochastic_bound, certificate.bound
    held = MajorityVoteClassifier(VOTERS[kind](seed), random_state=seed).fit(X, y)
    folds = MajorityVoteClassifier(VOTERS[kind](seed), n_folds=3, random_state=seed).fit(X, y)
    figures["fold test, 3 folds"], figures["hold-out"] = folds.certificate_.bound, held.certificate_.bound
    figures["test error"] = 1 - held.score(X_test, y_test)
    return figures


def table(results: dict[str, dict]) -> str:
    """A row for each bound, a column for each data set; the smallest bound of each part in bold."""
    lines = [f"| bound on the deterministic vote | {' | '.join(results)} |", "|---|" + "---:|" * len(results)]
    for part in (DETERMINISTIC, EXACT):
        compared = [row for row in part if row != "test error"]
        least = {name: min(compared, key=lambda row, f=f: f[row][0]) for name, f in results.items()}
        if part is EXACT:
            lines.append(f"| **bound on the stochastic vote** |{' |' * len(results)}")
        for row in part:
            cells = [shown(figures, [row], spread=[row]) for figures in results.values()]
            marked = (f"**{cell}**" if least[name] == row else cell for name, cell in zip(results, cells, strict=True))
            lines.append(f"| {row} | {' | '.join(marked)} |")
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES, help="data sets in the folder STOCMV_DATA")
    parser.add_argument("--splits", type=int, default=3, help="random splits of each data set, at least two")
    parser.add_argument("--voters", action="append", choices=VOTERS, help="one kind only; may be repeated")
    parser.add_argument("--kept", action="store_true", help="measure nothing: show the data sets that are complete")
    parser.add_argument("--page", action="store_true", help="write the tables to docs/benchmarks.md")
    given = parser.parse_args(arguments)
    parts = []
    for kind in given.voters or VOTERS:
        known = stored(f"bounds_{kind}") if given.kept else {}
        names = [n for n in given.names if not given.kept or all((n, seed) in known for seed in range(given.splits))]
        if not names:
            continue
        results = measured(f"bounds_{kind}", names, lambda *of, kind=kind: measure(kind, *of), given.splits)
        parts.append(f"### {kind.capitalize()}, {given.splits} splits\n\n{table(results)}")
    text = "\n\n".join(parts)
    if given.page:
        PAGE.write_text(with_table(PAGE.read_text(), text, MARK))
    print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
