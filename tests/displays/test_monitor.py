import matplotlib.pyplot as plt
import numpy as np
import pytest

from stocmv import Monitor
from stocmv.displays import MonitorDisplay


def a_monitor(probability, n=3000):
    return Monitor(0.05).update_losses(np.random.default_rng(0).random(n) < probability)


def test_it_draws_the_evidence_the_errors_and_both_limits():
    monitor = a_monitor(0.04)
    display = MonitorDisplay.from_monitor(monitor, color="black")
    curve = monitor.curve
    assert np.array_equal(display.evidence_line_.get_ydata(), curve.evidence)
    assert np.allclose(display.error_line_.get_ydata(), curve.errors / curve.n)
    assert display.threshold_line_.get_ydata()[0] == 20
    assert display.bound_line_.get_ydata()[0] == 0.05
    assert display.alarm_line_ is None
    assert display.evidence_line_.get_color() == "black"


def test_it_marks_the_alarm_in_the_axes_that_are_given():
    figure, axes = plt.subplots()
    monitor = a_monitor(0.2)
    display = MonitorDisplay(monitor).plot(axes)
    assert display.figure_ is figure
    assert display.alarm_line_.get_xdata()[0] == monitor.alarm_at
    figure.canvas.draw()


def test_without_cases_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="nothing to draw"):
        MonitorDisplay.from_monitor(Monitor(0.05))
