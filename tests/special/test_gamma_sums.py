"""The error of a soft vote, against Gil-Pelaez's integral at 30 digits, closed forms, draws and another method."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb
from scipy import special as scipy_special

from special import precise
from stocmv import verify
from stocmv.special import half_betainc, negative_sum, negative_sum_pass

KINDS = 8
SMALLEST = 1e-30  # what the reference leaves out


def theirs_of(m, alpha):
    """By the verifier's method, which shares nothing with the package's."""
    return verify.negative_sum(np.asarray(m, float), np.asarray(alpha, float))


def draw_margins(rng, kind, n_voters):
    """Margins of every kind: hard, over twelve orders of magnitude, like probabilities, with zeros, repeated."""
    m = rng.uniform(-1, 1, n_voters)
    if kind == 0:
        return rng.choice([-1.0, 1.0], n_voters)
    if kind == 1:
        return m * 10 ** -rng.uniform(0, 12, n_voters)
    if kind == 2:
        return np.tanh(rng.normal(0.5, 1, n_voters))
    if kind == 3:
        m[rng.integers(n_voters)] = 0.0
    if kind == 4:
        return np.repeat(m[: max(1, n_voters // 2)], 2)
    if kind == 5:
        return rng.choice([-1.0, 1.0], n_voters) * 10 ** -rng.uniform(0, 3, n_voters)
    return m


def draw_case(rng, largest=1e7, sizes=(2, 2, 3, 4, 7, 7, 20)):
    """Margins and concentrations: mixed scales, tiny, huge, some with the sum's mean a few deviations from 0."""
    m = draw_margins(rng, rng.integers(KINDS), int(rng.choice(sizes)))
    scale = rng.integers(6)
    if scale in (0, 3):
        alpha = 10 ** rng.uniform(-6, 6, len(m))
    else:
        alpha = 10 ** rng.uniform(-1, 1, len(m))
        alpha *= {1: 10 ** rng.uniform(-4, 0), 2: 10 ** rng.uniform(0, 6)}.get(scale, 1.0)
    if scale in (2, 3, 4) and np.any(m > 0) and np.any(m < 0):
        up, down = (alpha * m)[m > 0].sum(), -(alpha * m)[m < 0].sum()
        alpha[m < 0] *= up / down
        deviation = np.sqrt(alpha @ m**2)
        alpha[m < 0] *= max(1 - rng.uniform(-1, 7) * deviation / up, 1e-3)
    return m, np.clip(alpha, 1e-6, largest)


def is_open(m):
    return np.any(m > 0) and np.any(m < 0)


def draw_cases(seed, count, **settings):
    rng = np.random.default_rng([30, *np.atleast_1d(seed)])
    cases = (draw_case(rng, **settings) for _ in range(10 * count))
    return [case for case, _ in zip(filter(lambda case: is_open(case[0]), cases), range(count), strict=False)]


def one(m, alpha):
    value, error = negative_sum(np.asarray(m)[None], alpha)
    return value[0], error[0]


def one_pass(m, alpha):
    return negative_sum_pass(np.asarray(m, float)[None], np.asarray(alpha, float))


def assert_agrees(m, alpha):
    theirs = float(precise.negative_sum(m, alpha))
    value, error = one(m, alpha)
    assert abs(value - theirs) <= error + SMALLEST
    assert error < 1e-12 + 3e-14 * np.sqrt(alpha.sum())
    if theirs > 1e-12 and alpha.min() > 1e-2:
        assert abs(value - theirs) < 1e-12 * (1 + np.sqrt(alpha.sum())) * theirs
    assert one_pass(m, alpha)[0] == pytest.approx(theirs, abs=1e-8)


@pytest.mark.parametrize("block", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 6))])
def test_value_agrees_with_the_reference(block):
    for m, alpha in draw_cases(block, 6 if block == 0 else 40, **({"sizes": (2, 3, 4, 7)} if block == 0 else {})):
        assert_agrees(m, alpha)


