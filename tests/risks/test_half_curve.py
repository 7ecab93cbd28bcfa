"""The curve that training reads, against the special function that it interpolates."""

import numpy as np
import pytest

from stocmv import VoteMatrix
from stocmv.risks._half_curve import half_curve
from stocmv.special import half_betainc

TOTALS = [1e-3, 0.3, 2.0, 17.0, 55.0, 80.9, 81.0, 81.1, 100.0, 118.0, 161.9, 162.1, 400.0, 1e4, 1e6, 1e9]


@pytest.mark.parametrize("total", TOTALS)
def test_training_sees_the_true_value_and_gradient_at_every_total(total):
    """One voter of each weight: what `curve_sum` finds for it alone is the curve at its weight."""
    shares = 0.5 + 4 * np.linspace(-1, 1, 401) * min(1 / np.sqrt(total), 0.125)
    value, d_w, d_s = half_betainc(total * shares, total)
    unit = max(1.0, np.sqrt(total))  # the slope by log(w) grows like it
    curve = half_curve(total)
    for share, *theirs in zip(shares, value, total * d_w, total * d_s, strict=True):
        votes = VoteMatrix.from_errors([[True, False]])
        ours = votes.curve_sum(np.array([total * share, total * (1 - share)]), curve)
        assert ours[0] == pytest.approx(theirs[0], abs=2e-8)
        assert total * ours[1][0] == pytest.approx(theirs[1], abs=1e-6 * unit)
        assert total * ours[2] == pytest.approx(theirs[2], abs=1e-6 * unit)
