"""Certificates of stump votes on the paper's binary data sets, beside the prototype's and the published ones.

Ten thresholds per feature and side, prior 1, Seeger's bound with 2 sqrt(n), one 80/20 split:

    STOCMV_DATA=... python -m benchmarks.stumps [NAME ...]

Thresholds are spread over the training part's range, as in the paper: a shortcut that a certificate would have to
state.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

from stocmv import VoteMatrix, learn
from stocmv.risks._mc import argmax_error

#                 prototype, published (percent)
TARGETS = {
    "haberman": (42.8, 42.17),
    "tictactoe": (42.8, 42.54),
    "svmguide1": (8.8, 9.26),
    "mushrooms": (3.8, 4.68),
    "phishing": (13.5, 13.18),
    "codrna": (14.9, 15.17),
    "adult": (21.9, 24.82),
}


def split(name: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    data = np.load(Path(os.environ["STOCMV_DATA"]) / f"{name}.npz", allow_pickle=False)
    X, y = data["X"].astype(float), data["y"].astype(int)
    order = np.random.default_rng(seed).permutation(len(y))
    cut = int(0.8 * len(y))
    return X[order[:cut]], y[order[:cut]], X[order[cut:]], y[order[cut:]]


def stump_votes(X: np.ndarray, lowest: np.ndarray, highest: np.ndarray, n_thresholds: int = 10) -> np.ndarray:
    """Labels 0 and 1 of all stumps: both sides of thresholds spread evenly inside the range of each feature."""
    fractions = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
    above = X[:, :, None] > lowest[:, None] + (highest - lowest)[:, None] * fractions
    above = above.reshape(len(X), -1)
    return np.hstack([above, ~above]).astype(np.uint8)


def run(name: str) -> dict:
    X, y, X_test, y_test = split(name)
    lowest, highest = X.min(0), X.max(0)
    votes = VoteMatrix.from_labels(stump_votes(X, lowest, highest), y, classes=[0, 1])
    began = time.perf_counter()
    learned = learn(votes, prior=1.0, bound="seeger_2sqrt", random_state=0)
    seconds = time.perf_counter() - began
    test = VoteMatrix.from_labels(stump_votes(X_test, lowest, highest), y_test, classes=[0, 1])
    return {
        "n": len(y),
        "M": votes.n_voters,
        "bound": 100 * learned.certificate.stochastic_bound,
        "test": 100 * argmax_error(learned.posterior.mean, test),
        "kl": learned.certificate.kl,
        "seconds": seconds,
        "steps": len(learned.history),
    }


def main() -> None:
    print(
        f"{'data set':12}{'n':>7}{'M':>6}{'bound %':>9}{'prototype':>11}{'published':>11}{'test %':>8}{'KL':>8}{'s':>7}"
        f"{'steps':>7}"
    )
    for name in sys.argv[1:] or TARGETS:
        r = run(name)
        prototype, published = TARGETS[name]
        print(
            f"{name:12}{r['n']:7}{r['M']:6}{r['bound']:9.2f}{prototype:11.1f}{published:11.2f}{r['test']:8.2f}"
            f"{r['kl']:8.1f}{r['seconds']:7.1f}{r['steps']:7}",
            flush=True,
        )


if __name__ == "__main__":
    main()
