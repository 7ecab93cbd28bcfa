import math

import numpy as np
import pytest
from flint import arb, ctx

from special import precise
from stocmv.special import kl_bernoulli, kl_inverse, kl_inverse_gradient

NEAR_0 = np.array([1e-300, 1e-200, 1e-100, 1e-30, 1e-16, 1e-12, 1e-8, 1e-4, 0.01])
NEAR_1 = 1 - np.array([0.01, 1e-4, 1e-8, 1e-12, 1e-14, 1e-15, 1e-16])
MEANS = np.concatenate([[0], NEAR_0, [0.1, 0.3, 0.5, 0.7, 0.9], NEAR_1, [1]])
BUDGETS = np.array([0, 1e-300, 1e-20, *10.0 ** np.arange(-12, 2), 0.05, 0.3, 0.5, 2, 3, 5, 20, 30, 35, 40, 70, 100])


# the inverse is one or two floats below 1, and (p - q) / (1 - q) rounds to 1
ALMOST_SATURATED = [
    (0.15525915194105372, 31.10897060614968),
    (0.3530939043091567, 22.972850436589717),
    (0.29420742025151386, 25.38401046499104),
]


def random_pairs():
    """6,000 pairs (q, epsilon): q close to 0, close to 1 and between, and bounds close to 1."""
    rng = np.random.default_rng(5)
    q = [10 ** rng.uniform(-300, 0, 500), 10 ** rng.uniform(-9, 0, 500), 1 - 10 ** rng.uniform(-15, 0, 500)]
    q, epsilon = np.concatenate([*q, rng.uniform(0, 1, 500)]), 10 ** rng.uniform(-12, 2, 2_000)
    close = 10 ** -rng.uniform(0, 1, 4_000)  # with all 53 bits, which a uniform draw below 1/2 lacks
    log_rest = rng.uniform(-38, -28, 4_000)  # of the logarithm of 1 - p
    entropy = -close * np.log(close) - (1 - close) * np.log1p(-close)
    return np.append(q, close), np.append(epsilon, np.maximum(-log_rest * (1 - close) - entropy, 0))


def grid_and_random_pairs():
    q, epsilon = (x.ravel() for x in np.meshgrid(MEANS, BUDGETS))
    return tuple(np.concatenate(pair) for pair in zip((q, epsilon), random_pairs(), strict=True))


class TestKl:
    def test_agrees_with_the_reference(self):
        inner = MEANS[1:-1]
        q, p = (x.ravel() for x in np.meshgrid(np.append(MEANS, random_pairs()[0][:2_000:40]), inner))
        ours = kl_bernoulli(q, p)
        theirs = np.array([float(precise.kl(*pair)) for pair in zip(q.tolist(), p.tolist(), strict=True)])
        # near q = p the first order of the two terms cancels, and its rounding remains
        assert np.all(np.abs(ours - theirs) <= 1e-14 * theirs + 1e-15 * np.abs(p - q))

    @pytest.mark.parametrize("p", MEANS)
    def test_is_0_between_equals(self, p):
        assert kl_bernoulli(p, p) == 0

    @pytest.mark.parametrize(("q", "p"), [(1e-300, 0), (0.5, 0), (1, 0), (0, 1), (0.5, 1), (1 - 1e-16, 1)])
    def test_is_infinite_where_the_impossible_happens(self, q, p):
        assert kl_bernoulli(q, p) == math.inf

    @pytest.mark.parametrize("p", [1e-300, 1e-12, 0.2, 0.9, 1 - 1e-12])
    def test_certain_outcomes_are_logarithms(self, p):
        assert kl_bernoulli(0, p) == pytest.approx(-math.log1p(-p), rel=1e-15)
        assert kl_bernoulli(1, p) == pytest.approx(-math.log(p), rel=1e-15)

    def test_shapes_broadcast(self):
        assert kl_bernoulli([[0.1], [0.2]], [0.3, 0.4, 0.5]).shape == (2, 3)
        assert np.shape(kl_bernoulli(0.1, 0.2)) == ()

    @pytest.mark.parametrize(
        ("q", "p"), [(-1e-9, 0.5), (1.1, 0.5), (0.5, -1), (0.5, 2), (math.nan, 0.5), (0.5, math.nan)]
    )
    def test_bad_input_is_refused(self, q, p):
        with pytest.raises(ValueError, match="kl_bernoulli needs"):
            kl_bernoulli(q, p)


