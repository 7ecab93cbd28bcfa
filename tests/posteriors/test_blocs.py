import math

import mpmath
import numpy as np
import pytest

from stocmv.posteriors import BlocDirichlet, Categorical, Dirichlet, LogitNormal

BLOCS = np.array([0, 1, 0, 2, 1, 1])
WITHIN = np.array([0.2, 1.0, 0.6, 3.0, 0.5, 2.0])


def posterior(**changed):
    settings = {"alpha": [2.0, 5.0, 1.0], "blocs": BLOCS, "speakers": [2, 4, 3], "within": WITHIN}
    return BlocDirichlet(**settings | changed)


def test_draws_have_the_mean_and_the_deviation():
    draws = posterior().sample(200_000, np.random.default_rng(0))
    np.testing.assert_allclose(draws.sum(1), 1, rtol=1e-12)
    np.testing.assert_allclose(draws.mean(0), posterior().mean, atol=3e-3)
    np.testing.assert_allclose(draws.std(0), posterior().deviation, rtol=0.01)
    sums = np.stack([draws[:, bloc == BLOCS].sum(1) for bloc in range(3)], axis=1)
    np.testing.assert_allclose(sums.std(0), Dirichlet([2.0, 5.0, 1.0]).deviation, rtol=0.01)


def test_draws_of_tiny_concentrations_do_not_vanish():
    draws = posterior(within=1e-5 * WITHIN).sample(1000, np.random.default_rng(0))
    np.testing.assert_allclose(draws.sum(1), 1, rtol=1e-12)


def test_the_kl_is_that_of_the_sums():
    """Compared with the mean of the logarithm of the ratio of the densities, over all weights."""
    ours, prior = posterior(), Dirichlet(WITHIN)
    draws = ours.sample(100_000, np.random.default_rng(0))
    sums = np.stack([draws[:, bloc == BLOCS].sum(1) for bloc in range(3)], axis=1)

    def log_density(alpha, weights):
        front = mpmath.loggamma(alpha.sum()) - sum(mpmath.loggamma(a) for a in alpha)
        return float(front) + ((alpha - 1) * np.log(weights)).sum(1)

    log_ratio = log_density(ours.alpha, sums)
    for bloc in range(3):  # the shares within a bloc, and the volume that the sums of its voters' weights take
        own = np.flatnonzero(bloc == BLOCS)
        if len(own) > 1:
            shares = draws[:, own] / sums[:, [bloc]]
            log_ratio += log_density(WITHIN[own], shares) - (len(own) - 1) * np.log(sums[:, bloc])
    log_ratio -= log_density(WITHIN, draws)
    error = log_ratio.std() / np.sqrt(len(draws))
    assert ours.certified_kl(prior) == pytest.approx(log_ratio.mean(), abs=4 * error)
    assert ours.certified_kl(prior) < Dirichlet(ours.mean * ours.total).certified_kl(prior)


@pytest.mark.parametrize(("n_voters", "each"), [(5000, 1e-4), (50_000, 1e-6), (50_000, 0.06), (300_000, 0.01)])
def test_the_kl_of_blocs_with_many_voters_is_never_understated(n_voters, each):
    """Adding up that many equal numbers one by one would lose three digits."""
    blocs = np.arange(n_voters) % 3
    alpha, prior = np.array([1e-3, 2.0, 40.0]), Dirichlet(np.full(n_voters, each))
    ours = BlocDirichlet(alpha, blocs, [], prior.alpha).certified_kl(prior)
    with mpmath.workdps(40):
        a, b = [*map(mpmath.mpf, alpha)], [mpmath.mpf(each) * int(count) for count in np.bincount(blocs)]
        total, before = mpmath.fsum(a), mpmath.fsum(b)
        exact = mpmath.loggamma(total) - mpmath.loggamma(before)
        for x, y in zip(a, b, strict=True):
            exact += mpmath.loggamma(y) - mpmath.loggamma(x)
            exact += (x - y) * (mpmath.digamma(x) - mpmath.digamma(total))
        assert exact <= ours <= exact * (1 + mpmath.mpf(1e-11))


def test_sums_over_blocs_are_exact_to_the_last_digit():
    rng = np.random.default_rng(0)
    blocs = np.append(np.arange(20), rng.integers(0, 20, 20_000))
    for values in (np.full(len(blocs), 0.1), 10 ** rng.uniform(-6, 6, len(blocs))):
        theirs = [math.fsum(values[blocs == bloc]) for bloc in range(20)]
        np.testing.assert_array_max_ulp(Dirichlet(values).merged(blocs).alpha, np.array(theirs), 1)