@pytest.mark.parametrize(("seed", "count"), [(1, 200), pytest.param(2, 20_000, marks=pytest.mark.slow)])
def test_value_agrees_with_the_independent_method(seed, count):
    """Which the next test compares with the reference; it is fast enough for many cases."""
    worst = 0.0
    for m, alpha in draw_cases([1, seed], count):
        theirs = theirs_of(m, alpha)
        value, error = one(m, alpha)
        assert abs(value - theirs) < error + 1e-12
        worst = max(worst, abs(one_pass(m, alpha)[0] - theirs))
    assert worst < 1e-8


@pytest.mark.parametrize("seed", [3, *(pytest.param(i, marks=pytest.mark.slow) for i in range(4, 10))])
def test_the_independent_method_agrees_with_the_reference(seed):
    for m, alpha in draw_cases(seed, 8, sizes=(2, 3, 7)):
        assert theirs_of(m, alpha) == pytest.approx(float(precise.negative_sum(m, alpha)), abs=1e-12)


@pytest.mark.parametrize("small", [1e-200, 1e-290, 1e-310])
def test_the_independent_method_comes_to_an_end_for_margins_of_any_size(small):
    """With forged evidence it halved the same interval for ever, as squares of frequencies overflowed."""
    share = scipy_special.betainc(0.02, 0.01, small)  # of the first of two gamma variables in their sum
    assert theirs_of([1.0, -small], [0.02, 0.01]) == pytest.approx(share, abs=1e-15)
    assert theirs_of([small, -small], [0.02, 0.01]) == pytest.approx(scipy_special.betainc(0.02, 0.01, 0.5), rel=1e-10)


@pytest.mark.parametrize(
    ("m", "alpha"),
    [([0.5, -1.0], [1.0, 1.0]), ([0.3, 0.7, -0.2, -0.9], [0.4, 2.0, 3.0, 0.1]), ([1.0, -0.5, 0.0], [3.0, 0.25, 1.0])],
)
def test_the_reference_agrees_with_mpmath(m, alpha):
    """The same formula, but over the frequency itself."""

    def integrand(t):
        phase = sum(a * mpmath.atan(x * t) for x, a in zip(m, alpha, strict=True))
        return (
            mpmath.sin(phase)
            / t
            * mpmath.exp(-sum(a * mpmath.log1p((x * t) ** 2) for x, a in zip(m, alpha, strict=True)) / 2)
        )

    with mpmath.workdps(30):
        integral = mpmath.quad(integrand, [0, 1, 4, 16, 64, 1e3, 1e5, 1e8, 1e12, 1e20, mpmath.inf])
        theirs = 0.5 - integral / mpmath.pi
    assert float(precise.negative_sum(m, alpha)) == pytest.approx(float(theirs), abs=1e-14)
    assert one(m, alpha)[0] == pytest.approx(float(theirs), abs=1e-14)


def exponential_sum(m):
    """All concentrations one and all margins different: the partial fractions of the hypoexponential distribution."""
    m = [Fraction(x) for x in m]
    return sum(math.prod(x / (x - y) for y in m if y != x) for x in m if x < 0)


@pytest.mark.parametrize("seed", range(20))
def test_exponential_variables_have_a_closed_form(seed):
    rng = np.random.default_rng([31, seed])
    m = rng.uniform(-1, 1, rng.integers(2, 12)) * 10 ** -rng.uniform(0, 4)
    value, error = one(m, np.ones(len(m)))
    assert abs(value - float(exponential_sum(m))) <= error


@pytest.mark.parametrize(("m", "alpha"), [([1.0, -0.25], (3, 5)), ([0.5, -1.0], (10, 2)), ([0.125, -0.5], (40, 30))])
def test_integer_concentrations_count_coins(m, alpha):
    """Of two Poisson processes the first has its k-th event before the other's l-th: a binomial tail."""
    share = Fraction(m[0]) / (Fraction(m[0]) - Fraction(m[1]))  # of the second process
    n, first = sum(alpha) - 1, alpha[0]
    theirs = sum(math.comb(n, j) * (1 - share) ** j * share ** (n - j) for j in range(first, n + 1))
    value, error = one(m, alpha)
    assert abs(value - float(theirs)) <= error
    assert value == pytest.approx(float(theirs), rel=1e-13)


