"""How often each figure of `certify_predictions` is false, at worst over a grid of truths.

Each draw is a table of truths, answers and scores from a known distribution; it is certified as a user would, and
every figure is compared with the truth. Lists (classes, subgroups, bins) count as one: false if any entry is.

python -m benchmarks.coverage [DRAWS]
"""

import sys
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from stocmv import certify_predictions

DELTA = 0.2
COST = np.array([[0.0, 1.0], [5.0, 0.0]])


class Truth(NamedTuple):
    """Two classes and two overlapping attributes; each case has a score, which says little or much about the class.

    Attributes
    ----------
    n : int
        Number of examples.
    rates : tuple of float
        Error on each class.
    share : float
        Share of the second class.
    """

    n: int
    rates: tuple[float, float]
    share: float


GRID = [
    Truth(n, rates, share)
    for n in (30, 300)
    for rates in ((0.005, 0.3), (0.05, 0.05), (0.5, 0.4))
    for share in (0.05, 0.5)
]


def world(truth: Truth) -> tuple[NDArray, dict[str, NDArray]]:
    """All cases: class, answer, score of the second class, attributes; and the probability of each."""
    # the score of the answer is one of eight values, more often a high one where the answer is right
    levels = np.array([0.55, 0.62, 0.68, 0.75, 0.82, 0.88, 0.94, 0.995])
    likely = {True: levels**3 / (levels**3).sum(), False: levels[::-1] ** 6 / (levels[::-1] ** 6).sum()}
    rows, probability = [], []
    for y in (0, 1):
        for wrong in (False, True):
            for level, chance in zip(levels, likely[not wrong], strict=True):
                for a in (0, 1):
                    for b in (0, 1):
                        own = truth.rates[y] if wrong else 1 - truth.rates[y]
                        of_a = (0.8 if wrong else 0.6) if a else (0.2 if wrong else 0.4)
                        answer = 1 - y if wrong else y
                        rows.append((y, answer, level if answer else 1 - level, a, b))
                        probability.append((truth.share if y else 1 - truth.share) * own * chance * of_a * 0.5)
    return np.array(probability), dict(zip(("y", "f", "s", "a", "b"), np.array(rows).T, strict=True))


def _given(part: NDArray, whole: NDArray, p: NDArray) -> float:
    return float(p @ (part & whole) / (p @ whole)) if p @ whole > 0 else 0.0


def true_figures(p: NDArray, x: dict[str, NDArray]) -> dict[str, Any]:
    """What each figure is about, as exact sums."""
    y, f, s = x["y"].astype(int), x["f"].astype(int), x["s"]
    wrong, own = y != f, np.where(y == 1, s, 1 - s)
    bins = np.clip(np.floor(10 * (np.where(f == 1, s, 1 - s) + 1e-9)).astype(int), 0, 9)
    positive, negative = p * (y == 1), p * (y == 0)
    won = (s[:, None] > s) + 0.5 * (s[:, None] == s)
    return {
        "error": float(p @ wrong),
        "recall": [1 - _given(wrong, y == c, p) for c in (0, 1)],
        "precision": [1 - _given(wrong, f == c, p) for c in (0, 1)],
        "f1": [float(2 * p @ ((y == c) & (f == c)) / (p @ (y == c) + p @ (f == c))) for c in (0, 1)],
        "baseline": [float(p @ (y != c)) for c in (0, 1)],
        "cost": float(p @ COST[y, f]),
        "subgroups": {(k, str(v)): _given(wrong, x[k] == v, p) for k in "ab" for v in (0, 1)},
        "brier": float(p @ (1 - own) ** 2),
        "log_loss": float(p @ -np.log(np.maximum(own, 0.01))),
        "auc": float(positive @ won @ negative / (positive.sum() * negative.sum())),
        "calibration": {b: _given(~wrong, bins == b, p) for b in range(10)},
    }


