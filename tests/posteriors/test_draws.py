import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats
from scipy.special import betainc, expit

import dense
from special import precise
from stocmv.posteriors import POSTERIORS, Categorical, Dirichlet, LogitNormal
from stocmv.posteriors._dirichlet import _log_gamma_quantile
from zoo import posterior_near, prior_of

N_DRAWS = 20_000
ALPHA = np.array([0.02, 0.5, 1.0, 3.0, 40.0])


def sample(posterior, n_draws=N_DRAWS, seed=0):
    return posterior.sample(n_draws, np.random.default_rng(seed))


def fits(values, distribution):
    return stats.kstest(values, distribution.cdf).pvalue > 0.01


class TestDirichlet:
    @pytest.mark.parametrize("j", range(len(ALPHA)))
    def test_each_weight_is_beta(self, j):
        assert fits(sample(Dirichlet(ALPHA))[:, j], stats.beta(ALPHA[j], ALPHA.sum() - ALPHA[j]))

    @pytest.mark.parametrize("group", [[0, 1], [1, 2, 3], [0, 4]])
    def test_each_sum_of_weights_is_beta(self, group):
        own = ALPHA[group].sum()
        assert fits(sample(Dirichlet(ALPHA))[:, group].sum(1), stats.beta(own, ALPHA.sum() - own))

    @pytest.mark.parametrize("scale", [1e-6, 1e-5, 1e-2])
    def test_small_concentrations_draw_one_voter(self, scale):
        shares = np.array([0.1, 0.2, 0.7])
        weights = sample(Dirichlet(scale * shares))
        assert np.all(np.isfinite(weights))
        np.testing.assert_allclose(weights.sum(1), 1, rtol=1e-14)
        assert np.mean(weights.max(1) > 0.99) > 1 - 3 * scale
        assert stats.chisquare(np.bincount(weights.argmax(1), minlength=3), N_DRAWS * shares).pvalue > 0.01

    @pytest.mark.parametrize("alpha", [1e-6, 1e-5, 1e-4, 1e-3, 2.9e-3, 1e-2, 0.3])
    def test_of_two_equal_voters_each_wins_half_of_the_time(self, alpha):
        """A gamma variable of such a shape is often below the smallest float: its logarithm is what is drawn."""
        weights = sample(Dirichlet([alpha, alpha]), 100_000)
        first = np.mean(weights[:, 0] > weights[:, 1])
        assert abs(first - 0.5) < 4 * 0.5 / np.sqrt(100_000)
        assert first + np.mean(weights[:, 1] > weights[:, 0]) == 1

    @pytest.mark.parametrize("alpha", [1e-6, 1e-4, 2.9e-3, 0.05])
    def test_the_smaller_of_two_weights_is_as_small_as_it_must_be(self, alpha):
        smaller = sample(Dirichlet([alpha, alpha]), 100_000).min(1)
        for least in (1e-300, 1e-30, 1e-3):
            theirs = 1 - 2 * betainc(alpha, alpha, least)
            assert abs(np.mean(smaller > least) - theirs) < 4 * np.sqrt(theirs / 100_000) + 1e-12

    @pytest.mark.parametrize("alpha", [1e-6, 1e-4, 2.9e-3, 0.1, 1.0, 12.0])
    def test_quantiles_of_a_gamma_variable_solve_its_distribution_function(self, alpha):
        uniform = np.append(np.random.default_rng(0).random(50), [1e-15, 1e-5, 1 - 1e-5, 1 - 1e-12])
        quantiles = _log_gamma_quantile(np.full(len(uniform), alpha), uniform)
        with ctx.workdps(40):
            theirs = [float(precise.lower_gamma(arb(alpha), arb(q).exp())) for q in quantiles.tolist()]
        np.testing.assert_allclose(theirs, uniform, rtol=1e-13)

    @pytest.mark.parametrize("scale", [1e-5, 0.1, 1e4])
    def test_a_gradient_comes_back_finite(self, scale):
        draws = Dirichlet(scale * ALPHA).draws(500, np.random.default_rng(0))
        assert np.all(np.isfinite(draws.pull(np.random.default_rng(1).standard_normal((500, 5)))))


