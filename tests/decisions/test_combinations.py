"""Votes with gaps that answer only when they are sure, with groups, folds, precision and costs: all at once."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from stocmv import MajorityVoteClassifier
from stocmv.decisions import NotCertified, SelectiveCertificate, SelectiveVote, certify_selective
from stocmv.persistence import load, save
from stocmv.voters import Answers

NAMES = {2: np.array([False, True]), 3: np.array(["bad", "good", "ugly"])}
COSTS = {2: [[-1.0, 1.0], [10.0, 0.5]], 3: [[0.0, 1.0, 2.0], [5.0, 1.0, 1.0], [3.0, 3.0, 0.0]]}
PROTOCOLS = {"hold-out": {}, "folds": {"n_folds": 3}, "all judge": {"inner_folds": 0}}
every_number = pytest.mark.parametrize("n_classes", [2, 3])


def panel(n_classes, n=240, seed=0):
    """What five voters say, None where one says nothing, and the truth; one row in ten has no answer at all."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    said = np.where(rng.random((n, 5)) < 0.85, y[:, None], rng.integers(n_classes, size=(n, 5)))
    absent = rng.random((n, 5)) < 0.3
    absent[::10] = True
    words = NAMES[n_classes][said].astype(object)
    words[absent] = None
    return pd.DataFrame(words, columns=list("abcde")), NAMES[n_classes][y]


@cache
def fitted(protocol, n_classes, rows=None, default=None, **settings):
    """A vote of the panel, with groups of so many rows."""
    X, y = panel(n_classes)
    settings = {"per_class": True, "cost": COSTS[n_classes], "random_state": 0} | PROTOCOLS[protocol] | settings
    return MajorityVoteClassifier(Answers(default=default), **settings).fit(X, y, grouping(rows))


def grouping(rows):
    return None if rows is None else np.arange(240) // rows


