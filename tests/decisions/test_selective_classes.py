"""Votes that answer only when they are sure, with a target for each class."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from stocmv import MajorityVoteClassifier
from stocmv.bounds import clopper_pearson
from stocmv.decisions import ClassSelectiveCertificate, NotCertified
from stocmv.decisions._threshold_tests import ERROR_SHARE, STARTS, THRESHOLDS


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    return X, np.where(rng.random(4000) < 1 / (1 + np.exp(3.2 - 2.4 * X[:, 0])), "yes", "no")


@pytest.fixture(scope="module", params=["hold-out", "folds", "groups"])
def clf(request, data):
    settings = {"n_folds": 2} if request.param == "folds" else {}
    groups = np.arange(4000) // 2 if request.param == "groups" else None
    return MajorityVoteClassifier(LogisticRegression(), random_state=0, **settings).fit(*data, groups=groups)


def test_each_class_has_its_own_threshold(clf, data):
    vote = clf.selective({"yes": 0.6, "no": 0.07})
    c, given = vote.certificate_, vote.predict(data[0])
    assert isinstance(c, ClassSelectiveCertificate)
    assert c.bound == 0.6
    assert [own["bound"] for own in c.answers] == [0.07, 0.6]
    assert 0 < c.coverage < c.empirical_coverage <= 1
    assert c.coverage == pytest.approx(sum(own["coverage"] for own in c.answers))
    assert {"yes", "no"} <= set(given)
    np.testing.assert_array_equal(given[vote.answers(data[0])], clf.predict(data[0])[vote.answers(data[0])])
    assert "of its answers 'no'" in c.statement()
    assert "times" in c.statement()
    assert str(c)
    assert c.verify(clf.evidence_), c.verify(clf.evidence_).differences


def test_by_hand(data):
    clf = MajorityVoteClassifier(LogisticRegression(), random_state=0).fit(*data)
    table, reached = clf.evidence_, []
    for start, part in STARTS.items():
        for threshold in THRESHOLDS[THRESHOLDS.index(start) :]:
            sure = (table.answer == 0) & (table.answer_score >= threshold - 1e-9)
            errors, level = int(table.wrong[sure].sum()), ERROR_SHARE * 0.05 / 2 * part
            if not sure.any() or clopper_pearson(errors, int(sure.sum()), level) > 0.07:
                break
            reached.append(threshold)
    assert clf.selective({"yes": 0.6, "no": 0.07}).certificate_.thresholds[0][0] == min(reached)


def test_a_class_whose_target_cannot_be_met_is_never_answered(clf, data):
    vote = clf.selective({"yes": 0.001, "no": 0.12})
    assert set(vote.predict(data[0])) == {"no", None}
    assert "answers are 'no'" in vote.certificate_.statement()
    assert "'yes' never" in vote.certificate_.rule
    with pytest.raises(NotCertified, match=r"'no': max_error=0.0001 .* 'yes': max_error=0.001"):
        clf.selective({"yes": 0.001, "no": 0.0001})


@pytest.mark.parametrize(
    ("max_error", "match"),
    [
        ({"yes": 0.1}, r"each of the classes \['no', 'yes'\], got \['yes'\]"),
        ({"yes": 0.1, "no": 0.1, "maybe": 0.1}, "must name each"),
        ({"yes": 0.1, "no": 1.0}, "of class 'no' must lie strictly"),
    ],
)
def test_bad_targets_are_refused(clf, max_error, match):
    with pytest.raises(ValueError, match=match):
        clf.selective(max_error)


def test_not_together_with_a_coverage(clf):
    with pytest.raises(ValueError, match="one of max_error and min_coverage"):
        clf.selective({"yes": 0.1, "no": 0.1}, min_coverage=0.5)


def test_a_refusal_names_no_way_out_that_classes_do_not_have(clf):
    with pytest.raises(NotCertified) as raised:
        clf.selective({"yes": 0.001, "no": 0.0001})
    assert "min_coverage" not in str(raised.value)
    assert "at any threshold" not in str(raised.value)
    with pytest.raises(NotCertified, match="or use min_coverage"):
        clf.selective(max_error=0.0001)
