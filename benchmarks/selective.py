"""Votes that answer only when they are sure: forests of 100 trees, delta = 0.05.

    STOCMV_DATA=... python -m benchmarks.selective           # coverage at a target, three folds, one split
    STOCMV_DATA=... python -m benchmarks.selective mapie     # beside MAPIE's controller (mapie >= 1.2), five splits

The second table compares, for the same rows, target and confidence, with `BinaryClassificationController` of MAPIE: a
forest on 80 % of the rows whose abstention threshold is calibrated on the others, with MAPIE's default correction for
its 100 thresholds. Coverage is counted on the test part; it is 0 where nothing is certified. What was measured is kept
in build/benchmarks/selective.jsonl; remove that file to measure again.
"""

import sys
import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from stocmv import MajorityVoteClassifier
from stocmv.decisions import NotCertified

from .splits import DELTA, measured, split

TARGETS = {"phishing": 0.01, "pendigits": 0.005, "adult": 0.1}
COMPARED = {"tictactoe": 0.1, "svmguide1": 0.03, "mushrooms": 0.005, "phishing": 0.02, "adult": 0.1}


def coverage_at_targets() -> None:
    """Certified figures at a target with three folds, and those on the test part."""
    print(f"{'data set':12}{'target':>8}{'certified':>11}{'measured':>10}{'test':>8}{'test error':>12}")
    for name, target in TARGETS.items():
        X, y, X_test, y_test = split(name, 0)
        clf = MajorityVoteClassifier(n_folds=3, delta=DELTA, n_jobs=-1, random_state=0).fit(X, y)
        sure = clf.selective(max_error=target)
        c, (coverage, error) = sure.certificate_, _on_test(sure, X_test, y_test)
        assert c.verify(clf.evidence_)
        figures = f"{100 * c.coverage:11.1f}{100 * c.empirical_coverage:10.1f}{100 * coverage:8.1f}{100 * error:12.2f}"
        print(f"{name:12}{100 * target:8.2f}{figures}")


def _on_test(sure: object, X: NDArray, y: NDArray) -> tuple[float, float]:
    answers = sure.answers(X)  # type: ignore[attr-defined]
    wrong = sure.predict(X[answers]) != y[answers]  # type: ignore[attr-defined]
    return float(answers.mean()), float(wrong.mean()) if len(wrong) else 0.0


def measure(name: str, seed: int) -> dict[str, float]:
    """Coverage and error on the test part, by protocol."""
    X, y, X_test, y_test = split(name, seed)
    figures = {}
    for protocol, settings in (("3 folds", {"n_folds": 3}), ("holdout=0.2", {"holdout": 0.2})):
        clf = MajorityVoteClassifier(delta=DELTA, n_jobs=-1, random_state=seed, **settings).fit(X, y)
        try:
            found = _on_test(clf.selective(max_error=COMPARED[name]), X_test, y_test)
        except NotCertified:
            found = (0.0, 0.0)
        figures[protocol], figures[f"{protocol}, error"] = found
    figures["MAPIE"], figures["MAPIE, error"] = _mapie(X, y, X_test, y_test, COMPARED[name], seed)
    return figures


def _mapie(X: NDArray, y: NDArray, X_test: NDArray, y_test: NDArray, target: float, seed: int) -> tuple[float, float]:
    from mapie.risk_control import BinaryClassificationController, BinaryRisk, abstention_rate

    classes = np.unique(y)
    X_rest, X_held, y_rest, y_held = train_test_split(X, y, test_size=0.2, random_state=seed)
    forest = RandomForestClassifier(100, n_jobs=-1, random_state=seed).fit(X_rest, y_rest)
    thresholds = np.linspace(0.5, 1, 100)

    def answers(rows: NDArray, threshold: float) -> NDArray:
        shares = forest.predict_proba(rows)
        return np.where(shares.max(1) >= threshold - 1e-9, shares.argmax(1), np.nan)

    controller = BinaryClassificationController(
        answers,
        BinaryRisk(lambda true, said: said != true, lambda true, said: ~np.isnan(said), higher_is_better=False),
        target,
        confidence_level=1 - DELTA,
        best_predict_param_choice=abstention_rate,
        list_predict_params=thresholds[:, None],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning that nothing can be controlled
        controller.calibrate(X_held, np.searchsorted(classes, y_held))
    if controller.best_predict_param is None:
        return 0.0, 0.0
    said = answers(X_test, float(np.ravel(controller.best_predict_param)[0]))
    known = ~np.isnan(said)
    return float(known.mean()), float(np.mean(said[known] != np.searchsorted(classes, y_test)[known]))


def beside_mapie() -> None:
    results = measured("selective", COMPARED, measure)
    columns = ("3 folds", "holdout=0.2", "MAPIE")
    print(f"{'coverage, %':12}{'target':>8}" + "".join(f"{c:>16}" for c in columns) + "   errors among the answers, %")
    for name, row in results.items():
        shown = "".join(f"{100 * row[c][0]:9.1f} ± {100 * row[c][1]:4.1f}" for c in columns)
        errors = ", ".join(f"{100 * row[f'{c}, error'][0]:.2f}" for c in columns)
        print(f"{name:12}{100 * COMPARED[name]:8.2f}{shown}   {errors}")


if __name__ == "__main__":
    beside_mapie() if "mapie" in sys.argv[1:] else coverage_at_targets()
