"""What holds for every display."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest
from sklearn.exceptions import NotFittedError

from stocmv import MajorityVoteClassifier
from stocmv.displays import (
    CertificateDisplay,
    ErrorDistributionDisplay,
    HistoryDisplay,
    PosteriorDisplay,
    SelectiveDisplay,
)


@pytest.fixture
def make(binary, held_out):
    """Draw a display of a kind, as a user would; of weights that were learned on the judges, where it can."""
    return lambda kind, **kwargs: kind.from_estimator(held_out if kind is SelectiveDisplay else binary, **kwargs)


every_kind = pytest.mark.parametrize(
    "kind", [CertificateDisplay, ErrorDistributionDisplay, HistoryDisplay, PosteriorDisplay, SelectiveDisplay]
)


@every_kind
def test_makes_a_figure_of_its_own(kind, make):
    display = make(kind)
    assert isinstance(display, kind)
    assert display.ax_.get_figure() is display.figure_
    assert display.figure_.get_layout_engine() is not None
    assert plt.get_fignums()
    display.figure_.canvas.draw()


@every_kind
def test_draws_on_given_axes(kind, make, given_ax):
    display = make(kind, ax=given_ax)
    assert display.ax_ is given_ax
    assert display.figure_ is given_ax.get_figure()
    assert not plt.get_fignums()
    display.figure_.canvas.draw()


@every_kind
def test_plots_again_elsewhere(kind, make, given_ax):
    display = make(kind)
    first = display.figure_
    assert display.plot(ax=given_ax) is display
    assert display.ax_ is given_ax
    assert display.figure_ is not first


@every_kind
def test_leaves_the_settings_of_matplotlib_alone(kind, make):
    before = dict(plt.rcParams)
    make(kind)
    assert dict(plt.rcParams) == before


@every_kind
def test_legend_is_outside_the_data(kind, make):
    display = make(kind)
    legend = display.ax_.get_legend()
    if kind is CertificateDisplay:  # its rows are its key
        assert legend is None
        return
    display.figure_.canvas.draw()
    legend_box, axes_box = legend.get_window_extent(), display.ax_.get_window_extent()
    assert legend_box.y1 <= axes_box.y0 + 1
    assert legend_box.y0 >= 0


@every_kind
def test_everything_is_within_the_figure(kind, make):
    figure = make(kind).figure_
    figure.canvas.draw()
    drawn, page = figure.get_tightbbox(), figure.bbox_inches
    assert drawn.x0 >= 0
    assert drawn.y0 >= 0
    assert drawn.x1 <= page.x1
    assert drawn.y1 <= page.y1


@every_kind
def test_asks_for_a_fitted_estimator(kind):
    with pytest.raises(NotFittedError):
        kind.from_estimator(MajorityVoteClassifier())


def test_names_the_extra_when_matplotlib_is_missing(monkeypatch, make):
    for module in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"stocmv\[plot\]"):
        make(CertificateDisplay)


@pytest.mark.slow
def test_importing_the_room_does_not_import_matplotlib():
    code = "import sys, stocmv.displays; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
