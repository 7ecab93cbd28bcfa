import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import gammaincinv, gammaln

from special import precise
from stocmv import VoteMatrix
from stocmv.special import argmax_probability, gamma_draw_gradient, half_betainc

LEVELS = [1e-3, 1e-2, 0.1, 0.3, 0.7, 1.0, 2.0, 5.0, 20.0, 100.0, 1e3, 1e4]


def contested(level, n_classes, seed=0):
    """Concentrations around one level, as far apart as leaves the winner open."""
    rng = np.random.default_rng([seed, n_classes, round(1e3 * level)])
    return level * np.exp(min(3.0, 3 / math.sqrt(level)) * rng.uniform(-1, 1, n_classes))


def scaled(concentrations, total):
    return np.asarray(concentrations) * (total / np.sum(concentrations))


SPECIAL_ROWS = {
    "just below the switch": scaled([1.0, 2.0, 4.0], 8 - 1e-9),
    "just above the switch": scaled([1.0, 2.0, 4.0], 8 + 1e-9),
    "four classes at the switch": np.array([2.0, 2.0, 2.0, 2.0]),
    "eleven classes below the switch": scaled(np.arange(1, 12), 7.999),
    "eleven classes above the switch": scaled(np.arange(1, 12), 8.001),
    "ties": np.array([3.0, 3.0, 3.0, 1.0]),
    "large ties": np.full(5, 2e3),
    "a tiny class": np.array([1e-9, 5.0, 1.0]),
    "a tiny class among large ones": np.array([1e-9, 500.0, 490.0]),
    "tiny rivals": np.array([30.0, 1e-9, 1e-3]),
    "tiny classes only": np.array([1e-3, 1e-3, 2e-3]),
    "one class far ahead": np.array([4e3, 10.0, 20.0]),
    "one class far behind": np.array([10.0, 400.0, 20.0]),
    "a half among many small ones": np.array([4.0, *[0.4] * 10]),
}


def row_of(concentrations, winner=0):
    return float(argmax_probability([concentrations], [winner])[0])


