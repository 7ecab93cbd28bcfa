"""Classifiers that take no labels but 0 to K - 1."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.voters import Classifiers

X, CODES = make_classification(300, 4, n_informative=3, n_redundant=0, n_classes=3, random_state=0)
BAYES = GaussianNB()
LABELS = {"words": np.array(["ant", "bee", "cat"]), "numbers": np.array([-3, 7, 40])}


class XGBClassifier(DecisionTreeClassifier):
    """Stands in for the real one."""

    def fit(self, X, y, sample_weight=None):
        if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError(f"Invalid classes inferred from unique values of `y`, got {np.unique(y)}")
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("wrap", [lambda c: c, lambda c: make_pipeline(StandardScaler(), c), lambda c: [c, BAYES]])
def test_any_labels_give_the_same_vote(labels, wrap):
    ours = MajorityVoteClassifier(wrap(XGBClassifier()), random_state=0).fit(X, LABELS[labels][CODES])
    theirs = MajorityVoteClassifier(wrap(DecisionTreeClassifier()), random_state=0).fit(X, LABELS[labels][CODES])
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    assert ours.certificate_.figures == theirs.certificate_.figures


def test_a_class_that_is_not_among_the_examples_is_never_answered():
    """Of three labels the first does not occur: the codes have no gap, and the probabilities have one."""
    some = CODES > 0
    voters = Classifiers([XGBClassifier()]).fit(X[some], CODES[some], LABELS["words"], seed=0)
    assert set(voters.codes(X)[:, 0]) == {1, 2}
    assert voters.probabilities(X).shape == (300, 1, 3)
    assert not voters.probabilities(X)[:, 0, 0].any()


def test_names_of_the_voters():
    clf = MajorityVoteClassifier([XGBClassifier(), GaussianNB()], random_state=0).fit(X, CODES)
    assert list(clf.voters_[0].names)[:2] == ["XGBClassifier", "GaussianNB"]


def test_the_real_one():
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed: stocmv does not need it")
    voter = xgboost.XGBClassifier(n_estimators=5, random_state=0, n_jobs=1)
    y = LABELS["words"][CODES]
    clf = MajorityVoteClassifier(voter, random_state=0).fit(X, y, sample_weight=np.ones(300))
    assert np.mean(clf.predict(X) == y) > 0.8
    assert clf.certificate_.verify(clf.evidence_)
