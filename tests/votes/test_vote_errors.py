"""The errors that a test counts are those of `predict`, ties included."""

import warnings

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator

from certificate.test_honest import Column, columns
from stocmv import MajorityVoteClassifier, RepeatedRowsWarning, VoteMatrix, verify
from stocmv.learning import mean_vote
from stocmv.posteriors import Categorical, Dirichlet


def tied(weights):
    """Rows in which the two heaviest classes have the same weight, but for rounding."""
    ordered = np.sort(weights, axis=1)
    return ordered[:, -1] - ordered[:, -2] < 1e-12


@pytest.mark.parametrize("n_voters", [4, 8, 32, 100])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", [Dirichlet, Categorical])
@pytest.mark.parametrize("pattern", [[1], [1, 2, 3, 2]], ids=["equal weights", "multiples of a weight"])
def test_vote_errors_are_those_of_predict(n_voters, n_classes, kind, pattern):
    rng = np.random.default_rng(n_voters)
    codes, targets = rng.integers(0, n_classes, (4000, n_voters)), rng.integers(0, n_classes, 4000)
    posterior = kind(0.1 * np.resize(pattern, n_voters))
    said = mean_vote(posterior, codes, n_classes)
    votes = VoteMatrix.from_codes(codes, targets, np.arange(n_classes))
    weights = np.stack([(codes == k) @ posterior.mean for k in range(n_classes)], axis=1)
    assert tied(weights).mean() > 0.03
    np.testing.assert_array_equal(votes.vote_errors(posterior.mean), said != targets)
    for doubt in (5e-14, 2e-13):
        fold = verify.fold_of([votes._arrays()])
        np.testing.assert_array_equal(verify.vote_errors(fold, posterior.mean, doubt), said != targets)
    counted = np.stack([(codes == k) @ np.resize(pattern, n_voters) for k in range(n_classes)], axis=1)
    np.testing.assert_array_equal(said, counted.argmax(1))  # in integers ties are ties, and the first class wins


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_measured_risk_is_the_error_of_predict_on_the_judging_examples(n_classes):
    """Frozen voters with equal weights: all examples judge, and many rows tie."""
    X, y = columns(n_classes, 4, n=300)
    voters = [FrozenEstimator(Column(j).fit(X, y)) for j in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedRowsWarning)  # there are few different rows
        clf = MajorityVoteClassifier(voters, inner_folds=0, random_state=0).fit(X, y)
    assert clf.certificate_.n == 300
    assert round(clf.certificate_.empirical_risk * 300) == np.count_nonzero(clf.predict(X) != y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_where_rounding_may_decide_an_error_is_counted(n_classes):
    """Weights that differ by the very threshold of a tie: whatever predict answers, the test counts an error."""
    codes = np.array([[1, 0], [0, 1]])
    for gap, errs_if_0, errs_if_1 in ((1e-10, True, True), (0.5e-10, False, True), (2e-10, True, False)):
        weights = np.array([0.5 + gap / 2, 0.5 - gap / 2])
        for target, errs in enumerate((errs_if_0, errs_if_1)):
            votes = VoteMatrix.from_codes(codes, np.full(2, target), np.arange(n_classes))
            # in the first row the heavier voter says 1, in the second 0, which wins with or without a tie
            np.testing.assert_array_equal(votes.vote_errors(weights), [errs, target == 1])
