"""Voters of one's own that do not always answer, through fit, predict and certificate."""

import numpy as np
import pytest

from stocmv import MajorityVoteClassifier
from stocmv.voters import VoterSet, VoterSource
from zoo import silent

PROTOCOLS = {"holdout": {}, "folds": {"n_folds": 2}, "all judge": {"inner_folds": 0}, "paid": {"bound": "seeger"}}


class Columns(VoterSet):
    """Each column is what a voter answers, -1 for nothing."""

    def __init__(self, n_voters):
        self.n_voters = n_voters

    def codes(self, X):
        return np.asarray(X).astype(int)


class ColumnSource(VoterSource):
    learns = False

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Columns(X.shape[1])


class Learning(ColumnSource):
    """Voters that are told which classes there are: they answer positions among these."""

    learns = True

    def fit(self, X, codes, classes, seed, n_jobs=None):
        self.classes = classes
        voters = Columns(X.shape[1])
        voters.codes = lambda X: np.where(np.isin(X, classes), np.searchsorted(classes, X), -1)
        return voters


def examples(n_classes, n=300):
    votes, y = silent(n_classes, n)
    return np.where(np.isnan(votes), -1, votes), y


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_a_fit_is_certified_verified_and_answers(n_classes, protocol):
    X, y = examples(n_classes)
    clf = MajorityVoteClassifier(ColumnSource(), stochastic=True, random_state=0, **PROTOCOLS[protocol]).fit(X, y)
    assert clf.certificate_.abstains
    assert clf.certificate_.verify(clf.evidence_)
    weights, answers = clf.predict_proba(X), clf.predict(X)
    np.testing.assert_allclose(weights.sum(1), 1)
    assert np.array_equal(clf.classes_[weights.argmax(1)], answers)
    np.testing.assert_allclose(clf.predict_stochastic_proba(X).sum(1), 1)
    assert np.array_equal(np.isin(clf.predict_stochastic(X, 0), clf.classes_), np.ones(len(X), bool))
    nobody = np.full((1, X.shape[1]), -1.0)
    assert clf.predict(nobody) == clf.classes_[:1]
    np.testing.assert_allclose(clf.predict_proba(nobody), 1 / n_classes)
    assert clf.predict_stochastic_proba(nobody)[0, 0] == pytest.approx(1, abs=1e-15)
    assert clf.draw(0).predict(nobody) == clf.classes_[:1]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_judges_count_what_predict_does_and_silence_as_an_error(n_classes):
    X, y = examples(n_classes)
    clf = MajorityVoteClassifier(ColumnSource(), inner_folds=0, stochastic=True, random_state=0).fit(X, y)
    silent_rows = (X < 0).all(1)
    assert silent_rows.sum() > 1
    np.testing.assert_array_equal(clf.evidence_.silent, silent_rows)
    np.testing.assert_array_equal(clf.evidence_.answer, clf.predict(X))
    errors = np.where(silent_rows, True, clf.predict(X) != y)
    assert clf.certificate_.empirical_risk == pytest.approx(errors.mean(), abs=1e-12)
    drawn = np.where(silent_rows, 1, 1 - clf.predict_stochastic_proba(X)[np.arange(len(y)), y])
    assert clf.certificate_.stochastic_risk == pytest.approx(drawn.mean(), abs=1e-8)


def test_drawn_votes_go_by_those_that_answer():
    X, y = examples(3)
    clf = MajorityVoteClassifier(ColumnSource(), stochastic=True, random_state=0).fit(X, y)
    rows = np.repeat(X[2:8], 3000, axis=0)
    drawn = clf.predict_stochastic(rows, 0).reshape(6, 3000)
    shares = np.stack([(drawn == label).mean(1) for label in clf.classes_], axis=1)
    np.testing.assert_allclose(shares, clf.predict_stochastic_proba(X[2:8]), atol=5 * np.sqrt(0.25 / 3000))


def test_voters_that_learn_may_abstain_too():
    X, y = examples(3)
    clf = MajorityVoteClassifier(Learning(), random_state=0).fit(X, y)
    assert clf.certificate_.abstains
    assert clf.certificate_.verify(clf.evidence_)
    rare = np.append(y, 7)  # a class that the voters may not know
    more = np.vstack([X, np.full((1, X.shape[1]), -1.0)])
    folded = MajorityVoteClassifier(Learning(), n_folds=2, random_state=0).fit(more, rare)
    assert folded.certificate_.verify(folded.evidence_)


def test_codes_below_no_answer_are_refused():
    X, y = examples(2)
    with pytest.raises(ValueError, match="or -1 for no answer"):
        MajorityVoteClassifier(ColumnSource(), random_state=0).fit(np.where(X < 0, -2, X), y)


@pytest.mark.parametrize("risk", ["first_order", "mc", "half"])
def test_other_risks_say_why_they_are_refused(risk):
    X, y = examples(2)
    with pytest.raises(ValueError, match=r"abstain|may not answer"):
        MajorityVoteClassifier(ColumnSource(), risk=risk, stochastic=True, random_state=0).fit(X, y)


def test_a_certificate_that_is_paid_for_does_not_cover_gaps_that_its_judges_did_not_have():
    X, y = examples(2)
    full = np.where(X < 0, 0, X)
    paid = MajorityVoteClassifier(ColumnSource(), bound="seeger", random_state=0).fit(full, y)
    assert paid.predict(full[:3]).shape == (3,)
    with pytest.raises(ValueError, match="does not cover that"):
        paid.predict(X)
    tested = MajorityVoteClassifier(ColumnSource(), random_state=0).fit(full, y)
    assert tested.predict(X).shape == y.shape
