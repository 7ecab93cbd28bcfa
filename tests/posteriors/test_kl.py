"""Divergences against arbitrary precision, against their definition, and their gradients against differences."""

import mpmath
import numpy as np
import pytest
from scipy import stats

import dense
from stocmv import verify
from stocmv.posteriors import POSTERIORS, Categorical, Dirichlet, LogitNormal
from stocmv.special import dirichlet_kl
from zoo import posterior_near, prior_of

RNG = np.random.default_rng(0)


def spread(n_voters, low, high):
    """Positive numbers from ``10**low`` to ``10**high``."""
    return 10 ** RNG.uniform(low, high, n_voters)


DIRICHLETS = {
    "ones": (spread(5, -1, 1), np.ones(5)),
    "small": (spread(6, -6, -3), spread(6, -3, 0)),
    "large": (spread(6, 4, 6), spread(6, 0, 6)),
    "small beside large": (np.array([1e-6, 1e6, 1.0]), np.array([1e6, 1e-6, 2.0])),
    "many": (spread(200, -2, 3), np.full(200, 5.0)),
    "next to the prior": (np.full(9, 3.0) * (1 + 1e-9 * np.arange(9)), np.full(9, 3.0)),
    "one voter": (np.array([7.0]), np.array([1.0])),
    "one voter of almost no concentration": (np.array([1e-8]), np.array([2.0])),
    "a sparse prior": (spread(300, -6, 3), np.full(300, 3e-4)),
    "next to a sparse prior": (3e-4 * spread(300, -0.01, 0.01), np.full(300, 3e-4)),
    "one voter left of a sparse prior": (np.append(np.full(299, 1e-6), 0.5), np.full(300, 3e-4)),
    "a light voter that outweighs all others": (np.array([1e-3, 1e-6, 1e-6]), np.array([2.0, 1e-6, 1e-6])),
}
CATEGORICALS = {
    "uniform prior": (spread(7, -2, 0), np.ones(7)),
    "far": (spread(7, -20, 0), spread(7, -10, 0)),
    "many": (spread(300, -3, 0), spread(300, -1, 0)),
    "a voter without weight": (np.array([0.5, 0.0, 0.5]), np.ones(3)),
    "one voter": (np.array([7.0]), np.array([1.0])),
}
LOGIT_NORMALS = {
    "near": ((RNG.standard_normal(5), spread(5, -0.5, 0.5)), (np.zeros(5), np.ones(5))),
    "narrow": ((RNG.standard_normal(5), spread(5, -8, -3)), (np.zeros(5), spread(5, -1, 1))),
    "wide": ((100 * RNG.standard_normal(5), spread(5, 0, 4)), (RNG.standard_normal(5), spread(5, -1, 1))),
}
CASES = [
    *((name, Dirichlet(a), Dirichlet(b)) for name, (a, b) in DIRICHLETS.items()),
    *((name, Categorical(a), Categorical(b)) for name, (a, b) in CATEGORICALS.items()),
    *((name, LogitNormal(*a), LogitNormal(*b)) for name, (a, b) in LOGIT_NORMALS.items()),
]


def precise(numbers):
    return [mpmath.mpf(float(x)) for x in numbers]


def precise_kl(posterior, prior):
    """The closed forms of the theory page, with 60 digits."""
    with mpmath.workdps(60):
        if posterior.name == "dirichlet":
            a, b = precise(posterior.alpha), precise(prior.alpha)
            log_beta = [sum(map(mpmath.loggamma, x)) - mpmath.loggamma(sum(x)) for x in (a, b)]
            expected = [mpmath.psi(0, x) - mpmath.psi(0, sum(a)) for x in a]
            return log_beta[1] - log_beta[0] + sum((x - y) * e for x, y, e in zip(a, b, expected, strict=True))
        if posterior.name == "categorical":
            p, q = precise(posterior.theta), precise(prior.theta)
            p, q = [x / sum(p) for x in p], [x / sum(q) for x in q]
            return sum(x * mpmath.log(x / y) for x, y in zip(p, q, strict=True) if x > 0)
        m, s, m0, s0 = map(precise, (posterior.location, posterior.scale, prior.location, prior.scale))
        terms = zip(m, s, m0, s0, strict=True)
        return sum(mpmath.log(d / b) + (b**2 + (a - c) ** 2) / (2 * d**2) - 0.5 for a, b, c, d in terms)


def size_of(posterior, prior):
    """Summed size of the terms of the divergence, which its rounding errors are proportional to."""
    if posterior.name == "dirichlet":
        return dirichlet_kl(posterior.alpha, prior.alpha)[1] / 1e-14
    return posterior.n_voters + float(precise_kl(posterior, prior))


@pytest.mark.parametrize(("name", "posterior", "prior"), CASES)
def test_agrees_with_arbitrary_precision_and_is_certified_from_above(name, posterior, prior):
    theirs, size = precise_kl(posterior, prior), size_of(posterior, prior)
    assert abs(posterior.kl(prior)[0] - theirs) <= 1e-14 * size
    assert theirs <= posterior.certified_kl(prior) <= theirs + 2.1e-14 * size


