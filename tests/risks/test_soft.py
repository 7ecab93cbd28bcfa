"""The risk of soft votes against thirty digits, drawn weights, differences and the risk of hard votes."""

import numpy as np
import pytest

from special import precise
from stocmv import ScoreMatrix, VoteMatrix, learn
from stocmv.posteriors import Dirichlet
from stocmv.risks import Exact, Soft, margin_rows
from stocmv.verify import fold_of, row_losses
from zoo import probabilities

LEVELS = [1e-3, 0.1, 1.0, 30.0, 1e3, 1e6]


def some_scores(n=12, n_voters=6, n_classes=2, seed=0):
    return ScoreMatrix.from_probabilities(
        *probabilities(n, np.linspace(-1, 2, n_voters), n_classes, seed), range(n_classes)
    )


def concentrations(level, n_voters, seed=1):
    return level * np.random.default_rng(seed).uniform(0.3, 1.7, n_voters)


def exactly(margins, alpha):
    """The probability of each row at thirty digits."""
    decided = [float(not np.any(m > 0)) if not (np.any(m > 0) and np.any(m < 0)) else None for m in margins]
    return [float(precise.negative_sum(m, alpha)) if d is None else d for m, d in zip(margins, decided, strict=True)]


@pytest.mark.parametrize("margin", [0.0, 0.04])
@pytest.mark.parametrize("level", [*LEVELS[:-1], pytest.param(LEVELS[-1], marks=pytest.mark.slow)])
def test_rows_are_true_values_rounded_up(level, margin):
    scores, alpha = some_scores(), concentrations(level, 6)
    ours = margin_rows(Dirichlet(alpha), scores, margin)
    theirs = np.array(exactly(scores.margins - 2 * margin - 1e-12 * (margin > 0), alpha))
    assert np.all(ours >= theirs - 1e-15)
    assert np.all(ours <= theirs + 1e-10)


@pytest.mark.parametrize("level", LEVELS)
def test_the_verifier_agrees(level):
    scores, alpha = some_scores(40, 9), concentrations(level, 9)
    ours = margin_rows(Dirichlet(alpha), scores, 0.02)
    theirs = row_losses(fold_of([scores._arrays()]), alpha, 0.02)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11)


def test_rows_that_are_decided():
    scores = ScoreMatrix.from_margins([[0.0, 0.0, 0.0], [0.0, 0.1, 1.0], [0.0, -0.1, -1.0], [-1e-9, 0.0, 0.0]])
    for level in LEVELS:
        assert margin_rows(Dirichlet(np.full(3, level)), scores).tolist() == [1.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_voters", [2, 7, 100])
def test_sure_voters_have_the_exact_risk_of_hard_votes(n_voters, level):
    errs = np.random.default_rng(3).random((50, n_voters)) < 0.4
    posterior = Dirichlet(concentrations(level, n_voters))
    soft, hard = ScoreMatrix.from_margins(1.0 - 2 * errs), VoteMatrix.from_errors(errs)
    truth = np.mean([precise.half_beta(w, posterior.total)[0] for w in errs @ posterior.alpha])
    (ours,), (theirs,) = Soft().certified_moments(posterior, soft), Exact().certified_moments(posterior, hard)
    assert -1e-14 <= ours - truth <= 2e-12  # the weights of a row are added up in two orders
    raised = 1e-12 + 1e-15 * posterior.total  # by what scipy's incomplete beta function may be wrong
    assert -1e-14 <= theirs - truth <= 1.1 * raised
    (ours, d_ours), (value, d_value) = Soft().moments(posterior, soft), Exact().moments(posterior, hard)
    np.testing.assert_allclose(ours, value, rtol=0, atol=1e-6)
    np.testing.assert_allclose(d_ours, d_value, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n_voters", [3, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", [0.1, 1.0, 30.0])
def test_agrees_with_drawn_votes(level, n_voters):
    n_draws = 40_000
    scores, posterior = some_scores(20, n_voters), Dirichlet(concentrations(level, n_voters))
    drawn = posterior.sample(n_draws, np.random.default_rng(0))
    theirs = (scores.margins @ drawn.T <= 0).mean(1)
    assert np.all(np.abs(margin_rows(posterior, scores) - theirs) < 4.5 * 0.5 / np.sqrt(n_draws))


@pytest.mark.parametrize("level", LEVELS[:-1])
def test_gradient_by_differences(level):
    scores, posterior = some_scores(30, 7), Dirichlet(concentrations(level, 7))
    value, gradient = Soft().moments(posterior, scores)
    for j, step in enumerate(1e-4 * np.eye(7)):
        there, here = (
            Soft().certified_moments(Dirichlet.from_point(posterior.point + sign * step), scores)[0] for sign in (1, -1)
        )
        assert gradient[0, j] == pytest.approx((there - here) / 2e-4, abs=2e-6)
    assert value[0] == pytest.approx(Soft().certified_moments(posterior, scores)[0], abs=1e-8)


def test_with_several_classes_the_arg_max_vote_errs_no_more_often():
    scores, y = probabilities(200, np.linspace(0, 2, 5), 4)
    posterior = Dirichlet(concentrations(3.0, 5))
    drawn = posterior.sample(2000, np.random.default_rng(0))
    wrong = np.mean([np.einsum("imk,m->ik", scores, w).argmax(1) != y for w in drawn], axis=0)
    ours = margin_rows(posterior, ScoreMatrix.from_probabilities(scores, y))
    assert np.all(wrong <= ours + 0.06)
    assert wrong.mean() < ours.mean()


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.2])
@pytest.mark.parametrize("level", [0.5, 5.0, 50.0])
def test_a_drawn_vote_is_near_an_error_of_the_mean_vote(level, margin):
    """Margins whose weighted mean is zero, two-valued and spread out: the theorem on the deterministic vote."""
    from stocmv.certificate._partition import ScoreContests

    rng = np.random.default_rng(4)
    for n_voters in (2, 3, 10):
        alpha = concentrations(level, n_voters)
        rows = np.concatenate([rng.uniform(-1, 1, (50, n_voters)), rng.choice([-1.0, 0.0, 1.0], (50, n_voters))])
        rows -= (rows @ alpha / alpha.sum())[:, None]
        rows /= np.maximum(1.0, np.abs(rows).max(1, keepdims=True))
        near = margin_rows(Dirichlet(alpha), ScoreMatrix.from_margins(rows), margin)
        assert near.min() >= ScoreContests(float(alpha.sum()), n_voters).coverage(1.0, margin)


