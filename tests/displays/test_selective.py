"""What `SelectiveDisplay` shows."""

import numpy as np
import pytest

from stocmv.decisions import tradeoffs
from stocmv.displays import SelectiveDisplay


def test_shows_bounds_over_coverage(held_out):
    display = SelectiveDisplay.from_estimator(held_out)
    points = [p for p in tradeoffs(held_out.evidence_, held_out.certificate_) if p.bound < 1]
    np.testing.assert_array_equal(display.certified_line_.get_ydata(), [p.bound for p in points])
    np.testing.assert_array_equal(display.certified_line_.get_xdata(), [p.coverage for p in points])
    np.testing.assert_array_equal(display.measured_line_.get_ydata(), [p.empirical_risk for p in points])
    assert display.test_line_ is None


def test_shows_test_examples(held_out):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, held_out.n_features_in_))
    y = rng.choice(held_out.classes_, 50)
    display = SelectiveDisplay.from_estimator(held_out, X, y)
    coverage, error = display.test_line_.get_xdata()[-1], display.test_line_.get_ydata()[-1]
    assert coverage == 1  # at the most lenient threshold
    assert error == pytest.approx(1 - held_out.score(X, y))


def test_a_smaller_delta_has_larger_bounds(held_out):
    loose, strict = (SelectiveDisplay.from_estimator(held_out, delta=delta) for delta in (0.1, 0.001))
    assert strict.points[-1].bound > loose.points[-1].bound


def test_weights_that_the_judges_taught_have_none(binary):
    with pytest.raises(ValueError, match="bound='auto'"):
        SelectiveDisplay.from_estimator(binary)
