import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from special import precise
from stocmv.special import half_betainc

BLOCK = 1_000


def draw_points(block):
    """1,000 pairs (w, s) of every kind: inside, both ends, near both ends, near s / 2, integers."""
    rng = np.random.default_rng([20, block])
    s = 10 ** rng.uniform(-3, 6, BLOCK)
    kinds = np.arange(BLOCK) % 8
    s = np.where(kinds == 6, np.ceil(s), s)
    w = np.choose(
        kinds,
        [
            rng.uniform(0, s),
            rng.uniform(0, s),
            s * 10 ** -rng.uniform(0, 300, BLOCK),
            s * (1 - 10 ** -rng.uniform(0, 16, BLOCK)),
            np.clip(s / 2 + 2 * np.sqrt(s) * rng.normal(size=BLOCK), 0, s),
            np.clip(s / 2 + 2 * np.sqrt(s) * rng.normal(size=BLOCK), 0, s),
            np.floor(rng.uniform(0, s + 1)),
            s * rng.integers(0, 2, BLOCK),
        ],
    )
    return np.minimum(w, s), s


@pytest.mark.parametrize("block", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 20))])
def test_value_and_partials_agree_with_the_reference(block):
    w, s = draw_points(block)
    value, d_w, d_s = half_betainc(w, s)
    ours = np.stack([value, s * d_w, s * d_s], axis=1)
    theirs = np.array([precise.half_beta(*point) for point in zip(w.tolist(), s.tolist(), strict=True)])
    assert_agree(ours, theirs, s)


def assert_agree(ours, theirs, s):
    """The slope at the middle grows with the root of the total: what rounding leaves of it grows likewise."""
    error = np.abs(ours - theirs)
    assert error[:, 0].max() < 1e-13
    assert np.max(error[:, 1:] / np.maximum(1, np.sqrt(s))[:, None]) < 1e-13


@pytest.mark.slow
def test_value_and_partials_agree_with_the_reference_at_every_total():
    """From 1e-300 to 1e300: far beyond 1e9 the curve is a step, but its slope and its middle are still right."""
    rng = np.random.default_rng(21)
    s = np.append(10 ** rng.uniform(-300, 300, 200), 10 ** rng.uniform(6, 20, 200))
    w = np.choose(
        np.arange(400) % 4,
        [
            s / 2 + np.sqrt(s) * rng.normal(size=400),
            rng.uniform(0, s),
            s * (0.5 + 10 ** -rng.uniform(0, 16, 400) / 2),
            s * 10 ** -rng.uniform(0, 16, 400),
        ],
    ).clip(0, s)
    value, d_w, d_s = half_betainc(w, s)
    theirs = np.array([precise.half_beta(*point) for point in zip(w.tolist(), s.tolist(), strict=True)])
    assert_agree(np.stack([value, s * d_w, s * d_s], axis=1), theirs, s)


def test_the_reference_does_not_move_when_its_nodes_are_doubled():
    w, s = (x[:100].tolist() for x in draw_points(0))
    coarse = [precise.half_beta(*point) for point in zip(w, s, strict=True)]
    fine = [precise.half_beta(*point, n_nodes=192) for point in zip(w, s, strict=True)]
    np.testing.assert_allclose(coarse, fine, rtol=1e-15, atol=1e-17)
    for point in [(4.9e16, 1e17), (5e59, 1e60), (3e-201, 1e-200)]:
        np.testing.assert_allclose(precise.half_beta(*point), precise.half_beta(*point, n_nodes=192), rtol=1e-15)


def test_the_reference_agrees_with_mpmath():
    w, s = draw_points(1)
    inside = (w > 1e-6 * s) & (w < s * (1 - 1e-6)) & (s < 500)
    points = list(zip(w[inside].tolist(), s[inside].tolist(), strict=True))[:200]
    ours = [precise.half_beta(*point)[0] for point in points]
    with mpmath.workdps(30):
        theirs = [float(mpmath.betainc(s - mpmath.mpf(w), w, 0, 0.5, regularized=True)) for w, s in points]
    np.testing.assert_allclose(ours, theirs, rtol=1e-15)


@pytest.mark.parametrize(
    ("w", "s"), [(2e-4, 1e-3), (0.3, 0.5), (1.0, 2.5), (7.5, 9.0), (40.0, 100.0), (130.0, 250.0), (1e-5, 30.0)]
)
def test_the_partials_of_the_reference_agree_with_mpmath(w, s):
    def phi(w, s):
        return mpmath.betainc(s - w, w, 0, 0.5, regularized=True)

    with mpmath.workdps(40):
        theirs = [float(s * mpmath.diff(phi, (w, s), order, h=mpmath.mpf(10) ** -15 * w)) for order in [(1, 0), (0, 1)]]
    np.testing.assert_allclose(precise.half_beta(w, s)[1:], theirs, rtol=1e-12)