@pytest.mark.parametrize("s", 10.0 ** np.arange(-6, 8))
def test_hard_votes_give_the_incomplete_beta_function(s):
    shares = np.array([1e-6, 1e-3, 0.01, 0.1, 0.3, 0.45, 0.49, 0.4999, 0.5, 0.501, 0.6, 0.9, 0.999])
    for share in np.append(shares, (0.5 - np.array([0.5, 2.0, 3.5]) / np.sqrt(s)).clip(1e-4)):
        alpha = s * np.array([1 - share, share])
        theirs, d_w, d_s = half_betainc(alpha[1], alpha.sum())
        value, error = one([1.0, -1.0], alpha)
        trained, gradient = one_pass([1.0, -1.0], alpha)
        assert abs(value - theirs) <= error + 1e-15
        assert error < 2e-13 + 1e-14 * np.sqrt(s)
        assert trained == pytest.approx(theirs, abs=1e-8)
        np.testing.assert_allclose(gradient, [d_s, d_w + d_s], rtol=0, atol=1e-8 / min(s, 1.0))


def test_several_hard_votes_add_up():
    rng = np.random.default_rng(32)
    alpha, m = rng.gamma(1.0, 1.0, 1_000), rng.choice([-1.0, 1.0], (20, 1_000), p=[0.47, 0.53])
    theirs = half_betainc((m < 0) @ alpha, alpha.sum())[0]
    value, error = negative_sum(m, alpha)
    assert np.all(np.abs(value - theirs) <= error)
    assert error.max() < 1e-12


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 300.0])
@pytest.mark.parametrize("ratio", [0.3, 0.9, 1.001, 1.3, 2.0])
def test_a_nearly_constant_voter(shape, ratio):
    """One large concentration with a tiny margin is almost a number: no vertical line would do here."""
    many = 1e7
    m, alpha = np.array([-1.0, shape * ratio / many]), np.array([shape, many])
    for sign in (1.0, -1.0):
        value, error = one(sign * m, alpha)
        assert abs(value - theirs_of(sign * m, alpha)) < error + 1e-12
        assert error < 1e-11
        assert one_pass(sign * m, alpha)[0] == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("concentration", [1e-5, 1e-2, 1.0])
@pytest.mark.parametrize("margin", [3e-11, 1e-7, 1e-4])
def test_nearly_all_concentration_on_tiny_margins(concentration, margin):
    """What the others do is decided long before the integrand sees these: both scales need their nodes."""
    m = np.concatenate([[0.7, -1.0, 0.01, -0.03], np.full(20, margin), np.full(20, -margin / 10)])
    alpha = np.concatenate([np.full(4, concentration), np.linspace(50, 4e3, 40)])
    for voters in (slice(None), slice(30)):
        value, error = one(m[voters], alpha[voters])
        assert abs(value - theirs_of(m[voters], alpha[voters])) < error + 1e-12
        assert one_pass(m[voters], alpha[voters])[0] == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("deviations", [2.0, 5.0, 6.5])
