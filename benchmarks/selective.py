"""Votes that answer only when they are sure: forests of 100 trees, delta = 0.05.

    STOCMV_DATA=... python -m benchmarks.selective           # coverage at a target, three folds, one split
    STOCMV_DATA=... python -m benchmarks.selective mapie     # beside MAPIE's controller (mapie >= 1.6), five splits

The second table compares, for the same rows, targets and confidence, with `BinaryClassificationController` of MAPIE: a
forest on 80 % of the rows whose abstention threshold is calibrated on the others. MAPIE's thresholds are 100 from the
largest score of the calibration rows, at which it still answers, down to one half; they are corrected for as MAPIE does
by default (Holm), or tested in a fixed sequence with one start or ten. Coverage is counted on the test part, 0 where
nothing is certified, and averaged over targets from a tenth to ten times the forest's error. What was measured is kept
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
COMPARED = {  # about the error of a forest, in the middle of the targets
    "tictactoe": 0.05, "svmguide1": 0.03, "mushrooms": 0.002, "phishing": 0.03, "codrna": 0.04, "adult": 0.15,
}  # fmt: skip
FACTORS = np.geomspace(0.1, 10, 13)
PROTOCOLS: dict[str, dict] = {"3 folds": {"n_folds": 3}, "holdout=0.2": {"holdout": 0.2}}
CORRECTIONS = {"MAPIE": None, "MAPIE, sequence": 1, "MAPIE, ten starts": 10}


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


def targets(name: str) -> NDArray:
    """The errors that are asked for; more than one half is no target."""
    return np.minimum(COMPARED[name] * FACTORS, 0.49)


def measure(name: str, seed: int) -> dict[str, float]:
    """Mean coverage over the targets on the test part, and how many targets are exceeded there."""
    X, y, X_test, y_test = split(name, seed)
    figures: dict[str, float] = {}
    for protocol, settings in PROTOCOLS.items():
        clf = MajorityVoteClassifier(delta=DELTA, n_jobs=-1, random_state=seed, **settings).fit(X, y)
        found = [_certified(clf, float(target), X_test, y_test) for target in targets(name)]
        figures[protocol], figures[f"{protocol}, exceeded"] = _summary(found, targets(name))
    X_rest, X_held, y_rest, y_held = train_test_split(X, y, test_size=0.2, random_state=seed)
    forest = RandomForestClassifier(100, n_jobs=-1, random_state=seed).fit(X_rest, y_rest)
    held, new = (forest.predict_proba(rows) for rows in (X_held, X_test))
    codes, new_codes = (np.searchsorted(forest.classes_, labels) for labels in (y_held, y_test))
    for correction, starts in CORRECTIONS.items():
        found = [_mapie(held, codes, new, new_codes, float(target), starts) for target in targets(name)]
        figures[correction], figures[f"{correction}, exceeded"] = _summary(found, targets(name))
    return figures


def _summary(found: list[tuple[float, float]], wanted: NDArray) -> tuple[float, float]:
    coverage, error = np.array(found).T
    return float(coverage.mean()), float(np.mean(error > wanted))


def _certified(clf: MajorityVoteClassifier, target: float, X: NDArray, y: NDArray) -> tuple[float, float]:
    try:
        return _on_test(clf.selective(max_error=target), X, y)
    except NotCertified:
        return 0.0, 0.0


def _mapie(
    held: NDArray, y_held: NDArray, new: NDArray, y_new: NDArray, target: float, starts: int | None
) -> tuple[float, float]:
    """Coverage and error on new rows; the model is given by its scores."""
    from mapie.risk_control import (
        BinaryClassificationController,
        BinaryRisk,
        FWERFixedSequenceTesting,
        abstention_rate,
    )

    def answers(scores: NDArray, threshold: float) -> NDArray:
        return np.where(scores.max(1) >= threshold - 1e-9, scores.argmax(1), np.nan)

    controller = BinaryClassificationController(
        answers,
        BinaryRisk(lambda true, said: said != true, lambda true, said: ~np.isnan(said), higher_is_better=False),
        target,
        confidence_level=1 - DELTA,
        best_predict_param_choice=abstention_rate,
        list_predict_params=np.linspace(held.max(), 0.5, 100)[:, None],
    )
    if starts is not None:  # MAPIE refuses it for parameters in columns, which answers that may be missing need
        controller.fwer_method = FWERFixedSequenceTesting(starts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning that nothing can be controlled
        controller.calibrate(held, y_held)
    if controller.best_predict_param is None:
        return 0.0, 0.0
    said = answers(new, float(np.ravel(controller.best_predict_param)[0]))
    known = ~np.isnan(said)
    return float(known.mean()), float(np.mean(said[known] != y_new[known])) if known.any() else 0.0


def beside_mapie() -> None:
    results = measured("selective", COMPARED, measure)
    columns = (*PROTOCOLS, *CORRECTIONS)
    print("Coverage in percent, averaged over the targets; and the share of targets that the test error exceeds")
    print(f"{'data set':12}" + "".join(f"{c:>19}" for c in columns))
    for name, row in results.items():
        cells = (
            f"{100 * row[c][0]:.1f} ± {100 * row[c][1]:.1f} ({100 * row[f'{c}, exceeded'][0]:.0f})" for c in columns
        )
        print(f"{name:12}" + "".join(f"{cell:>19}" for cell in cells))
    means = (np.mean([row[c][0] for row in results.values()]) for c in columns)
    print(f"{'mean':12}" + "".join(f"{100 * mean:19.1f}" for mean in means))


if __name__ == "__main__":
    beside_mapie() if "mapie" in sys.argv[1:] else coverage_at_targets()
