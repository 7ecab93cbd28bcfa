"""`CalibrationDisplay`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..certificate import TestedCertificate
from ._canvas import BLUE, GREY, canvas, in_percent, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class CalibrationDisplay:
    """How often the answers are right against their scores, with bounds for all bins at once.

    Make one with `from_certificate`.

    Parameters
    ----------
    bins : sequence of dict
        The figure "calibration" of a certificate.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    bars_ : ErrorbarContainer
        For each bin its mean score, how often its answers are right, and the bounds.
    diagonal_line_ : Line2D
        Scores that are probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.certificate import certify_judgments
    >>> from stocmv.displays import CalibrationDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = MajorityVoteClassifier(random_state=0).fit(X, y)
    >>> display = CalibrationDisplay.from_certificate(certify_judgments(clf.evidence_, calibration=True))
    >>> display.ax_.get_xlabel()
    'score of the answer'
    """

    def __init__(self, bins: Sequence[dict[str, Any]]) -> None:
        self.bins = bins

    @classmethod
    def from_certificate(
        cls, certificate: TestedCertificate, *, ax: "Axes | None" = None, **kwargs: Any
    ) -> "CalibrationDisplay":
        """Draw the figure "calibration" of a certificate.

        Parameters
        ----------
        certificate : TestedCertificate
            Made with ``calibration=True``.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.errorbar`.
        """
        if not certificate.calibration:
            raise ValueError("This certificate has no figure 'calibration': certify with calibration=True.")
        return cls(certificate.calibration).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "CalibrationDisplay":
        """Draw; parameters as in `from_certificate`."""
        self.ax_, self.figure_ = canvas(ax, 5.4, 5.0)
        right = [own["measured"] for own in self.bins]
        below = [max(own["measured"] - own["lower"], 0.0) for own in self.bins]
        above = [max(own["upper"] - own["measured"], 0.0) for own in self.bins]
        style = {"color": BLUE, "marker": "o", "markersize": 5, "linestyle": "none", "capsize": 3, "elinewidth": 1.4}
        (self.diagonal_line_,) = self.ax_.plot(
            [0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", label="scores that are probabilities"
        )
        self.bars_ = self.ax_.errorbar(
            [own["mean_score"] for own in self.bins],
            right,
            yerr=[below, above],
            **{"label": "measured, with bounds", **style, **kwargs},
        )
        self._label()
        return self

    def _label(self) -> None:
        ax = self.ax_
        tidy(ax)
        in_percent(ax.xaxis)
        in_percent(ax.yaxis)
        low = min((own["from"] for own in self.bins), default=0.0)
        ax.set(xlim=(low, 1.01), ylim=(0, 1.01), xlabel="score of the answer", ylabel="right")
        legend_below(ax, [self.bars_, self.diagonal_line_])