class TestArgmax:
    @pytest.mark.parametrize("level", LEVELS)
    @pytest.mark.parametrize(
        "n_classes", [3, *(pytest.param(k, marks=pytest.mark.slow) for k in (4, 5, 7, 9)), 6, 11], ids="K={}".format
    )
    def test_agrees_with_the_reference(self, n_classes, level):
        concentrations = contested(level, n_classes)
        ours, theirs = row_of(concentrations), precise.argmax_probability(concentrations.tolist(), 0)
        assert ours == pytest.approx(theirs, abs=1e-11)

    @pytest.mark.parametrize("row", SPECIAL_ROWS)
    def test_agrees_with_the_reference_on_special_rows(self, row):
        concentrations = SPECIAL_ROWS[row]
        for winner in (0, 1):
            theirs = precise.argmax_probability(concentrations.tolist(), winner)
            assert row_of(concentrations, winner) == pytest.approx(theirs, abs=1e-11)

    @pytest.mark.parametrize("level", LEVELS[::2])
    def test_the_reference_does_not_move_when_its_nodes_are_doubled(self, level):
        concentrations = contested(level, 4).tolist()
        coarse = precise.argmax_probability(concentrations, 0)
        assert coarse == pytest.approx(precise.argmax_probability(concentrations, 0, panel=1.5), abs=1e-13)

    @pytest.mark.parametrize("concentrations", [(0.3, 0.5, 0.2), (2.5, 1.5, 0.5), (7.0, 6.0, 9.0)])
    def test_the_reference_agrees_with_mpmath(self, concentrations):
        own, *rivals = concentrations

        def integrand(x):  # t = x^8: smooth enough at 0
            below = mpmath.fprod(mpmath.gammainc(a, 0, x**8, regularized=True) for a in rivals)
            return 8 * x ** (8 * own - 1) * mpmath.exp(-(x**8)) / mpmath.gamma(own) * below

        with mpmath.workdps(20):
            theirs = float(mpmath.quad(integrand, [0, 0.5, 1, 1.3, 1.7]))
        assert precise.argmax_probability(concentrations, 0) == pytest.approx(theirs, abs=1e-12)

    @pytest.mark.parametrize("concentrations", [(1, 1, 1, 1), (2, 1, 3), (5, 4, 2, 1), (9, 7, 8), (1, 30, 2)])
    def test_integers_agree_with_exact_fractions(self, concentrations):
        """For integer shapes P(a, t) = 1 - e^-t sum_{j < a} t^j / j!, and the integral is a sum of factorials."""
        own, *rivals = concentrations
        theirs = Fraction(0)
        for terms in itertools.product(*([None, *range(a)] for a in rivals)):
            taken = [j for j in terms if j is not None]
            power, rate = own - 1 + sum(taken), 1 + len(taken)
            below = (-1) ** len(taken) * Fraction(1, math.prod(math.factorial(j) for j in taken))
            theirs += below * Fraction(math.factorial(power), rate ** (power + 1)) / math.factorial(own - 1)
        assert row_of(np.array(concentrations)) == pytest.approx(float(theirs), abs=1e-12)
        assert precise.argmax_probability(concentrations, 0) == pytest.approx(float(theirs), abs=1e-14)

    @pytest.mark.parametrize("ratio", [1.0, 0.8])
    def test_rows_with_the_same_few_sums_get_what_each_gets_alone(self, ratio):
        """Equal weights: the rows share a table, and a row alone does not use one."""
        rng = np.random.default_rng(0)
        counts = rng.multinomial(100, rng.dirichlet(np.ones(10), 500).mean(0), 500)
        rows, winners = 50.0 * counts, counts.argmax(1)
        alone = [argmax_probability(rows[i : i + 1], winners[i : i + 1], ratio)[0] for i in range(len(rows))]
        assert argmax_probability(rows, winners, ratio).tolist() == alone

    def test_two_classes_reproduce_the_binary_risk(self):
        rng = np.random.default_rng(2)
        s = 10 ** rng.uniform(-3, 4, 2_000)
        w = np.where(
            np.arange(2_000) % 2, rng.uniform(0, s), np.clip(s / 2 + np.sqrt(s) * rng.normal(size=2_000), 0, s)
        )
        ours = argmax_probability(np.stack([s - w, w], axis=1), np.zeros(2_000, int))
        np.testing.assert_allclose(ours, 1 - half_betainc(w, s)[0], rtol=0, atol=1e-11)

    @pytest.mark.parametrize("n_classes", [2, 3, 6, 11])
    def test_some_class_wins(self, n_classes):
        rows = [contested(level, n_classes, seed) for level in LEVELS for seed in range(5)]
        total = sum(argmax_probability(rows, np.full(len(rows), k)) for k in range(n_classes))
        np.testing.assert_allclose(total, 1, rtol=0, atol=1e-11)

    @pytest.mark.parametrize("level", LEVELS)
    def test_the_order_of_the_rivals_does_not_matter(self, level):
        own, *rivals = contested(level, 4)
        ours = [row_of([own, *order]) for order in itertools.permutations(rivals)]
        moved = row_of([*rivals, own], winner=3)
        np.testing.assert_allclose([*ours, moved], ours[0], rtol=1e-12)

    @pytest.mark.parametrize("level", LEVELS)
    def test_classes_without_voters_do_not_matter(self, level):
        a, b, c = contested(level, 3)
        assert row_of([0, a, 0, b, c, 0], winner=1) == row_of([a, b, c])

    @pytest.mark.parametrize("level", LEVELS)
    def test_equal_classes_share_the_win(self, level):
        assert row_of(np.full(7, level)) == pytest.approx(1 / 7, abs=1e-12)

    def test_a_class_without_voters_never_wins_and_one_without_rivals_always(self):
        rows = [[0.0, 1.0, 2.0], [5.0, 0.0, 0.0], [1e-3, 0.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 0.0]]
        assert argmax_probability(rows, np.zeros(5, int)).tolist() == [0, 1, 1, 0, 0]

    def test_the_sum_over_pairs_bounds_the_error(self):
        rows = np.array([contested(level, 5, seed) for level in LEVELS for seed in range(20)])
        error = 1 - argmax_probability(rows, np.zeros(len(rows), int))
        pairs = [half_betainc(rows[:, k], rows[:, 0] + rows[:, k])[0] for k in range(1, 5)]
        assert np.all(error <= sum(pairs) + 1e-12)
        assert np.all(error >= np.max(pairs, axis=0) - 1e-12)

    def test_many_rows_are_the_single_rows(self):
        rows = np.array([contested(level, 3, seed) for level in LEVELS for seed in range(250)])
        together = argmax_probability(rows, np.arange(len(rows)) % 3)
        assert together.shape == (3_000,)
        assert np.all((together >= 0) & (together <= 1))
        for i in range(0, 3_000, 97):
            assert together[i] == pytest.approx(row_of(rows[i], i % 3), rel=1e-14)
        assert argmax_probability(np.empty((0, 3)), np.empty(0, int)).shape == (0,)

    @pytest.mark.parametrize(
        ("concentrations", "winner"),
        [
            ([1.0, 2.0], [0]),
            ([[1.0, 2.0]], [0, 1]),
            ([[1.0, 2.0]], 0),
            ([[1.0, 2.0]], [-1]),
            ([[1.0, 2.0]], [2]),
            ([[-1.0, 2.0]], [0]),
            ([[math.nan, 2.0]], [0]),
            ([[math.inf, 2.0]], [0]),
        ],
    )
    def test_bad_input_is_refused(self, concentrations, winner):
        with pytest.raises(ValueError, match="argmax_probability needs"):
            argmax_probability(concentrations, winner)


