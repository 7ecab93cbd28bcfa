"""How large a hold-out: bound and test error of forests by the share that judges.

python -m benchmarks.shares [NAME ...]    # STOCMV_DATA names the folder of the data sets; about seven minutes

"Steps" is what holdout="auto" takes, "formula" is min(1/3, 5.1 n^(-1/3)): the same for small sets, so the sets are
those with more than 3,600 training rows. Means over five splits, percent.
"""

import sys

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier

from .splits import split

SETS = ("svmguide1", "mushrooms", "phishing", "pendigits", "adult", "codrna", "shuttle")
N_SPLITS = 5


def formula(n: int) -> float:
    return min(1 / 3, 5.1 * n ** (-1 / 3))


def bound_and_error(name: str, seed: int, by_formula: bool) -> tuple[float, float, float]:
    """The share that judged, the bound on `predict` and the error on the test examples."""
    X, y, X_test, y_test = split(name, seed)
    holdout = formula(len(y)) if by_formula else "auto"
    clf = MajorityVoteClassifier(RandomForestClassifier(100), holdout=holdout, random_state=seed).fit(X, y)
    return clf.certificate_.n / len(y), clf.certificate_.bound, 1 - clf.score(X_test, y_test)


def main(names: list[str]) -> None:
    print("| data set | share, steps | bound | test error | share, formula | bound | test error | bound, ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    ratios = []
    for name in names or SETS:
        steps, ours = (
            np.mean([bound_and_error(name, seed, by_formula) for seed in range(N_SPLITS)], axis=0)
            for by_formula in (False, True)
        )
        ratios.append(ours[1] / steps[1])
        figures = [f"{100 * figure:.2f}" for figure in (*steps, *ours)]
        print(f"| {name} | {' | '.join(figures)} | {ratios[-1]:.2f} |", flush=True)
    print(f"\nBound by the formula / by steps, geometric mean: {np.exp(np.mean(np.log(ratios))):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
