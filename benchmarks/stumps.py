"""Certificates of stump votes on the paper's binary data sets, by protocol, beside the published ones.

Ten thresholds per feature, both sides, weights learned; means over five splits, delta = 0.05, in percent:

    STOCMV_DATA=... python -m benchmarks.stumps [NAME ...]

What was measured is kept in build/benchmarks/stumps.jsonl; remove that file to measure again.
"""

import sys
import time

from stocmv import MajorityVoteClassifier

from .splits import measured, shown, split

PUBLISHED = {  # the tightest figures in print for stumps, on the stochastic vote
    "haberman": 42.17,
    "tictactoe": 42.54,
    "svmguide1": 9.26,
    "mushrooms": 4.68,
    "phishing": 13.18,
    "codrna": 15.17,
    "adult": 24.82,
}
COLUMNS = ("hold-out", "3 folds", "stochastic", "test error", "constant")


def measure(name: str, seed: int) -> dict[str, float]:
    X, y, X_test, y_test = split(name, seed)
    began = time.perf_counter()
    held = MajorityVoteClassifier("stumps", stochastic=True, random_state=seed).fit(X, y)
    seconds = time.perf_counter() - began
    folds = MajorityVoteClassifier("stumps", n_folds=3, random_state=seed).fit(X, y)
    return {
        "hold-out": held.certificate_.bound,
        "3 folds": folds.certificate_.bound,
        "stochastic": held.certificate_.stochastic_bound,
        "test error": 1 - held.score(X_test, y_test),
        "constant": held.certificate_.baseline["bound"],
        "seconds": seconds,
    }


def main(names: list[str]) -> None:
    results = measured("stumps", names or list(PUBLISHED), measure)
    print(f"| data set | {' | '.join(COLUMNS)} | published |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1))
    for name, figures in results.items():
        print(f"| {name} | {shown(figures, COLUMNS, spread=COLUMNS[:2])} | {PUBLISHED[name]} |")
    for name, figures in results.items():
        print(f"{name}: fit {figures['seconds'][0]:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
