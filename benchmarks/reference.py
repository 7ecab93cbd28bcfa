"""Certificates of every kind, to check that a change of the code changes none of their figures.

python -m benchmarks.reference write FILE      # at the commit before
python -m benchmarks.reference compare FILE    # after: every figure the same to 12 digits, or an error
"""

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier, VoteMatrix, learn

DIGITS = 12
_FIGURES = ("bound", "stochastic_bound", "empirical_risk", "per_class", "baseline", "fold_shares")
_DROPPED = ("created", "timings", "versions", "digest", "seconds")  # what may differ from run to run


def _votes(n: int, n_voters: int, n_classes: int, seed: int) -> VoteMatrix:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    wrong = (y[:, None] + rng.integers(1, n_classes, (n, n_voters))) % n_classes
    return VoteMatrix.from_labels(
        np.where(rng.random((n, n_voters)) < np.linspace(0.5, 0.8, n_voters), y[:, None], wrong), y
    )


def _learned() -> Iterator[tuple[str, Any]]:
    two, ten = _votes(500, 20, 2, 0), _votes(400, 15, 10, 1)
    folds = [_votes(300, 20, 2, seed) for seed in (2, 3, 4)]
    for risk in ("exact", "half", "mc", "first_order", "second_order", "binomial", "c_bound"):
        yield f"learn {risk}", learn(two, prior=1.0, risk=risk, random_state=0)
    for risk in ("exact", "half"):
        yield f"learn {risk}, ten classes", learn(ten, prior=1.0, risk=risk, per_class=True, random_state=0)
    for bound in ("seeger", "seeger_2sqrt", "catoni", "mcallester"):
        yield f"learn {bound}", learn(two, prior=1.0, bound=bound, random_state=0)
        yield f"learn {bound}, folds", learn(folds, prior=1.0, bound=bound, random_state=0)
    for solver in ("lbfgs", "adam", "quick"):
        yield f"learn by {solver}", learn(two, prior=1.0, solver=solver, random_state=0)


def _fitted() -> Iterator[tuple[str, Any]]:
    cancer, digits = load_breast_cancer(return_X_y=True), load_digits(return_X_y=True)
    forest = RandomForestClassifier(20)
    several = [LogisticRegression(max_iter=5000), GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)]
    X, y = cancer
    frozen = [FrozenEstimator(clf.fit(X[:200], y[:200])) for clf in several]
    for name, voters, data in (
        ("forest", forest, cancer),
        ("forest, digits", forest, digits),
        ("stumps", "stumps", cancer),
        ("list", several, cancer),
        ("frozen", frozen, (X[200:], y[200:])),
        (
            "frozen forest",
            FrozenEstimator(RandomForestClassifier(9, random_state=0).fit(X[:200], y[:200])),
            (X[200:], y[200:]),
        ),
    ):
        groups = np.arange(len(data[1])) // 3
        for words, settings, given in (
            ("hold-out", {}, None),
            ("folds", {"n_folds": 3, "per_class": True}, None),
            ("paid", {"n_folds": 2, "bound": "seeger"}, None),
            ("groups", {"n_folds": 3}, groups),
        ):
            clf = MajorityVoteClassifier(voters, random_state=0, stochastic=True, **settings)
            yield f"{name}, {words}", clf.fit(*data, groups=given)


def _on_cluster() -> Iterator[tuple[str, Any]]:
    import dask.array as da
    from dask.distributed import Client

    X, y = load_breast_cancer(return_X_y=True)
    with Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None):
        for words, settings in (
            ("hold-out", {}),
            ("folds", {"n_folds": 3}),
            ("paid", {"n_folds": 2, "bound": "seeger"}),
        ):
            clf = MajorityVoteClassifier("stumps", random_state=0, stochastic=True, **settings)
            yield f"cluster, {words}", clf.fit(da.from_array(X, chunks=(200, -1)), da.from_array(y, chunks=200))


def _figures(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _figures(entry) for key, entry in value.items() if not any(word in key for word in _DROPPED)}
    if isinstance(value, list | tuple):
        return [_figures(entry) for entry in value]
    return value


def certificates() -> Iterator[tuple[str, dict]]:
    warnings.simplefilter("ignore")
    for cases in (_learned(), _fitted(), _on_cluster()):
        for name, result in cases:
            certificate = getattr(result, "certificate_", None) or result.certificate
            yield name, {key: _figures(getattr(certificate, key)) for key in _FIGURES}


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """All differences: numbers beyond the given digits, anything else exactly."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() & after.keys():  # figures that came or went are not compared
            yield from differences(before[key], after[key], f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for position, pair in enumerate(zip(before, after, strict=True)):
            yield from differences(*pair, f"{path}[{position}]")
    elif isinstance(before, float) and isinstance(after, int | float):
        if abs(before - after) > 10.0**-DIGITS * max(abs(before), abs(after)):
            yield f"{path}: {before!r} before, {after!r} after"
    elif before != after:
        yield f"{path}: {before!r} before, {after!r} after"


def main(action: str, path: str) -> None:
    found = json.loads(json.dumps(dict(certificates()), default=float))
    if action == "write":
        Path(path).write_text(json.dumps(found, indent=1))
        print(f"{len(found)} certificates written to {path}")
        return
    changed = list(differences(json.loads(Path(path).read_text()), found))
    print("\n".join(changed) or f"{len(found)} certificates, every figure the same to {DIGITS} digits")
    sys.exit(bool(changed))


if __name__ == "__main__":
    main(*sys.argv[1:])
