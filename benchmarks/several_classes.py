"""Ten classes: one exact arg-max risk with its gradient, beside numpy summing the weights of each class and no more."""

import numpy as np

from stocmv import VoteMatrix
from stocmv.risks import Exact

from .made_votes import a_posterior, forest_labels
from .targets import Target
from .timing import seconds_each

N, M, K = 56_000, 200, 10
_CACHED_ROWS = 2048


def run() -> list[Target]:
    labels, y = forest_labels(N, M, K)
    votes = VoteMatrix.from_labels(labels, y, classes=np.arange(K))
    posterior = a_posterior(M)
    alpha = posterior.alpha.astype(np.float32)
    ours, whole, blocked = seconds_each(
        lambda: Exact().moments(posterior, votes),
        lambda: class_sums(labels, alpha),
        lambda: [class_sums(labels[i : i + _CACHED_ROWS], alpha) for i in range(0, N, _CACHED_ROWS)],
        budget=8.0,
        rounds=9,
    )
    print(f"n = {N:,}, M = {M}, K = {K}; a voter errs on {np.mean(labels != y[:, None]):.0%} of the examples")
    print(f"{'':58}{'ms':>8}{'stocmv / it':>14}")
    print(f"{'stocmv: exact risk and gradient':58}{1e3 * ours:>8.1f}")
    print(f"{'numpy: class sums alone, K comparisons and products':58}{1e3 * whole:>8.1f}{ours / whole:>14.2f}")
    print(f"{f'the same by hand in blocks of {_CACHED_ROWS:,} rows':58}{1e3 * blocked:>8.1f}{ours / blocked:>14.2f}")
    return [Target("ten classes, n = 56,000: time / numpy's class sums alone", ours / whole, "<=", 0.2)]


def class_sums(labels: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Total weight of the voters for each class, for each row."""
    return np.stack([(labels == k).astype(np.float32) @ alpha for k in range(K)], axis=1)
