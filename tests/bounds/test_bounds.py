import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp

from special import precise
from stocmv.bounds import BOUNDS, Catoni, CatoniPerFold, Lambda, McAllester, Seeger, seeger_mixture

RISKS = [0.0, 1e-6, 0.03, 0.2, 0.5, 0.9, 1.0]
DIVERGENCES = [0.0, 1e-3, 2.0, 40.0]
DELTAS = [1e-6, 0.05, 0.5]
CASES = list(itertools.product(RISKS, DIVERGENCES, DELTAS))
COARSE = Seeger(constant="2sqrt")

every_size = pytest.mark.parametrize("sizes", [(1,), (50,), (1000,), (500, 500), (30, 200, 90)], ids=str)
larger_size = pytest.mark.parametrize("sizes", [(50,), (500, 500), (30, 200, 90)], ids=str)


def every_bound(sizes):
    """All bounds, and one with another constant for each fold."""
    return [*BOUNDS.values(), CatoniPerFold(c=tuple(np.linspace(0.5, 2.0, len(sizes))))]


def log_xi(n):
    xi = precise.xi(n)
    return math.log(xi.numerator) - math.log(xi.denominator)


def roots(sizes, delta):
    return sum(math.log(2 * math.sqrt(n) / delta) for n in sizes)


@every_size
class TestClosedForms:
    def test_seeger_solves_kl(self, sizes):
        """kl(risk, bound) = (KL + sum ln xi(n_k) + F ln(1/delta)) / n, decided by the sign of the difference."""
        log_constants = sum(map(log_xi, sizes))
        for risk, kl, delta in CASES:
            epsilon = (kl + log_constants - len(sizes) * math.log(delta)) / sum(sizes)
            ours = Seeger().upper(risk, kl, sizes, delta).value
            above, below = ours * (1 + 1e-12), ours * (1 - 1e-12)
            assert above >= 1 or precise.kl(risk, above) > epsilon
            assert below <= risk or precise.kl(risk, below) < epsilon

    def test_the_larger_constant_is_a_larger_divergence(self, sizes):
        for risk, kl, delta in CASES:
            assert COARSE.price(sizes, delta) == pytest.approx(roots(sizes, delta), rel=1e-14)
            more = roots(sizes, delta) - Seeger().price(sizes, delta)
            theirs = Seeger().upper(risk, kl + more, sizes, delta).value
            assert COARSE.upper(risk, kl, sizes, delta).value == pytest.approx(theirs, rel=1e-13)

    def test_mcallester(self, sizes):
        for risk, kl, delta in CASES:
            theirs = risk + math.sqrt((kl + roots(sizes, delta)) / (2 * sum(sizes)))
            assert McAllester().upper(risk, kl, sizes, delta).value == pytest.approx(theirs, rel=1e-13)

    def test_lambda_is_its_best_lambda(self, sizes):
        """The formula of Thiemann et al. 2017, and its minimum over a grid of lambdas."""
        n, grid = sum(sizes), np.linspace(1e-4, 1.9999, 20_001)
        for risk, kl, delta in CASES:
            paid = kl + roots(sizes, delta)
            best = 2 / (math.sqrt(2 * n * risk / paid + 1) + 1)
            theirs = risk / (1 - best / 2) + paid / (best * (1 - best / 2) * n)
            ours = Lambda("2sqrt").upper(risk, kl, sizes, delta).value
            assert ours == pytest.approx(theirs, rel=1e-13)
            assert ours <= np.min(risk / (1 - grid / 2) + paid / (grid * (1 - grid / 2) * n)) * (1 + 1e-13)

    @pytest.mark.parametrize("c", [0.05, 1.0, 20.0])
    def test_catoni(self, c, sizes):
        for risk, kl, delta in CASES:
            epsilon = (kl - len(sizes) * math.log(delta)) / sum(sizes)
            theirs = (1 - math.exp(-c * risk - epsilon)) / (1 - math.exp(-c))
            assert Catoni(c=c).upper(risk, kl, sizes, delta).value == pytest.approx(theirs, rel=1e-13)
            same = CatoniPerFold(c=(c,) * len(sizes)).upper(risk, kl, sizes, delta).value
            assert same == pytest.approx(theirs, rel=1e-11, abs=2e-13)

    @pytest.mark.parametrize("grid", [(0.3, 3.0), Catoni().c], ids=len)
    def test_catoni_over_a_grid_is_the_root_of_the_mean_of_exponentials(self, grid, sizes):
        for risk, kl, delta in CASES[::3]:
            budget = (kl - len(sizes) * math.log(delta)) / sum(sizes)

            def excess(r, budget=budget, risk=risk):
                c = np.array(grid)
                exponents = min(sizes) * (-np.log1p(r * np.expm1(-c)) - c * risk)
                return (logsumexp(exponents) - math.log(len(c))) / min(sizes) - budget

            alone = [Catoni(c=c).upper(risk, kl, sizes, delta).value for c in grid]
            ours = Catoni(c=grid).upper(risk, kl, sizes, delta).value
            assert min(alone) <= ours
            if ours > 0.99 or len(set(sizes)) > 1:  # nothing to find, or folds that differ in size
                continue
            assert ours == pytest.approx(brentq(excess, 0.0, ours * (1 + 1e-9), xtol=1e-15), rel=1e-10)

    def test_catoni_over_a_grid_is_at_most_its_best_at_a_share_of_delta(self, sizes):
        grid = (0.1, 0.5, 2.0)
        for risk, kl, delta in CASES[::3]:
            price = kl + len(sizes) * math.log(3)
            theirs = min(Catoni(c=c).upper(risk, price, sizes, delta).value for c in grid)
            assert Catoni(c=grid).upper(risk, kl, sizes, delta).value <= theirs * (1 + 1e-13)


