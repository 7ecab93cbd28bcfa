"""What other packages have today, so that the pages can say it: looked up, and computed where it is a figure.

    pip install 'mapie>=1.6' 'confidenceinterval>=1.0.5'
    python -m benchmarks.neighbours

The first table looks for the names behind each claim about MAPIE. The second compares thresholds that meet a target.
The third has the smallest probability, over true error rates from 0.1 % to 50 %, that the upper end of an interval for
the error is at least the true rate, summed over the binomial distribution. 97.5 % is meant: each side of a two-sided
95 % interval may fail half of the time that both may. The last is for a sample without a single error.
"""

import warnings
from importlib import import_module
from importlib.metadata import version

import numpy as np
from scipy.stats import binom
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from stocmv import certify_predictions
from stocmv.bounds import clopper_pearson
from stocmv.decisions import NotCertified, certify_threshold

MAPIE = {
    "prediction sets": ("classification", "SplitConformalClassifier CrossConformalClassifier"),
    "coverage in overlapping subgroups": ("conditional_conformal_prediction", "ConditionalSplitConformalClassifier"),
    "thresholds with a controlled risk": ("risk_control", "BinaryClassificationController"),
    "abstaining, several classes": ("risk_control", "MultiClassificationLTTController"),
    "monitoring a risk": ("exchangeability_testing", "RiskMonitoring"),
    "tests of exchangeability": (
        "exchangeability_testing",
        "FixedDatasetExchangeabilityTest OnlineExchangeabilityTest",
    ),
}
SIZES = (50, 190, 1000)
JUDGES, DRAWS, DELTA, NEVER = 5_000, 20, 0.05, 2.0
WAYS = ("stocmv", "MAPIE", "MAPIE, sequence")
THRESHOLDS = {"recall": (0.6, "fpr"), "fpr": (0.02, "recall"), "precision": (0.6, "recall")}
RATES = np.linspace(0.001, 0.5, 500)


def mapie_has() -> None:
    print(f"MAPIE {version('mapie')}")
    for claim, (module, names) in MAPIE.items():
        there = import_module(f"mapie.{module}")
        missing = [name for name in names.split() if not hasattr(there, name)]
        print(f"  {claim}: {'not found: ' + ', '.join(missing) if missing else names.replace(' ', ', ')}")


def credit(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The customers of the gallery's page "Your own threshold"."""
    return make_classification(n, n_features=12, n_informative=6, weights=[0.95], flip_y=0.04, random_state=0)


def same_targets() -> None:
    """Thresholds for the same forest, judges, target and confidence; figures are those of the other customers."""
    X, y = credit(30_000)
    forest = RandomForestClassifier(60, min_samples_leaf=3, random_state=0).fit(X[:10_000], y[:10_000])
    scores, y = forest.predict_proba(X[10_000:]), y[10_000:]
    print(f"Thresholds from {JUDGES:,} judges, {DRAWS} draws: what is gained in percent (draws that miss the target)")
    print(f"  {'target':28}{'gained':>24}" + "".join(f"{way:>22}" for way in WAYS))
    for target, (level, wanted) in THRESHOLDS.items():
        cells = []
        for way in WAYS:
            found = [at_threshold(scores, y, target, level, way, seed) for seed in range(DRAWS)]
            gained = [100 * figures[wanted] for figures in found]
            missed = sum(figures[target] < level if target != "fpr" else figures[target] > level for figures in found)
            cells.append(f"{np.mean(gained):.1f} ± {np.std(gained, ddof=1):.1f} ({missed})")
        print(f"  {target + f' of {level:g}':28}{wanted:>24}" + "".join(f"{cell:>22}" for cell in cells))


def at_threshold(scores: np.ndarray, y: np.ndarray, target: str, level: float, way: str, seed: int) -> dict[str, float]:
    """Recall, false-positive rate and precision on the rows that do not judge; never answering where nothing is met."""
    order = np.random.default_rng(seed).permutation(len(y))
    judges, others = order[:JUDGES], order[JUDGES:]
    find = by_stocmv if way == "stocmv" else by_mapie
    said = scores[others, 1] >= find(scores[judges], y[judges], target, level, way)
    hits, alarms = said[y[others] == 1], said[y[others] == 0]
    return {
        "recall": hits.mean(),
        "fpr": alarms.mean(),
        "precision": hits.sum() / said.sum() if said.any() else 1.0,
    }


def by_stocmv(scores: np.ndarray, y: np.ndarray, target: str, level: float, way: str) -> float:
    certificate = certify_predictions(y, scores.argmax(1), scores=scores, delta=DELTA)
    name = {"fpr": "max_false_positive_rate"}.get(target, f"min_{target}")
    try:
        return certify_threshold(certificate.evidence_, certificate, 1, **{name: level}).threshold
    except NotCertified:
        return NEVER


def by_mapie(scores: np.ndarray, y: np.ndarray, target: str, level: float, way: str) -> float:
    from mapie.risk_control import BinaryClassificationController

    thresholds = np.linspace(0, 0.99, 100)  # its default; without those that nothing reaches: they have no precision
    thresholds = thresholds[thresholds <= scores[:, 1].max()]
    controller = BinaryClassificationController(
        lambda shares: shares,
        target,
        level,
        confidence_level=1 - DELTA,
        list_predict_params=thresholds if target == "recall" else thresholds[::-1],  # the easiest first
        fwer_method="fixed_sequence" if way == "MAPIE, sequence" else "bonferroni_holm",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning that nothing can be controlled
        controller.calibrate(scores, y)
    return NEVER if controller.best_predict_param is None else float(controller.best_predict_param)


def upper_ends(n: int, method: str) -> np.ndarray:
    """The upper end of the interval of the error rate, for 0 to n errors."""
    from confidenceinterval import accuracy_score

    truth = np.zeros(n, int)
    return np.array([1 - accuracy_score(truth, np.arange(n) < k, method=method)[1][0] for k in range(n + 1)])


def upper_ends_hold() -> None:
    print(f"confidenceinterval {version('confidenceinterval')}: how often the upper end holds at least, in percent")
    print("  examples  wilson (default)  beta  stocmv, delta = 0.025")
    for n in SIZES:
        ours = np.array([clopper_pearson(k, n, 0.025) for k in range(n + 1)])
        chances = binom.pmf(np.arange(n + 1), n, RATES[:, None])
        ends = (upper_ends(n, "wilson"), upper_ends(n, "beta"), ours)
        least = [100 * (chances * (end >= RATES[:, None])).sum(axis=1).min() for end in ends]
        print(f"  {n:8,}  {least[0]:16.2f}  {least[1]:.2f}  {least[2]:.2f}")


def without_errors() -> None:
    from confidenceinterval import f1_score

    truth = [0, 1] * 25
    with np.errstate(all="ignore"):
        _, (lower, _) = f1_score(truth, truth, average="binary")
    ours = certify_predictions(truth, truth, delta=0.025).f1[1]
    print(f"F1 on 50 examples without an error: at least {lower:.3f} (confidenceinterval), {ours:.3f} (stocmv)")


if __name__ == "__main__":
    mapie_has()
    same_targets()
    upper_ends_hold()
    without_errors()
