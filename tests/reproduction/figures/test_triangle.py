import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from reproduction.figures._triangle import SHARES, draw_triangle, lattice, log_density

CORNERS = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
NORMAL, EVEN, CORNERED = [6.0, 3.0, 2.0], [1.0, 1.0, 1.0], [0.3, 0.3, 0.5]


@pytest.mark.parametrize("alpha", [NORMAL, CORNERED])
def test_density(alpha):
    weights = lattice()
    weights = weights[(weights > 0.002).all(1)]
    np.testing.assert_allclose(weights.sum(1), 1)
    theirs = [stats.dirichlet(alpha).logpdf(w / w.sum()) for w in weights[::97]]
    np.testing.assert_allclose(log_density(weights, np.array(alpha))[::97], theirs, rtol=1e-7, atol=1e-7)


def test_bands_hold_their_shares():
    bands = draw_triangle(Figure().subplots(), NORMAL)
    fresh = stats.dirichlet(NORMAL).logpdf(np.random.default_rng(1).dirichlet(NORMAL, 20_000).T)
    shares = [np.mean(fresh > level) for level in list(bands.levels)[1:-1]]
    np.testing.assert_allclose(shares, SHARES, atol=0.015)


def test_marks_the_mean_and_names_the_corners():
    ax = Figure().subplots()
    draw_triangle(ax, NORMAL)
    mean = np.array(NORMAL) / np.sum(NORMAL)
    np.testing.assert_allclose(ax.lines[0].get_xydata()[0], mean @ CORNERS)
    assert [text.get_text() for text in ax.texts] == [f"voter {k + 1}\n{100 * m:.1f} %" for k, m in enumerate(mean)]


@pytest.mark.parametrize("alpha", [NORMAL, EVEN, CORNERED])
def test_levels_rise(alpha):
    bands = draw_triangle(Figure().subplots(), alpha)
    assert np.all(np.diff(bands.levels) > 0)