@pytest.mark.parametrize("c", [(0.5, 0.6), (0.5, 2.0), (3.0, 0.1)])
@pytest.mark.parametrize("risks", [(0.0, 0.0), (0.2, 0.1), (0.4, 0.5)])
def test_a_constant_per_fold_bounds_the_largest_mean_risk_that_its_budget_allows(c, risks):
    """Risks r_k >= 0 with -sum p_k ln(1 - a_k r_k) within the budget: the first on a grid, then the second."""
    sizes, kl, delta = np.array([100, 300]), 3.0, 0.05
    p, (a, b) = sizes / 400, 1 - np.exp(-np.array(c))
    budget = p @ (np.array(c) * risks) + (kl - 2 * math.log(delta)) / 400
    first = np.linspace(0, -math.expm1(-budget / p[0]) / a, 100_001)
    second = -np.expm1(-np.maximum(budget + p[0] * np.log1p(-a * first), 0) / p[1]) / b
    theirs = np.max(p[0] * first + p[1] * second)
    bound = CatoniPerFold(c=c)
    ours = bound.upper(float(bound.risk_weights(sizes) @ risks), kl, sizes, delta).value
    assert ours == pytest.approx(theirs, rel=1e-9)


class TestProofs:
    """Steps that the theory page takes from one bound to the next."""

    @every_size
    def test_seeger_is_at_most_mcallester(self, sizes):
        for risk, kl, delta in CASES:
            values = [bound.upper(risk, kl, sizes, delta).value for bound in (Seeger(), COARSE, McAllester())]
            assert all(a <= b * (1 + 1e-14) for a, b in itertools.pairwise(values))
            assert values[0] <= Lambda().upper(risk, kl, sizes, delta).value * (1 + 1e-14)

    @pytest.mark.parametrize("risk", [0.01, 0.2, 0.6])
    @pytest.mark.parametrize("kl", [0.0, 5.0])
    def test_the_best_constant_of_catoni_gives_seeger_without_its_price(self, risk, kl):
        n, delta, grid = 1000, 0.05, np.geomspace(1e-3, 20, 20_000)
        ours = Seeger().upper(risk, kl - log_xi(n), [n], delta).value
        theirs = min(Catoni(c=float(c)).upper(risk, kl, [n], delta).value for c in grid)
        assert ours <= theirs
        assert ours == pytest.approx(theirs, rel=1e-6)

    @pytest.mark.parametrize("sizes", [(500, 500), (30, 200, 90)])
    def test_averaging_exponents_is_cheaper_than_a_union_bound(self, sizes):
        union = sum(log_xi(n) - math.log(0.05 / len(sizes)) for n in sizes)
        assert Seeger().price(sizes, 0.05) < union

    def test_a_mixture_by_size_is_the_cross_bound(self):
        kls, sizes = np.array([1.0, 2.5, 0.3]), np.array([30, 200, 90])
        ours = seeger_mixture(0.2, kls, sizes, sizes / sizes.sum(), 0.05)
        assert ours == pytest.approx(Seeger().upper(0.2, kls.sum(), sizes, 0.05).value, rel=1e-13)

    def test_a_mixture_with_an_empty_fold_says_nothing(self):
        assert seeger_mixture(0.2, np.ones(2), np.array([30, 0]), np.array([0.5, 0.5]), 0.05) == 1