def false_figures(certificate: Any, true: dict[str, Any]) -> dict[str, bool]:
    """Which figures of a certificate are false."""
    c, scores, entries = certificate, certificate.score_figures, certificate.subgroups["entries"]
    of = {(own["attribute"], own["value"]): own for own in entries}
    apart = {k: abs(true["subgroups"][k, "0"] - true["subgroups"][k, "1"]) for k in "ab"}
    shares = np.linspace(0, 1, 11)
    return {
        "error": c.bound < true["error"],
        "error, both sides": not c.interval["lower"] <= true["error"] <= c.interval["upper"],
        "recall of all classes": any(1 - e["bound"] > r for e, r in zip(c.per_class, true["recall"], strict=True)),
        "precision of all classes": any(c.precision > true["precision"]),
        "F1 of all classes": any(c.f1 > true["f1"]),
        "most frequent class": c.baseline["bound"] < true["baseline"][c.baseline["label"]],
        "mean cost": c.cost_bound < true["cost"],
        "one subgroup": "a1" in {k + v for k, v in of} and of["a", "1"]["bound"] < true["subgroups"]["a", "1"],
        "all subgroups": any(not own["lower"] <= true["subgroups"][k] <= own["upper"] for k, own in of.items()),
        "largest gap": any(not g["lower"] <= apart[g["attribute"]] <= g["upper"] for g in c.subgroups["gaps"]),
        "Brier score": scores["brier"]["bound"] < true["brier"],
        "log loss": scores["log_loss"]["bound"] < true["log_loss"],
        "area under the ROC curve": scores["auc"]["bound"] > true["auc"],
        "calibration, all bins": any(
            not b["lower"] <= true["calibration"][round(10 * b["from"])] <= b["upper"] for b in c.calibration
        ),
        "any prevalence": any(
            c.at_prevalence({0: 1 - s, 1: s}) < (1 - s) * (1 - true["recall"][0]) + s * (1 - true["recall"][1]) - 1e-12
            for s in shares.tolist()
        ),
    }


def failures(truth: Truth, draws: int, seed: int = 0, delta: float = DELTA, *, certified: float | None = None) -> Any:
    """How many of so many certificates are false, by figure; ``certified`` is another delta, to see it noticed."""
    p, cases = world(truth)
    true, rng = true_figures(p, cases), np.random.default_rng(seed)
    counts: dict[str, int] = {}
    for _ in range(draws):
        rows = rng.choice(len(p), truth.n, p=p)
        y, f, s, a, b = (cases[k][rows] for k in ("y", "f", "s", "a", "b"))
        certificate = certify_predictions(
            y.astype(int),
            f.astype(int),
            scores=s,
            classes=[0, 1],
            subgroups={"a": a.astype(int), "b": b.astype(int)},
            cost=COST,
            calibration=True,
            sides=2,
            delta=delta if certified is None else certified,
        )
        for name, false in false_figures(certificate, true).items():
            counts[name] = counts.get(name, 0) + bool(false)
    return counts


def chance(draws: int) -> float:
    """What no truth of the grid exceeds, except with probability 0.1 %, if the figures hold as promised."""
    return float(binom.ppf(1 - 0.001 / len(GRID), draws, DELTA) / draws)


def main(draws: int) -> None:
    began = time.perf_counter()
    worst: dict[str, tuple[int, Truth]] = {}
    for k, truth in enumerate(GRID):
        for name, count in failures(truth, draws, seed=k).items():
            worst[name] = max(worst.get(name, (-1, truth)), (count, truth))
    print(f"delta = {DELTA:.0%}; {len(GRID)} truths, {draws:,} draws each; how often the figure is false, at worst.")
    print(f"By chance at most {chance(draws):.1%}, except with probability 0.1 %.\n")
    print("| figure | false | examples | error by class | second class |\n|---|---:|---:|---:|---:|")
    for name, (count, truth) in worst.items():
        rates = " and ".join(f"{100 * r:g}" for r in truth.rates)
        print(f"| {name} | {count / draws:.1%} | {truth.n} | {rates} % | {truth.share:.0%} |")
    print(f"\n({time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
