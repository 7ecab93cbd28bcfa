"""Figures of ROC bands and calibration."""

import matplotlib as mpl
import numpy as np
import pytest

from decisions.scored import drawn
from stocmv.certificate import certify_judgments
from stocmv.decisions._roc import roc_band
from stocmv.displays import CalibrationDisplay, RocDisplay

mpl.use("Agg")


@pytest.fixture(scope="module")
def judgments():
    return drawn(500, np.random.default_rng(0))


def test_roc(judgments):
    band = roc_band(judgments, certify_judgments(judgments), "yes")
    display = RocDisplay(band).plot()
    np.testing.assert_array_equal(display.measured_line_.get_ydata(), band.recall)
    np.testing.assert_array_equal(display.certified_line_.get_ydata(), band.recall_bound)
    assert "certified, area at least 0." in display.certified_line_.get_label()
    assert display.ax_.get_ylabel() == "recall of class 'yes'"
    display.figure_.draw_without_rendering()
    legend, page = display.ax_.get_legend().get_window_extent(), display.figure_.bbox
    assert page.x0 <= legend.x0 < legend.x1 <= page.x1
    assert page.y0 <= legend.y0


def test_calibration(judgments):
    certificate = certify_judgments(judgments, calibration=True)
    display = CalibrationDisplay.from_certificate(certificate)
    shown = display.bars_.lines[0].get_ydata()
    np.testing.assert_array_equal(shown, [own["measured"] for own in certificate.calibration])
    with pytest.raises(ValueError, match="calibration=True"):
        CalibrationDisplay.from_certificate(certify_judgments(judgments))
