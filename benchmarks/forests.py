"""Certificates of forests on the paper's data sets with the default settings, beside what is published.

100 trees per fold, one 80/20 split with seed 0; the test part only shows the test errors:

    STOCMV_DATA=... python -m benchmarks.forests [NAME ...]

"hold-out" is what a user has without us: 100 trees on 80 % of the training rows, Clopper and Pearson's bound on the
rest.
"""

import os
import sys
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier

#                prototype, published (percent)
TARGETS = {
    "haberman": (44.2, None),
    "tictactoe": (17.9, 13.87),
    "svmguide1": (4.51, 5.45),
    "mushrooms": (0.26, None),
    "phishing": (4.75, 4.84),
    "codrna": (5.45, None),
    "adult": (18.9, None),
    "pendigits": (2.09, 4.45),
    "shuttle": (0.12, 0.14),
    "mnist": (4.02, 11.97),
    "fashion-mnist": (13.4, 21.64),
}


def split(name: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    data = np.load(Path(os.environ["STOCMV_DATA"]) / f"{name}.npz", allow_pickle=False)
    X, y = data["X"].astype(np.float32), data["y"]
    order = np.random.default_rng(seed).permutation(len(y))
    cut = int(0.8 * len(y))
    return X[order[:cut]], y[order[:cut]], X[order[cut:]], y[order[cut:]]


def run(name: str) -> dict[str, float]:
    X, y, X_test, y_test = split(name)
    clf = MajorityVoteClassifier(n_jobs=-1, random_state=0).fit(X, y)
    certificate = clf.certificate_
    holdout = certificate.compare_holdout(RandomForestClassifier(100, n_jobs=-1, random_state=0), X, y)
    return {
        "bound": certificate.stochastic_bound,
        "fixed": certificate.bound,
        "test drawn": np.mean(clf.predict_stochastic(X_test, random_state=0) != y_test),
        "test fixed": 1 - clf.score(X_test, y_test),
        "hold-out": holdout.holdout_bound,
        **clf.timings_,
    }


def main() -> None:
    columns = ("bound", "fixed", "test drawn", "test fixed", "hold-out", "prototype", "published")
    print(f"{'data set':15}" + "".join(f"{c:>11}" for c in columns) + f"{'voters s':>10}{'votes s':>9}{'learn s':>9}")
    for name in sys.argv[1:] or TARGETS:
        r = run(name)
        prototype, published = TARGETS[name]
        figures = "".join(f"{100 * r[c]:11.3f}" for c in columns[:5])
        print(
            f"{name:15}{figures}{prototype:11.2f}{published if published is not None else '-':>11}"
            f"{r['voters']:10.1f}{r['votes']:9.1f}{r['learning']:9.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
