"""Bounds for what the judging examples did not help to make: one sample, and folds."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import kl_div
from scipy.stats import binom

from stocmv.bounds import FoldTest, bentkus, clopper_pearson, one_sample
from stocmv.bounds._fold_test import excess
from stocmv.bounds._shortfall import shortfall

SIZES = [1, 2, 5, 20, 100, 3000]


def exact_shortfall(room, slope, n, p):
    """E (room - slope B / n)_+ as a fraction."""
    room, slope, p = map(Fraction, (room, slope, p))
    return sum(max(room - slope * k / n, 0) * math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))


class TestShortfall:
    @pytest.mark.parametrize("n", [1, 2, 7, 60])
    def test_is_the_sum_over_all_counts(self, n):
        for room, slope, p in itertools.product([0.0, 0.05, 0.25, 0.5, 1.0], [1.0, 1.5, 4.0], [0.01, 0.25, 0.75, 1.0]):
            ours = shortfall(np.array([room]), slope, n, np.array([p]))[0]
            assert ours == pytest.approx(float(exact_shortfall(room, slope, n, p)), abs=1e-14)

    def test_is_nothing_without_room(self):
        assert shortfall(np.array([-0.1, 0.0]), 1.0, 10, np.array([0.1, 0.0])).tolist() == [0.0, 0.0]

    @pytest.mark.parametrize("n", [10**5, 10**7])
    def test_at_the_sizes_that_users_have(self, n):
        """Against the tail of the counts summed up one by one, near the mean."""
        for p in (0.2 / n, 1e-3, 0.1):
            room = p + np.linspace(-3, 3, 7) * math.sqrt(p / n)
            k = np.arange(0, int(n * p + 20 * math.sqrt(n * p) + 30))
            exact = [float(np.maximum(r - k / n, 0) @ binom.pmf(k, n, p)) for r in room]
            np.testing.assert_allclose(shortfall(room, 1.0, n, np.full(7, p)), exact, rtol=1e-6, atol=1e-12)


class TestExcess:
    @pytest.mark.parametrize("n", SIZES)
    @pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.01), (1.3, 0.0), (1.05, 0.2), (6.0, 0.001)])
    def test_is_not_below_any_true_error_and_hardly_above_all(self, n, slope, offset):
        p = np.concatenate([np.geomspace(1e-6 / n, 1, 3001), np.linspace(0, 1, 3001)[1:]])
        largest = shortfall(p - offset, slope, n, p).max()
        assert largest <= excess(slope, offset, n) <= 1.002 * largest + 1e-11 + 0.01 / n


class TestFoldTest:
    @pytest.mark.parametrize("n", SIZES)
    @pytest.mark.parametrize("error", [0.0, 0.01, 0.2, 0.5])
    @pytest.mark.parametrize("factor", [None, 0.3, 3.0])
    def test_keeps_its_condition(self, n, error, factor):
        """The expected excess is at most delta times the scale, whatever the true error is."""
        scale = None if factor is None else [factor * c for c in FoldTest.choose([error], [n], 0.05).scale]
        test = FoldTest.choose([error], [n], 0.05, scale)
        p = np.concatenate([np.geomspace(1e-6 / n, 1, 1001), np.linspace(0, 1, 1001)[1:]])
        assert shortfall(p - test.offset[0], test.slope[0], n, p).max() <= 0.05 * test.scale[0]
        assert test.slope[0] >= 1
        assert factor is None or test.scale == tuple(scale)

    @pytest.mark.parametrize(("n", "error"), [(3000, 0.16), (100_000, 0.1), (10**7, 0.1)])
    def test_costs_about_two_standard_deviations_of_one_fold(self, n, error):
        """The expected shortfall of a normal variable: 2.063 at 5 %, of folds that may depend on each other."""
        test = FoldTest.choose([error] * 3, [n] * 3, 0.05)
        price = (test.upper([error] * 3) - error) / math.sqrt(error * (1 - error) / n)
        assert 2.0 < price < 2.3

    def test_without_errors_it_costs_hardly_more_than_one_sample(self):
        test = FoldTest.choose([0.0] * 3, [600] * 3, 0.05)
        exact = clopper_pearson(0, 600, 0.05)
        assert exact < test.upper([0.0] * 3) < 1.05 * exact

    def test_a_wrong_guess_costs_but_does_not_break_it(self):
        good, poor = (FoldTest.choose([e] * 3, [1000] * 3, 0.05).upper([0.1] * 3) for e in (0.1, 0.02))
        assert 0.1 < good < poor < 1.2 * good

    def test_shares_go_with_the_scales(self):
        test = FoldTest.choose([0.01, 0.3], [300, 200], 0.05)
        np.testing.assert_allclose(test.shares * test.scale, [test.shares[0] * test.scale[0]] * 2)
        assert test.shares.sum() == pytest.approx(1)
        risks = np.array([0.02, 0.25])
        compared = np.array(test.slope) * risks + np.array(test.offset)
        whole = test.shares @ compared + 2 / np.sum(1 / np.array(test.scale))
        assert test.upper(risks) == pytest.approx(whole, rel=1e-11)

    def test_is_at_most_one(self):
        assert FoldTest.choose([0.5], [1], 0.05).upper([1.0]) == 1.0

    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_holds_for_folds_that_are_as_dependent_as_can_be(self, n):
        """Two folds of fair coins; each fold's rule is wrong everywhere or nowhere, by the parity of the other fold.

        All samples are listed, so that the probability of a violation is exact.
        """
        test = FoldTest.choose([0.5, 0.5], [n, n], 0.05)
        violated = 0.0
        for sample in itertools.product((0, 1), repeat=2 * n):
            folds = np.reshape(sample, (2, n))
            truth = [0.9 if folds[1 - k].sum() % 2 else 0.1 for k in range(2)]
            for losses in itertools.product(range(n + 1), repeat=2):
                chance = np.prod([binom.pmf(losses[k], n, truth[k]) for k in range(2)])
                violated += chance / 4**n * (test.shares @ truth > test.upper(np.array(losses) / n))
        assert violated <= 0.05


class TestOneSample:
    @pytest.mark.parametrize("n", [1, 3, 30, 90])
    @pytest.mark.parametrize("delta", [0.5, 0.05, 1e-4])
    def test_exceeds_the_error_often_enough(self, n, delta):
        """All counts are listed: how often the bound is below the error, for errors just above each bound."""
        for bound in (clopper_pearson, lambda k, n, d: bentkus(k / n, n, d)):
            values = np.array([bound(k, n, delta) for k in range(n + 1)])
            for p in np.minimum(values * (1 + 1e-9), 1.0):
                assert binom.pmf(np.flatnonzero(values < p), n, p).sum() <= delta * (1 + 1e-6)

    @pytest.mark.parametrize("n", [3, 60, 5000])
    def test_bentkus_lies_between_the_exact_bound_and_chernoffs(self, n):
        for k in {0, 1, n // 20, n // 3, n - 1}:
            ours = bentkus(k / n, n, 0.05)
            assert clopper_pearson(k, n, 0.05) <= ours * (1 + 1e-9)
            if ours < 1 - 1e-9:
                kl = kl_div(k / n, ours) + kl_div(1 - k / n, 1 - ours)
                assert kl <= -math.log(0.05) / n * (1 + 1e-6)

    def test_bentkus_holds_for_losses_between_zero_and_one(self):
        """Losses of 0, 1/2 and 1, all samples of eight listed."""
        n, delta = 8, 0.1
        for probabilities in ([0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.05, 0.15, 0.8]):
            true = probabilities[1] / 2 + probabilities[2]
            chance = np.array([1.0])
            for _ in range(n):  # of each sum, in halves
                chance = np.convolve(chance, probabilities)
            too_low = [bentkus(s / 2 / n, n, delta) < true for s in range(2 * n + 1)]
            assert chance @ too_low <= delta

    def test_sums_of_losses(self):
        assert one_sample(3.0, 100, 0.05, counted=True) == clopper_pearson(3, 100, 0.05)
        assert one_sample(3.0, 100, 0.05, counted=False) == pytest.approx(bentkus(0.03, 100, 0.05), rel=1e-10)
        assert one_sample(0.0, 0, 0.05, counted=True) == 1.0

    @pytest.mark.parametrize(("risk", "n"), [(-0.1, 10), (1.1, 10), (0.5, 0)])
    def test_bad_input(self, risk, n):
        with pytest.raises(ValueError, match="risk must lie between 0 and 1"):
            bentkus(risk, n, 0.05)
