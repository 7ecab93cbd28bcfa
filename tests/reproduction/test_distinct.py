import numpy as np
import pytest

from reproduction._distinct import DistinctVotes
from stocmv import VoteMatrix, learn
from stocmv.risks._half_curve import half_curve
from stocmv.solvers import LBFGS
from zoo import problem


def repeated(seed=0):
    """Nine voters of whom four are different, on examples many of which are alike."""
    rng = np.random.default_rng(seed)
    errors = rng.random((200, 4)) < [0.1, 0.3, 0.4, 0.45]
    return VoteMatrix.from_errors(errors[:, [0, 1, 1, 2, 0, 3, 3, 3, 2]])


@pytest.mark.parametrize("votes", [repeated(), problem("identical"), problem("separable")], ids=repr)
def test_sums_are_those_of_all_voters(votes):
    ours = DistinctVotes.of(votes)
    rng = np.random.default_rng(1)
    weights = rng.gamma(1.0, size=votes.n_voters)
    assert (ours.n_voters, ours.n_examples) == (votes.n_voters, votes.n_examples)
    curve = half_curve(weights.sum())
    for mine, theirs in zip(ours.curve_sum(weights, curve), votes.curve_sum(weights, curve), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(ours.voter_errors(), votes.voter_errors(), rtol=1e-14)
    mine, theirs = ours.wrong_weights(weights), votes.wrong_weights(weights)
    np.testing.assert_allclose(np.sort(np.repeat(mine, ours.counts.astype(int))), np.sort(theirs), rtol=1e-12)


def test_each_pattern_is_kept_once():
    ours = DistinctVotes.of(repeated())
    assert ours.once.n_voters == 4
    assert ours.n_rows <= 16
    assert ours.errors().shape == (ours.n_rows, 9)
    assert ours.take([0, 1]).n_rows == 2


def test_merged_votes_keep_their_counts():
    votes = repeated()
    again = DistinctVotes.of(votes.merged())
    assert again.n_examples == 200
    np.testing.assert_allclose(again.voter_errors(), votes.voter_errors(), rtol=1e-14)


def test_learning_finds_the_same_vote():
    votes = repeated()
    ours, theirs = (
        learn(v, prior=1.0, merge=False, solver=LBFGS(tolerance=1e-12), random_state=0).certificate
        for v in (DistinctVotes.of(votes), votes)
    )
    assert ours.bound == pytest.approx(theirs.bound, abs=1e-7)
    assert ours.kl == pytest.approx(theirs.kl, abs=1e-3)