def table_rows():
    """Rows of every level and both rules, and totals on both sides of a power of two, spread and concentrated."""
    yield from (contested(level, k, seed) for level in LEVELS for k in (2, 3, 6, 11) for seed in range(4))
    yield from SPECIAL_ROWS.values()
    for total in (2.0**k * side for k in (3, 4, 5, 8, 12, 16) for side in (1 - 1e-12, 1, 1 + 1e-12)):
        yield scaled([1.0, 1.1, 0.9], total)
        yield np.array([total - 1.5, 1.0, 0.5])
        yield np.array([total - 2e-6, 1e-6, 1e-6])


def by_table(concentrations, winner):
    """Winning probability and gradient as training computes them: one row, one voter for each class."""
    n_classes = len(concentrations)
    votes = VoteMatrix.from_labels([range(n_classes)], [winner], classes=range(max(n_classes, 3)))
    error, gradient = votes.argmax_error_sum(concentrations)
    return 1 - error, -gradient


class TestTables:
    def test_value_is_within_1e_6_of_the_certificate(self):
        for concentrations in table_rows():
            n_classes = len(concentrations)
            ours = [by_table(concentrations, winner)[0] for winner in range(n_classes)]
            theirs = argmax_probability(np.tile(concentrations, (n_classes, 1)), np.arange(n_classes))
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6, err_msg=str(concentrations))

    def test_gradient_agrees_with_central_differences(self):
        """In units of the scale on which the probability moves: the total below 1, its root above."""
        for concentrations in table_rows():
            total = concentrations.sum()
            scale = min(total, math.sqrt(total))
            step = np.minimum(1e-3 * scale, concentrations / 2)
            rows = np.concatenate([concentrations + np.diag(step), concentrations - np.diag(step)])
            up, down = argmax_probability(rows, np.zeros(len(rows), int)).reshape(2, -1)
            ours, theirs = by_table(concentrations, 0)[1], (up - down) / (2 * step)
            np.testing.assert_allclose(scale * ours, scale * theirs, rtol=0, atol=1e-5, err_msg=str(concentrations))

    def test_classes_without_voters_do_not_matter(self):
        concentrations = np.array([3.0, 4.0, 2.5])
        ours = VoteMatrix.from_labels([[1, 3, 4]], [1], classes=range(6)).argmax_error_sum(concentrations)
        theirs = by_table(concentrations, 0)
        assert 1 - ours[0] == pytest.approx(theirs[0], rel=1e-14)
        np.testing.assert_allclose(-ours[1], theirs[1], rtol=1e-12)


QUANTILES = np.array([1e-6, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1 - 1e-4, 1 - 1e-6])
SHAPES = [1e-3, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 40.0, 300.0, 1e4, 1e5]


def log_draws(shape):
    """Logarithms of the quantiles; below 1e-300 the distribution function is ``g^a / Gamma(a + 1)``."""
    power = (np.log(QUANTILES) + gammaln(shape + 1)) / shape
    return np.where(power < -600, power, np.log(np.maximum(gammaincinv(shape, QUANTILES), 1e-300)))


class TestDrawGradient:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_agrees_with_the_reference(self, shape):
        draws = log_draws(shape)
        ours = gamma_draw_gradient(shape, draws)
        theirs = [precise.gamma_draw_gradient(shape, draw) for draw in draws.tolist()]
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)

    @pytest.mark.parametrize(("shape", "draw"), [(0.02, 1e-30), (0.7, 0.3), (4.0, 9.0), (60.0, 55.0)])
    def test_the_reference_agrees_with_mpmath(self, shape, draw):
        with mpmath.workdps(30):
            slope = mpmath.diff(lambda a: mpmath.gammainc(a, 0, draw, regularized=True), shape, h=mpmath.mpf(10) ** -12)
            density = mpmath.mpf(draw) ** shape * mpmath.exp(-draw) / mpmath.gamma(shape)
            theirs = float(-slope / density)
        assert precise.gamma_draw_gradient(shape, math.log(draw)) == pytest.approx(theirs, rel=1e-10)

    @pytest.mark.parametrize("shape", SHAPES[2:])
    def test_agrees_with_differences_at_a_fixed_quantile(self, shape):
        u, step = QUANTILES[2:-2], 1e-4 * shape
        up, down = (np.log(gammaincinv(shape + side * step, u)) for side in (1, -1))
        ours = gamma_draw_gradient(shape, np.log(gammaincinv(shape, u)))
        np.testing.assert_allclose(ours, (up - down) / (2 * step), rtol=1e-5)

    @pytest.mark.parametrize("shape", [1e-9, 1e-6, 1e-4])
    def test_vanishing_shapes_have_a_closed_form(self, shape):
        """There ``log g = (log u + log Gamma(a + 1)) / a``, far below what a float can hold."""
        log_u = np.log(QUANTILES[:6])
        ours = gamma_draw_gradient(shape, (log_u + gammaln(shape + 1)) / shape)
        np.testing.assert_allclose(ours, -log_u / shape**2, rtol=1e-3)

    def test_shapes_broadcast(self):
        assert gamma_draw_gradient([[1.0], [2.0]], [0.0, 0.1, 0.2]).shape == (2, 3)
        assert np.shape(gamma_draw_gradient(1.0, 0.0)) == ()