@pytest.mark.parametrize("total", [30.0, 1e3, 1e6])
def test_tails_are_right_relative_to_their_size(deviations, total):
    m = np.array([0.9, 0.4, 0.1, -0.3, -0.8])
    alpha = total * np.array([0.1, 0.3, 0.2, 0.2, 0.2])
    down = m < 0
    alpha[down] *= (alpha @ np.maximum(m, 0)) / (alpha @ np.maximum(-m, 0))
    alpha[down] *= 1 - deviations * np.sqrt(alpha @ m**2) / (alpha @ np.maximum(m, 0)) / (1 + 10 / np.sqrt(total))
    theirs = float(precise.negative_sum(m, alpha, digits=40))
    value, error = one(m, alpha)
    assert 0 < theirs < 0.3
    assert abs(value - theirs) <= error
    assert error < 1e-9 * theirs


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(i, marks=pytest.mark.slow) for i in range(3, 40))])
def test_gradient_agrees_with_differences_of_the_reference(seed):
    rng = np.random.default_rng([33, seed])
    while True:
        m, alpha = draw_case(rng, sizes=(2, 3, 4, 7))
        if is_open(m):
            break
    gradient = one_pass(m, alpha)[1]
    j = int(rng.integers(len(m)))
    step = 1e-4 * alpha[j]

    def moved(steps):
        other = alpha.copy()
        other[j] += steps * step
        return precise.negative_sum(m, other), arb(other[j])

    (v1, a1), (v2, a2), (v3, a3), (v4, a4) = (moved(k) for k in (-2, -1, 1, 2))
    theirs = float((4 * (v3 - v2) / (a3 - a2) - (v4 - v1) / (a4 - a1)) / 3)
    assert gradient[j] == pytest.approx(theirs, abs=1e-8 / min(alpha[m != 0].sum(), 1.0))


def test_draws_agree():
    rng = np.random.default_rng(34)
    m, alpha = rng.uniform(-0.7, 1, (6, 9)), rng.gamma(1.0, 1.0, 9)
    share = np.mean(rng.gamma(alpha, size=(400_000, 9)) @ m.T <= 0, axis=0)
    value, _ = negative_sum(m, alpha)
    assert np.all(np.abs(share - value) < 5 * np.sqrt(value * (1 - value) / 400_000) + 1e-5)


def test_value_falls_as_a_margin_grows():
    alpha = np.array([0.7, 2.0, 0.05, 4.0])
    m = np.tile([0.3, -0.6, 0.9, 0.1], (401, 1))
    for j in range(4):
        rows = m.copy()
        rows[:, j] = np.linspace(-1, 1, 401)
        value, error = negative_sum(rows, alpha)
        assert np.all(np.diff(value) <= error[1:] + error[:-1])
        assert value[0] - value[-1] > 0.01


@pytest.mark.parametrize("alpha", [[1.0, 2.0, 0.3], [1e-5, 2e-5, 1e-4], [300.0, 400.0, 1e4]])
def test_value_is_smooth_across_the_middle(alpha):
    """Where the mean changes its sign the other tail is computed, from another path."""
    m = np.array([[1.0, -0.6, 0.0]] * 201)
    m[:, 2] = -(alpha[0] - 0.6 * alpha[1]) / alpha[2] * np.linspace(0.98, 1.02, 201)
    m[:, 2] = m[:, 2].clip(-1, 1)
    value, error = negative_sum(m, alpha)
    trained = np.array([one_pass(row, alpha)[0] for row in m])
    np.testing.assert_allclose(trained, value, rtol=0, atol=1e-8)
    assert np.all(np.abs(np.diff(value, 2)) < 1e-3 + 4 * error.max())


def test_the_other_side_has_the_rest():
    for m, alpha in draw_cases(7, 100):
        value, error = one(m, alpha)
        other, other_error = one(-m, alpha)
        assert abs(value + other - 1) <= error + other_error
        ours, gradient = one_pass(m, alpha)
        theirs, opposite = one_pass(-m, alpha)
        assert ours + theirs == pytest.approx(1, abs=1e-8)
        np.testing.assert_allclose(gradient, -opposite, rtol=0, atol=1e-8 / min(alpha[m != 0].sum(), 1.0))


def test_scale_order_zeros_and_copies_do_not_matter():
    rng = np.random.default_rng(35)
    for m, alpha in draw_cases(8, 50):
        value, error = one(m, alpha)
        order = rng.permutation(len(m))
        zeros = np.append(m, [0.0, 0.0]), np.append(alpha, [1e-3, 1e5])
        split = np.repeat(m, 2), np.repeat(alpha / 2, 2)
        for other in [(m[order], alpha[order]), (m / 7, alpha), zeros, split]:
            assert abs(one(*other)[0] - value) <= error + one(*other)[1]
        gradient = one_pass(*zeros)[1]
        assert gradient[-2:].tolist() == [0.0, 0.0]


