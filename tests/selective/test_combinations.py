"""Votes with gaps that answer only when they are sure, with groups, folds, precision and costs: all at once."""

import numpy as np
import pandas as pd
import pytest

from stocmv import MajorityVoteClassifier
from stocmv.persistence import load, save
from stocmv.selective import NotCertified, SelectiveCertificate, SelectiveVote
from stocmv.voters import Answers

NAMES = {2: np.array([False, True]), 3: np.array(["bad", "good", "ugly"])}
COSTS = {2: [[-1.0, 1.0], [10.0, 0.5]], 3: [[0.0, 1.0, 2.0], [5.0, 1.0, 1.0], [3.0, 3.0, 0.0]]}
PROTOCOLS = {"hold-out": {}, "folds": {"n_folds": 3}, "all judge": {"inner_folds": 0}}
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
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


def fitted(protocol, n_classes, groups=None, default=None, **settings):
    X, y = panel(n_classes)
    settings = {"per_class": True, "cost": COSTS[n_classes], "random_state": 0} | PROTOCOLS[protocol] | settings
    return MajorityVoteClassifier(Answers(default=default), **settings).fit(X, y, groups)


@every_protocol
@every_number
@pytest.mark.parametrize("groups", [None, "of one row", "of two rows"])
def test_everything_at_once_holds(protocol, n_classes, groups, tmp_path):
    """Groups of one row have shares of 0 and 1 only, and are tested like other groups all the same."""
    groups = None if groups is None else np.arange(240) // (1 + (groups == "of two rows"))
    clf = fitted(protocol, n_classes, groups)
    assert clf.certificate_.verify(clf.votes_), clf.certificate_.verify(clf.votes_).differences
    X, y = panel(n_classes, seed=1)
    save(clf, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    for target in ({"max_error": 0.35}, {"min_coverage": 0.5}):
        sure = clf.selective(**target)
        c = sure.certificate_
        assert c.verify(clf.votes_), c.verify(clf.votes_).differences
        assert not any("costs" in text for text in c.assumptions)
        c.to_json(tmp_path / "selective.json")
        read = SelectiveVote(again, SelectiveCertificate.from_json(tmp_path / "selective.json"))
        given, answered = sure.predict(X), sure.answers(X)
        assert np.array_equal(read.predict(X), given)
        assert np.array_equal(given[answered], clf.predict(X)[answered])
        assert given[~answered].tolist() == [None] * np.count_nonzero(~answered)
        monitor = c.monitor().update(y, given, answered=answered, groups=groups)
        assert monitor.n + monitor.unanswered == (240 if groups is None else len(np.unique(groups)))


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
    assert sure.certificate_.verify(clf.votes_)
    assert sure.answers(X)[silent].all()  # all voters are taken to agree there


def test_a_single_class_whose_voters_are_often_silent():
    X = pd.DataFrame({name: ["x"] * 300 for name in "abc"}, dtype=object)
    X.iloc[::5] = None
    X.loc[100:200, "a"] = None
    clf = MajorityVoteClassifier("answers", per_class=True, n_folds=2, random_state=0).fit(X, ["x"] * 300)
    assert clf.certificate_.verify(clf.votes_)
    sure = clf.selective(min_coverage=0.5)
    assert sure.certificate_.verify(clf.votes_), sure.certificate_.verify(clf.votes_).differences
    with pytest.raises(NotCertified, match="not paid for"):
        clf.selective(max_error=0.1)


def test_measured_coverage_is_a_share_however_the_shares_of_the_folds_add_up():
    """Three folds whose shares add up to one plus a rounding error."""
    for seed in range(20):
        clf = fitted("folds", 3, random_state=seed, per_class=False, cost=None)
        if sum(clf.certificate_.fold_shares) > 1:
            sure = clf.selective(max_error=0.9)
            assert sure.certificate_.empirical_coverage <= 1
            assert sure.certificate_.verify(clf.votes_)
            return
    pytest.fail("no seed has such shares")