def test_margins_say_who_wins_though_probabilities_miss_one():
    """As those of a model in single precision do: here the second voter is a little more than sure."""
    scores = np.array([[[1.0, 0.0], [0.0, 1 + 9e-7]]])
    weights = np.array([0.5000002, 0.4999998])
    assert (weights @ scores[0]).argmax() == 1
    margins = ScoreMatrix.from_probabilities(scores, [0], classes=[0, 1]).margins
    assert margins.min() == -1
    assert margins[0] @ weights < 0


class TestLearning:
    def test_learns_and_verifies(self, tmp_path):
        scores, y = probabilities(300, np.linspace(0, 2, 5), 2)
        votes = ScoreMatrix.from_probabilities(scores, y)
        learned = learn(votes, risk="soft", random_state=0)
        certificate = learned.certificate
        assert certificate.stochastic_bound < 0.4
        assert certificate.bound < 0.6
        votes.save(tmp_path / "margins.npz")
        assert certificate.verify(ScoreMatrix.load(tmp_path / "margins.npz"))
        assert not certificate.verify(votes.take(np.arange(299)))
        assert np.mean(learned.predict(scores) != y) <= certificate.bound
        assert np.mean(learned.predict_stochastic(scores, random_state=0) != y) <= certificate.stochastic_bound
        np.testing.assert_allclose(learned.predict_proba(scores).sum(1), 1)

    def test_columns_in_another_order(self):
        scores, y = probabilities(50, np.linspace(0, 2, 5), 3)
        names = np.array(["c", "a", "b"])
        ours = ScoreMatrix.from_probabilities(scores, names[y], classes=names)
        assert ours.classes.tolist() == ["a", "b", "c"]
        theirs = ScoreMatrix.from_probabilities(scores, y)
        np.testing.assert_array_equal(ours.margins, theirs.margins)

    @pytest.mark.parametrize("risk", ["exact", "half", "mc"])
    def test_other_risks_are_refused(self, risk):
        with pytest.raises(ValueError, match="use risk='soft'"):
            learn(some_scores(), risk=risk)

    def test_hard_votes_are_refused(self):
        with pytest.raises(ValueError, match="needs votes made with ScoreMatrix"):
            learn(VoteMatrix.from_errors(np.eye(3) > 0), risk="soft")

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: ScoreMatrix.from_margins([[2.0]]), "between -1 and 1"),
            (lambda: ScoreMatrix.from_margins([[np.nan]]), "between -1 and 1"),
            (lambda: ScoreMatrix.from_margins([1.0]), "a row for each example"),
            (lambda: ScoreMatrix.from_probabilities([[[0.5, 0.6]]], [0], [0, 1]), "sum to one"),
            (lambda: ScoreMatrix.from_probabilities([[[0.5, 0.5]]], [0]), "1 classes"),
            (lambda: ScoreMatrix.from_probabilities([[[0.5, 0.5]]], [0, 1]), "1 rows but y has 2"),
            (lambda: ScoreMatrix.from_probabilities([[[0.5, 0.5]]], [0], [0, 0]), "a label twice"),
            (lambda: some_scores().to("cuda"), "leave out device"),
        ],
    )
    def test_bad_input_is_refused(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()