class TestShape:
    """Every bound rises with what is bad and falls with what is good."""

    @larger_size
    def test_rises_with_the_risk(self, sizes):
        for bound, kl in itertools.product(every_bound(sizes), DIVERGENCES):
            values = [bound.upper(risk, kl, sizes, 0.05).value for risk in np.linspace(0, 1, 41)]
            assert np.all(np.diff(values) >= -1e-14)
            assert values[-1] > values[0]

    @larger_size
    def test_rises_with_the_divergence(self, sizes):
        for bound, risk in itertools.product(every_bound(sizes), RISKS[:-1]):
            values = [bound.upper(risk, kl, sizes, 0.05).value for kl in np.linspace(0, 20, 21)]
            assert np.all(np.diff(values) > 0)

    @pytest.mark.parametrize("n_folds", [1, 3])
    def test_falls_with_the_number_of_examples(self, n_folds):
        for bound, risk, kl in itertools.product(every_bound([1] * n_folds), RISKS[:-1], DIVERGENCES[:3]):
            values = [bound.upper(risk, kl, [n] * n_folds, 0.05).value for n in (10, 20, 50, 1000, 10**5, 10**7)]
            assert np.all(np.diff(values) < 0)

    @larger_size
    def test_falls_with_delta(self, sizes):
        for bound, risk in itertools.product(every_bound(sizes), RISKS[:-1]):
            values = [bound.upper(risk, 2.0, sizes, delta).value for delta in (1e-9, 1e-3, 0.05, 0.5, 0.99)]
            assert np.all(np.diff(values) < 0)

    @every_size
    def test_is_never_below_the_risk_and_lets_a_solver_leave_every_corner(self, sizes):
        for bound, (risk, kl, delta) in itertools.product(every_bound(sizes), CASES):
            value, d_risk, d_kl = bound.upper(risk, kl, sizes, delta)
            assert value >= risk
            assert 0 < d_risk < math.inf
            assert 0 < d_kl < math.inf

    @every_size
    def test_weights_of_the_folds_are_their_shares_or_follow_their_constants(self, sizes):
        *others, per_fold = every_bound(sizes)
        for bound in others:
            np.testing.assert_allclose(bound.risk_weights(sizes), np.array(sizes) / sum(sizes), rtol=1e-15)
        theirs = np.array(sizes) * per_fold.c
        np.testing.assert_allclose(per_fold.risk_weights(sizes), theirs / theirs.sum(), rtol=1e-15)


@every_size
class TestLimits:
    def test_no_error(self, sizes):
        for bound, kl in itertools.product((Seeger(), COARSE), DIVERGENCES):
            epsilon = (kl + bound.price(sizes, 0.05)) / sum(sizes)
            assert bound.upper(0.0, kl, sizes, 0.05).value == pytest.approx(-math.expm1(-epsilon), rel=1e-13)

    def test_nothing_but_errors(self, sizes):
        for bound, kl in itertools.product(every_bound(sizes), DIVERGENCES):
            value = bound.upper(1.0, kl, sizes, 0.05).value
            assert value == 1 if isinstance(bound, Seeger) else value >= 1


@pytest.mark.parametrize("risk", [1e-3, 0.03, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("sizes", [(1000,), (500, 500), (30, 200, 90)], ids=str)
def test_derivatives_agree_with_differences(risk, sizes):
    for bound, kl in itertools.product(every_bound(sizes), [1e-2, 2.0, 20.0]):
        at, steps = np.array([risk, kl]), np.diag([1e-4 * risk, 1e-3 * (1 + kl)])

        def change(step, bound=bound, at=at):
            return bound.upper(*(at + step), sizes, 0.05).value - bound.upper(*(at - step), sizes, 0.05).value

        _, *ours = bound.upper(risk, kl, sizes, 0.05)
        theirs = [(8 * change(step) - change(2 * step)) / (12 * step.sum()) for step in steps]
        np.testing.assert_allclose(ours, theirs, rtol=1e-7)


def test_the_default_grid_is_below_seeger():
    """At the sizes that occur; on average by 3 %."""
    cases = [
        (risk, kl, n)
        for risk, kl, n in itertools.product(
            [0.0, 0.001, 0.01, 0.05, 0.15, 0.3], [3.0, 15.0, 60.0, 200.0], [200, 1_000, 6_000, 30_000, 1_000_000]
        )
        if kl < n / 4
    ]
    ratios = [
        Catoni().upper(*case[:2], case[2:], 0.05).value / Seeger().upper(*case[:2], case[2:], 0.05).value
        for case in cases
    ]
    assert max(ratios) < 1
    assert np.exp(np.mean(np.log(ratios))) < 0.97


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Seeger(constant="3sqrt"), "constant must be 'xi' or '2sqrt', got '3sqrt'"),
        (lambda: Lambda(constant="3sqrt"), "constant must be 'xi' or '2sqrt', got '3sqrt'"),
        (lambda: Catoni(c=0.0), "c must lie between 0.0001 and 10000"),
        (lambda: Catoni(c=(1.0, -1.0)), "c must lie between 0.0001 and 10000"),
        (lambda: Catoni(c=()), "c must lie between 0.0001 and 10000"),
        (lambda: Catoni(c=(1.0, math.nan)), "c must lie between 0.0001 and 10000"),
        (lambda: Catoni(c=((1.0, 2.0), (3.0, 4.0))), "c must lie between 0.0001 and 10000"),
        (lambda: CatoniPerFold(c=(1.0, 0.0)), "c must lie between 0.0001 and 10000"),
        (lambda: CatoniPerFold(c=(1.0, 2.0)).upper(0.1, 1.0, [5], 0.05), "has 2 constants for 1 folds"),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("name", BOUNDS)
def test_settings_are_enough_to_make_the_bound_again(name):
    settings = BOUNDS[name].settings()
    assert name.startswith(settings.pop("name"))
    assert BOUNDS[name] == type(BOUNDS[name])(**settings)