class TestInverse:
    def test_is_never_below_the_true_value_and_never_far_above(self):
        """Decided by the sign of kl - epsilon, in balls that leave no doubt."""
        means, budgets = grid_and_random_pairs()
        ours = kl_inverse(means, budgets)
        for q, epsilon, p in zip(means.tolist(), budgets.tolist(), ours.tolist(), strict=True):
            assert p == 1 or p == q == epsilon == 0 or precise.kl(q, p) > epsilon, (q, epsilon)
            less = p * (1 - 1e-13)
            assert less <= q or precise.kl(q, less) < epsilon, (q, epsilon)

    @pytest.mark.parametrize("q", ["subnormal", "zero", "any", "near_1", "last_before_1"])
    @pytest.mark.parametrize("epsilon", ["subnormal", "any", "tiny", "huge"])
    def test_is_never_below_the_true_value_at_the_ends_of_the_range(self, q, epsilon):
        rng = np.random.default_rng(6)
        q = {
            "subnormal": 10 ** rng.uniform(-323, -300, 300),
            "zero": np.zeros(300),
            "any": rng.uniform(size=300),
            "near_1": 1 - 10 ** -rng.uniform(1, 16, 300),
            "last_before_1": np.full(300, 1 - 2.0**-53),
        }[q]
        epsilon = 10 ** rng.uniform(
            *{"subnormal": (-323, -300), "any": (-300, 3), "tiny": (-20, -8), "huge": (1, 3)}[epsilon], 300
        )
        for a, b, p in zip(q.tolist(), epsilon.tolist(), kl_inverse(q, epsilon).tolist(), strict=True):
            assert p == 1 or (p > a and precise.kl(a, p) >= b), (a, b)

    @pytest.mark.parametrize(("q", "epsilon"), ALMOST_SATURATED)
    def test_does_not_collapse_next_to_1(self, q, epsilon):
        assert 1 - 1e-15 < kl_inverse(q, epsilon) <= 1

    @pytest.mark.parametrize("q", MEANS)
    def test_an_infinite_budget_gives_1(self, q):
        assert kl_inverse(q, math.inf) == 1

    @pytest.mark.parametrize("epsilon", [0.0, 1e-12, 0.1, 100.0])
    def test_certain_error_gives_1(self, epsilon):
        assert kl_inverse(1, epsilon) == 1

    @pytest.mark.parametrize("epsilon", [1e-300, 1e-12, 1e-3, 0.5, 10.0])
    def test_no_error_has_a_closed_form(self, epsilon):
        assert kl_inverse(0, epsilon) == pytest.approx(-math.expm1(-epsilon), rel=1e-14)

    def test_is_monotone(self):
        p = kl_inverse(MEANS[:, None], np.sort(BUDGETS))
        assert np.all(np.diff(p, axis=0) >= -1e-14)
        assert np.all(np.diff(p, axis=1) >= -1e-14)
        assert np.all((p >= MEANS[:, None]) & (p <= 1))

    def test_shapes_broadcast(self):
        p = kl_inverse([[0.1], [0.2]], [0.3, 0.4, math.inf])
        assert p.shape == (2, 3)
        assert p[1, 0] == kl_inverse(0.2, 0.3)
        assert kl_inverse([], 0.1).shape == (0,)

    @pytest.mark.parametrize("function", [kl_inverse, kl_inverse_gradient])
    @pytest.mark.parametrize(
        ("q", "epsilon"), [(-1e-9, 0.1), (1.1, 0.1), (0.5, -1e-9), (math.nan, 0.1), (0.5, math.nan), ([0.1, 2], 0.1)]
    )
    def test_bad_input_is_refused(self, function, q, epsilon):
        with pytest.raises(ValueError, match="kl_inverse needs"):
            function(q, epsilon)


class TestInverseGradient:
    def test_agrees_with_implicit_differentiation(self):
        q, epsilon = grid_and_random_pairs()
        p, d_q, d_epsilon = kl_inverse_gradient(q, epsilon)
        inside = (q > 0) & (p < 1 - 1e-11) & (p - q > 1e-10 * p)
        assert inside.sum() > 1_500
        theirs = np.array(
            [
                [float(x) for x in precise.kl_inverse_gradient(*point)]
                for point in zip(*(x[inside].tolist() for x in (q, epsilon, p)), strict=True)
            ]
        )
        # p is a float: the gradient takes over its rounding, relative to the distances from q and from 1
        p, q = p[inside], q[inside]
        tolerance = 1e-14 * (1 + p / (p - q) + 1 / (1 - p))
        np.testing.assert_allclose(p, theirs[:, 0], rtol=1e-13)
        assert np.all(np.abs(d_q[inside] / theirs[:, 1] - 1) < tolerance)
        assert np.all(np.abs(d_epsilon[inside] / theirs[:, 2] - 1) < tolerance)

    @pytest.mark.parametrize(("q", "epsilon"), [(1e-3, 1e-4), (0.02, 0.3), (0.4, 0.01), (0.95, 0.1)])
    def test_agrees_with_differences_of_the_inverse(self, q, epsilon):
        p, *ours = kl_inverse_gradient(q, epsilon)
        with ctx.workdps(80):
            h = arb(10) ** -20
            d_q = precise.kl_inverse(q + h, epsilon, p) - precise.kl_inverse(q - h, epsilon, p)
            d_epsilon = precise.kl_inverse(q, epsilon + h, p) - precise.kl_inverse(q, epsilon - h, p)
            theirs = [float(d_q / (2 * h)), float(d_epsilon / (2 * h))]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)

    @pytest.mark.parametrize("epsilon", [0, 1e-12, 1e-3, 1, 10])
    def test_no_error_has_the_limit_of_the_closed_form(self, epsilon):
        p, d_q, d_epsilon = kl_inverse_gradient(0, epsilon)
        assert p == kl_inverse(0, epsilon)
        assert d_epsilon == pytest.approx(math.exp(-epsilon), rel=1e-9)
        assert np.isfinite(d_q)
        assert d_q > 0

    @pytest.mark.parametrize("q", MEANS[(MEANS > 0) & (MEANS < 1 - 1e-11)])
    def test_without_a_budget_the_inverse_moves_as_q_does(self, q):
        assert kl_inverse_gradient(q, 0)[1] == pytest.approx(1, rel=1e-3)

    def test_a_solver_may_leave_every_corner(self):
        q, epsilon = (x.ravel() for x in np.meshgrid(MEANS, np.append(BUDGETS, math.inf)))
        for slope in kl_inverse_gradient(q, epsilon)[1:]:
            assert np.all(np.isfinite(slope))
            assert np.all(slope > 0)

    def test_shapes_broadcast(self):
        assert [x.shape for x in kl_inverse_gradient([[0.1], [0.2]], [0.3, 0.4, 0.5])] == [(2, 3)] * 3
