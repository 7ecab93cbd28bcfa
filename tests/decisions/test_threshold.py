"""Thresholds on the score of a class: what is found, what is promised, what is refused."""

import dataclasses
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from certificate.forging import content_of, holds, sealed
from decisions.scored import drawn, table
from stocmv import MajorityVoteClassifier
from stocmv.bounds import clopper_pearson
from stocmv.certificate import certify_judgments, check_cost
from stocmv.decisions import NotCertified, ThresholdVote, certify_threshold
from stocmv.decisions._roc import roc_band
from stocmv.decisions._threshold_targets import FINE, GRID, SEARCHES

COSTS = check_cost([[0.0, 1.0], [4.0, 0.0]], ["no", "yes"])
TARGETS = {
    "at": {"at": 0.2},
    "min_recall": {"min_recall": 0.7},
    "min_precision": {"min_precision": 0.35},
    "max_false_positive_rate": {"max_false_positive_rate": 0.2},
    "max_cost": {"max_cost": 0.75},
}
every_target = pytest.mark.parametrize("target", TARGETS)


@pytest.fixture(scope="module")
def judged():
    judgments = drawn(1500, np.random.default_rng(0))
    return judgments, certify_judgments(judgments)


def certified(judged, **settings):
    return certify_threshold(*judged, **settings)


def differences(certificate, judgments):
    return certificate.verify(judgments).differences


@every_target
@pytest.mark.parametrize("costs", [None, COSTS], ids=["", "costs"])
def test_certificate_holds_by_an_independent_path(judged, target, costs):
    if target == "max_cost" and costs is None:
        pytest.skip("needs costs")
    c = certified(judged, costs=costs, **TARGETS[target])
    assert differences(c, judged[0]) == []
    assert c.recall_bound < c.figures["recall"]["measured"]
    assert c.precision_bound < c.figures["precision"]["measured"]
    assert c.false_positive_rate_bound > c.figures["false_positive_rate"]["measured"]
    assert (c.cost_bound is None) == (costs is None)
    assert "'yes'" in c.statement()
    assert str(c)


@every_target
def test_shares_of_delta_add_up(judged, target):
    c = certified(judged, costs=COSTS, **TARGETS[target])
    assert math.fsum(claim.total for claim in c.claims) == pytest.approx(c.delta)


def test_targets_are_met(judged):
    assert certified(judged, min_recall=0.7).recall_bound == 0.7
    assert certified(judged, min_precision=0.35).precision_bound == 0.35
    assert certified(judged, max_false_positive_rate=0.2).false_positive_rate_bound == 0.2
    assert certified(judged, max_cost=0.75, costs=COSTS).cost_bound == 0.75


def test_recall_is_tested_from_the_lowest_threshold_upwards(judged):
    """By hand: Clopper and Pearson's bound at each threshold, with half of delta."""
    score = judged[0].scores[judged[0].truth == 1, 1]
    best = max(t for t in FINE if clopper_pearson(int(np.sum(score < t - 1e-9)), len(score), 0.025) <= 0.3)
    assert certified(judged, min_recall=0.7).threshold == best


def test_the_other_class_is_tested_once(judged):
    c = certified(judged, min_recall=0.7)
    others = judged[0].scores[judged[0].truth == 0, 1]
    alarms = int(np.sum(others >= c.threshold - 1e-9))
    assert c.false_positive_rate_bound == pytest.approx(clopper_pearson(alarms, len(others), 0.0125))


def test_stricter_targets_have_more_extreme_thresholds(judged):
    recalls = [certified(judged, min_recall=r).threshold for r in (0.5, 0.7, 0.9)]
    assert recalls == sorted(recalls, reverse=True)
    rates = [certified(judged, max_false_positive_rate=r).threshold for r in (0.05, 0.2, 0.5)]
    assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize(
    ("name", "impossible"),
    [("min_recall", 0.9999), ("min_precision", 0.999), ("max_false_positive_rate", 1e-5), ("max_cost", 0.01)],
)
def test_a_target_that_cannot_be_met_says_what_can(judged, name, impossible):
    with pytest.raises(NotCertified, match=rf"{name}=.* cannot .* {name}=[0-9.]+ can") as raised:
        certified(judged, costs=COSTS, **{name: impossible})
    can = float(str(raised.value).split(f"; {name}=")[1].split()[0])
    assert certified(judged, costs=COSTS, **{name: can}).target == {name: can}


