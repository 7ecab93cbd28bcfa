"""Bounds on the stochastic vote with nothing held out, on the paper's data sets.

Ten stumps per feature and side, ranges from the training rows as in the paper, Seeger's bound, delta = 0.05; means over
five splits, in percent:

    STOCMV_DATA=... python -m benchmarks.paper_bounds [--readme] [NAME ...]
    STOCMV_DATA=... python -m benchmarks.paper_bounds forests [NAME ...]

"prior 1" is the paper's prior with the package's solver, "merged" the same prior with voters that answer alike merged,
"sparse" the default: merged, and the best of a grid of priors, which is paid for. "predict" is the bound on the
deterministic vote of that posterior, and "catoni" is "sparse" with Catoni's bound instead of Seeger's. "informed"
learns the prior on a random half and judges on the other half: a hold-out by another name.

The second command does the same for forests of 100 trees on the sets with several classes: two folds, the trees of each
trained on the other. What was measured is kept in build/benchmarks/paper_bounds*.jsonl; remove these files to measure
again. With --readme the README gets its table of them.
"""

import re
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier, VoteMatrix, learn
from stocmv.posteriors import Dirichlet
from stocmv.voters import Stumps

from .splits import geometric_mean, measured, shown, split
from .stumps import PUBLISHED

COLUMNS = ("prior 1", "merged", "sparse", "catoni", "predict", "test error", "informed", "hold-out", "3 folds")
FORESTS = {"pendigits": 4.45, "shuttle": 0.16, "mnist": 11.97, "fashion-mnist": 21.64}  # tightest in print
OF_FORESTS = ("prior 1", "merged", "sparse", "prior 50", "predict", "hold-out")
README = Path(__file__).parents[1] / "README.md"
README_COLUMNS = {
    "prior 1": "prior 1, as in the paper",
    "sparse": "merged, paid priors",
    "predict": "`predict` of the same vote",
    "hold-out": "hold-out",
    "3 folds": "3 folds",
}
_INFORMED = 10.0  # times the concentrations that the other half teaches


def measure(name: str, seed: int) -> dict[str, float]:
    X, y, X_test, y_test = split(name, seed)
    classes, codes = np.unique(y, return_inverse=True)
    voters = Stumps(10, ranges="training").fit(np.asarray(X, float), codes, classes, seed)
    votes = VoteMatrix.from_codes(voters.codes(X), codes, classes)
    apart, merged = (learn(votes, prior=1.0, merge=merge, random_state=seed) for merge in (False, True))
    began = time.perf_counter()
    sparse = learn(votes, random_state=seed)
    seconds = time.perf_counter() - began
    catoni = learn(votes, bound="catoni", random_state=seed)
    held = MajorityVoteClassifier("stumps", random_state=seed).fit(X, y)
    folds = MajorityVoteClassifier("stumps", n_folds=3, random_state=seed).fit(X, y)
    return {
        "prior 1": apart.certificate.stochastic_bound,
        "merged": merged.certificate.stochastic_bound,
        "sparse": sparse.certificate.stochastic_bound,
        "catoni": catoni.certificate.stochastic_bound,
        "predict": sparse.certificate.bound,
        "test error": float(np.mean(sparse.predict(classes[voters.codes(X_test)]) != y_test)),
        "informed": informed(votes, seed),
        "hold-out": held.certificate_.bound,
        "3 folds": folds.certificate_.bound,
        "seconds": seconds,
        "blocs": float(votes.blocs().max() + 1),
        "voters": float(votes.n_voters),
    }


def informed(votes: VoteMatrix, seed: int) -> float:
    """The bound of one half, with a prior that the other half taught."""
    halves = np.array_split(np.random.default_rng(seed).permutation(votes.n_rows), 2)
    teachers, judges = (votes.take(np.sort(rows)) for rows in halves)
    taught = learn(teachers, merge=False, random_state=seed).posterior
    prior = Dirichlet(np.clip(_INFORMED * taught.alpha, 1e-6, 1e6))  # type: ignore[union-attr]
    return learn(judges, prior=prior, merge=False, solver="lbfgs", random_state=seed).certificate.stochastic_bound


