"""`OrderDisplay`."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..checks import OrderTest
from ._canvas import BLUE, VERMILION, canvas, in_percent, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class OrderDisplay:
    """Errors and the frequency of a class along the rows, or over time.

    The dashed lines are the means over all rows. Make one with `from_estimator`.

    Parameters
    ----------
    test : OrderTest
        The test that `fit` made.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    error_line_, class_line_ : Line2D
        The two curves, a point for each block of rows.
    mean_lines_ : list of Line2D
        Their means.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.displays import OrderDisplay
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier("stumps", random_state=0).fit(X, y)
    >>> display = OrderDisplay.from_estimator(clf)
    >>> len(display.error_line_.get_xdata())
    10
    """

    def __init__(self, test: OrderTest) -> None:
        self.test = test

    @classmethod
    def from_estimator(cls, clf: Any, *, ax: "Axes | None" = None, **kwargs: Any) -> "OrderDisplay":
        """Draw the order test of a fitted `MajorityVoteClassifier`.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted, on one machine.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot`.
        """
        check_is_fitted(clf, ["order_test_"])
        if clf.order_test_ is None:
            raise ValueError("The order of examples on a cluster is not tested: there is nothing to draw.")
        return cls(clf.order_test_).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "OrderDisplay":
        """Draw; parameters as in `from_estimator`."""
        test = self.test
        self.ax_, self.figure_ = canvas(ax, 6.5, 3.2)
        sizes = np.array(test.sizes)
        places = (np.cumsum(sizes) - sizes / 2) / sizes.sum()
        style = {"linewidth": 1.6, "marker": "o", "markersize": 4, **kwargs}
        curves = (
            (test.error_rates, VERMILION, "errors of predict"),
            (test.label_shares, BLUE, f"examples of class {test.label}"),
        )
        drawn = [self.ax_.plot(places, v, **{"color": c, "label": name, **style})[0] for v, c, name in curves]
        self.error_line_, self.class_line_ = drawn
        self.mean_lines_ = [
            self.ax_.axhline(sizes @ np.array(v) / sizes.sum(), color=c, linewidth=1, linestyle=(0, (5, 3)))
            for v, c, _ in curves
        ]
        tidy(self.ax_)
        in_percent(self.ax_.xaxis)
        in_percent(self.ax_.yaxis)
        self.ax_.set_xlim(0, 1)
        self.ax_.set_ylim(0, None)
        order = "the earliest first" if test.by == "time" else "in their order"
        self.ax_.set(xlabel=f"rows that judge, {order}", ylabel="share")
        legend_below(self.ax_, drawn)
        return self