def test_too_few_judges_for_anything():
    judgments = table(np.array([[0.4, 0.6], [0.7, 0.3], [0.2, 0.8]]), [0, 0, 0])
    with pytest.raises(NotCertified, match="nor any other"):
        certified((judgments, certify_judgments(judgments)), min_precision=0.5)


def test_no_target_of_zero_or_one_is_proposed():
    """One of 20,000 gives a bound near one, which four digits would round to it."""
    alone = np.arange(20_000) == 0
    by_score = table(np.where(alone[:, None], [1.0, 0.0], [0.0, 1.0]), [0] * 20_000)
    by_class = table(np.tile([0.3, 0.7], (20_000, 1)), alone)
    for judgments, target in ((by_score, {"max_false_positive_rate": 0.5}), (by_class, {"min_precision": 0.5})):
        with pytest.raises(NotCertified, match="nor any other"):
            certified((judgments, certify_judgments(judgments)), **target)


def test_a_class_without_judges_has_no_bounds():
    judgments = table(np.array([[0.4, 0.6], [0.7, 0.3]] * 20), [0] * 40)
    c = certified((judgments, certify_judgments(judgments)), at=0.5)
    assert c.recall_bound == 0.0
    assert c.precision_bound == 0.0
    with pytest.raises(ValueError, match="None of the 40 judges"):
        roc_band(judgments, certify_judgments(judgments), "yes")


def test_three_classes_need_a_positive_one(judged):
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=900)
    scores = rng.dirichlet(np.ones(3), 900) + 2 * np.eye(3)[truth] * rng.random((900, 1))
    scores /= scores.sum(1, keepdims=True)
    judgments = table(scores, truth, np.array([3, 5, 7]))
    certificate = certify_judgments(judgments)
    with pytest.raises(ValueError, match=r"one of \[3, 5, 7\], got None"):
        certify_threshold(judgments, certificate, min_recall=0.6)
    costs = check_cost(1.0 - np.eye(3), [3, 5, 7])
    for target in ({"min_recall": 0.6}, {"max_cost": 0.6}, {"min_precision": 0.5}, {"at": 0.4}):
        c = certify_threshold(judgments, certificate, 5, costs=costs, **target)
        assert c.positive == 5
        assert differences(c, judgments) == []


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({}, "exactly one of at, .* got none"),
        ({"at": 0.5, "min_recall": 0.5}, "exactly one"),
        ({"min_recall": 1.0}, "strictly between 0 and 1, got 1.0"),
        ({"at": 1.5}, "between 0 and 1"),
        ({"min_recall": "much"}, "must be a number, got 'much'"),
        ({"max_cost": 0.5}, "needs the cost"),
        ({"max_cost": 9.0, "costs": COSTS}, "between the smallest and the largest cost, 0 and 4"),
        ({"min_recall": 0.5, "positive": "maybe"}, r"one of \['no', 'yes'\], got 'maybe'"),
        ({"min_recall": 0.5, "delta": 2}, "delta"),
    ],
)
def test_bad_input_is_refused(judged, settings, match):
    with pytest.raises(ValueError, match=match):
        certified(judged, **settings)