def measure_forest(name: str, seed: int) -> dict[str, float]:
    X, y, _, _ = split(name, seed)
    forest = RandomForestClassifier(100)
    trees = MajorityVoteClassifier(forest, bound="seeger", n_folds=2, random_state=seed).fit(X, y)
    held = MajorityVoteClassifier(forest, random_state=seed).fit(X, y)
    apart, merged = (learn(trees.evidence_, prior=1.0, merge=merge, random_state=seed) for merge in (False, True))
    sparse = learn(trees.evidence_, random_state=seed)
    return {
        "prior 1": apart.certificate.stochastic_bound,
        "merged": merged.certificate.stochastic_bound,
        "sparse": sparse.certificate.stochastic_bound,
        "prior 50": trees.certificate_.stochastic_bound,
        "predict": trees.certificate_.bound,
        "hold-out": held.certificate_.bound,
        "blocs": float(np.mean([v.blocs().max() + 1 for v in trees.evidence_])),
        "voters": 100.0,
    }


def readme_table(results: dict[str, dict]) -> str:
    """The bounds in percent, and how ours compare with those in print."""
    lines = [f"| data set | tightest in print | {' | '.join(README_COLUMNS.values())} |"]
    lines.append("|---|" + "---:|" * (len(README_COLUMNS) + 1))
    for name, figures in results.items():
        lines.append(f"| {name} | {PUBLISHED[name]} | {shown(figures, README_COLUMNS)} |")
    ratios = [100 * figures["sparse"][0] / PUBLISHED[name] for name, figures in results.items()]
    compared = f"geometric mean {geometric_mean(ratios):.2f}, at most {max(ratios):.2f}"
    return "\n".join([*lines, "", f"Merged with paid priors / tightest in print: {compared}."])


def with_table(page: str, table: str, mark: str = "paper bounds") -> str:
    """The page with this table between the markers."""
    begin, end = (f"<!-- {mark}: {edge} -->" for edge in ("begin", "end"))
    found, count = re.subn(f"(?s){begin}.*{end}", lambda _: f"{begin}\n{table}\n{end}", page)
    if count != 1:
        raise ValueError(f"The page must have {begin} and {end}, once.")
    return found


def main(names: list[str]) -> None:
    if names[:1] == ["forests"]:
        print_forests(names[1:] or list(FORESTS))
        return
    chosen = [name for name in names if name != "--readme"]
    results = measured("paper_bounds", chosen or list(PUBLISHED), measure)
    if "--readme" in names:
        README.write_text(with_table(README.read_text(), readme_table(results)))
    print_table(results, COLUMNS, PUBLISHED)
    ratios = [100 * figures["sparse"][0] / PUBLISHED[name] for name, figures in results.items()]
    print(f"sparse / in print: geometric mean {geometric_mean(ratios):.2f}, at most {max(ratios):.2f}")
    for name, figures in results.items():
        print(f"{name}: learn {figures['seconds'][0]:.1f} s")


def print_forests(names: list[str]) -> None:
    print_table(measured("paper_bounds_forests", names, measure_forest), OF_FORESTS, FORESTS)


def print_table(results: dict[str, dict], columns: tuple[str, ...], published: dict[str, float]) -> None:
    print(f"| data set | in print | {' | '.join(columns)} | voters | blocs |")
    print("|---|" + "---:|" * (len(columns) + 3))
    for name, figures in results.items():
        counts = f"{figures['voters'][0]:,.0f} | {figures['blocs'][0]:,.0f}"
        print(f"| {name} | {published[name]} | {shown(figures, columns, spread=('sparse',))} | {counts} |")


if __name__ == "__main__":
    main(sys.argv[1:])
