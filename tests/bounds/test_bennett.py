"""The PAC-Bayes-Bennett bound: its proof's exponential moments, its formula in balls of 60 digits, its slopes."""

import itertools

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import logsumexp
from scipy.stats import multinomial

from stocmv.bounds import Bennett
from stocmv.bounds._bennett import _grids
from stocmv.verify import _bennett

SIZES = [(1,), (2,), (50,), (4000,), (30, 200, 90)]
CASES = list(itertools.product([0.0, 1e-6, 0.01, 0.25], [0.0, 2.0, 40.0], [1e-6, 0.05, 0.9]))


@pytest.mark.parametrize("n", [2, 3, 5, 12])
@pytest.mark.parametrize("values", [(0.0, 1.0, 1.0), (0.0, 0.4, 1.0)])
def test_the_exponential_moments_are_at_most_one(n, values):
    """Over all samples of a variable with three values."""
    counts = np.array([(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)])
    x = np.array(values)
    mean = counts @ x / n
    spread = (counts @ x**2 - n * mean**2) / (n - 1)
    for p in np.random.default_rng(n).dirichlet(np.full(3, 0.5), 40):
        log_chance = multinomial.logpmf(counts, n, p / p.sum())
        true, variance = p @ x, p @ x**2 - (p @ x) ** 2
        for t in (0.01, 0.1, 0.3, 0.6, 0.95):
            assert logsumexp(log_chance + 2 * (n - 1) * t * ((1 - t) * variance - spread)) <= 1e-9
        for c in (0.01, 0.5, 2.0, 6.0):
            assert logsumexp(log_chance + n * (c * (true - mean) - (np.exp(c) - c - 1) * variance)) <= 1e-9


@pytest.mark.parametrize("grids", ["once", "twice"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_is_the_least_over_the_grids_rounded_up(sizes, grids):
    n, degrees = sum(sizes), sum(sizes) * (1 - 1 / min(sizes))
    for (variance, kl, delta), length in itertools.product(CASES, [1.0, 0.3]):
        variance *= length**2
        ours = float(Bennett(grids).of_means(np.array([variance]), np.array([length]), kl, sizes, delta).values[0])
        t, x = _grids(n, degrees, delta / 2)
        with ctx.workdps(60):
            paid = arb(kl) + len(sizes) * (2 / arb(delta)).log()
            least = arb(length) ** 2 / 4
            for each in t if degrees else []:
                cost = arb(length) ** 2 * (paid + len(sizes) * arb(len(t)).log()) / (2 * arb(degrees) * arb(each))
                least = min(least, (arb(variance) + cost) / (1 - arb(each)))
            tries = len(x) * (len(t) if grids == "twice" else 1)
            price = paid + len(sizes) * arb(tries).log()
            each = [(arb(y).exp() - arb(y) - 1) / arb(y) * least / length + length * price / (n * arb(y)) for y in x]
            assert min(each) <= arb(ours) <= min(each) * (1 + arb(1e-12))


@pytest.mark.parametrize("sizes", [(1,), (2,), (1, 10**9), (30, 10**7), (10**10,)], ids=str)
@pytest.mark.parametrize("delta", [1e-200, 1e-80, 0.05, 0.9])
def test_the_verifier_finds_the_same_grids_in_few_and_many_examples(sizes, delta):
    for variance, grids in itertools.product([0.0, 0.01], ["once", "twice"]):
        ours = Bennett(grids).of_means(np.array([variance]), np.array([0.6]), 3.0, sizes, delta).values[0]
        theirs = _bennett({"grids": grids}, sizes, variance, 0.6, 3.0, delta)
        assert theirs * (1 - 1e-12) <= ours <= theirs * (1 + 1e-12)


def small_loss(variance, kl, sizes):
    return Bennett().of_means(np.array([variance]), np.array([0.8]), kl, sizes, 0.05)


@pytest.mark.parametrize("sizes", SIZES[1:], ids=str)
def test_slopes_agree_with_differences(sizes):
    """The least of smooth functions: the slope lies between those to both sides."""
    for variance, kl in itertools.product([1e-4, 0.02, 0.15], [0.5, 8.0]):
        at = np.array([variance, kl])
        found = small_loss(*at, sizes)
        for slope, step in zip((found.d_variances[0], found.d_kl[0]), np.diag([1e-7, 1e-5]), strict=True):
            above, below = (float(small_loss(*(at + sign * step), sizes).values[0]) for sign in (1, -1))
            right, left = (above - found.values[0]) / step.sum(), (found.values[0] - below) / step.sum()
            assert right * (1 - 1e-4) - 1e-9 <= slope <= left * (1 + 1e-4) + 1e-9


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_of_a_risk_rises_with_it_and_with_the_divergence(sizes):
    for kl in (0.0, 3.0):
        values = [Bennett().upper(risk, kl, sizes, 0.05).value for risk in np.linspace(0, 1, 41)]
        assert np.all(np.diff(values) > 0)
        assert values[0] > 0
    assert np.all(np.diff([Bennett().upper(0.1, kl, sizes, 0.05).value for kl in range(9)]) > 0)


def test_other_grids_are_refused():
    with pytest.raises(ValueError, match="grids must be 'once' or 'twice', got 'thrice'"):
        Bennett("thrice")
