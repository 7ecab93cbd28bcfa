"""The Chebyshev-Cantelli bounds against the published formulas, written out for pairs of voters."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import lambertw, rel_entr

from stocmv import VoteMatrix, certify, learn
from stocmv.bounds import BOUNDS, Bennett, Lambda, Seeger, Upper
from stocmv.posteriors import Categorical
from stocmv.risks import RISKS, CantelliBennett, CantelliSplit
from zoo import errors, problem

DELTA = 0.05
MUS = np.concatenate([np.linspace(-3, -0.5, 2001), np.linspace(-0.5, 0.4999, 100_001)])


def kl(q, p):
    return rel_entr(q, p) + rel_entr(1 - q, 1 - p)


def kl_sup(q, epsilon):
    return brentq(lambda p: kl(q, p) - epsilon, q, 1 - 1e-15, xtol=1e-15) if kl(q, 1 - 1e-15) > epsilon else 1.0


def kl_inf(q, epsilon):
    return brentq(lambda p: kl(q, p) - epsilon, 1e-15, q, xtol=1e-15) if q > 0 and kl(q, 1e-15) > epsilon else 0.0


class Pairs:
    """Errors of single voters and pairs, the KL, and the right-hand sides of both kl inequalities."""

    def __init__(self, wrong, rho, pi):
        e, n = wrong.astype(float), len(wrong)
        self.gibbs = float(rho @ e.mean(0))
        self.losses = e[:, :, None], e[:, None, :]
        self.rho = np.outer(rho, rho)
        divergence = float(rel_entr(rho, pi).sum())
        self.n, self.divergence, self.twice = n, divergence, 2 * divergence
        self.single = (divergence + math.log(4 * math.sqrt(n) / DELTA)) / n
        self.pair = (2 * divergence + math.log(4 * math.sqrt(n) / DELTA)) / n

    def mean(self, loss):
        return float(np.sum(self.rho * loss(*self.losses).mean(0)))

    def cctnd(self):
        tandem = kl_sup(self.mean(np.multiply), self.pair)
        low, high = kl_inf(self.gibbs, self.single), kl_sup(self.gibbs, self.single)
        return np.min((tandem - 2 * MUS * np.where(MUS >= 0, low, high) + MUS**2) / (0.5 - MUS) ** 2)

    def cctnd_at_the_best_mu(self):
        """The published mu for all at once, with the bounds put in; a negative one with the upper bound."""
        tandem = kl_sup(self.mean(np.multiply), self.pair)
        found = [4 * tandem]
        for gibbs, sign in ((kl_inf(self.gibbs, self.single), 1), (kl_sup(self.gibbs, self.single), -1)):
            mu = (gibbs / 2 - tandem) / (0.5 - gibbs) if gibbs < 0.5 else 0.0
            if sign * mu > 0:
                found.append((tandem - 2 * mu * gibbs + mu**2) / (0.5 - mu) ** 2)
        return min(found)

    def ccpbb(self, mu):
        n, length, half = self.n, max(1 - mu, 1 - 2 * mu), DELTA / 2
        losses = (self.losses[0] - mu) * (self.losses[1] - mu)
        mean, spread = np.sum(self.rho * losses.mean(0)), np.sum(self.rho * losses.var(0, ddof=1))
        root = math.sqrt((n - 1) / math.log(1 / half) + 1)
        k_t = math.ceil(math.log(root / 2 + 0.5) / math.log(1.05))
        variance = length**2 / 4
        for i in range(k_t):
            t = 1.05**i / (root + 1)
            paid = length**2 * (self.twice + math.log(k_t / half)) / (2 * (n - 1) * t * (1 - t))
            variance = min(variance, spread / (1 - t) + paid)
        least = 2 * length**2 * math.log(1 / half) / (n - 1)
        u = 1 / (1 + length**2 / least)
        first = (1 + lambertw((4 * math.log(1 / half) / n - 1) / math.e).real) / length
        last = -(lambertw(-u * math.exp(-u), -1).real + u) / length
        k_c = math.ceil(math.log(last / first) / math.log(1.05))
        found = []
        for c in first * 1.05 ** np.arange(k_c):
            factor = (math.exp(length * c) - length * c - 1) / (c * length**2)
            found.append(mean + factor * variance + (self.twice + math.log(k_c * k_t / half)) / (c * n))
        return min(found) / (0.5 - mu) ** 2

    def gibbs_lambda(self):
        return 2 * self.tuned(self.gibbs, self.divergence)

    def tandem_lambda(self):
        return 4 * self.tuned(self.mean(np.multiply), self.twice)

    def tuned(self, risk, divergence):
        """The PAC-Bayes-lambda bound at its best lambda."""
        paid = divergence + math.log(2 * math.sqrt(self.n) / DELTA)
        best = 2 / (math.sqrt(2 * self.n * risk / paid + 1) + 1)
        return risk / (1 - best / 2) + paid / (best * (1 - best / 2) * self.n)

    def ccpbskl(self, mu):
        middle, least = (mu**2, -mu * (1 - mu)) if mu >= 0 else (-mu * (1 - mu), mu**2)
        most = (1 - mu) ** 2
        above = self.mean(lambda a, b: np.maximum((a - mu) * (b - mu) - middle, 0))
        below = self.mean(lambda a, b: np.maximum(middle - (a - mu) * (b - mu), 0))
        plus = kl_sup(min(above / (most - middle), 1.0), self.pair)
        minus = kl_inf(below / (middle - least), self.pair) if middle > least else 0.0
        return (middle + (most - middle) * plus - (middle - least) * minus) / (0.5 - mu) ** 2


def voters(n, accuracies, copies=1, seed=0):
    rng = np.random.default_rng(seed)
    return np.repeat(rng.random((n, len(accuracies))) > accuracies, copies, axis=1)


MUS_PAID = 0.5 - 0.5 * 0.85 ** np.arange(20)
CASES = {
    "different voters": voters(600, np.linspace(0.7, 0.85, 9)),
    "voters that err together": voters(400, np.array([0.6, 0.9]), copies=4),
    "weak voters": voters(300, np.linspace(0.5, 0.6, 7)),
    "noisy": errors("noisy"),
    "never wrong": np.zeros((80, 3), bool),
}


def given(name):
    wrong = CASES[name]
    m = wrong.shape[1]
    rng = np.random.default_rng(5)
    rho, pi = rng.dirichlet(np.full(m, 4.0)), rng.dirichlet(np.full(m, 9.0))
    return VoteMatrix.from_errors(wrong), Categorical(rho), Categorical(pi), Pairs(wrong, rho, pi)


def certified(votes, rho, pi, risk, bound=BOUNDS["seeger_2sqrt"]):
    certificate = certify([votes], [rho], [pi], risk, bound, DELTA)
    assert certificate.verify(votes)
    return certificate.bound


@pytest.mark.parametrize("name", CASES)
def test_cctnd_is_the_published_bound_at_its_best_mu(name):
    votes, rho, pi, pairs = given(name)
    ours, theirs = certified(votes, rho, pi, RISKS["cctnd"]), min(pairs.cctnd(), 1.0)
    assert theirs - 1e-7 <= ours <= theirs + 1e-9  # theirs is from a grid of mu
    assert ours == pytest.approx(min(pairs.cctnd_at_the_best_mu(), 1.0), abs=1e-9)
    assert certified(votes, rho, pi, RISKS["cctnd"], Seeger()) <= ours


def test_a_negative_mu_is_used_where_voters_err_together_if_the_bound_has_two_sides():
    votes, rho, pi, _ = given("voters that err together")
    upper = Upper(BOUNDS["seeger_2sqrt"], (400,), DELTA / 2)
    moments, divergence = RISKS["cctnd"].certified_moments(rho, votes), rho.certified_kl(pi)
    tandem = 4 * upper(moments[0], 2 * divergence).value
    assert RISKS["cctnd"].compose(moments, divergence, upper, rho).value < 0.92 * tandem
    one_sided = Upper(BOUNDS["catoni"], (400,), DELTA / 2)
    ours = RISKS["cctnd"].compose(moments, divergence, one_sided, rho).value
    assert ours == pytest.approx(4 * one_sided(moments[0], 2 * divergence).value, rel=1e-12)


@pytest.mark.parametrize("mu", [-0.5, -0.05, 0.0, 0.1, 0.3, 0.49])
@pytest.mark.parametrize("name", CASES)
def test_ccpbskl_is_the_published_bound_for_a_given_mu(name, mu):
    votes, rho, pi, pairs = given(name)
    ours = certified(votes, rho, pi, CantelliSplit(mu=mu))
    assert ours == pytest.approx(min(pairs.ccpbskl(mu), 1.0), abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_ccpbskl_takes_the_best_mu_that_is_not_negative(name):
    votes, rho, pi, pairs = given(name)
    ours = certified(votes, rho, pi, RISKS["ccpbskl"])
    theirs = min(1.0, *(pairs.ccpbskl(mu) for mu in np.linspace(0, 0.49, 99)))
    assert theirs * (1 - 1e-3) <= ours <= theirs + 1e-9


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.3, 0.45])
@pytest.mark.parametrize("name", CASES)
def test_ccpbb_is_the_published_bound_for_a_given_mu(name, mu):
    votes, rho, pi, pairs = given(name)
    risk, theirs = CantelliBennett(mu=mu, bound=Bennett("twice")), pairs.ccpbb(mu)
    upper = Upper(risk.bound, (votes.n_examples,), DELTA)
    ours = risk.compose(risk.certified_moments(rho, votes), rho.certified_kl(pi), upper, rho).value
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert certified(votes, rho, pi, risk) == pytest.approx(min(theirs, 1.0), abs=1e-9)
    assert certified(votes, rho, pi, CantelliBennett(mu=mu)) <= min(theirs, 1.0)


@pytest.mark.parametrize("name", CASES)
def test_ccpbb_pays_for_the_offsets_that_it_tries(name):
    votes, rho, pi, _ = given(name)
    ours = certify([votes], [rho], [pi], RISKS["ccpbb"], BOUNDS["seeger"], DELTA)
    assert ours.claims[0].among == {"means": len(MUS_PAID)}
    alone = [certify([votes], [rho], [pi], CantelliBennett(mu=mu), BOUNDS["seeger"], DELTA / 20) for mu in MUS_PAID]
    assert ours.bound == pytest.approx(min(each.bound for each in alone), rel=1e-13)
    assert (ours.bound_settings["name"], ours.theorem) == (
        "bennett",
        "the PAC-Bayes-Bennett bound, for the risk 'ccpbb'",
    )


@pytest.mark.parametrize("name", CASES)
def test_lambda_is_the_published_bound_for_voters_and_pairs(name):
    votes, rho, pi, pairs = given(name)
    for risk, theirs in (("first_order", pairs.gibbs_lambda()), ("second_order", pairs.tandem_lambda())):
        assert certified(votes, rho, pi, RISKS[risk], Lambda("2sqrt")) == pytest.approx(min(theirs, 1.0), abs=1e-9)


@pytest.mark.parametrize("mu", [-0.1, 0.5, math.nan])
def test_ccpbb_refuses_an_offset_out_of_range(mu):
    with pytest.raises(ValueError, match=r"mu must lie between 0 and 0\.49"):
        CantelliBennett(mu=mu)


@pytest.mark.parametrize("mu", [0.5, -11.0, math.nan])
def test_an_offset_out_of_range_is_refused(mu):
    with pytest.raises(ValueError, match=r"mu must lie between -10 and 0\.49"):
        CantelliSplit(mu=mu)


def test_alternating_finds_what_the_published_iteration_finds():
    """rho proportional to pi exp(-lambda n L), and the best lambda, in turn."""
    votes, n = problem("noisy"), 120
    risks, rho, best = errors("noisy").mean(0), np.full(12, 1 / 12), 1.0
    for _ in range(200):
        rho = np.exp(-best * n * (risks - risks.min()))
        rho /= rho.sum()
        paid = float(rel_entr(rho, 1 / 12).sum()) + math.log(2 * math.sqrt(n) / DELTA)
        best = 2 / (math.sqrt(2 * n * float(rho @ risks) / paid + 1) + 1)
    theirs = 2 * (rho @ risks / (1 - best / 2) + paid / (best * (1 - best / 2) * n))
    ours = learn(votes, risk="first_order", bound=Lambda("2sqrt"), solver="alternating", merge=False, random_state=0)
    assert ours.certificate.bound == pytest.approx(theirs, rel=1e-7)
    np.testing.assert_allclose(ours.posterior.theta, rho, atol=1e-4)


@pytest.mark.parametrize("risk", ["second_order", "cctnd"])
def test_alternating_also_lowers_other_bounds(risk):
    found = [learn(problem("separable"), risk=risk, solver=s, random_state=0) for s in ("alternating", "auto")]
    ours, theirs = (each.certificate.bound for each in found)
    assert ours <= theirs * (1 + 1e-4)


def test_alternating_refuses_a_dirichlet():
    with pytest.raises(ValueError, match="solver='alternating' needs a categorical posterior, got 'dirichlet'"):
        learn(problem("noisy"), solver="alternating", random_state=0)
