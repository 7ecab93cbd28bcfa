"""The protocols side by side: what they cost, what they certify, and how much the bound depends on the split.

Forests of 100 trees, delta 0.05, five 80/20 splits of each set; the test part only shows the error of `predict`:

    STOCMV_DATA=... python -m benchmarks.protocols [NAME ...]

It prints a table in Markdown: CPU seconds to fit and to predict 1,000 examples (medians), the bound on `predict` with
its standard deviation over the splits, the stochastic bound and the test error (means, percent).
"""

import sys
import time
from typing import Any

import numpy as np

from benchmarks.splits import split
from stocmv import MajorityVoteClassifier

PROTOCOLS: dict[str, dict[str, Any]] = {
    "hold-out": {},
    "3 folds, fold test": {"n_folds": 3},
    "3 folds, PAC-Bayes": {"n_folds": 3, "bound": "catoni_per_fold"},
}
NAMES = ("tictactoe", "svmguide1", "phishing", "pendigits")
SPLITS = 5


def run(name: str, seed: int, settings: dict[str, Any]) -> tuple[float, ...]:
    """CPU seconds to fit and for 1,000 predictions, bound, stochastic bound and test error of one split."""
    X, y, X_test, y_test = split(name, seed)
    began = time.process_time()
    clf = MajorityVoteClassifier(stochastic=True, random_state=seed, **settings).fit(X, y)
    fitted = time.process_time()
    answers = clf.predict(X_test)
    asked = time.process_time()
    certificate = clf.certificate_
    return (
        fitted - began,
        (asked - fitted) / len(y_test) * 1000,
        100 * certificate.bound,
        100 * certificate.stochastic_bound,
        100 * float(np.mean(answers != y_test)),
    )


def main() -> None:
    print("| data set | protocol | fit, s | predict, s | bound on `predict`, % | stochastic, % | test error, % |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name in sys.argv[1:] or NAMES:
        run(name, 0, {"n_folds": 2})  # compiles what is compiled on the first call
        for protocol, settings in PROTOCOLS.items():
            found = np.array([run(name, seed, settings) for seed in range(SPLITS)])
            (fit, predict), (bound, stochastic, test) = np.median(found[:, :2], 0), found[:, 2:].mean(0)
            print(
                f"| {name} | {protocol} | {fit:.2f} | {predict:.3f} | {bound:.2f} ± {found[:, 2].std(ddof=1):.2f} | "
                f"{stochastic:.2f} | {test:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
