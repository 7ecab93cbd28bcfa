"""One more voter, a logistic regression on the probabilities of the others."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import data, quick
from stocmv.checks import hash_rows
from stocmv.persistence import load, save
from stocmv.voters import STACK, StackedVoters, VoterSet, learn_stack


class Table(VoterSet):
    """Voters whose probabilities are the examples themselves."""

    n_voters = 2

    def codes(self, X):
        return X.argmax(2)

    def probabilities(self, X):
        return X


def three():
    return [GaussianNB(), LogisticRegression(), DecisionTreeClassifier(max_depth=3)]


def made(n_classes, n=240):
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(0, n_classes, n)
    chances = rng.dirichlet(np.ones(n_classes), (n, 2)) + 0.7 * np.eye(n_classes)[codes][:, None]
    return chances / chances.sum(2, keepdims=True), codes


@pytest.mark.parametrize("n_classes", [2, 4])
def test_its_probabilities_are_those_of_a_logistic_regression(n_classes):
    table, codes = made(n_classes)
    part = np.arange(len(codes)) % 3
    cuts = [(np.flatnonzero(part == k), np.flatnonzero(part != k)) for k in range(3)]
    ours = learn_stack(table, codes, cuts)

    def theirs(taught, asked):
        flat = table[:, :, 1] if n_classes == 2 else table.reshape(len(table), -1)
        model = LogisticRegression(C=10, max_iter=1000).fit(flat[taught], codes[taught])
        return model.predict_proba(flat[asked])

    for rows, others in cuts:
        np.testing.assert_allclose(ours.probabilities[rows], theirs(others, rows), atol=1e-6)
    everywhere = np.arange(len(codes))
    voters = StackedVoters(Table(), ours.model)
    np.testing.assert_allclose(voters.probabilities(table)[:, 2], theirs(everywhere, everywhere), atol=1e-6)
    np.testing.assert_array_equal(voters.probabilities(table)[:, :2], table)
    np.testing.assert_array_equal(voters.codes(table), voters.probabilities(table).argmax(2))
    assert list(voters.names) == ["voter 1", "voter 2", STACK]


def test_it_gives_nothing_to_a_class_that_it_never_saw():
    table, codes = made(4)
    kept = codes != 2
    part = np.arange(kept.sum()) % 2
    cuts = [(np.flatnonzero(part == k), np.flatnonzero(part != k)) for k in range(2)]
    stack = learn_stack(table[kept], codes[kept], cuts)
    assert not StackedVoters(Table(), stack.model).probabilities(table)[:, 2, 2].any()


def test_there_is_none_without_folds_or_with_one_class():
    table, codes = made(2, 30)
    rows = np.arange(30)
    assert learn_stack(table, codes, []) is None
    assert learn_stack(table, codes, [(rows[codes == 0], rows[codes == 1])]) is None


@pytest.mark.parametrize("frozen", [False, True])
def test_it_is_a_voter_of_learned_soft_votes(frozen, tmp_path):
    X, y = data(n=300)
    voters = three()
    if frozen:
        voters = [FrozenEstimator(voter.fit(*data(n=300, start=300))) for voter in voters]
    clf = quick(voters).fit(X, y)
    names = ["GaussianNB", "LogisticRegression", "DecisionTreeClassifier", STACK]
    assert list(clf.voters_[0].names) == names
    assert clf.posterior_[0].mean.shape == (4,)
    assert STACK in clf.certificate_.context["weights"]
    assert clf.certificate_.verify(clf.evidence_)
    sums = np.einsum("j,ijk->ik", clf.posterior_[0].mean, clf.voters_[0].probabilities(X))
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[sums.argmax(1)])
    save(clf, tmp_path / "model.skops")
    for again in (load(tmp_path / "model.skops"), pickle.loads(pickle.dumps(clf)), clone(clf).fit(X, y)):
        np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
        assert list(again.voters_[0].names) == names


def test_the_judges_do_not_train_it():
    """Other labels of the judging examples change the certificate, not the stack."""
    X, y = data(n=300)
    clf = quick(three()).fit(X, y)
    judges = np.isin(X[:, 0], X[_judging_rows(X, clf), 0])
    other = quick(three()).fit(X, np.where(judges, 1 - y, y))
    assert judges.sum() == clf.certificate_.n == 100
    assert other.certificate_.bound > clf.certificate_.bound
    np.testing.assert_array_equal(other.voters_[0].model.coef_, clf.voters_[0].model.coef_)
    np.testing.assert_array_equal(other.posterior_[0].mean, clf.posterior_[0].mean)


def _judging_rows(X, clf):
    return np.flatnonzero(np.isin(hash_rows(X, b"evidence"), clf.evidence_.row))


@pytest.mark.parametrize(
    ("voters", "settings"),
    [
        (three(), {"voting": "hard"}),
        (three(), {"inner_folds": 0}),
        (three(), {"bound": "seeger"}),
        ([GaussianNB()], {}),
        (VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], voting="soft", weights=[1, 2]), {}),
    ],
)
def test_other_votes_have_none(voters, settings):
    clf = quick(voters, **settings).fit(*data())
    assert not any(isinstance(each, StackedVoters) for each in clf.voters_)


def test_tables_of_probabilities_are_stacked_too():
    table, codes = made(3)
    clf = quick("scores").fit(table.reshape(len(table), -1), codes)
    assert list(clf.voters_[0].names) == ["voter 1", "voter 2", STACK]
    assert clf.certificate_.verify(clf.evidence_)
