"""Certificates of a list of seven different classifiers: learned weights, equal weights, the best single one.

Means over five splits, delta = 0.05, default hold-out, in percent:

    STOCMV_DATA=... python -m benchmarks.lists [NAME ...]

The best single classifier is chosen by cross-validation among the examples that do not judge, trained on all of these,
and judged by the same examples as the votes. The results are kept in build/benchmarks/lists.jsonl; remove that file to
measure again.
"""

import sys
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.bounds import clopper_pearson
from stocmv.protocols._choices import holdout_share
from stocmv.protocols._cut import Cut

from .splits import DELTA, geometric_mean, measured, shown, split

NAMES = ("haberman", "tictactoe", "svmguide1", "mushrooms", "phishing", "pendigits", "adult", "codrna")
COLUMNS = ("learned", "equal", "best single", "test learned", "test equal", "constant")


def classifiers() -> list:
    return [
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        make_pipeline(StandardScaler(), KNeighborsClassifier(9)),
        HistGradientBoostingClassifier(),
        RandomForestClassifier(100),
        ExtraTreesClassifier(100),
        GaussianNB(),
        DecisionTreeClassifier(max_depth=6),
    ]


def measure(name: str, seed: int) -> dict[str, float]:
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y, X_test, y_test = split(name, seed)
    learned, equal = (
        MajorityVoteClassifier(classifiers(), inner_folds=folds, random_state=seed).fit(X, y) for folds in (3, 0)
    )
    part = Cut.holdout(holdout_share(len(y))).parts(len(y), None, np.random.RandomState(seed))
    X_seen, y_seen, X_judge, y_judge = X[part > 0], y[part > 0], X[part == 0], y[part == 0]
    assert len(y_judge) == learned.certificate_.n
    best = max(classifiers(), key=lambda c: cross_val_score(c, X_seen, y_seen, cv=3).mean())
    errors = int(np.sum(clone(best).fit(X_seen, y_seen).predict(X_judge) != y_judge))
    return {
        "learned": learned.certificate_.bound,
        "equal": equal.certificate_.bound,
        "best single": clopper_pearson(errors, len(y_judge), DELTA),
        "test learned": 1 - learned.score(X_test, y_test),
        "test equal": 1 - equal.score(X_test, y_test),
        "constant": learned.certificate_.baseline["bound"],
    }


def main(names: list[str]) -> None:
    results = measured("lists", names or list(NAMES), measure)
    print(f"| data set | {' | '.join(COLUMNS)} |")
    print("|---|" + "---:|" * len(COLUMNS))
    for name, figures in results.items():
        print(f"| {name} | {shown(figures, COLUMNS, spread=COLUMNS[:3])} |")
    ratios = {name: figures["learned"][0] / figures["equal"][0] for name, figures in results.items()}
    largest = max(ratios, key=lambda name: ratios[name])
    better = sum(ratio < 1 for ratio in ratios.values())
    print(
        f"\nlearned / equal: geometric mean {geometric_mean(ratios.values()):.3f}, largest {ratios[largest]:.3f}",
        end="",
    )
    print(f" ({largest}), better on {better} of {len(ratios)}")


if __name__ == "__main__":
    main(sys.argv[1:])
