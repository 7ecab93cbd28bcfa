"""`RocDisplay`."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..decisions import RocBand
from ._canvas import BLUE, FAINT, GREY, VERMILION, canvas, in_percent, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RocDisplay:
    """The ROC curve of a class on the judging examples, with a bound that holds for all thresholds at once.

    At each threshold the certified curve has the lower bound on recall and the upper bound on the false-positive rate.
    A threshold may be picked from the figure. Make one with `from_estimator`.

    Parameters
    ----------
    band : RocBand
        The curve and its bounds.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    measured_line_, certified_line_ : Line2D
        The curve on the judging examples, and the certified one.
    chance_line_ : Line2D
        Scores that say nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.displays import RocDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = MajorityVoteClassifier(LogisticRegression(max_iter=5000), random_state=0).fit(X, y)
    >>> display = RocDisplay.from_estimator(clf, 0)
    >>> display.ax_.get_ylabel()
    'recall of class 0'
    """

    def __init__(self, band: RocBand) -> None:
        self.band = band

    @classmethod
    def from_estimator(
        cls, clf: Any, positive: Any = None, *, delta: float | None = None, ax: "Axes | None" = None, **kwargs: Any
    ) -> "RocDisplay":
        """Draw the curve of a fitted `MajorityVoteClassifier`.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted, with its evidence.
        positive : object
            The class that is meant; with two classes by default the second.
        delta : float, optional
            Probability that any of the bounds fails, at most; by default that of the vote.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot`.
        """
        check_is_fitted(clf, "certificate_")
        return cls(clf.roc(positive, delta)).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "RocDisplay":
        """Draw; parameters as in `from_estimator`."""
        self.ax_, self.figure_ = canvas(ax, 5.4, 5.0)
        style, band = {"linewidth": 1.6, "drawstyle": "steps-post", **kwargs}, self.band
        rates, recall = band.false_positive_rate, band.recall
        bounds = band.false_positive_rate_bound, band.recall_bound
        (self.measured_line_,) = self.ax_.plot(
            rates, recall, **{"color": BLUE, "label": f"measured, area {band.auc:.3f}", **style}
        )
        (self.certified_line_,) = self.ax_.plot(
            *bounds,
            **{"color": VERMILION, "label": f"certified, area at least {_down(band.auc_bound):.3f}", **style},
        )
        (self.chance_line_,) = self.ax_.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", label="chance")
        between = np.linspace(0, 1, 512)
        upper = np.interp(between, rates, recall)
        lower = np.interp(between, *bounds, left=0.0)
        self.ax_.fill_between(between, np.minimum(lower, upper), upper, color=FAINT, zorder=0)
        self._label()
        return self

    def _label(self) -> None:
        ax = self.ax_
        tidy(ax)
        in_percent(ax.xaxis)
        in_percent(ax.yaxis)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="false-positive rate", ylabel=f"recall of class {self.band.positive!r}")
        legend_below(ax, [self.measured_line_, self.certified_line_, self.chance_line_], columns=2)


def _down(value: float) -> float:
    return np.floor(1000 * value) / 1000
