import numpy as np
import pytest
from scipy import stats

import zoo
from stocmv import learn
from stocmv.displays import PosteriorDisplay
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal

ALPHA = np.array([0.5, 4.0, 1.0, 2.5])


def plotted(errorbar):
    """Heights of the marks, and the ends of the bars."""
    return errorbar.lines[0].get_ydata(), np.array(errorbar.lines[2][0].get_segments())[:, :, 1]


def test_shows_mean_and_deviation_of_the_marginals():
    display = PosteriorDisplay.from_posterior(Dirichlet(ALPHA), sort=False)
    means, ends = plotted(display.errorbars_[0])
    marginals = stats.beta(ALPHA, ALPHA.sum() - ALPHA)
    np.testing.assert_allclose(means, marginals.mean())
    np.testing.assert_allclose(np.diff(ends)[:, 0] / 2, marginals.std())


def test_sorts_the_heaviest_first():
    display = PosteriorDisplay.from_posterior(Dirichlet(ALPHA))
    means, _ = plotted(display.errorbars_[0])
    np.testing.assert_allclose(means, np.sort(ALPHA)[::-1] / ALPHA.sum())


def test_keeps_the_prior_with_its_voter():
    prior = Dirichlet([1.0, 2.0, 3.0, 4.0])
    display = PosteriorDisplay.from_posterior(Dirichlet(ALPHA), prior)
    heights = display.prior_lines_[0].get_ydata()
    np.testing.assert_allclose(heights[:-1], prior.mean[np.argsort(-ALPHA)])


def test_shows_every_fold_in_a_colour_of_its_own(binary):
    display = PosteriorDisplay.from_estimator(binary, sort=False)
    assert len(display.errorbars_) == len(display.prior_lines_) == 3
    for bars, posterior in zip(display.errorbars_, binary.posterior_, strict=True):
        np.testing.assert_array_equal(plotted(bars)[0], posterior.mean)
    assert len({bars.lines[0].get_color() for bars in display.errorbars_}) == 3


def test_no_prior_where_none_is_paid_for(held_out):
    display = PosteriorDisplay.from_estimator(held_out)
    assert display.prior_lines_ == []
    assert "prior mean" not in [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_folds_do_not_overlap():
    display = PosteriorDisplay.from_posterior([Dirichlet(ALPHA), Dirichlet(ALPHA[:2]), Dirichlet(ALPHA[:3])])
    places = np.concatenate([bars.lines[0].get_xdata() for bars in display.errorbars_])
    assert np.all(np.diff(places) >= 1)


def test_of_what_was_learned(learned):
    display = PosteriorDisplay.from_learned(learned, sort=False)
    np.testing.assert_array_equal(plotted(display.errorbars_[1])[0], learned.posterior[1].mean)
    alone = learn(zoo.problem("noisy"), prior=1.0, solver="lbfgs", random_state=0)
    assert len(PosteriorDisplay.from_learned(alone).errorbars_) == 1


def test_a_categorical_has_no_spread():
    display = PosteriorDisplay.from_posterior(Categorical([0.5, 0.3, 0.2]))
    assert not display.deviations[0].any()
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["posterior mean"]


def test_a_logit_normal_has_the_spread_of_its_draws():
    posterior = LogitNormal([0.0, 1.0, -1.0], [0.5, 0.5, 1.0])
    display = PosteriorDisplay.from_posterior(posterior)
    draws = posterior.sample(100_000, np.random.default_rng(1))
    np.testing.assert_allclose(display.deviations[0], draws.std(0), rtol=0.05)


def test_hands_keywords_to_matplotlib():
    display = PosteriorDisplay.from_posterior(Dirichlet(ALPHA), markersize=3.5)
    assert display.errorbars_[0].lines[0].get_markersize() == 3.5


@pytest.mark.parametrize("n_voters", [1, 500])
def test_any_number_of_voters(n_voters):
    PosteriorDisplay.from_posterior(Dirichlet(np.ones(n_voters))).figure_.canvas.draw()