@pytest.mark.parametrize("name", [name for name in DIRICHLETS if "sparse" in name or "voter" in name])
def test_of_small_concentrations_to_twelve_digits(name):
    """Of the KL, or of 1 if that is larger: value, gradient, what is certified, and what the verifier finds."""
    a, b = DIRICHLETS[name]
    posterior, prior = Dirichlet(a), Dirichlet(b)
    theirs, gradient = precise_kl(posterior, prior), precise_gradient(a, b)
    most = 2e-12 * max(1.0, float(theirs))
    value, ours = posterior.kl(prior)
    assert abs(value - theirs) <= most
    assert max(abs(x - y) for x, y in zip(ours.tolist(), gradient, strict=True)) <= most
    assert theirs <= posterior.certified_kl(prior) <= theirs + most
    found, slack = verify.prior_kl("dirichlet", {"alpha": a.tolist()}, {"alpha": b.tolist()})
    assert abs(float(found) - theirs) <= 1e-15 * max(1.0, float(theirs))
    assert posterior.certified_kl(prior) <= float(found) + slack


def precise_gradient(a, b):
    """By the logarithms of the concentrations."""
    with mpmath.workdps(60):
        a, b = precise(a), precise(b)
        total, excess = mpmath.psi(1, sum(a)), sum(a) - sum(b)
        return [x * ((x - y) * mpmath.psi(1, x) - excess * total) for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize(
    "kind",
    [
        "dirichlet",
        "categorical",
        "logit_normal",
    ],
)
def test_is_certified_from_above_next_to_the_prior(kind):
    """Where the divergence is almost 0, what cancels must not make it smaller than it is."""
    for seed in range(20):
        prior = prior_of(kind, 9, 0.1 + np.random.default_rng(seed).random(9))
        posterior = posterior_near(prior, seed, spread=1e-8)
        assert posterior.certified_kl(prior) >= precise_kl(posterior, prior)


@pytest.mark.parametrize("kind", POSTERIORS)
@pytest.mark.parametrize("value", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("n_voters", [1, 2, 200])
def test_of_the_prior_is_0(kind, value, n_voters):
    prior = prior_of(kind, n_voters, value)
    divergence, gradient = prior.kl(prior)
    assert divergence == 0
    assert not gradient.any()
    assert 0 <= prior.certified_kl(prior) <= 1.01e-14 * size_of(prior, prior)


class TestDefinition:
    """The mean of the logarithm of the ratio of densities."""

    @pytest.mark.parametrize(
        ("a", "b"), [((0.5, 2.0), (1.0, 1.0)), ((30.0, 4.0), (2.0, 0.3)), ((3.0, 3.0), (9.0, 1.0))]
    )
    def test_two_voters_by_quadrature(self, a, b):
        posterior, prior = stats.beta(*a), stats.beta(*b)
        theirs = posterior.expect(lambda x: posterior.logpdf(x) - prior.logpdf(x), epsabs=1e-12, epsrel=1e-12)
        assert Dirichlet(a).kl(Dirichlet(b))[0] == pytest.approx(theirs, rel=1e-9)

    @pytest.mark.parametrize("m", [0.0, 1.5])
    @pytest.mark.parametrize("s", [0.3, 2.0])
    def test_normal_variables_by_quadrature(self, m, s):
        posterior, prior = stats.norm(m, s), stats.norm(0.5, 1.2)
        theirs = posterior.expect(lambda x: posterior.logpdf(x) - prior.logpdf(x), epsabs=1e-12, epsrel=1e-12)
        ours = LogitNormal([m] * 3, [s] * 3).kl(LogitNormal([0.5] * 3, [1.2] * 3))[0]
        assert ours == pytest.approx(3 * theirs, rel=1e-9)

    def test_several_voters_by_draws(self):
        a, b = np.array([0.7, 2.0, 5.0, 1.0]), np.array([1.0, 1.5, 1.0, 2.0])
        draws = np.random.default_rng(1).dirichlet(a, 400_000).T
        ratio = stats.dirichlet.logpdf(draws, a) - stats.dirichlet.logpdf(draws, b)
        ours = Dirichlet(a).kl(Dirichlet(b))[0]
        assert abs(ours - ratio.mean()) < 3 * ratio.std() / np.sqrt(ratio.size)
        assert ratio.std() / np.sqrt(ratio.size) < 3e-3 * ours

    def test_categorical(self):
        p, q = np.array([0.1, 0.2, 0.7]), np.array([0.3, 0.3, 0.4])
        assert Categorical(p).kl(Categorical(q))[0] == pytest.approx(stats.entropy(p, q), rel=1e-14)


@pytest.mark.parametrize("kind", POSTERIORS)
@pytest.mark.parametrize("value", [0.3, 1.0, 8.0])
def test_moves_as_its_gradient_says(kind, value):
    prior = prior_of(kind, 6, value)
    posterior = posterior_near(prior, spread=0.7)
    ours = posterior.kl(prior)[1]
    theirs = dense.gradient(lambda point: type(prior).from_point(point).kl(prior)[0], posterior.point)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * np.abs(ours).max())


@pytest.mark.parametrize("kind", POSTERIORS)
@pytest.mark.parametrize("other", POSTERIORS)
def test_a_prior_of_another_kind_is_refused(kind, other):
    if kind == other:
        assert prior_of(kind, 3).kl(prior_of(other, 3))[0] == 0
    else:
        with pytest.raises(TypeError, match=r"posterior needs a .* prior, got"):
            prior_of(kind, 3).kl(prior_of(other, 3))