@pytest.mark.parametrize(("w", "s"), [(0.0, 3.0), (4e3, 1e4), (4.99e4, 1e5), (500_123.25, 1e6), (499_000.0, 1e6)])
def test_the_reference_agrees_with_hypergeometric_balls(w, s):
    """Flint's own incomplete beta function, far slower, differentiated over a step that 80 digits allow."""
    with ctx.workdps(80):
        w, s, h = arb(w), arb(s), arb(10) ** -20

        def phi(w, s):
            series = arb(0.5).hypgeom_2f1(s, 1, s - w + 1)
            return series * (s.lgamma() - (s - w + 1).lgamma() - s * arb.const_log2()).exp() * w.rgamma()

        d_w = (phi(w + h, s) - phi(w - h, s)) / (2 * h)
        d_s = (phi(w, s + h) - phi(w, s - h)) / (2 * h)
        theirs = [float(phi(w, s)), float(s * d_w), float(s * d_s)]
    np.testing.assert_allclose(precise.half_beta(float(w), float(s)), theirs, rtol=1e-15)


@pytest.mark.parametrize("s", [1, 2, 3, 7, 20, 101])
def test_integers_count_coin_tosses(s):
    """Beta(w, s - w) exceeds one half as often as s - 1 fair coins show at least s - w heads."""
    w = np.arange(s + 1)
    ours = half_betainc(w, s)[0]
    theirs = [float(Fraction(sum(math.comb(s - 1, j) for j in range(s - k, s)), 2 ** (s - 1))) for k in w]
    np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("s", [1e-3, 0.1, 1.0, 8.0, 300.0, 1e6])
def test_the_ends_are_limits(s):
    value, d_w, d_s = half_betainc([0.0, s], s)
    with mpmath.workdps(30):
        relative = mpmath.quad(lambda z: (2 / (1 + mpmath.exp(z))) ** s, [0, 1 / s, 5 / s, 20 / s, 80 / s, 160 / s])
        slope = float(relative * mpmath.mpf(2) ** -s)
    assert value.tolist() == [0.0, 1.0]
    np.testing.assert_allclose(d_w, slope, rtol=1e-10, atol=1e-300)
    assert d_s[0] == 0.0
    assert d_s[1] == -d_w[1]


@pytest.mark.parametrize("s", [2.0**-10, 1.0, 2.0**6, 2.0**11, 2.0**20])
def test_the_two_halves_mirror_each_other_exactly(s):
    w = s * np.arange(65) / 64  # s - w is exact
    value, d_w, d_s = half_betainc(w, s)
    np.testing.assert_array_equal(value[33:], 1 - value[:32][::-1])
    np.testing.assert_array_equal(d_w, d_w[::-1])
    np.testing.assert_allclose(d_s[::-1], -(d_w + d_s), rtol=1e-12, atol=1e-14 / s)
    assert value[32] == pytest.approx(0.5, abs=1e-14)


@pytest.mark.parametrize("s", [1e-300, 1e-12, 1e-8, 1e-3, 0.7, 30.0, 2e3, 1e6, 1e9, 1e12, 1e17, 1e300])
def test_value_rises_from_0_to_1(s):
    near = s / 2 + np.linspace(-5, 5, 2_001) * min(np.sqrt(s), s / 10)
    value, d_w, _ = half_betainc(np.union1d(np.linspace(0, s, 2_001), near), s)
    assert np.all(np.diff(value) >= -5e-15)
    assert np.all(d_w >= 0)
    assert value.min() == 0
    assert value.max() == 1


def test_shapes_broadcast():
    w = np.array([[0.5], [1.0]])
    s = np.array([2.0, 3.0, 4.0])
    together = half_betainc(w, s)
    for part, each in zip(together, half_betainc(1.0, 4.0), strict=True):
        assert part.shape == (2, 3)
        assert each.shape == ()
        assert part[1, 2] == pytest.approx(float(each), rel=1e-15)
    assert half_betainc([], 1.0)[0].shape == (0,)


@pytest.mark.parametrize(
    ("w", "s"),
    [
        (-1e-9, 1.0),
        (1.1, 1.0),
        (0.0, 0.0),
        (0.0, -1.0),
        (0.0, 5e-324),
        (1e300, 1e301),
        (math.nan, 1.0),
        (0.5, math.nan),
        (0.5, math.inf),
        ([0.5, 3], 2),
    ],
)
def test_bad_input_is_refused(w, s):
    with pytest.raises(ValueError, match="half_betainc needs"):
        half_betainc(w, s)
