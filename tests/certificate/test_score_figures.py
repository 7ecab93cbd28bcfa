"""Brier score, log loss, the area under the ROC curve, and the error from both sides."""

import numpy as np
import pytest
from scipy.stats import beta, norm
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from certificate.forging import changed, content_of, holds, sealed
from stocmv import certify_predictions
from stocmv.bounds import bentkus
from validity.trials import most_violations

SHIFT, SHARE = 1.2, 0.3  # between the two classes, and of the second class


def drawn(n, rng):
    y = (rng.random(n) < SHARE).astype(int)
    return y, 1 / (1 + np.exp(-rng.normal(0, 1, n) - SHIFT * y))


def certified(y, scores, **settings):
    return certify_predictions(y, (scores > 0.5).astype(int), scores=scores, sides=2, **settings)


def test_against_scikit_learn_and_scipy():
    y, scores = drawn(300, np.random.default_rng(0))
    scores = np.round(scores, 2)  # with ties
    certificate = certified(y, scores)
    figures, clipped = certificate.score_figures, np.clip(scores, 0.01, 0.99)
    assert figures["brier"]["measured"] == pytest.approx(brier_score_loss(y, scores), rel=1e-10)
    assert figures["log_loss"]["measured"] == pytest.approx(log_loss(y, clipped), rel=1e-10)
    assert figures["auc"]["measured"] == pytest.approx(roc_auc_score(y, scores), rel=1e-10)
    assert figures["brier"]["bound"] == pytest.approx(bentkus(brier_score_loss(y, scores), 300, 0.05), rel=1e-9)
    of_pairs = bentkus(1 - roc_auc_score(y, scores), int(y.sum()), 0.05)
    assert figures["auc"]["bound"] == pytest.approx(1 - of_pairs, rel=1e-9)
    errors = int(np.sum((scores > 0.5) != y))
    ends = beta.ppf(0.025, errors, 301 - errors), beta.ppf(0.975, errors + 1, 300 - errors)
    assert (certificate.interval["lower"], certificate.interval["upper"]) == pytest.approx(ends, rel=1e-9)
    assert certificate.verify()


def test_the_example_of_the_page():
    assert 1 - bentkus(1 - 0.81, 220, 0.05) == pytest.approx(0.7512, abs=1e-4)


def test_several_classes_and_groups_have_no_area():
    rng = np.random.default_rng(0)
    scores, y = rng.dirichlet(np.ones(3), 90), rng.integers(0, 3, 90)
    three = certify_predictions(y, scores.argmax(1), scores=scores)
    expected = ((scores - np.eye(3)[y]) ** 2).sum(1).mean() / 2
    assert three.score_figures["brier"]["measured"] == pytest.approx(expected, rel=1e-10)
    y, scores = drawn(90, rng)
    grouped = certified(y, scores, groups=np.arange(90) // 3)
    assert "auc" not in three.score_figures
    assert "auc" not in grouped.score_figures
    assert "The area under the ROC curve is only for two classes." in three.notes()
    assert any(
        note.startswith("The area under the ROC curve is not certified for groups: ") for note in grouped.notes()
    )
    assert three.verify()
    assert grouped.verify()


@pytest.mark.parametrize("y", [np.zeros(9, int), np.ones(9, int)])
def test_one_class_alone_has_no_area_above_zero(y):
    certificate = certify_predictions(y, y, scores=np.full(9, 0.5), classes=[0, 1])
    assert certificate.score_figures["auc"]["bound"] == 0
    assert certificate.verify()


@pytest.mark.slow
def test_bounds_fail_no_more_often_than_delta():
    """Also that the area counts pairs of the rarer class: with all examples it would fail more often."""
    rng, draws, delta = np.random.default_rng(1), 300, 0.2
    y, scores = drawn(10**6, rng)
    true = {
        "brier": np.mean((scores - y) ** 2),
        "log_loss": -np.mean(np.log(np.maximum(np.where(y, scores, 1 - scores), 0.01))),
        "auc": norm.cdf(SHIFT / np.sqrt(2)),
    }
    error, false, naive = np.mean((scores > 0.5) != y), dict.fromkeys([*true, "interval"], 0), 0
    for _ in range(draws):
        y, scores = drawn(60, rng)
        if not 0 < y.sum() < 60:
            continue
        certificate = certified(y, scores, delta=delta, per_class=False)
        figures = certificate.score_figures
        false["interval"] += not certificate.interval["lower"] <= error <= certificate.interval["upper"]
        false["auc"] += figures["auc"]["bound"] > true["auc"]
        for name in ("brier", "log_loss"):
            false[name] += figures[name]["bound"] < true[name]
        naive += figures["auc"]["measured"] > true["auc"]
    print(false)
    assert max(false.values()) <= most_violations(draws, delta)
    assert naive > most_violations(draws, delta)


@pytest.mark.parametrize(
    ("place", "by"),
    [
        (("brier", "bound"), -1e-6),
        (("log_loss", "bound"), -1e-5),
        (("log_loss", "clip"), 0.1),
        (("auc", "bound"), 1e-6),
        (("auc", "measured"), 1e-6),
    ],
)
def test_forged_figures_are_refused(place, by):
    certificate = certified(*drawn(80, np.random.default_rng(0)))
    content, evidence = content_of(certificate), certificate.evidence_.columns()
    assert holds(sealed(content), evidence)
    assert not holds(sealed(changed(content, ("figures", "scores", *place), lambda x: x + by)), evidence)


@pytest.mark.parametrize(("end", "by"), [("lower", 1e-6), ("upper", -1e-6)])
def test_a_forged_interval_is_refused(end, by):
    certificate = certified(*drawn(80, np.random.default_rng(0)))
    content = changed(content_of(certificate), ("figures", "interval", end), lambda x: x + by)
    assert not holds(sealed(content), certificate.evidence_.columns())


def test_bad_sides():
    with pytest.raises(ValueError, match="sides must be 1 or 2, got 3"):
        certify_predictions([0, 1], [0, 1], sides=3)
