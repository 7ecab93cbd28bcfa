"""Empirical means against references that round nothing, and the two ways to compute them against each other."""

import numpy as np
import pytest
from scipy.special import betainc

import dense
from risks import rational
from stocmv import VoteMatrix
from stocmv.risks import RISKS, Binomial, Exact, Half, MonteCarlo, SecondOrder
from stocmv.risks._exact import margin_rows
from stocmv.risks._monte_carlo import argmax_error
from zoo import PAIRS, SEVERAL_CLASSES, SINGLE, posterior_near, prior_of, problem, raw, risk_of

CLOSED = [(risk, kind) for risk, kind in PAIRS if risk != "mc"]
SCALES = [0.05, 1.0, 40.0]


def some_posterior(kind, name, scale=1.0):
    return posterior_near(prior_of(kind, problem(name).n_voters, scale))


def few(risk, name):
    """The problem and its labels, cut to a few rows where the reference is slow."""
    votes, y = raw(name)
    if risk != "exact" or name not in SEVERAL_CLASSES:
        return problem(name), votes, y
    return VoteMatrix.from_labels(votes[:6], y[:6], problem(name).classes), votes[:6], y[:6]


@pytest.mark.parametrize(("risk", "kind"), CLOSED)
@pytest.mark.parametrize("name", SINGLE)
def test_certified_moments_are_true_values_rounded_outward(risk, kind, name):
    posterior, (matrix, votes, y) = some_posterior(kind, name), few(risk, name)
    ours = RISKS[risk].certified_moments(posterior, matrix)
    theirs = rational.moments(risk, posterior, votes, y)
    for mean, true, sign in zip(ours, theirs, RISKS[risk].outward, strict=True):
        assert sign in (-1, 1)
        assert 0 <= sign * (rational.Fraction(float(mean)) - true) <= 1e-8


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", ["noisy", "ten_classes"])
@pytest.mark.parametrize("risk", ["exact", "half"])
def test_certified_moments_are_rounded_outward_at_every_concentration(risk, name, scale):
    posterior, (matrix, votes, y) = some_posterior("dirichlet", name, scale), few(risk, name)
    (theirs,) = rational.moments(risk, posterior, votes, y)
    assert theirs <= RISKS[risk].certified_moments(posterior, matrix)[0] <= theirs + 1e-8


@pytest.mark.parametrize(("risk", "kind"), CLOSED)
@pytest.mark.parametrize("name", SINGLE)
def test_training_and_certified_moments_agree(risk, kind, name):
    for scale in SCALES:
        posterior, votes = some_posterior(kind, name, scale), problem(name)
        training, certified = RISKS[risk].moments(posterior, votes)[0], RISKS[risk].certified_moments(posterior, votes)
        np.testing.assert_allclose(training, certified, rtol=0, atol=1e-6)


def variances_of_pairs(errors, counts, theta):
    """Of "both err" and of half the number of errors of two drawn voters, with their covariance, pair by pair."""
    found = np.zeros(3)
    for j, k in np.ndindex(len(theta), len(theta)):
        both, number = errors[:, j] & errors[:, k], errors[:, j].astype(float) + errors[:, k]
        spread = np.cov(both, number, fweights=counts.astype(int) if counts.size else None)
        found += theta[j] * theta[k] * np.array([spread[0, 0], spread[0, 1], spread[1, 1] / 2])
    return found


@pytest.mark.parametrize("kind", ["dirichlet", "categorical"])
@pytest.mark.parametrize("name", SINGLE)
def test_moments_of_the_wrong_weight_are_one_line_of_numpy(kind, name):
    posterior, votes = some_posterior(kind, name), problem(name)
    theta, s = posterior.mean, posterior.total
    w = (raw(name)[0] != raw(name)[1][:, None]) @ theta
    second = (w**2).mean() if kind == "categorical" else (w * (s * w + 1) / (s + 1)).mean()
    theirs = {"first_order": [w.mean()], "second_order": [second]}
    if kind == "categorical":
        theirs["binomial"] = [betainc(50, 51, np.minimum(w, 1)).mean()]
        theirs["c_bound"] = [w.mean(), 2 * (w * (1 - w)).mean()]
        theirs["disagreement"] = theirs["c_bound"]
        theirs["cctnd"] = [(w**2).mean(), w.mean()]
        theirs["ccpbskl"] = [(w**2).mean(), 2 * (w * (1 - w)).mean()]
        theirs["ccpbb"] = [(w**2).mean(), w.mean(), *variances_of_pairs(votes.errors(), votes.counts, theta)]
    for risk, values in theirs.items():
        np.testing.assert_allclose(RISKS[risk].certified_moments(posterior, votes), values, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("n_draws", [1, 2, 3, 7, 50])
def test_binomial_counts_at_least_half(n_draws):
    posterior, votes = some_posterior("categorical", "noisy"), problem("noisy")
    shares, _ = rational.wrong_shares(posterior, votes.errors())
    theirs = float(rational.mean([rational.at_least_half(share, n_draws) for share in shares]))
    assert Binomial(n_draws).certified_moments(posterior, votes)[0] == pytest.approx(theirs, rel=1e-11)
    assert Binomial(n_draws).moments(posterior, votes)[0][0] == pytest.approx(theirs, rel=1e-6)


class TestExact:
    @pytest.mark.parametrize("name", [name for name in SINGLE if name not in SEVERAL_CLASSES])
    def test_two_classes_are_the_half_risk(self, name):
        posterior, votes = some_posterior("dirichlet", name), problem(name)
        for ours, theirs in zip(Exact().moments(posterior, votes), Half().moments(posterior, votes), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert Exact().certified_moments(posterior, votes) == Half().certified_moments(posterior, votes)

    @pytest.mark.parametrize("name", ["separable", "noisy", "symmetric", "one_voter", "identical"])
    @pytest.mark.parametrize("scale", SCALES)
    def test_a_third_class_that_nobody_says_changes_nothing(self, name, scale):
        posterior, votes = some_posterior("dirichlet", name, scale), problem(name)
        three = VoteMatrix.from_labels(*raw(name), classes=[0, 1, 2])
        assert three.labels is not None
        ours, theirs = Exact().certified_moments(posterior, three), Half().certified_moments(posterior, votes)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-10)
        ours, theirs = Exact().moments(posterior, three), Half().moments(posterior, votes)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-6)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=0, atol=1e-5)

    @pytest.mark.parametrize("name", SEVERAL_CLASSES)
    def test_several_classes_agree_with_drawn_votes(self, name):
        posterior, votes = some_posterior("dirichlet", name), problem(name)
        errors = [argmax_error(theta, votes) for theta in posterior.sample(4000, np.random.default_rng(0))]
        ours = Exact().certified_moments(posterior, votes)[0]
        assert abs(ours - np.mean(errors)) < 3 * np.std(errors) / np.sqrt(4000)

    @pytest.mark.parametrize("name", ["noisy", "three_classes"])
    @pytest.mark.parametrize("margin", [0.01, 0.1, 0.2])
    def test_margin_rows_agree_with_drawn_votes(self, name, margin):
        """The drawn vote errs, or is right by less than the margin."""
        posterior, votes = some_posterior("dirichlet", name), VoteMatrix.from_labels(*raw(name))
        truth = np.arange(votes.n_classes) == votes.targets[:, None]
        codes = np.searchsorted(votes.classes, raw(name)[0])
        near = 0
        for theta in posterior.sample(2000, np.random.default_rng(0)):
            scores = dense.class_weights(codes, votes.n_classes, theta)
            own, rival = scores[truth], np.where(truth, 0, scores).max(1)
            near = near + (rival / (own + rival) >= 0.5 - margin)
        error = 4 * np.sqrt(0.25 / 2000)
        assert np.all(np.abs(margin_rows(posterior, votes, margin) - near / 2000) < error)


