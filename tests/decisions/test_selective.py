"""Votes that answer only when they are sure: what they answer, what they promise, and what is refused."""

import dataclasses
import pickle

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from certificate.forging import content_of, evidence_for, holds, sealed
from stocmv import Certificate, MajorityVoteClassifier
from stocmv.bounds import clopper_pearson
from stocmv.certificate import TestedCertificate
from stocmv.decisions import NotCertified, SelectiveCertificate, SelectiveVote, tradeoffs
from stocmv.decisions._threshold_tests import ERROR_SHARE, FEW, STARTS, THRESHOLDS, FoldThreshold, mixed_bound


def problem(n, n_classes, seed=0):
    """Classes that are easy to tell apart but near their borders."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    y = np.minimum((X[:, 0] * n_classes).astype(int), n_classes - 1)
    near = np.abs(X[:, 0] * n_classes - np.rint(X[:, 0] * n_classes)) < 0.1
    return X, np.where(near & (rng.random(n) < 0.5), (y + 1) % n_classes, y)


def forest():
    return RandomForestClassifier(30)


@pytest.fixture(scope="module")
def fitted():
    """Fitted votes by protocol and number of classes."""
    made = {}
    for n_classes in (2, 3):
        X, y = problem(1500, n_classes)
        for name, settings in (("folds", {"n_folds": 3}), ("holdout", {"holdout": 0.4})):
            made[name, n_classes] = MajorityVoteClassifier(forest(), random_state=0, **settings).fit(X, y)
        groups = np.arange(len(y)) // 2
        made["groups", n_classes] = MajorityVoteClassifier(forest(), n_folds=2, random_state=0).fit(X, y, groups=groups)
        frozen = FrozenEstimator(RandomForestClassifier(30, random_state=0).fit(*problem(500, n_classes, seed=1)))
        made["frozen", n_classes] = MajorityVoteClassifier(frozen, random_state=0).fit(X, y)
    return made


every_protocol = pytest.mark.parametrize("protocol", ["folds", "holdout", "groups", "frozen"])
every_number = pytest.mark.parametrize("n_classes", [2, 3])


@every_protocol
@every_number
@pytest.mark.parametrize("target", [{"max_error": 0.1}, {"min_coverage": 0.5}])
def test_certificate_holds_and_survives_its_file(fitted, protocol, n_classes, target, tmp_path):
    clf = fitted[protocol, n_classes]
    sure = clf.selective(**target)
    c = sure.certificate_
    assert bool(c.verify(clf.evidence_)), c.verify(clf.evidence_).differences
    c.to_json(tmp_path / "selective.json")
    assert SelectiveCertificate.from_json(tmp_path / "selective.json") == c
    assert c.target == target
    assert c.bound <= target.get("max_error", 1.0)
    assert c.coverage >= target.get("min_coverage", 0.0)
    assert c.empirical_risk < c.bound
    assert c.coverage < c.empirical_coverage
    assert "answers at least" in c.statement()
    n_folds = clf.evidence_.n_folds
    folds = f"times the share that it answers, both averaged over the key that shares them out among the {n_folds}"
    assert (folds in c.statement()) == (n_folds > 1) == ("of those that it answers" not in c.statement())


@every_protocol
@every_number
def test_answers_are_those_of_predict(fitted, protocol, n_classes):
    clf = fitted[protocol, n_classes]
    X, _ = problem(400, n_classes, seed=2)
    sure = clf.selective(max_error=0.1)
    answers = sure.answers(X)
    assert 0 < answers.sum() < len(X)
    given = sure.predict(X)
    np.testing.assert_array_equal(given[answers], clf.predict(X)[answers])
    assert given.dtype == object
    assert all(answer is None for answer in given[~answers])


def test_answers_where_the_winning_class_has_enough_of_the_vote(fitted):
    clf = fitted["holdout", 3]
    X, _ = problem(400, 3, seed=3)
    sure = clf.selective(max_error=0.1)
    enough = clf.predict_proba(X).max(1) >= sure.certificate_.thresholds[0] - 1e-9
    np.testing.assert_array_equal(sure.answers(X), enough)


@every_number
def test_what_it_does_on_the_judges_is_what_was_counted(fitted, n_classes):
    """All examples judge a frozen forest: answers and errors are those of the evidence, row by row."""
    clf, (X, y) = fitted["frozen", n_classes], problem(1500, n_classes)
    sure = clf.selective(max_error=0.1)
    answers, c = sure.answers(X), sure.certificate_
    np.testing.assert_array_equal(answers, clf.evidence_.answer_score >= c.thresholds[0] - 1e-9)
    assert c.empirical_coverage == pytest.approx(answers.mean(), abs=1e-12)
    assert c.empirical_risk == pytest.approx((sure.predict(X) != y)[answers].mean(), abs=1e-12)


def test_what_is_said_without_an_answer_can_be_chosen(fitted):
    clf = fitted["holdout", 2]
    X, _ = problem(400, 2, seed=3)
    given = clf.selective(max_error=0.1, unanswered=-1).predict(X)
    assert given.dtype == clf.classes_.dtype
    assert set(given) == {-1, 0, 1}


def test_labels_of_text_may_have_longer_words_without_an_answer():
    X, y = problem(800, 2)
    clf = MajorityVoteClassifier(holdout=0.5, random_state=0).fit(X, np.array(["a", "b"])[y])
    assert set(clf.selective(max_error=0.1, unanswered="nobody knows").predict(X)) == {"a", "b", "nobody knows"}


def test_stricter_targets_have_fewer_answers(fitted):
    clf = fitted["folds", 2]
    coverages = [clf.selective(max_error=r).certificate_.coverage for r in (0.06, 0.08, 0.12, 0.3)]
    assert coverages == sorted(coverages)
    assert coverages[0] < coverages[-1]


def test_everything_is_answered_where_the_target_allows_it(fitted):
    c = fitted["holdout", 2].selective(max_error=0.4).certificate_
    assert c.thresholds == (0.0,)
    assert "It always answers. On the judges, it answers " in c.statement()
    assert bool(c.verify(fitted["holdout", 2].evidence_))
    assert c.coverage == pytest.approx(1.0)
    assert c.empirical_coverage == 1.0


def test_one_part_is_tested_in_sequences(fitted):
    """By hand: from each start with its share of delta, until the first threshold that is not certified."""
    clf = fitted["holdout", 2]
    share, errs = clf.evidence_.answer_score, clf.evidence_.wrong
    reached = []
    for start, part in STARTS.items():
        for threshold in THRESHOLDS[THRESHOLDS.index(start) :]:
            sure = share >= threshold - 1e-9
            if not sure.any() or clopper_pearson(errs[sure].sum(), sure.sum(), ERROR_SHARE * 0.05 * part) > 0.1:
                break
            reached.append(threshold)
    assert clf.selective(max_error=0.1).certificate_.thresholds == (min(reached),)


def test_a_target_that_cannot_be_met_says_what_can(fitted):
    clf = fitted["folds", 2]
    with pytest.raises(NotCertified, match=r"max_error=0.001 cannot .* max_error=0\.\d+ can") as raised:
        clf.selective(max_error=0.001)
    can = float(str(raised.value).split("; max_error=")[1].split()[0])
    assert clf.selective(max_error=can).certificate_.bound == can
    with pytest.raises(NotCertified):
        clf.selective(max_error=can - 0.001)


def test_too_few_judges_for_anything():
    X, _ = problem(8, 2)
    clf = MajorityVoteClassifier("stumps", holdout=0.25, random_state=0).fit(X, np.arange(8) % 2)
    with pytest.raises(NotCertified, match="too few"):
        clf.selective(max_error=0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "one of max_error and min_coverage"),
        ({"max_error": 0.1, "min_coverage": 0.5}, "one of max_error and min_coverage"),
        ({"max_error": 0}, "max_error must lie strictly between 0 and 1, got 0"),
        ({"max_error": "a"}, "max_error must lie strictly between 0 and 1, got 'a'"),
        ({"min_coverage": 1.5}, "min_coverage must lie strictly between 0 and 1, got 1.5"),
        ({"max_error": 0.1, "delta": 2}, "delta must lie"),
    ],
)
def test_bad_arguments_are_refused(fitted, arguments, message):
    with pytest.raises(ValueError, match=message):
        fitted["holdout", 2].selective(**arguments)


def test_weights_that_the_judges_taught_are_refused():
    X, y = problem(300, 2)
    clf = MajorityVoteClassifier("stumps", bound="seeger", prior=1.0, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="bound='auto'"):
        clf.selective(max_error=0.1)


def test_without_the_votes_the_error_says_how_to_get_them(fitted):
    clf = pickle.loads(pickle.dumps(fitted["holdout", 2]))
    del vars(clf)["evidence_"]
    with pytest.raises(AttributeError, match=r"evidence_ = .*load"):
        clf.selective(max_error=0.1)


def test_the_bound_of_a_coverage_is_that_of_all_folds_together():
    alike = [FoldThreshold(0.9, 0.1, 0.5), FoldThreshold(0.9, 0.1, 0.7)]
    assert mixed_bound(alike, np.array([0.5, 0.5])) == pytest.approx(0.1)
    apart = [FoldThreshold(0.9, 0.1, 0.5), FoldThreshold(0.9, 0.3, 0.5)]
    assert mixed_bound(apart, np.array([0.5, 0.5])) == pytest.approx((0.3 + 0.5 * 0.1) / 1.5)


def test_tradeoffs_have_bounds_above_what_was_measured(fitted):
    clf = fitted["folds", 3]
    points = tradeoffs(clf.evidence_, clf.certificate_)
    assert [point.threshold for point in points] == list(FEW)
    assert all(p.bound > p.empirical_risk and p.coverage <= p.empirical_coverage for p in points)


def test_a_file_of_the_other_kind_is_refused(fitted, tmp_path):
    clf = fitted["holdout", 2]
    clf.certificate_.to_json(tmp_path / "certificate.json")
    clf.selective(max_error=0.1).certificate_.to_json(tmp_path / "selective.json")
    with pytest.raises(ValueError, match=r"is a TestedCertificate: read it with TestedCertificate\.from_json"):
        SelectiveCertificate.from_json(tmp_path / "certificate.json")
    with pytest.raises(ValueError, match=r"is a SelectiveCertificate: read it with SelectiveCertificate\.from_json"):
        TestedCertificate.from_json(tmp_path / "selective.json")
    assert isinstance(Certificate.from_json(tmp_path / "selective.json"), SelectiveCertificate)


FORGERIES = {  # the place in the file, and what is written there
    "error": (("figures", "error", "bound"), 0.05),
    "coverage": (("figures", "coverage", "bound"), 0.99),
    "measured error": (("figures", "error", "empirical_risk"), 0.0001),
    "measured coverage": (("figures", "coverage", "measured"), 0.999),
    "delta": (("delta",), 0.001),
    "number of judges": (("n",), 10**6),
    "target": (("target",), {"max_error": 0.05}),
    "unproven": (("unproven",), ["the voters"]),
    "evidence": (("evidence",), "0" * 64),
    "claims": (("claims", 0, "delta"), 0.05),
}


@every_protocol
@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_figure_is_found(fitted, protocol, what):
    clf = fitted[protocol, 2]
    content = content_of(clf.selective(max_error=0.1).certificate_)
    (*way, last), value = FORGERIES[what]
    at = content
    for key in way:
        at = at[key]
    assert holds(sealed(content), evidence_for(clf.evidence_))
    at[last] = value
    assert not holds(sealed(content), evidence_for(clf.evidence_))


@every_protocol
def test_a_more_lenient_threshold_is_found(fitted, protocol):
    clf = fitted[protocol, 2]
    c = clf.selective(max_error=0.1).certificate_
    assert not dataclasses.replace(c, thresholds=(0.5,) * len(c.thresholds)).verify(clf.evidence_)


def test_a_forged_bound_of_a_coverage_is_found(fitted):
    clf = fitted["folds", 2]
    c = clf.selective(min_coverage=0.5).certificate_
    assert c.verify(clf.evidence_)
    assert not with_figures(c, error={"bound": c.bound * 0.99}).verify(clf.evidence_)
    for changed in ({"target": {"min_coverage": 0.9999}}, {"thresholds": (0.97,) * 3}):
        assert not dataclasses.replace(c, **changed).verify(clf.evidence_)


def test_unproven_voters_give_no_certificate(fitted):
    clf = fitted["holdout", 2]
    c = dataclasses.replace(clf.selective(max_error=0.1).certificate_, unproven=("the voters",))
    assert c.statement().startswith("Not a certificate")
    assert not c.verify(clf.evidence_)


def test_pages_say_what_is_promised(fitted):
    c = fitted["folds", 2].selective(max_error=0.1).certificate_
    assert c.statement() in str(c)
    assert "one minus the sum of their deltas" in str(c)
    assert "10.00 %" in c._repr_html_()


def test_is_made_of_a_fitted_vote_and_a_certificate(fitted):
    clf = fitted["holdout", 2]
    sure = clf.selective(max_error=0.1)
    again = SelectiveVote(clf, sure.certificate_)
    X, _ = problem(100, 2, seed=5)
    np.testing.assert_array_equal(again.answers(X), sure.answers(X))
    np.testing.assert_array_equal(again.classes_, clf.classes_)


def with_figures(c, **changes):
    """The certificate with other bounds or measured values of error and coverage."""
    figures = {name: {**c.figures[name], **changed} for name, changed in changes.items()}
    return dataclasses.replace(c, figures={**c.figures, **figures})


def test_a_certificate_of_another_vote_is_refused(fitted):
    ours, theirs = (fitted["holdout", n_classes] for n_classes in (2, 3))
    with pytest.raises(ValueError, match="about"):
        SelectiveVote(ours, theirs.selective(max_error=0.2).certificate_)
    other = dataclasses.replace(ours.selective(max_error=0.1).certificate_, evidence=theirs.certificate_.evidence)
    with pytest.raises(ValueError, match="certificate is about another vote than clf"):
        SelectiveVote(ours, other)
