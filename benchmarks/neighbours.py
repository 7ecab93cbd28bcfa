"""What other packages have today, so that the pages can say it: looked up, and computed where it is a figure.

    pip install 'mapie>=1.6' 'confidenceinterval>=1.0.5'
    python -m benchmarks.neighbours

The first table looks for the names behind each claim about MAPIE. The second has the smallest probability, over true
error rates from 0.1 % to 50 %, that the upper end of an interval for the error is at least the true rate, summed over
the binomial distribution. 97.5 % is meant: each side of a two-sided 95 % interval may fail half of the time that both
may. The third is for a sample without a single error.
"""

from importlib import import_module
from importlib.metadata import version

import numpy as np
from scipy.stats import binom

from stocmv import certify_predictions
from stocmv.bounds import clopper_pearson

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
RATES = np.linspace(0.001, 0.5, 500)


def mapie_has() -> None:
    print(f"MAPIE {version('mapie')}")
    for claim, (module, names) in MAPIE.items():
        there = import_module(f"mapie.{module}")
        missing = [name for name in names.split() if not hasattr(there, name)]
        print(f"  {claim}: {'not found: ' + ', '.join(missing) if missing else names.replace(' ', ', ')}")


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
    upper_ends_hold()
    without_errors()
