"""Panels, plans and challengers, drawn."""

import numpy as np
import pytest

from stocmv import ChallengerMonitor, MajorityVoteClassifier, plan, plan_comparison
from stocmv.displays import MonitorDisplay, PanelDisplay, PlanDisplay


def test_a_panel():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    answers = np.where(rng.random((200, 3)) < 0.2, 1 - y[:, None], y[:, None])
    certificate = MajorityVoteClassifier("answers", panel=True, inner_folds=0).fit(answers, y).certificate_
    display = PanelDisplay.from_certificate(certificate)
    expected = [certificate.bound, certificate.panel["equal"]["bound"]]
    expected += [own["bound"] for own in certificate.panel["voters"]]
    assert display.bound_points_.get_xdata().tolist() == expected
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["predict", "vote, equal weights", "voter 1", "voter 2", "voter 3"]


def test_without_a_panel():
    certificate = MajorityVoteClassifier("answers", inner_folds=0).fit([[0, 1]] * 20, [0, 1] * 10).certificate_
    with pytest.raises(ValueError, match="fit with panel=True"):
        PanelDisplay.from_certificate(certificate)


@pytest.mark.parametrize(
    "planned",
    [
        plan(error=0.1, bound=0.2),
        plan(error=0.1, bound=0.3, prevalence=0.3),
        plan_comparison(difference=0.1, discordant=0.2),
    ],
)
def test_the_chance_of_a_plan_never_falls_and_is_reached_where_it_says(planned):
    numbers, chances = PlanDisplay.from_plan(planned).chance_line_.get_data()
    assert np.all(np.diff(chances) >= 0)
    assert planned.chance_at(planned.n) >= planned.chance > planned.chance_at(planned.n - 1)
    assert np.all((np.array(chances) >= planned.chance) == (np.array(numbers) >= planned.n))


def test_a_challenger():
    rng = np.random.default_rng(0)
    errors = (rng.random((2, 2000)) < [[0.2], [0.1]]).astype(int)
    display = MonitorDisplay.from_monitor(ChallengerMonitor().update(np.zeros(2000, int), *errors))
    assert display.ax_.get_ylabel() == "evidence that the challenger errs less"
    assert display.alarm_line_ is not None
