"""`SelectiveDisplay`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..decisions import ROOM, Tradeoff, tradeoffs
from ._canvas import BLUE, GREEN, VERMILION, canvas, in_percent, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SelectiveDisplay:
    """Error among the answers against coverage, for a vote that answers only when it is sure.

    Each point is a threshold: the vote answers if the winning class has at least that share of it. The bounds of all
    points hold at once, so a threshold may be chosen from the figure. Make one with `from_estimator`.

    Parameters
    ----------
    points : sequence of Tradeoff
        Certified and measured figures at each threshold.
    test : sequence of (float, float), optional
        Coverage and error among the answers on test examples, at the same thresholds.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    certified_line_, measured_line_ : Line2D
        The bound on the error against the lower bound on coverage, and both as measured on the judging examples.
    test_line_ : Line2D or None
        The test examples.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.displays import SelectiveDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = MajorityVoteClassifier(random_state=0).fit(X[:400], y[:400])
    >>> display = SelectiveDisplay.from_estimator(clf, X[400:], y[400:])
    >>> display.ax_.get_xlabel()
    'coverage'
    """

    def __init__(self, points: Sequence[Tradeoff], test: Sequence[tuple[float, float]] | None = None) -> None:
        self.points = points
        self.test = test

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        X: Any = None,
        y: Any = None,
        *,
        delta: float | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "SelectiveDisplay":
        """Draw what can be certified for a fitted `MajorityVoteClassifier`.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted, with its evidence.
        X, y : array-like, optional
            Test examples, to be drawn too.
        delta : float, optional
            Probability that any of the bounds fails, at most; by default that of the vote.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot`.
        """
        check_is_fitted(clf, "certificate_")
        points = tradeoffs(clf.evidence_, clf.certificate_, delta)
        test = None if X is None else [_on_test(clf, X, np.asarray(y), point.threshold) for point in points]
        return cls(points, test).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "SelectiveDisplay":
        """Draw; parameters as in `from_estimator`."""
        self.ax_, self.figure_ = canvas(ax, 7.0, 4.2)
        style = {"linewidth": 1.6, "markersize": 5, **kwargs}
        shown = [point for point in self.points if point.bound < 1]
        (self.certified_line_,) = self.ax_.plot(
            [point.coverage for point in shown],
            [point.bound for point in shown],
            **{"color": VERMILION, "marker": "o", "label": "certified", **style},
        )
        (self.measured_line_,) = self.ax_.plot(
            [point.empirical_coverage for point in shown],
            [point.empirical_risk for point in shown],
            **{"color": BLUE, "marker": ".", "label": "measured on the judging examples", **style},
        )
        self.test_line_ = None
        if self.test is not None:
            among = [on_test for on_test, point in zip(self.test, self.points, strict=True) if point.bound < 1]
            (self.test_line_,) = self.ax_.plot(
                *zip(*among, strict=True),
                **{"color": GREEN, "marker": "x", "label": "test examples", **style, "linestyle": "none"},
            )
        self._label()
        return self

    def _label(self) -> None:
        ax = self.ax_
        tidy(ax)
        in_percent(ax.xaxis)
        in_percent(ax.yaxis)
        ax.set_ylim(0, min(1.5 * self.points[-1].bound, 1.0))  # bounds for few answers would flatten all others
        ax.set(xlabel="coverage", ylabel="error among the answers")
        lines = (self.certified_line_, self.measured_line_, self.test_line_)
        legend_below(ax, [line for line in lines if line is not None])


def _on_test(clf: Any, X: Any, y: Any, threshold: float) -> tuple[float, float]:
    """Coverage, and error among the answers."""
    codes, sure = clf._sure_answers(X, [threshold - ROOM] * len(clf.voters_))
    wrong = clf.classes_[codes[sure]] != y[sure]
    return float(sure.mean()), float(wrong.mean()) if len(wrong) else 0.0