class TestMonteCarlo:
    @pytest.mark.parametrize("kind", ["dirichlet", "logit_normal"])
    @pytest.mark.parametrize("name", SINGLE)
    def test_training_takes_the_mean_sigmoid_of_drawn_votes(self, kind, name):
        posterior = some_posterior(kind, name)
        theta = posterior.sample(10, np.random.default_rng(7))
        w = (raw(name)[0] != raw(name)[1][:, None]) @ theta.T
        theirs = np.mean(1 / (1 + np.exp(-100 * (w - 0.5))))
        ours = MonteCarlo().moments(posterior, problem(name), np.random.default_rng(7))[0]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7)

    @pytest.mark.parametrize("name", SINGLE)
    def test_a_dirichlet_is_certified_by_its_exact_risk(self, name):
        posterior, votes = some_posterior("dirichlet", name), problem(name)
        assert MonteCarlo().certified_moments(posterior, votes) == Exact().certified_moments(posterior, votes)
        assert MonteCarlo().paid_draws(posterior) == 0

    @pytest.mark.parametrize("name", SINGLE)
    def test_another_posterior_is_certified_by_the_votes_of_its_draws(self, name):
        posterior, (votes, y) = some_posterior("logit_normal", name), raw(name)
        risk = risk_of("mc")
        wrong = []
        for theta in posterior.sample(risk.certificate_draws, np.random.default_rng(posterior.seed("a certificate"))):
            scores = dense.class_weights(votes, votes.max() + 2, theta)
            own = np.take_along_axis(scores, y[:, None], 1)[:, 0]
            np.put_along_axis(scores, y[:, None], -1, 1)
            wrong.append(np.mean(scores.max(1) >= own))
        assert risk.certified_moments(posterior, problem(name))[0] == pytest.approx(np.mean(wrong), rel=1e-13)
        assert risk.paid_draws(posterior) == risk.certificate_draws

    def test_a_steep_sigmoid_is_a_step(self):
        posterior, votes = some_posterior("dirichlet", "noisy"), problem("noisy")
        theta = posterior.sample(10, np.random.default_rng(7))
        ours = MonteCarlo(slope=1e5).moments(posterior, votes, np.random.default_rng(7))[0]
        assert ours[0] == pytest.approx(np.mean([argmax_error(weights, votes) for weights in theta]), abs=0.05)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Binomial(n_draws=0), "n_draws must be from 1 to"),
        *(
            (lambda settings=settings: MonteCarlo(**settings), next(iter(settings)))
            for settings in ({"n_draws": 0}, {"certificate_draws": 0}, {"draw_share": 0.0}, {"draw_share": 1.0})
        ),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("risk", ["exact", "half", "first_order", "second_order"])
def test_a_posterior_without_concentrations_is_refused(risk):
    with pytest.raises(TypeError, match="needs a Dirichlet or a categorical posterior, got LogitNormal"):
        RISKS[risk].certified_moments(prior_of("logit_normal", 12), problem("noisy"))


@pytest.mark.parametrize(
    ("risk", "count"), [("second_order", {"categorical": 2, "dirichlet": 1}), ("half", {"dirichlet": 1})]
)
def test_a_loss_pays_the_divergence_for_each_draw_that_it_looks_at(risk, count):
    for kind, times in count.items():
        assert RISKS[risk].kl_count(prior_of(kind, 3)) == times
    assert Binomial(30).kl_count(prior_of("categorical", 3)) == 30
    assert SecondOrder.factor == 4