@pytest.mark.parametrize("protocol", ["hold-out", "folds"])
@pytest.mark.parametrize(("n_classes", "rows"), [(2, None), (2, 1), (3, None), (3, 2)])
def test_everything_at_once_holds(protocol, n_classes, rows, tmp_path):
    """Groups of one row have shares of 0 and 1 only, and are tested like other groups all the same."""
    clf, groups = fitted(protocol, n_classes, rows), grouping(rows)
    assert clf.certificate_.verify(clf.evidence_), clf.certificate_.verify(clf.evidence_).differences
    X, y = panel(n_classes, seed=1)
    save(clf, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    for target in ({"max_error": 0.35}, {"min_coverage": 0.5}):
        sure = clf.selective(**target)
        c = sure.certificate_
        assert c.verify(clf.evidence_), c.verify(clf.evidence_).differences
        assert not any("costs" in text for text in c.assumptions)
        c.to_json(tmp_path / "selective.json")
        read = SelectiveVote(again, SelectiveCertificate.from_json(tmp_path / "selective.json"))
        given, answered = sure.predict(X), sure.answers(X)
        assert np.array_equal(read.predict(X), given)
        assert np.array_equal(given[answered], clf.predict(X)[answered])
        assert given[~answered].tolist() == [None] * np.count_nonzero(~answered)
        monitor = c.monitor().update(y, given, answered=answered, groups=groups)
        assert monitor.n + monitor.unanswered == (240 if groups is None else len(np.unique(groups)))


def figures(c, name, **changes):
    return {"figures": {**c.figures, name: {**c.figures[name], **changes}}}


FORGED = {
    "a smaller error": ("min_coverage", lambda c: figures(c, "error", bound=c.bound * 0.999)),
    "another target": (
        "max_error",
        lambda c: {**figures(c, "error", bound=0.1), "target": {"max_error": 0.1}},
    ),
    "more coverage": ("min_coverage", lambda c: figures(c, "coverage", bound=c.coverage * 1.001)),
    "fewer errors measured": ("max_error", lambda c: figures(c, "error", empirical_risk=0.0)),
    "rows that nobody answers": ("min_coverage", lambda c: {"thresholds": (0.3,) * len(c.thresholds)}),
}


@pytest.mark.parametrize("protocol", ["hold-out", "folds"])
@pytest.mark.parametrize("forgery", FORGED)
def test_no_forgery_of_a_vote_with_gaps_holds(protocol, forgery):
    target, change = FORGED[forgery]
    clf = fitted(protocol, 3)
    c = clf.selective(**{target: {"max_error": 0.35, "min_coverage": 0.5}[target]}).certificate_
    assert c.verify(clf.evidence_)
    assert not replace(c, **change(c)).verify(clf.evidence_)


@every_number
def test_precision_and_cost_count_what_predict_answers_where_nobody_does(n_classes):
    clf = fitted("all judge", n_classes)
    X, y = panel(n_classes)
    answers, silent = clf.predict(X), X.isna().all(axis=1).to_numpy()
    assert silent.any()
    assert set(answers[silent]) == {clf.classes_[0]}
    for label, entry in zip(clf.classes_, clf.certificate_.precisions, strict=True):
        assert entry["n"] == np.count_nonzero(answers == label)
        assert entry["measured"] == pytest.approx(np.mean(y[answers == label] == label))
    codes = [np.searchsorted(clf.classes_, labels) for labels in (y, answers)]
    assert clf.certificate_.cost["measured"] == pytest.approx(np.array(COSTS[n_classes])[tuple(codes)].mean())


@every_number
def test_rows_without_an_answer_are_answered_only_by_a_threshold_that_equal_shares_reach(n_classes):
    clf = fitted("hold-out", n_classes)
    X, _ = panel(n_classes, seed=1)
    silent = X.isna().all(axis=1).to_numpy()
    strict, always = clf.selective(min_coverage=0.5), clf.selective(max_error=0.9)
    assert strict.certificate_.thresholds[0] > 1 / n_classes
    assert not strict.answers(X)[silent].any()
    assert always.certificate_.thresholds == (0.0,)
    assert always.answers(X).all()
    assert always.certificate_.coverage == pytest.approx(1)


def test_with_a_default_no_row_is_without_an_answer():
    clf = fitted("folds", 3, default="ugly")
    X, _ = panel(3, seed=1)
    silent = X.isna().all(axis=1).to_numpy()
    assert set(clf.predict(X)[silent]) == {"ugly"}
    sure = clf.selective(min_coverage=0.5)
    assert sure.certificate_.verify(clf.evidence_)
    assert sure.answers(X)[silent].all()  # all voters are taken to agree there


def test_a_single_class_whose_voters_are_often_silent():
    X = pd.DataFrame({name: ["x"] * 300 for name in "abc"}, dtype=object)
    X.iloc[::5] = None
    X.loc[100:200, "a"] = None
    clf = MajorityVoteClassifier("answers", per_class=True, n_folds=2, random_state=0).fit(X, ["x"] * 300)
    assert clf.certificate_.verify(clf.evidence_)
    sure = clf.selective(min_coverage=0.5)
    assert sure.certificate_.verify(clf.evidence_), sure.certificate_.verify(clf.evidence_).differences
    with pytest.raises(NotCertified, match="not paid for"):
        clf.selective(max_error=0.1)


def test_measured_coverage_is_a_share_although_those_of_the_folds_sum_to_one_but_for_rounding():
    clf, shares = fitted("folds", 3), (0.33, 0.56, 0.11)
    assert np.array(shares) @ np.ones(3) > 1
    told = replace(clf.certificate_, fold_shares=shares)
    c = certify_selective(clf.evidence_, told, max_error=0.9, min_coverage=None, delta=None)
    assert c.thresholds == (0.0, 0.0, 0.0)
    assert c.empirical_coverage == 1
    assert c.verify(clf.evidence_), c.verify(clf.evidence_).differences