def test_rows_that_are_decided():
    alpha = np.array([1.0, 2.0, 1e-6])
    rows = [[1, 0.5, 1e-12], [1, 0, 0], [-1, -0.5, -1e-12], [0, -1e-3, 0], [0, 0, 0]]
    value, error = negative_sum(rows, alpha)
    assert value.tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]
    assert error.tolist() == [0.0] * 5
    total, gradient = negative_sum_pass(np.array(rows), alpha)
    assert total == 3.0
    assert gradient.tolist() == [0.0] * 3
    assert one([-0.3], [2.0]) == (1.0, 0.0)


def test_margins_of_any_size():
    assert one([1e-12, -1e-12], [1.0, 1.0])[0] == pytest.approx(0.5, abs=1e-14)
    assert one([1.0, -1e-12], [1.0, 1.0])[0] == pytest.approx(1e-12, rel=1e-9)
    assert one([1.0, -1e-119], [1e-6, 1e-6])[0] == pytest.approx(0.5, abs=1e-3)
    assert one([1.0, 1e-300], [1e-6, 1e-6])[0] > 0.49  # counts as negative, which is on the safe side
    value, error = one([1.0, -1.0], [1e-100, 1e-100])
    assert abs(value - 0.5) <= error < 1e-12


def test_values_that_are_next_to_nothing_have_a_bound():
    value, error = one([1.0, -1.0], [1e4, 1e2])
    assert value == 0.0
    assert 0 <= error < 1e-40
    value, error = one([1.0, -1.0], [1e2, 1e4])
    assert value == 1.0
    assert error < 1e-15


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_pass_adds_up_the_rows(dtype):
    rng = np.random.default_rng(36)
    m, alpha = rng.uniform(-0.8, 1, (300, 30)).astype(dtype), rng.gamma(1.0, 1.0, 30)
    weights = rng.integers(0, 4, 300).astype(float)
    value, gradient = negative_sum_pass(m, alpha, weights)
    exact = negative_sum(m, alpha)[0]
    assert value == pytest.approx(weights @ exact, abs=1e-9 * weights.sum())
    each = sum(w * one_pass(row, alpha)[1] for row, w in zip(m, weights, strict=True))
    np.testing.assert_allclose(gradient, each, rtol=0, atol=1e-11)
    step = 1e-5
    there, here = (weights @ negative_sum(m, alpha * (1 + sign * step))[0] for sign in (1, -1))
    assert gradient @ alpha == pytest.approx((there - here) / (2 * step), rel=1e-7)


@pytest.mark.parametrize("n_voters", [1, 2, 7, 31, 128, 129, pytest.param(1_000, marks=pytest.mark.slow)])
def test_any_number_of_voters(n_voters):
    rng = np.random.default_rng([37, n_voters])
    m, alpha = rng.uniform(-1, 1, (10, n_voters)), rng.gamma(0.5, 2.0, n_voters).clip(1e-6)
    value, error = negative_sum(m, alpha)
    theirs = [theirs_of(row, alpha) for row in m]
    assert np.all(np.abs(value - theirs) <= error + 1e-13)
    assert negative_sum_pass(m, alpha)[0] == pytest.approx(sum(theirs), abs=1e-7)


@pytest.mark.parametrize(
    ("m", "alpha", "match"),
    [
        ([[1.1]], [1.0], "margins between"),
        ([[math.nan]], [1.0], "margins between"),
        ([[0.5]], [0.0], "concentrations between"),
        ([[0.5]], [math.inf], "concentrations between"),
        ([[0.5, 0.5]], [1.0], "one concentration for each"),
        ([0.5], [1.0], "one concentration for each"),
    ],
)
def test_bad_input_is_refused(m, alpha, match):
    with pytest.raises(ValueError, match=match):
        negative_sum(m, alpha)
    with pytest.raises(ValueError, match=match):
        negative_sum_pass(m, alpha)


def test_weights_must_fit():
    with pytest.raises(ValueError, match="one weight for each of the 1 rows"):
        negative_sum_pass(np.ones((1, 1)), np.ones(1), np.ones(2))
