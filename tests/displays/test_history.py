import numpy as np
import pytest

from stocmv.displays import HistoryDisplay
from stocmv.learning import History, Step


def test_shows_what_was_recorded(binary):
    display = HistoryDisplay.from_estimator(binary)
    history = binary.history_
    np.testing.assert_array_equal(display.objective_line_.get_ydata(), history.objective)
    np.testing.assert_array_equal(display.risk_line_.get_ydata(), history.risk)
    np.testing.assert_array_equal(display.kl_line_.get_ydata(), history.kl)
    np.testing.assert_array_equal(display.objective_line_.get_xdata(), np.arange(1, len(history) + 1))


def test_kl_has_the_right_hand_axis(learned):
    display = HistoryDisplay.from_learned(learned)
    assert display.kl_line_.axes is display.kl_ax_
    assert display.risk_line_.axes is display.objective_line_.axes is display.ax_
    assert "nats" in display.kl_ax_.get_ylabel()


def test_shows_the_certified_bound(learned):
    display = HistoryDisplay.from_learned(learned)
    assert set(display.certified_line_.get_ydata()) == {learned.certificate.stochastic_bound}
    assert HistoryDisplay(learned.history).plot().certified_line_ is None


def test_without_a_bound_on_the_stochastic_vote(learned, without_stochastic):
    assert HistoryDisplay(learned.history, without_stochastic).plot().certified_line_ is None


def test_does_not_call_certified_what_is_not_proven(unproven):
    display = HistoryDisplay.from_learned(unproven)
    assert display.certified_line_.get_label() == "bound (not proven)"


def of(stages, bounds):
    history = History()
    history.steps = [Step(stage, bound, bound / 2, 1.0, 0.1) for stage, bound in zip(stages, bounds, strict=True)]
    return history


def test_marks_the_stages():
    history = of(["adam"] * 3 + ["lbfgs"] * 5, [0.5, 0.4, 0.45, 0.5, 0.4, 0.6, 0.5, 0.3])
    display = HistoryDisplay(history).plot()
    edges = [span.get_window_extent().transformed(display.ax_.transData.inverted()) for span in display.stage_spans_]
    np.testing.assert_allclose([(e.x0, e.x1) for e in edges], [(0.5, 3.5), (3.5, 8.5)])
    assert [text.get_text() for text in display.ax_.texts] == ["adam", "lbfgs, 2 runs"]


def test_one_iteration_is_enough():
    HistoryDisplay(of(["lbfgs"], [0.3])).plot().figure_.canvas.draw()


def test_an_empty_history_is_said_to_be_empty():
    with pytest.raises(ValueError, match="no iteration"):
        HistoryDisplay(History()).plot()


def test_hands_keywords_to_matplotlib(learned):
    assert HistoryDisplay.from_learned(learned, linewidth=3).risk_line_.get_linewidth() == 3
