import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import make_moons

from stocmv import MajorityVoteClassifier, OrderTest
from stocmv.displays import OrderDisplay


def test_it_draws_errors_and_a_class_along_the_rows():
    wrong, codes = np.repeat([False, True], 100), np.tile([0, 1], 100)
    figure, axes = plt.subplots()
    test = OrderTest.of(wrong, codes, np.array(["a", "b"]), times=np.arange(200))
    display = OrderDisplay(test).plot(axes, linewidth=3)
    assert np.array_equal(display.error_line_.get_ydata(), np.repeat([0, 1], 10))
    assert np.array_equal(display.class_line_.get_ydata(), np.full(20, 0.5))
    assert [line.get_ydata()[0] for line in display.mean_lines_] == [0.5, 0.5]
    assert np.allclose(display.error_line_.get_xdata(), np.arange(20) / 20 + 1 / 40)
    assert display.error_line_.get_linewidth() == 3
    assert "earliest" in axes.get_xlabel()
    figure.canvas.draw()


def test_of_a_classifier():
    X, y = make_moons(120, noise=0.2, random_state=0)
    clf = MajorityVoteClassifier("stumps", random_state=0).fit(X, y)
    assert tuple(OrderDisplay.from_estimator(clf).error_line_.get_ydata()) == clf.order_test_.error_rates
    clf.order_test_ = None
    with pytest.raises(ValueError, match="cluster"):
        OrderDisplay.from_estimator(clf)
