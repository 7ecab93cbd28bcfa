"""Forests in `MajorityVoteClassifier`: processor time of fit, predict and predict_proba beside plain scikit-learn."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from stocmv import MajorityVoteClassifier

from .targets import Target
from .timing import seconds_each

TREES, FOLDS = 100, 3
TRAINING = (500, 5_000)
NEW = (1_000, 20_000)
MOST_NEW = 100_000  # only two classes and folds, because it takes long
PROTOCOLS = {"hold-out": {}, "folds": {"n_folds": FOLDS}}


def run() -> list[Target]:
    fits = [fitting(k, n, name) for k in (2, 10) for n in TRAINING for name in (*PROTOCOLS, "frozen")]
    asked = [(k, n, name) for k in (2, 10) for n in NEW for name in PROTOCOLS] + [(2, MOST_NEW, "folds")]
    answers = [predicting(*each) for each in asked]
    plain = [it for _, it in answers if it]
    return [
        Target("fit / training and asking the same forests", max(f for f in fits if f), "<=", 1.15),
        Target("predict_proba / predict", max(proba for proba, _ in answers), "<=", 1.3),
        Target("predict of three folds / plain forest of as many trees", max(plain), "<=", 1.05),
    ]


def examples(n_classes: int, n: int) -> tuple[NDArray, NDArray]:
    return make_classification(n, n_informative=12, n_classes=n_classes, flip_y=0.1, random_state=0)


def processor_seconds(*calls: Callable[[], object]) -> list[float]:
    return seconds_each(*calls, budget=0.0, rounds=3, clock=time.process_time)


def fitting(n_classes: int, n: int, name: str) -> float | None:
    """`fit`, beside training the same forests and asking them about the judges; None if nothing is trained."""
    X, y = examples(n_classes, n + 2_000)
    voters = RandomForestClassifier(TREES, random_state=0)
    if name == "frozen":
        voters = FrozenEstimator(voters.fit(X[n:], y[n:]))
    clf = MajorityVoteClassifier(voters, random_state=0, **PROTOCOLS.get(name, {}))
    clf.fit(X[:n], y[:n])
    part = np.random.default_rng(0).permutation(n) % FOLDS  # the hold-out too is a third

    def by_hand() -> None:
        if name == "frozen":
            voters.estimator.predict(X[:n])
            return
        for k, fold in enumerate(clf.voters_):
            trained, judging = (np.flatnonzero(rows) for rows in (part != k, part == k))
            clone(fold.classifiers[0]).fit(X[trained], y[trained]).predict(X[judging])

    ours, theirs = processor_seconds(lambda: clf.fit(X[:n], y[:n]), by_hand)
    print(f"fit      {name:10}{n_classes:>3} classes{n:>9,} rows: {1e3 * ours:>7.0f} ms", end="")
    print(f", by hand {1e3 * theirs:.0f} ms, ratio {ours / theirs:.2f}", flush=True)
    return None if name == "frozen" else ours / theirs


def predicting(n_classes: int, n: int, name: str) -> tuple[float, float | None]:
    """`predict_proba` over `predict`; with folds also `predict` over that of a plain forest of as many trees."""
    X, y = examples(n_classes, n + 3_000)
    old, new = slice(0, 3_000), slice(3_000, None)
    clf = MajorityVoteClassifier(RandomForestClassifier(TREES), random_state=0, **PROTOCOLS[name]).fit(X[old], y[old])
    forest = RandomForestClassifier(TREES * len(clf.voters_), random_state=0).fit(X[:2_000], y[:2_000])
    calls = (lambda: clf.predict(X[new]), lambda: clf.predict_proba(X[new]), lambda: forest.predict(X[new]))
    predict, proba, plain = processor_seconds(*calls)
    print(f"predict  {name:10}{n_classes:>3} classes{n:>9,} rows: {1e3 * predict:>7.0f} ms", end="")
    print(f", predict_proba / it {proba / predict:.2f}, it / plain forest {predict / plain:.2f}", flush=True)
    return proba / predict, predict / plain if name == "folds" else None
