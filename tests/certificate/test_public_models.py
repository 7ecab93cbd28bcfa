"""Predictions of ten models on public sets: every figure against scipy and scikit-learn."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, confusion_matrix, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stocmv import certify_predictions

DELTA, CLIP = 0.05, 0.01
SETS = {"cancer": load_breast_cancer, "digits": load_digits, "iris": load_iris, "wine": load_wine}
MODELS = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "forest": RandomForestClassifier(10, random_state=0),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "neighbours": KNeighborsClassifier(3),
}
CASES = [
    *((name, "cancer") for name in MODELS),
    *(("bayes", name) for name in ("digits", "iris", "wine")),
    ("tree", "digits"),
    ("neighbours", "iris"),
]


def upper(errors, n, delta):
    """The error at which so few errors have probability delta, by the binomial distribution itself."""
    if errors == n:
        return 1.0
    return brentq(lambda p: binom.cdf(errors, n, p) - delta, errors / n, 1.0, xtol=1e-14)


@pytest.mark.parametrize(("model", "data"), CASES)
def test_every_figure(model, data):
    X, y = SETS[data](return_X_y=True)
    X, X_new, y, truth = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    fitted = MODELS[model].fit(X, y)
    said, scores, k = fitted.predict(X_new), fitted.predict_proba(X_new), len(fitted.classes_)
    parts = X_new.sum(1) > np.median(X.sum(1))
    cost = np.arange(k * k, dtype=float).reshape(k, k) % 3
    np.fill_diagonal(cost, 0)
    cost[cost == 2] = 1  # two costs, so that the bound is Clopper and Pearson's
    ours = certify_predictions(
        truth, said, scores=scores, subgroups={"large": parts}, cost=cost, calibration=True, sides=2
    )
    wrong, n = said != truth, len(truth)
    assert ours.bound == pytest.approx(upper(wrong.sum(), n, DELTA), rel=1e-9)
    ends = 1 - upper(n - wrong.sum(), n, DELTA / 2), upper(wrong.sum(), n, DELTA / 2)
    assert (ours.interval["lower"], ours.interval["upper"]) == pytest.approx(ends, rel=1e-8, abs=1e-12)
    assert ours.cost_bound == pytest.approx(upper(int(cost[truth, said].sum()), n, DELTA), rel=1e-9)
    counts = confusion_matrix(truth, said)
    right, own, given = counts.diagonal(), counts.sum(1), counts.sum(0)
    for c in range(k):
        both, either = right[c], own[c] + given[c] - right[c]
        assert ours.per_class[c]["bound"] == pytest.approx(upper(own[c] - both, own[c], DELTA / k), rel=1e-9)
        precise = 1 - upper(given[c] - both, given[c], DELTA / k) if given[c] else 0.0
        assert ours.precision[c] == pytest.approx(precise, rel=1e-8, abs=1e-12)
        jaccard = 1 - upper(either - both, either, DELTA / k)
        assert ours.f1[c] == pytest.approx(2 * jaccard / (1 + jaccard), rel=1e-8, abs=1e-12)
    equal = dict.fromkeys(range(k), 1 / k)
    assert ours.at_prevalence(equal) == pytest.approx(np.mean([e["bound"] for e in ours.per_class]), rel=1e-9)
    for entry, members in zip(ours.subgroups["entries"], (~parts, parts), strict=True):
        assert entry["bound"] == pytest.approx(upper(wrong[members].sum(), members.sum(), DELTA), rel=1e-9)
        assert entry["upper"] == pytest.approx(upper(wrong[members].sum(), members.sum(), DELTA / 4), rel=1e-9)
    figures = ours.score_figures
    assert figures["brier"]["measured"] == pytest.approx(
        brier_score_loss(truth, scores[:, 1]) if k == 2 else ((scores - np.eye(k)[truth]) ** 2).sum(1).mean() / 2
    )
    clipped = np.maximum(scores[np.arange(n), truth], CLIP)
    assert figures["log_loss"]["measured"] == pytest.approx(-np.log(clipped).mean())
    if k == 2:
        assert figures["auc"]["measured"] == pytest.approx(roc_auc_score(truth, scores[:, 1]), rel=1e-9)
    level = np.take_along_axis(scores, said[:, None], 1)[:, 0]
    for each in ours.calibration:
        inside = (level >= each["from"] - 1e-9) & ((level < each["to"] - 1e-9) | (each["to"] == 1))
        assert each["n"] == inside.sum()
        share = DELTA / 20
        ends = 1 - upper(wrong[inside].sum(), each["n"], share), upper((~wrong)[inside].sum(), each["n"], share)
        assert (each["lower"], each["upper"]) == pytest.approx(ends, rel=1e-8, abs=1e-12)
    assert ours.verify(), ours.verify().differences
