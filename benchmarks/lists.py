"""Seven different classifiers: learned weights beside stacking, the soft vote with equal weights and the best of them.

At most 3,000 training rows, five splits, delta = 0.05, default hold-out:

    STOCMV_DATA=... python -m benchmarks.lists [NAME ...]

All are trained on the examples that do not judge: the classifiers of ``voters="models"`` with learned weights, as
estimators of scikit-learn's ``StackingClassifier`` (logistic regression) and ``VotingClassifier(voting="soft")``, and
the one with the smallest cross-validated error. Their bounds come from the same judging examples, their errors from the
rows that were left out. The results are kept in build/benchmarks/lists.jsonl; remove that file to measure again.
"""

import sys
import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_score

from stocmv import MajorityVoteClassifier
from stocmv.bounds import clopper_pearson
from stocmv.protocols._choices import holdout_share
from stocmv.protocols._cut import Cut
from stocmv.voters._models import NAMES as MODELS, classifiers_for

from .splits import DELTA, geometric_mean, measured, shown, split

NAMES = ("haberman", "tictactoe", "svmguide1", "mushrooms", "phishing", "pendigits", "adult", "codrna")
ROWS, TESTED = 3_000, 20_000
METHODS = ("learned", "stacking", "equal", "best single")
BOUNDS = tuple(f"bound, {method}" for method in METHODS)
ERRORS = tuple(f"error, {method}" for method in METHODS)
LEAST = 1e-3  # added to every error before they are divided: mushrooms has none


def measure(name: str, seed: int) -> dict[str, float]:
    warnings.simplefilter("ignore")
    X, y, X_test, y_test = split(name, seed)
    X, y, X_test, y_test = X[:ROWS], y[:ROWS], X_test[:TESTED], y_test[:TESTED]
    part = Cut.holdout(holdout_share(len(y))).parts(len(y), None, np.random.RandomState(seed))
    X_seen, y_seen, X_judge, y_judge = X[part > 0], y[part > 0], X[part == 0], y[part == 0]
    learned = MajorityVoteClassifier("models", random_state=seed, delta=DELTA).fit(X, y)
    assert learned.certificate_.n == len(y_judge)
    others = {method: model.fit(X_seen, y_seen) for method, model in alternatives(X_seen, y_seen, seed).items()}
    figures: dict[str, float] = {}
    for method, model in {"learned": learned, **others}.items():
        errors = int(np.sum(model.predict(X_judge) != y_judge))
        shares = model.predict_proba(X_test)
        figures[f"bound, {method}"] = clopper_pearson(errors, len(y_judge), DELTA)
        figures[f"error, {method}"] = float(np.mean(model.predict(X_test) != y_test))
        figures[f"log loss, {method}"] = float(log_loss(y_test, shares, labels=model.classes_))
        figures[f"area, {method}"] = area(y_test, shares)
    assert figures["bound, learned"] == learned.certificate_.bound
    return figures


def alternatives(X: NDArray, y: NDArray, seed: int) -> dict[str, ClassifierMixin]:
    """What people would use instead, with the same seed in every classifier that has one."""
    models = [seeded(model, seed) for model in classifiers_for([], *X.shape)]
    named = list(zip(MODELS, models, strict=True))
    return {
        "stacking": StackingClassifier(named, LogisticRegression(max_iter=2000), cv=3),
        "equal": VotingClassifier(named, voting="soft"),
        "best single": max(models, key=lambda model: cross_val_score(clone(model), X, y, cv=3).mean()),
    }


def seeded(model: ClassifierMixin, seed: int) -> ClassifierMixin:
    return model.set_params(**{key: seed for key in model.get_params() if key.split("__")[-1] == "random_state"})


def area(y: NDArray, shares: NDArray) -> float:
    """Area under the ROC curve; the mean over the classes, each against the others, if there are more than two."""
    return float(roc_auc_score(y, shares[:, 1] if shares.shape[1] == 2 else shares, multi_class="ovr"))


def main(names: list[str]) -> None:
    results = measured("lists", names or list(NAMES), measure)
    for what, columns in (("bound", BOUNDS), ("error", ERRORS)):
        print(f"{what}, percent\n")
        print(f"| data set | {' | '.join(METHODS)} |\n|---|" + "---:|" * len(METHODS))
        for name, figures in results.items():
            print(f"| {name} | {shown(figures, columns, spread=columns)} |")
        print()
    for other in METHODS[1:]:
        errors = {name: _ratio(figures, "error", other) for name, figures in results.items()}
        bounds = [figures["bound, learned"][0] / figures[f"bound, {other}"][0] for figures in results.values()]
        largest = max(errors, key=lambda name: errors[name])
        print(f"learned / {other}: error {geometric_mean(errors.values()):.3f} (geometric mean),", end=" ")
        print(f"largest {errors[largest]:.3f} ({largest}); bound {geometric_mean(bounds):.3f}")
    for what in ("log loss", "area"):
        means = (np.mean([figures[f"{what}, {method}"][0] for figures in results.values()]) for method in METHODS)
        print(
            f"{what}, mean: " + ", ".join(f"{method} {mean:.4f}" for method, mean in zip(METHODS, means, strict=True))
        )


def _ratio(figures: dict, what: str, other: str) -> float:
    return (figures[f"{what}, learned"][0] + LEAST) / (figures[f"{what}, {other}"][0] + LEAST)


if __name__ == "__main__":
    main(sys.argv[1:])
