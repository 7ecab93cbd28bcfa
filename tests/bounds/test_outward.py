"""No bound is below the true value of its formula, at any argument, decided in balls of 60 digits."""

import numpy as np
import pytest
from flint import arb, ctx

from special import precise
from stocmv.bounds import Catoni, CatoniPerFold, Lambda, McAllester, Seeger, seeger_mixture


def cases(seed, n_folds, count=400):
    """Risks, divergences, sizes and deltas of every order of magnitude, both ends included."""
    rng = np.random.default_rng([seed, n_folds])
    for i in range(count):
        near_1 = 1 - 10.0 ** -rng.uniform(0, 16)
        risk = [0.0, 10.0 ** rng.uniform(-300, 0), rng.uniform(), near_1, 1.0][i % 5]
        kl = [0.0, 10.0 ** rng.uniform(-300, 0), 10.0 ** rng.uniform(0, 6)][i % 3]
        sizes = [int(10 ** rng.uniform(0, 5)) for _ in range(n_folds)]
        delta = [10.0 ** rng.uniform(-200, 0), 1 - 10.0 ** -rng.uniform(1, 16), 0.05][i % 7 % 3]
        yield risk, kl, sizes, min(delta, 1 - 2.0**-53), rng


def log_xi(n):
    n = arb(n)
    return (n + 1).lgamma() - n * n.log() + n + n.gamma_upper(n + 1, 1).log()


def assert_above(value, true):
    assert arb(value) >= true
    assert arb(value) <= true * (1 + arb(1e-12))


def assert_solves_kl(risk, value, epsilon):
    """Not below the inverse of kl; and, where it can be told, not far above."""
    assert value == 1 or precise.kl(risk, value) >= epsilon
    less = value * (1 - 1e-12)
    assert less <= risk or precise.kl(risk, less) < epsilon


@pytest.fixture(autouse=True)
def digits():
    with ctx.workdps(60):
        yield


@pytest.mark.parametrize("n_folds", [1, 3])
class TestEveryFold:
    @pytest.mark.parametrize("constant", ["xi", "2sqrt"])
    def test_seeger(self, n_folds, constant):
        for risk, kl, sizes, delta, _ in cases(1, n_folds):
            prices = [log_xi(n) if constant == "xi" else (2 * arb(n).sqrt()).log() for n in sizes]
            epsilon = (kl + sum(prices, arb(0)) - n_folds * arb(delta).log()) / sum(sizes)
            assert_solves_kl(risk, Seeger(constant).upper(risk, kl, sizes, delta).value, epsilon)

    def test_seeger_over_a_mixture(self, n_folds):
        for risk, kl, sizes, delta, rng in cases(2, n_folds):
            shares, kls = rng.dirichlet(np.ones(n_folds)), kl * rng.uniform(size=n_folds)
            folds = zip(shares.tolist(), kls.tolist(), sizes, strict=True)
            epsilon = sum((arb(p) / n * (d + log_xi(n) - arb(delta).log()) for p, d, n in folds), arb(0))
            assert_solves_kl(risk, seeger_mixture(risk, kls, np.array(sizes), shares, delta), epsilon)

    def test_mcallester(self, n_folds):
        for risk, kl, sizes, delta, _ in cases(3, n_folds):
            price = sum(((2 * arb(n).sqrt()).log() - arb(delta).log() for n in sizes), arb(0))
            true = risk + ((kl + price) / (2 * sum(sizes))).sqrt()
            assert_above(McAllester().upper(risk, kl, sizes, delta).value, true)

    def test_lambda(self, n_folds):
        for risk, kl, sizes, delta, _ in cases(7, n_folds):
            price = sum(((2 * arb(n).sqrt()).log() - arb(delta).log() for n in sizes), arb(0))
            epsilon = (kl + price) / sum(sizes)
            true = risk + epsilon + (epsilon * (epsilon + 2 * arb(risk))).sqrt()
            assert_above(Lambda("2sqrt").upper(risk, kl, sizes, delta).value, true)

    def test_catoni(self, n_folds):
        """Also where both exponentials round to nothing, and where the constant is tiny."""
        for risk, kl, sizes, delta, rng in cases(4, n_folds):
            c = 10 ** rng.uniform(-4, 2)
            spent = (kl - n_folds * arb(delta).log()) / sum(sizes)
            true = (-(-arb(c) * risk - spent).expm1()) / (-(-arb(c)).expm1())
            assert_above(Catoni(c).upper(risk, kl, sizes, delta).value, true)

    def test_catoni_over_a_grid(self, n_folds):
        """The mixture speaks against the bound by as much as the price, and against little less by less."""
        for risk, kl, sizes, delta, rng in cases(6, n_folds):
            c = tuple((10 ** rng.uniform(-4, 2, 16)).tolist())
            spent = (kl - n_folds * arb(delta).log()) / sum(sizes)
            ours = Catoni(c).upper(risk, kl, sizes, delta).value
            if ours < 1 - 1e-5:
                alone = [
                    (-(-arb(x) * risk - spent - n_folds * arb(16).log() / sum(sizes)).expm1()) / (-(-arb(x)).expm1())
                    for x in c
                ]
                below = arb(ours) * (1 - arb(1e-11)) - arb(1e-13) / min(*c, 1.0)
                assert mixture(c, risk, arb(ours), min(sizes)) >= spent or ours >= min(alone, key=float)
                assert mixture(c, risk, below, min(sizes)) <= spent

    def test_catoni_with_a_constant_for_each_fold(self, n_folds):
        for risk, kl, sizes, delta, rng in cases(5, n_folds):
            c = (10 ** rng.uniform(-4, 2, n_folds)).tolist()
            true = largest_mean_risk(c, risk, kl, sizes, delta)
            ours = CatoniPerFold(tuple(c)).upper(risk, kl, sizes, delta).value
            assert arb(ours) >= true
            assert arb(ours) <= true * (1 + arb(1e-12)) + 1e-13 / min(*c, 1.0)


def mixture(c, risk, value, n):
    """What the mean of Catoni's exponentials over the constants says against a true risk, per example."""
    terms = [n * (-(1 + value * (-arb(x)).expm1()).log() - arb(x) * risk) for x in c]
    largest = max(terms, key=float)
    return (largest + (sum(((t - largest).exp() for t in terms), arb(0)) / len(c)).log()) / n


def largest_mean_risk(c, risk, kl, sizes, delta):
    """The best of the risks that spend the budget on the k folds with the smallest constants, and on no other."""
    folds = sorted((-(-arb(x)).expm1(), arb(n) / sum(sizes), arb(x)) for x, n in zip(c, sizes, strict=True))
    budget = sum((p * x for _, p, x in folds), arb(0)) * risk + (kl - len(c) * arb(delta).log()) / sum(sizes)
    means = []
    for k in range(1, len(c) + 1):
        logs = sum((p * a.log() for a, p, _ in folds[:k]), arb(0))
        level = (-(budget + logs) / sum((p for _, p, _ in folds[:k]), arb(0))).exp()
        risks = [1 / a - level for a, _, _ in folds[:k]]
        if all(r >= 0 for r in risks):
            means.append(sum((p * r for (_, p, _), r in zip(folds, risks, strict=False)), arb(0)))
    return max(means, key=float)
