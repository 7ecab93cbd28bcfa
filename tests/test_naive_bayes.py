import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from classifier.problems import numbered, spy
from stocmv import VoteMatrix
from stocmv.naive_bayes import NaiveBayesVote, log_odds
from stocmv.voters import Stumps, VoterSet, VoterSource
from zoo import SINGLE, answers, errors, problem


@parametrize_with_checks(
    [
        NaiveBayesVote("stumps", random_state=0),
        NaiveBayesVote(RandomForestClassifier(5), random_state=0),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


class Columns(VoterSet):
    """Voters whose answers are the columns of X."""

    def __init__(self, n_voters):
        self.n_voters = n_voters

    def codes(self, X):
        return np.asarray(X).astype(np.uint16)


class ColumnSource(VoterSource):
    learns = False

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Columns(X.shape[1])


def test_weights_of_handmade_votes():
    y = np.array([0, 1, 2, 0, 1])
    always_right, always_wrong, constant = y, (y + 1) % 3, np.zeros(5, int)
    ours = log_odds(VoteMatrix.from_labels(np.column_stack([always_right, always_wrong, constant]), y))
    np.testing.assert_allclose(ours, [np.log(6 / 1), np.log(1 / 6), np.log(3 / 4)], rtol=1e-14)


@pytest.mark.parametrize("name", SINGLE)
def test_weights_are_the_odds(name):
    wrong = errors(name).sum(0)
    theirs = np.log((1 + len(errors(name)) - wrong) / (1 + wrong))
    np.testing.assert_allclose(log_odds(problem(name)), theirs, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_the_class_with_the_largest_sum_wins(n_classes):
    votes, y = answers(300, np.linspace(0.1, 0.9, 12), n_classes, seed=n_classes)
    vote = NaiveBayesVote(ColumnSource(), random_state=0).fit(votes, y)
    (weights,) = vote.weights_
    assert weights.min() < 0 < weights.max()
    scores = np.array([[weights[row == k].sum() for k in range(n_classes)] for row in votes])
    np.testing.assert_array_equal(vote.predict(votes), scores.argmax(1))
    theirs = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(vote.predict_proba(votes), theirs, rtol=1e-10)


def test_a_voter_that_is_always_wrong_is_as_good_as_one_that_is_always_right():
    votes, y = answers(200, np.array([0.0, 0.5, 0.5]))
    assert NaiveBayesVote(ColumnSource()).fit(votes, y).score(votes, y) == 1


def test_no_vote_beats_it_where_voters_are_independent():
    votes, y = answers(20_000, np.array([0.9, 0.6, 0.6, 0.6, 0.6, 0.3]), seed=1)
    vote = NaiveBayesVote(ColumnSource()).fit(votes[:10_000], y[:10_000])
    ours = vote.score(votes[10_000:], y[10_000:])
    majority = np.mean((votes[10_000:].mean(1) > 0.5) == y[10_000:])
    best_voter = np.mean(votes[10_000:, 0] == y[10_000:])
    assert ours > best_voter > majority


def test_probabilities_are_right_where_voters_are_independent():
    votes, y = answers(40_000, np.array([0.8, 0.7, 0.6, 0.4]), seed=2)
    sure = NaiveBayesVote(ColumnSource()).fit(votes, y).predict_proba(votes)[:, 1]
    for value in np.unique(sure):
        same = sure == value
        assert abs(y[same].mean() - value) < 4 * 0.5 / np.sqrt(same.sum()) + 0.01


@pytest.mark.parametrize("n_folds", [None, 2, 5])
def test_voters_are_judged_by_examples_they_did_not_see(n_folds):
    source = spy()
    vote = NaiveBayesVote(source, n_folds=n_folds, random_state=0).fit(*numbered(50))
    assert len(vote.weights_) == len(source.made) == (n_folds or 3)
    assert all(voters.asked == [set(range(50)) - voters.trained] for voters in source.made)
    assert sorted(i for voters in source.made for i in voters.asked[0]) == list(range(50))


def test_voters_that_only_remember_get_no_weight():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), rng.integers(0, 2, 600)
    vote = NaiveBayesVote([KNeighborsClassifier(1)], random_state=0).fit(X, y)
    assert all(abs(weights[0]) < 0.6 for weights in vote.weights_)
    assert KNeighborsClassifier(1).fit(X, y).score(X, y) == 1


def test_weights_come_from_the_votes_of_each_fold():
    X, y = load_iris(return_X_y=True)
    vote = NaiveBayesVote(RandomForestClassifier(4), random_state=0).fit(X, y)
    assert [votes.n_examples for votes in vote.votes_] == [50, 50, 50]
    for votes, weights in zip(vote.votes_, vote.weights_, strict=True):
        wrong = votes.errors().sum(0)
        np.testing.assert_allclose(weights, np.log((1 + 50 - wrong) / (1 + wrong)), rtol=1e-12)


def test_all_folds_vote():
    X, y = load_iris(return_X_y=True)
    vote = NaiveBayesVote(RandomForestClassifier(4), random_state=0).fit(X, y)
    scores = np.zeros((len(X), 3))
    for voters, weights in zip(vote.voters_, vote.weights_, strict=True):
        codes = voters.codes(X)
        for k in range(3):
            scores[:, k] += (codes == k) @ weights
    np.testing.assert_array_equal(vote.predict(X), scores.argmax(1))


def test_frozen_voters_are_judged_by_all_examples():
    X, y = make_moons(300, noise=0.2, random_state=0)
    names = np.array(["left", "right"])[y]
    fitted = [classifier.fit(X[:100], names[:100]) for classifier in (GaussianNB(), KNeighborsClassifier(3))]
    vote = NaiveBayesVote([FrozenEstimator(classifier) for classifier in fitted]).fit(X[100:], names[100:])
    assert [votes.n_examples for votes in vote.votes_] == [200]
    wrong = np.array([np.sum(classifier.predict(X[100:]) != names[100:]) for classifier in fitted])
    np.testing.assert_allclose(vote.weights_[0], np.log((201 - wrong) / (1 + wrong)), rtol=1e-12)


def test_stumps_with_known_ranges_are_judged_by_all_examples():
    X, y = make_moons(300, noise=0.2, random_state=0)
    vote = NaiveBayesVote(Stumps(5, ranges=[[-2, -2], [3, 3]])).fit(X, y)
    assert vote.votes_[0].n_examples == 300


@pytest.mark.parametrize(("voters", "least"), [("stumps", 0.8), (RandomForestClassifier(20), 0.93)])
def test_accuracy(voters, least):
    X, y = make_moons(1200, noise=0.2, random_state=0)
    vote = NaiveBayesVote(voters, random_state=0).fit(X[:600], y[:600])
    assert vote.score(X[600:], y[600:]) > least


def test_several_classes_are_not_class_numbers():
    """The paper's code took the sign of a weighted sum of class numbers; on three classes that is an artefact."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    vote = NaiveBayesVote(RandomForestClassifier(20), random_state=0).fit(X, names)
    assert vote.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert vote.score(X, names) > 0.9


def test_sparse_examples():
    X, y = load_iris(return_X_y=True)
    dense, packed = (
        NaiveBayesVote(RandomForestClassifier(5), random_state=0).fit(data, y) for data in (X, sparse.csr_matrix(X))
    )
    np.testing.assert_array_equal(dense.predict(X), packed.predict(sparse.csr_matrix(X)))


def test_the_seed_decides():
    X, y = make_moons(200, noise=0.2, random_state=0)
    vote = NaiveBayesVote(RandomForestClassifier(5), random_state=3)
    first, second = (clone(vote).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(first)).predict_proba(X), first.predict_proba(X))


def test_there_is_no_certificate():
    X, y = make_moons(100, noise=0.2, random_state=0)
    assert not hasattr(NaiveBayesVote("stumps").fit(X, y), "certificate_")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_folds": 1}, "n_folds=1 and n_samples = 20: .* at least 2 folds are needed"),
        ({"n_folds": 21}, "n_folds=21 is more than the number of examples"),
        ({"n_folds": "many"}, "n_folds must be None or a positive integer, got 'many'"),
        ({"voters": "tree"}, "voters must be 'forest', 'stumps'"),
    ],
)
def test_bad_settings(settings, message):
    X, y = make_moons(20, random_state=0)
    with pytest.raises(ValueError, match=message):
        NaiveBayesVote(**{"voters": "stumps", **settings}).fit(X, y)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        NaiveBayesVote().predict([[0.0]])


def test_voters_must_answer_classes():
    votes, y = answers(50, np.array([0.8, 0.7]))
    vote = NaiveBayesVote(ColumnSource()).fit(votes, y)
    with pytest.raises(ValueError, match="Voters must answer class codes, integers from 0 to 1"):
        vote.predict(votes + 1)
