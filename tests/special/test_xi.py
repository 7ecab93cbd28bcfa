import math

import numpy as np
import pytest

from special import precise
from stocmv.special import log_xi


def test_agrees_with_the_exact_sum():
    n = [*range(1, 201), 1_000]
    theirs = [math.log(precise.xi(k)) for k in n]
    np.testing.assert_allclose(log_xi(n), theirs, rtol=0, atol=1e-14)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9, 10**12])
def test_agrees_with_the_asymptotic_series(n):
    """Stirling's series for n! and Ramanujan's for the half of e^n that its first n terms leave."""
    leading = math.sqrt(math.pi * n / 2) + 2 / 3
    ours = math.exp(log_xi(n))
    assert ours == pytest.approx(leading, rel=0.1 / n)
    assert ours == pytest.approx(leading + math.sqrt(math.pi / (288 * n)) - 4 / (135 * n), rel=1e-13 + n**-2)


def test_lies_between_root_n_and_twice_root_n():
    n = np.unique(np.concatenate([np.arange(1, 5_000), np.logspace(3, 15, 500).round()]))
    ours = log_xi(n)
    assert np.all(ours <= np.log(2 * np.sqrt(n)) + 1e-15)  # equal at n = 1
    assert np.all(ours >= np.log(np.sqrt(n)))
    assert np.all(np.diff(ours) > 0)


def test_shape_is_kept():
    assert log_xi([[1, 2], [3, 4]]).shape == (2, 2)
    assert np.shape(log_xi(7)) == ()


@pytest.mark.parametrize("n", [0, -3, 1.5, math.nan, math.inf, [1, 0]])
def test_bad_input_is_refused(n):
    with pytest.raises(ValueError, match="log_xi needs"):
        log_xi(n)