def test_folds_groups_and_tables_without_scores_are_refused():
    judgments = drawn(400, np.random.default_rng(0))
    half = dataclasses.replace(judgments, fold=(np.arange(400) >= 200).astype(np.uint8))
    grouped = dataclasses.replace(judgments, group=(np.arange(400) // 2).astype(np.uint64))
    bare = dataclasses.replace(judgments, scores=None)
    certificate = certify_judgments(judgments)
    for other, match in ((half, "use a hold-out"), (grouped, "not certified for groups"), (bare, "have no scores")):
        told = dataclasses.replace(certificate, evidence=other.digest())
        with pytest.raises(ValueError, match=match):
            certify_threshold(other, told, min_recall=0.5)


FORGED = {
    "a higher recall": ("at", lambda c: c["figures"]["recall"].update(bound=c["figures"]["recall"]["bound"] * 1.001)),
    "a higher precision": ("min_recall", lambda c: c["figures"]["precision"].update(bound=0.9)),
    "fewer alarms": ("min_recall", lambda c: c["figures"]["false_positive_rate"].update(bound=0.01)),
    "another threshold": ("min_recall", lambda c: c.update(threshold=GRID[60])),
    "another target": ("max_false_positive_rate", lambda c: c["target"].update(max_false_positive_rate=0.05)),
    "a level that fails too often": (
        "min_precision",
        lambda c: c["figures"]["recall"].update(local_level=2 * c["figures"]["recall"]["local_level"]),
    ),
    "more delta for one figure": ("min_recall", lambda c: c["claims"][0].update(delta=0.05)),
    "a cheaper vote": ("max_cost", lambda c: c["target"].update(max_cost=0.5)),
    "a rarer class": ("at", lambda c: c["figures"]["baseline"].update(prevalence=0.01)),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_no_forgery_passes_the_independent_check(judged, forgery):
    target, change = FORGED[forgery]
    forged = content_of(certified(judged, costs=COSTS, **TARGETS[target]))
    change(forged)
    assert not holds(sealed(forged), judged[0].columns())


def test_a_threshold_picked_from_the_curve(judged):
    band = roc_band(*judged, "yes")
    point = band.at(float(band.thresholds[300]))
    c = certified(judged, at=point)
    assert c.target == {"picked": point.threshold}
    assert c.recall_bound == pytest.approx(point.recall_bound)
    assert c.precision_bound == pytest.approx(point.precision_bound)
    assert c.false_positive_rate_bound == pytest.approx(point.false_positive_rate_bound)
    assert differences(c, judged[0]) == []
    assert any("The class and delta were fixed" in text for text in c.assumptions)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = np.where(rng.random(3000) < 1 / (1 + np.exp(2 - 1.5 * X[:, 0])), "yes", "no")
    return MajorityVoteClassifier(LogisticRegression(), cost=COSTS.matrix, random_state=0).fit(X, y), X


@every_target
def test_classifier_answers_where_the_score_reaches_the_threshold(fitted, target):
    clf, X = fitted
    vote = clf.threshold("yes", **TARGETS[target])
    assert isinstance(vote, ThresholdVote)
    said = clf.predict_proba(X)[:, 1] >= vote.threshold_ - 1e-9
    np.testing.assert_array_equal(vote.predict(X), np.where(said, "yes", "no"))
    assert differences(vote.certificate_, clf.evidence_) == []
    assert "threshold=" in repr(vote)


class InSinglePrecision(LogisticRegression):
    """Scores with few values, as a forest has, in single precision, as boosted trees give them."""

    def predict_proba(self, X):
        return np.round(super().predict_proba(X), 1).astype(np.float32)


def test_scores_in_single_precision_are_compared_as_they_were_judged(fitted):
    """0.7 in single precision is less than 0.7, and must not be rounded up to it when it is asked."""
    _, X = fitted
    y = np.where(np.random.default_rng(0).random(3000) < 1 / (1 + np.exp(2 - 1.5 * X[:, 0])), "yes", "no")
    clf = MajorityVoteClassifier(InSinglePrecision(), random_state=0).fit(X, y)
    scores = clf.predict_proba(X)[:, 1]
    assert scores.dtype == np.float32
    assert np.any(scores == np.float32(0.7))
    answers = clf.threshold("yes", at=0.7).predict(X)
    np.testing.assert_array_equal(answers == "yes", scores.astype(float) >= 0.7 - 1e-9)


def test_the_positive_class_may_be_either(fitted):
    clf, X = fitted
    assert clf.threshold(min_recall=0.5).positive_ == "yes"
    vote = clf.threshold("no", min_recall=0.9)
    assert vote.certificate_.recall_bound == 0.9
    assert "'no'" in vote.certificate_.statement()
    assert np.mean(vote.predict(X) == "no") > 0.5


def test_a_vote_is_about_its_own_classifier(fitted, judged):
    with pytest.raises(ValueError, match="another vote"):
        ThresholdVote(fitted[0], certified(judged, at=0.5))


def test_there_is_no_single_bound(judged):
    c = certified(judged, at=0.5)
    with pytest.raises(AttributeError, match="recall_bound"):
        _ = c.bound
    with pytest.raises(AttributeError, match="recall_bound"):
        c.monitor()


def test_a_precision_no_better_than_the_prevalence_is_said(judged):
    assert "no better than always answering 'yes'" in certified(judged, at=0.0).statement()


def test_the_grids_are_dense_where_rare_classes_have_their_scores():
    assert len(GRID) == 93
    assert set(SEARCHES) == {"min_recall", "min_precision", "max_false_positive_rate", "max_cost"}
    for grid in (GRID, FINE):
        assert list(grid) == sorted(set(grid))
        assert sum(t < 0.05 for t in grid) > len(grid) / 4