class TestLogitNormal:
    location, scale = np.array([0.5, -1.0, 2.0]), np.array([0.1, 1.0, 3.0])

    @pytest.mark.parametrize(("i", "j"), [(0, 1), (1, 2), (2, 0)])
    def test_each_log_ratio_is_normal(self, i, j):
        weights = sample(LogitNormal(self.location, self.scale))
        theirs = stats.norm(self.location[i] - self.location[j], np.hypot(self.scale[i], self.scale[j]))
        assert fits(np.log(weights[:, i] / weights[:, j]), theirs)

    def test_log_ratios_to_one_voter_correlate_as_they_must(self):
        logits = np.log(sample(LogitNormal(self.location, self.scale)))
        ours = np.cov((logits[:, :2] - logits[:, 2:]).T)
        theirs = np.diag(self.scale[:2] ** 2) + self.scale[2] ** 2
        np.testing.assert_allclose(ours, theirs, rtol=0.03)

    def test_mean_agrees_with_quadrature(self):
        """With two voters the first weight is the logistic function of one normal variable."""
        difference = stats.norm(0.5 - -1.0, np.hypot(0.1, 1.0))
        theirs = difference.expect(expit)
        ours = LogitNormal(self.location[:2], self.scale[:2]).mean
        assert ours.sum() == pytest.approx(1, rel=1e-14)
        assert abs(ours[0] - theirs) < 3 * 0.17 / np.sqrt(4096)


class TestCategorical:
    theta = np.array([0.2, 0.0, 0.5, 0.3])

    def test_one_voter_is_drawn_with_its_probability(self):
        weights = sample(Categorical(self.theta))
        assert np.all(np.sort(weights, axis=1) == [0, 0, 0, 1])
        counts = weights.sum(0)
        assert counts[1] == 0
        assert stats.chisquare(counts[[0, 2, 3]], N_DRAWS * self.theta[[0, 2, 3]]).pvalue > 0.01

    def test_a_drawn_voter_has_no_gradient(self):
        with pytest.raises(TypeError, match="no gradient"):
            Categorical(self.theta).draws(3, np.random.default_rng(0)).pull(np.zeros((3, 4)))


@pytest.mark.parametrize("kind", POSTERIORS)
class TestEvery:
    def posterior(self, kind):
        return posterior_near(prior_of(kind, 5, 0.8))

    def test_draws_lie_on_the_simplex_around_the_mean(self, kind):
        weights = sample(self.posterior(kind))
        assert np.all(weights >= 0)
        np.testing.assert_allclose(weights.sum(1), 1, rtol=1e-14)
        error = weights.std(0) * np.sqrt(1 / N_DRAWS + (1 / 4096 if kind == "logit_normal" else 0))
        assert np.all(np.abs(weights.mean(0) - self.posterior(kind).mean) < 3.5 * error)

    def test_the_same_seed_draws_the_same(self, kind):
        first, second, other = (sample(self.posterior(kind), 10, seed) for seed in (3, 3, 4))
        np.testing.assert_array_equal(first, second)
        assert np.any(first != other)

    def test_a_posterior_is_its_point_and_its_parameters(self, kind):
        posterior = self.posterior(kind)
        for same in (type(posterior).from_point(posterior.point), type(posterior)(**posterior.parameters())):
            for name, values in posterior.parameters().items():
                np.testing.assert_allclose(same.parameters()[name], values, rtol=1e-14)

    def test_says_how_many_voters_it_has(self, kind):
        assert repr(self.posterior(kind)) == f"{POSTERIORS[kind].__name__}(5 voters)"


@pytest.mark.parametrize("kind", ["dirichlet", "logit_normal"])
@pytest.mark.parametrize("value", [0.05, 1.0, 6.0])
def test_draws_move_as_their_gradient_says(kind, value):
    posterior = posterior_near(prior_of(kind, 4, value))
    direction = np.random.default_rng(1).standard_normal((3, 4))

    def along(point):
        return np.sum(direction * type(posterior).from_point(point).sample(3, np.random.default_rng(2)))

    ours = posterior.draws(3, np.random.default_rng(2)).pull(direction)
    theirs = dense.gradient(along, posterior.point)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8 * np.abs(ours).max())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Dirichlet([1.0, 0.0]), "alpha must be positive and finite"),
        (lambda: Dirichlet([1.0, np.nan]), "alpha must be positive and finite"),
        (lambda: Dirichlet([[1.0, 2.0]]), "alpha must be one number or one for each"),
        (lambda: Categorical([0.0, 0.0]), "theta must be a list of probabilities, not all zero"),
        (lambda: Categorical([-1.0, 2.0]), "theta must be a list of probabilities"),
        (lambda: Categorical([np.nan, 1.0]), "theta must be a list of probabilities"),
        (lambda: LogitNormal([0.0, np.inf], [1.0, 1.0]), "location must be finite"),
        (lambda: LogitNormal([0.0, 0.0], [1.0, 0.0]), "scale must be positive and finite"),
        (lambda: LogitNormal([0.0, 0.0], [1.0, 1.0, 1.0]), "scale must be one number or one for each of the 2 voters"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
