"""How often intervals for an error, and bounds on the area under the ROC curve, are wrong: ours and what people use.

The error has two-sided intervals at 95 %: ours (``sides=2``), Wilson's and the bootstrap (BCa, the default there, 999
resamples) of the package confidenceinterval, and the percentile bootstrap as it is with any number of resamples. What
they say depends on the number of errors alone, so that the probability of being wrong is a sum over the binomial
distribution, not a simulation. The area has one-sided lower bounds at 95 %: ours, and DeLong's of confidenceinterval
(the lower end of its interval at 90 %), on drawn scores.

pip install confidenceinterval; python -m benchmarks.intervals [DRAWS]
"""

import math
import sys
import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.stats import binom, norm

from stocmv import certify_predictions

SIZES, RATES, DELTA = (30, 100, 1_000), (0.005, 0.02, 0.1), 0.05
_RARE = 1e-5  # numbers of errors that are less likely than this are left out
_POSITIVES = 0.2

Interval = tuple[float, float]


def main(draws: int) -> None:
    print("wrong intervals for the error, % (allowed: 5), and mean width in percentage points\n")
    print("| examples | error | " + " | ".join(METHODS) + " |")
    print("|---:|---:|" + "---:|" * len(METHODS))
    for n in SIZES:
        for rate in RATES:
            cells = (f"{wrong:.1%} ({100 * width:.2f})" for wrong, width in (of(m, n, rate) for m in METHODS.values()))
            print(f"| {n:,} | {rate:.1%} | {' | '.join(cells)} |", flush=True)
    print(
        f"\nwrong lower bounds on the area, % (allowed: 5), and mean bound; {draws:,} draws, {_POSITIVES:.0%} positive"
    )
    print("\n| examples | true area | stocmv | DeLong |\n|---:|---:|---:|---:|")
    for n in SIZES:
        for rate in RATES:
            cells = (f"{wrong:.1%} ({mean:.1%})" for wrong, mean in areas(n, 1 - rate, draws))
            print(f"| {n:,} | {1 - rate:.1%} | {' | '.join(cells)} |", flush=True)


# ---------------------------------------------------------------------------------------------------------- the error


def of(method: Callable[[int, int], Interval], n: int, rate: float) -> tuple[float, float]:
    """The probability that the interval is wrong or that there is none, and its mean width."""
    numbers = np.arange(n + 1)
    weights = binom.pmf(numbers, n, rate)
    likely = weights > _RARE
    ends = np.array([method(k, n) for k in numbers[likely].tolist()])
    weights = weights[likely] / weights[likely].sum()
    holds = (ends[:, 0] <= rate) & (rate <= ends[:, 1])  # false for nan
    return float(weights @ ~holds), float(weights @ np.nan_to_num(ends[:, 1] - ends[:, 0]))


def _answers(errors: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    truth = np.arange(n) % 2
    return truth, np.where(np.arange(n) < errors, 1 - truth, truth)


@cache
def ours(errors: int, n: int) -> Interval:
    interval = certify_predictions(*_answers(errors, n), sides=2, per_class=False, delta=DELTA).interval
    return interval["lower"], interval["upper"]


@cache
def wilson(errors: int, n: int) -> Interval:
    return _theirs(errors, n, method="wilson")


@cache
def bca(errors: int, n: int) -> Interval:
    return _theirs(errors, n, method="bootstrap_bca", n_resamples=999, random_state=np.random.RandomState(0))


def percentile(errors: int, n: int) -> Interval:
    """Resampled errors are binomial: these are their quantiles."""
    low, high = binom.ppf([DELTA / 2, 1 - DELTA / 2], n, errors / n) / n
    return float(low), float(high)


def _theirs(errors: int, n: int, **settings: object) -> Interval:
    from confidenceinterval import accuracy_score

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        low, high = accuracy_score(*_answers(errors, n), confidence_level=1 - DELTA, **settings)[1]
    return 1 - high, 1 - low


METHODS = {"stocmv": ours, "Wilson": wilson, "bootstrap, BCa": bca, "bootstrap, percentile": percentile}


# ------------------------------------------------------------------------------------- the area under the ROC curve


def areas(n: int, area: float, draws: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """How often ours and DeLong's lower bounds are above the area, and their means; a sample of one class has none."""
    from confidenceinterval import roc_auc_score

    rng, shift = np.random.default_rng([n, round(1e4 * area)]), math.sqrt(2) * norm.ppf(area)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(draws):
            truth = np.zeros(n, int)
            truth[: rng.binomial(n, _POSITIVES)] = 1
            if not 0 < truth.sum() < n:
                continue
            scores = norm.cdf(rng.normal(size=n) + shift * truth - shift / 2)
            own = certify_predictions(truth, (scores > 0.5).astype(int), scores=scores, classes=[0, 1], per_class=False)
            theirs = roc_auc_score(truth, scores, confidence_level=1 - 2 * DELTA)[1][0]
            found.append((own.score_figures["auc"]["bound"], theirs))
    bounds = np.array(found)
    wrong, mean = np.mean(~(bounds <= area), 0), np.nanmean(bounds, 0)
    return (float(wrong[0]), float(mean[0])), (float(wrong[1]), float(mean[1]))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
