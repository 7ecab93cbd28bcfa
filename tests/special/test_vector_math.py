import mpmath
import numpy as np
import pytest

from stocmv.special import _vector_math as ours

UNIT = 2.0**-53


def mixed(rng, count):
    return np.concatenate(
        [10 ** rng.uniform(-300, 0, count), 10 ** rng.uniform(0, 290, count), rng.uniform(0, 5, count)]
    )


def assert_within(units, found, theirs):
    theirs = [mpmath.mpf(x) for x in theirs]
    error = max(abs((mpmath.mpf(float(x)) - y) / y) for x, y in zip(found, theirs, strict=True) if y)
    assert float(error) < units * UNIT


@pytest.mark.parametrize("sign", [1, -1])
def test_log1p(sign):
    rng = np.random.default_rng(40)
    u = (
        mixed(rng, 1_000)
        if sign > 0
        else -np.concatenate([10 ** rng.uniform(-300, 0, 1_000), rng.uniform(0, 1, 1_000)])
    )
    with mpmath.workdps(40):
        assert_within(6, [ours.log1p(x) for x in u], [mpmath.log1p(mpmath.mpf(float(x))) for x in u])
    assert ours.log1p(0.0) == 0.0


def test_arctan2():
    rng = np.random.default_rng(41)
    e = mixed(rng, 500) * rng.choice([-1, 1], 1_500)
    f = np.where(rng.random(1_500) < 0.5, rng.uniform(-3, 3, 1_500), e * rng.uniform(-3, 3, 1_500))
    with mpmath.workdps(40):
        theirs = [mpmath.atan2(mpmath.mpf(float(y)), mpmath.mpf(float(x))) for y, x in zip(e, f, strict=True)]
        assert_within(4, [ours.arctan2(y, x) for y, x in zip(e, f, strict=True)], theirs)
    assert ours.arctan2(0.0, 1.0) == 0.0
