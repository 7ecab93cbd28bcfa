"""The exact risk where voters do not answer, against draws, 30 digits and differences."""

import mpmath
import numpy as np
import pytest

import dense
from stocmv import VoteMatrix, learn
from stocmv.posteriors import Dirichlet
from stocmv.risks import Exact
from stocmv.risks._exact import margin_rows
from stocmv.votes import PartitionedVotes
from zoo import HARD_RISKS, answers, silent, silent_problem

N_CLASSES = (2, 3, 10)
SCALES = (0.01, 1.0, 40.0, 1e4)


def a_posterior(scale, seed=0):
    return Dirichlet(scale * (0.05 + np.random.default_rng(seed).gamma(1.0, 1.0, 7)))


def wins(own, rivals):
    """Probability that the gamma variable of shape ``own`` is above all rivals, with 30 digits."""
    with mpmath.workdps(30):
        own, rivals = mpmath.mpf(float(own)), [mpmath.mpf(float(r)) for r in rivals if r > 0]
        if own == 0:
            return 0.0
        if len(rivals) == 1:
            return float(mpmath.betainc(rivals[0], own, 0, 0.5, regularized=True))

        def integrand(u):
            t = mpmath.exp(u)
            value = mpmath.exp(own * u - t - mpmath.loggamma(own))
            return value * mpmath.fprod(mpmath.gammainc(r, 0, t, regularized=True) for r in rivals)

        centre, width = mpmath.log(own), 12 / mpmath.sqrt(own) + 3
        ends = (
            [centre + width * k / 8 for k in range(-24, 9)]
            if own < 5
            else [centre + width * k / 8 for k in range(-8, 9)]
        )
        return float(mpmath.quad(integrand, ends))


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.5, 3.0, 40.0])
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_certified_rows_are_those_of_30_digits_rounded_up(n_classes, scale):
    votes, y = silent(n_classes)
    posterior = a_posterior(scale)
    each = dense.class_weights(votes, n_classes, posterior.alpha)
    rows = np.r_[0:6]
    theirs = np.array([1 - wins(each[i, y[i]], np.delete(each[i], y[i])) for i in rows])
    ours = margin_rows(posterior, silent_problem(n_classes))[rows]
    assert np.all(ours >= theirs - 1e-14)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=3e-10)


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_the_risk_is_the_share_of_drawn_votes_that_err(n_classes):
    votes, y = silent(n_classes)
    posterior, rng = a_posterior(2.0), np.random.default_rng(1)
    errors = []
    for theta in posterior.sample(4000, rng):
        each = dense.class_weights(votes, n_classes, theta)
        errors.append(((each.argmax(1) != y) | (each.max(1) == 0)).mean())
    (ours,) = Exact().certified_moments(posterior, silent_problem(n_classes))
    assert abs(np.mean(errors) - ours) < 5 * np.std(errors) / np.sqrt(len(errors))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_training_and_certified_moments_agree(n_classes, scale):
    votes, posterior = silent_problem(n_classes), a_posterior(scale)
    (training,), _ = Exact().moments(posterior, votes)
    np.testing.assert_allclose(training, Exact().certified_moments(posterior, votes)[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("scale", [0.05, 1.0, 12.0, 40.0])
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_gradients_are_those_of_differences(n_classes, scale):
    votes, posterior = silent_problem(n_classes), a_posterior(scale)

    def precise(point):
        return Exact().certified_moments(Dirichlet.from_point(point), votes)[0]

    (ours,) = Exact().moments(posterior, votes)[1]
    theirs = dense.gradient(precise, posterior.point, step=1e-2)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 * np.abs(theirs).max() + 1e-7)


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_without_abstention_the_other_kernel_says_the_same(n_classes):
    """A plane of all who are right, though all voters answer: the figures are those without it."""
    full = VoteMatrix.from_labels(*answers(200, np.linspace(0.5, 0.8, 7), n_classes), np.arange(n_classes))
    with_gap = VoteMatrix.joined([full, silent_problem(n_classes)]).take(np.arange(200))
    assert with_gap.abstains
    for scale in SCALES:
        posterior = a_posterior(scale)
        (a,), (da,) = Exact().moments(posterior, full)
        (b,), (db,) = Exact().moments(posterior, with_gap)
        assert a == pytest.approx(b, abs=1e-7)
        np.testing.assert_allclose(da, db, rtol=0, atol=1e-5 * np.abs(da).max() + 1e-9)
        certified = [Exact().certified_moments(posterior, v)[0] for v in (full, with_gap)]
        assert certified[0] == pytest.approx(certified[1], abs=1e-12)


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_sums_are_the_same_to_the_last_bit_in_however_many_parts(n_classes):
    votes, posterior = silent_problem(n_classes, 600), a_posterior(1.0)
    full = VoteMatrix.from_labels(*answers(100, np.linspace(0.5, 0.8, 7), n_classes), np.arange(n_classes))
    whole = VoteMatrix.joined([votes, full])
    parts = PartitionedVotes([*(votes.take(rows) for rows in np.array_split(np.arange(600), 5)), full])
    (a,), (da,) = Exact().moments(posterior, whole)
    (b,), (db,) = Exact().moments(posterior, parts)
    assert a == b
    assert np.array_equal(da, db)


@pytest.mark.parametrize("risk", [name for name in HARD_RISKS if name != "exact"])
def test_risks_of_the_wrong_weight_are_refused(risk):
    with pytest.raises(ValueError, match=f"risk '{risk}'.*abstain: use risk='exact'"):
        learn(silent_problem(2), prior=1.0, risk=risk)


def test_learning_finds_the_voter_that_is_right_when_it_answers():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    guesses = np.where(rng.random((600, 4)) < 0.6, y[:, None], 1 - y[:, None]).astype(float)
    expert = np.where(rng.random(600) < 0.5, np.nan, y)
    learned = learn(VoteMatrix.from_labels(np.column_stack([guesses, expert]), y), prior=1.0, random_state=0)
    assert learned.posterior.mean.argmax() == 4
