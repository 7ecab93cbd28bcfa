"""One model with a certificate, beside the same model alone: training it, and asking it about one row and a million.

Ratios of processor time, as other work on the machine would be in any other: set OMP_NUM_THREADS=1.
"""

import time
import warnings
from functools import partial

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from stocmv import MajorityVoteClassifier

from .targets import Target
from .timing import seconds_each

MODELS: dict[str, tuple[ClassifierMixin, str]] = {
    "logistic regression": (LogisticRegression(max_iter=1000), "soft"),
    "gradient boosting": (HistGradientBoostingClassifier(random_state=0), "soft"),
    "random forest": (RandomForestClassifier(100, random_state=0), "soft"),
    "random forest, hard": (RandomForestClassifier(100, random_state=0), "hard"),
}
N, MANY, HELD = 20_000, 1_000_000, 0.2


def run() -> list[Target]:
    X, y = make_classification(N, 20, n_informative=8, random_state=0)
    rows = {"one row": X[:1], "1,000 rows": X[:1000], "a million": np.tile(X, (MANY // N, 1))}
    print(f"{'stocmv / the model alone':22}{'fit':>8}" + "".join(f"{name:>14}" for name in rows) + "   one row, ms")
    worst = dict.fromkeys(("fit", *rows), 0.0)
    for name, (model, voting) in MODELS.items():
        ratios, alone_ms = measure(model, voting, X, y, rows)
        print(f"{name:22}{ratios['fit']:8.2f}" + "".join(f"{ratios[r]:14.2f}" for r in rows) + f"{alone_ms:14.2f}")
        worst = {what: max(ratio, ratios[what]) for what, ratio in worst.items()}
    return [
        Target("one model: fit, times training and asking it", worst["fit"], "<=", 1.1),
        *(Target(f"one model: predict, {what}, times the model's own", worst[what], "<=", 1.2) for what in rows),
    ]


def measure(
    model: ClassifierMixin, voting: str, X: np.ndarray, y: np.ndarray, rows: dict[str, np.ndarray]
) -> tuple[dict, float]:
    """Ratios of times, and what one row takes the model alone."""
    vote = MajorityVoteClassifier(clone(model), voting=voting, holdout=HELD, random_state=0)
    X_fit, X_held, y_fit, _ = train_test_split(X, y, test_size=HELD, random_state=0)

    def train_and_ask() -> None:
        clone(model).fit(X_fit, y_fit).predict_proba(X_held)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = seconds_each(lambda: clone(vote).fit(X, y), train_and_ask, rounds=3, clock=time.process_time)
        vote.fit(X, y)
    own = clone(model).fit(X_fit, y_fit)
    found, alone = {"fit": ours / theirs}, 0.0
    for name, some in rows.items():
        rounds = 1 if len(some) == MANY else 15
        certified, plain = seconds_each(
            partial(vote.predict, some),
            partial(own.predict, some),
            rounds=rounds,
            budget=2,
            clock=time.process_time,
        )
        found[name] = certified / plain
        alone = alone or 1e3 * plain
    return found, alone
