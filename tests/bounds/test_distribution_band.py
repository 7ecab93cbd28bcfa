"""The band for all thresholds: its probability of failing is exact, and it is tighter than what it replaces."""

import math

import numpy as np
import pytest

from stocmv.bounds import MOST_STEPS, DistributionBand, clopper_pearson
from stocmv.bounds._distribution_band import _bounds, _crossing_probability, order_statistics


def by_first_crossing(bounds):
    """The same probability by another way: the first order statistic that is too large, with its count of points."""
    n, first = len(bounds), []
    for i, bound in enumerate(bounds):  # N(bound) = i points where i + 1 are needed
        q = [(bound - bounds[j]) / (1 - bounds[j]) for j in range(i)]
        ways = math.comb(n, i) * bound**i * (1 - bound) ** (n - i)
        again = [math.comb(n - j, i - j) * q[j] ** (i - j) * (1 - q[j]) ** (n - i) for j in range(i)]
        first.append(ways - float(np.dot(first, again)))
    return math.fsum(first)


def test_two_order_statistics_by_hand():
    a, b = 0.7, 0.9
    assert 1 - _crossing_probability(np.array([a, b]), 2) == pytest.approx(b**2 - (b - a) ** 2, abs=1e-13)


@pytest.mark.parametrize("n", [1, 2, 7, 60])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3])
def test_probability_of_failing_is_exact(n, delta):
    bounds = _bounds(n, delta)[:-1]
    ours, theirs = _crossing_probability(bounds, n), by_first_crossing(bounds)
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert 0.99 * delta < ours <= delta


@pytest.mark.parametrize("n", [20, 300, 2000])
def test_between_one_threshold_and_one_test_for_each(n):
    delta, counts = 0.025, np.arange(0, n, max(n // 20, 1))
    upper = DistributionBand(n, delta).upper(counts)
    one = np.array([clopper_pearson(k, n, delta) for k in counts])
    each = np.array([clopper_pearson(k, n, delta / n) for k in counts])
    assert (upper > one).all()
    assert (upper < each * (1 + 1e-9)).all()
    assert (np.diff(upper) > 0).all()


@pytest.mark.parametrize("n", [280, 3720])
def test_narrower_than_massart_in_the_tails_and_hardly_wider_in_the_middle(n):
    delta, dkw = 0.0225, math.sqrt(math.log(1 / 0.0225) / (2 * n))
    width = DistributionBand(n, delta).upper(np.array([n // 100, n // 20, n // 2])) - [0.01, 0.05, 0.5]
    assert width[0] < 0.45 * dkw
    assert width[1] < 0.75 * dkw
    assert width[2] < 1.25 * dkw


def test_some_order_statistics_bound_the_others():
    n = 3 * MOST_STEPS
    steps, upper = order_statistics(n), DistributionBand(n, 0.1).upper(np.arange(n + 1))
    assert len(steps) < MOST_STEPS
    assert steps[-1] == n
    assert (np.diff(upper) >= 0).all()
    np.testing.assert_allclose(upper[steps - 1], _bounds(n, 0.1)[:-1])
    assert upper[n] == 1.0


def test_a_tiny_delta_is_shared_among_the_order_statistics():
    assert DistributionBand(50, 1e-9).level == pytest.approx(1e-9 / 50)


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, MOST_STEPS + 500])
def test_uniform_variables_cross_as_often_as_delta_says(n):
    delta, draws = 0.2, 2000
    upper = DistributionBand(n, delta).upper(np.arange(n))
    points = np.sort(np.random.default_rng(0).random((draws, n)), 1)
    crossed = float((points > upper).any(1).mean())
    assert abs(crossed - delta) < 4 * math.sqrt(delta * (1 - delta) / draws)
