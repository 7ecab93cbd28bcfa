"""Certificates of forests of 100 trees on the paper's data sets, by protocol, beside a plain hold-out.

Means over five splits (two of the largest sets), delta = 0.05, in percent:

    STOCMV_DATA=... python -m benchmarks.forests [NAME ...]

"plain" is the alternative without stocmv: 100 trees on 80 % of the training rows, Clopper-Pearson bound on the rest.
The results are kept in build/benchmarks/forests.jsonl; remove that file to measure again.
"""

import sys
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score

from stocmv import MajorityVoteClassifier

from .splits import geometric_mean, measured, plain_holdout, shown, split

PUBLISHED = {  # the tightest figures in print for trees, on the stochastic vote
    "haberman": None,
    "tictactoe": 13.87,
    "svmguide1": 5.45,
    "mushrooms": None,
    "phishing": 4.84,
    "codrna": None,
    "adult": None,
    "pendigits": 4.45,
    "shuttle": 0.14,
    "mnist": 11.97,
    "fashion-mnist": 21.64,
}
COLUMNS = ("hold-out", "3 folds", "stochastic", "test error", "plain", "constant")


def forest(seed: int) -> RandomForestClassifier:
    return RandomForestClassifier(100, n_jobs=-1, random_state=seed)


def measure(name: str, seed: int) -> dict[str, float]:
    X, y, X_test, y_test = split(name, seed)
    began = time.perf_counter()
    held = MajorityVoteClassifier(stochastic=True, n_jobs=-1, random_state=seed).fit(X, y)
    seconds = time.perf_counter() - began
    folds = MajorityVoteClassifier(n_folds=3, stochastic=True, n_jobs=-1, random_state=seed).fit(X, y)
    plain = plain_holdout(forest(seed), X, y, seed)
    ensemble = held.voters_[0].ensemble
    return {
        "hold-out": held.certificate_.bound,
        "3 folds": folds.certificate_.bound,
        "stochastic": held.certificate_.stochastic_bound,
        "stochastic, 3 folds": folds.certificate_.stochastic_bound,
        "test error": 1 - held.score(X_test, y_test),
        "test error, 3 folds": 1 - folds.score(X_test, y_test),
        "plain": plain["bound"],
        "constant": held.certificate_.baseline["bound"],
        "cost": seconds / plain["seconds"],
        "log loss": ratio_of(log_loss, held, ensemble, X_test, y_test),
        "auc": 1 / ratio_of(area, held, ensemble, X_test, y_test),
    }


def ratio_of(score, ours, theirs, X, y) -> float:
    """A score of our probabilities over that of the plain forest with the same trees."""
    return score(y, ours.predict_proba(X)) / score(y, theirs.predict_proba(X))


def area(y, probabilities) -> float:
    if probabilities.shape[1] == 2:
        return roc_auc_score(y, probabilities[:, 1])
    labels = np.unique(y)
    known = probabilities[:, : len(labels)] if probabilities.shape[1] != len(labels) else probabilities
    return roc_auc_score(y, known / known.sum(1, keepdims=True), multi_class="ovr")


def main(names: list[str]) -> None:
    results = measured("forests", names or list(PUBLISHED), measure)
    print(f"| data set | {' | '.join(COLUMNS)} | published |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1))
    for name, figures in results.items():
        published = "-" if PUBLISHED[name] is None else PUBLISHED[name]
        print(f"| {name} | {shown(figures, COLUMNS, spread=(*COLUMNS[:2], 'plain'))} | {published} |")
    ratios = {name: figures["hold-out"][0] / figures["plain"][0] for name, figures in results.items()}
    largest = max(ratios, key=lambda name: ratios[name])
    print(
        f"\nhold-out / plain: geometric mean {geometric_mean(ratios.values()):.3f}, largest {ratios[largest]:.3f}",
        end="",
    )
    print(f" ({largest})")
    for what in ("cost", "log loss", "auc"):
        means = {name: figures[what][0] for name, figures in results.items()}
        most = max(means, key=lambda name: means[name])
        mean = geometric_mean(means.values())
        print(f"{what} / plain forest: geometric mean {mean:.3f}, largest {means[most]:.3f} ({most})")


if __name__ == "__main__":
    main(sys.argv[1:])