@pytest.mark.parametrize("scale", [1e-4, 0.03, 1.0, 20.0])
@pytest.mark.parametrize("leak", [1e-5, 0.01, 0.1])
def test_what_speaking_costs_is_never_understated(scale, leak):
    within = scale * WITHIN
    exact = mpmath.mpf(0)
    with mpmath.workdps(40):
        for bloc in (0, 1):
            total = mpmath.fsum(map(mpmath.mpf, within[bloc == BLOCS]))
            for a in map(mpmath.mpf, within[bloc == BLOCS]):
                r = mpmath.betainc(total - a, a, 0, leak, regularized=True)
                exact += a / total * mpmath.log(a / total / r)
    ours = posterior(within=within).speaking_kl(leak, 0.0)
    assert exact <= ours <= 1.06 * exact + 1e-9


@pytest.mark.parametrize("leak", [3e-5, 0.1])
@pytest.mark.parametrize("seed", range(12))
def test_rounding_does_not_lower_what_speaking_costs(seed, leak):
    """With very different concentrations the logarithms of the gamma functions cancel."""
    within = 10 ** np.random.default_rng(seed).uniform(-6, 6, 4)
    least = mpmath.mpf(0)
    with mpmath.workdps(60):
        total = mpmath.fsum(map(mpmath.mpf, within))
        for a in map(mpmath.mpf, within):
            b = total - a
            log_r = b * mpmath.log(leak) - mpmath.log(b * mpmath.beta(a, b)) + max(a - 1, 0) * mpmath.log(1 - leak)
            least += a / total * (mpmath.log(a / total) - log_r)
        ours = BlocDirichlet([1.0], np.zeros(4, int), [0], within).speaking_kl(leak, 0.0)
        assert least <= ours <= least + 1e-7 * max(within)


def test_only_heavy_blocs_pay():
    ours = posterior(alpha=[2.0, 4.0, 1.0])
    assert ours.heavy(2.0).tolist() == [True, False, False]
    assert ours.stray(2.0) == 4.0
    assert ours.stray(0.0) == 0.0
    assert ours.speaking_kl(0.01, 2.0) < ours.speaking_kl(0.01, 0.0)


def test_the_deterministic_vote_has_speakers_or_all_voters():
    np.testing.assert_allclose(posterior().fixed_votes(), [[0, 0, 0.25, 0.125, 0.625, 0]])
    np.testing.assert_allclose(posterior().without_speakers().fixed_votes()[0], posterior().mean)
    np.testing.assert_allclose(posterior().unmerged().alpha, 8 * posterior().mean)


def test_speakers_are_drawn_in_proportion_to_the_prior():
    rng, sums = np.random.default_rng(0), Dirichlet([2.0, 5.0, 1.0])
    drawn = np.array([sums.spread(BLOCS, Dirichlet(WITHIN), rng).speakers for _ in range(4000)])
    assert (drawn[:, 2] == 3).all()
    shares = [(drawn[:, 1] == voter).mean() for voter in (1, 4, 5)]
    np.testing.assert_allclose(shares, np.array([1.0, 0.5, 2.0]) / 3.5, atol=0.03)


def test_a_bloc_splits_where_its_voters_disagree():
    codes = np.array([[0, 1, 0, 1, 1, 1], [0, 1, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1]])
    assert posterior().splits(codes).tolist() == [False, True, True]


def test_a_categorical_is_spread_as_one_over_all_voters():
    prior = Categorical(WITHIN)
    ours = Categorical([0.2, 0.5, 0.3]).spread(BLOCS, prior, np.random.default_rng(0))
    merged = Categorical([0.2, 0.5, 0.3]).kl(prior.merged(BLOCS))[0]
    assert ours.kl(prior)[0] == pytest.approx(merged, rel=1e-12)


def test_a_logit_normal_cannot_be_merged():
    assert LogitNormal.prior(1.0, 6).merged(BLOCS) is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"blocs": [0, 1, 0, 3, 1, 1]}, "every number from 0 to 2"),
        ({"speakers": [2, 4]}, "one voter of each bloc"),
        ({"speakers": [4, 2, 3]}, "one voter of each bloc"),
        ({"speakers": [2, 4, 9]}, "one voter of each bloc"),
        ({"within": [1.0, -1.0, 1, 1, 1, 1]}, "positive"),
    ],
)
def test_refuses_what_does_not_fit(changed, message):
    with pytest.raises(ValueError, match=message):
        posterior(**changed)
