"""`HistoryDisplay`."""

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..certificate import Certificate
from ..learning import History, Learned
from ._canvas import BLUE, FAINT, GREEN, GREY, VERMILION, canvas, in_percent, legend_below, tidy
from ._certificate import bound_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class HistoryDisplay:
    """Objective, risk and KL over the iterations that learned the weights.

    The objective is a bound on the stochastic vote; if other examples judge, the KL may have less weight in it. The
    bound that was finally certified, if there is one, is drawn beside it. Make one with `from_estimator` or
    `from_learned`.

    Parameters
    ----------
    history : History
        The iterations.
    certificate : Certificate, optional
        The resulting certificate.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    kl_ax_ : Axes
        The right-hand axis.
    objective_line_, risk_line_, kl_line_ : Line2D
        The three curves.
    certified_line_ : Line2D or None
        The bound on the stochastic vote, where that is certified.
    stage_spans_ : list of Patch
        The stages of the solver.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.displays import HistoryDisplay
    >>> rng = np.random.default_rng(0)
    >>> learned = learn(VoteMatrix.from_errors(rng.random((300, 5)) < 0.3), solver="lbfgs", random_state=0)
    >>> display = HistoryDisplay.from_learned(learned)
    >>> len(display.objective_line_.get_ydata()) == len(learned.history)
    True
    """

    def __init__(self, history: History, certificate: Certificate | None = None) -> None:
        self.history = history
        self.certificate = certificate

    @classmethod
    def from_estimator(cls, clf: Any, *, ax: "Axes | None" = None, **kwargs: Any) -> "HistoryDisplay":
        """Draw the iterations of a fitted `MajorityVoteClassifier`.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot`.
        """
        check_is_fitted(clf, ["history_", "certificate_"])
        return cls(clf.history_, clf.certificate_).plot(ax, **kwargs)

    @classmethod
    def from_learned(cls, learned: Learned, *, ax: "Axes | None" = None, **kwargs: Any) -> "HistoryDisplay":
        """Draw the iterations of `learn`; parameters as in `from_estimator`."""
        return cls(learned.history, learned.certificate).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "HistoryDisplay":
        """Draw; parameters as in `from_estimator`."""
        if len(self.history) == 0:
            raise ValueError("The history is empty: the solver made no iteration, so there is nothing to draw.")
        self.ax_, self.figure_ = canvas(ax, 7.5, 4.2)
        self.kl_ax_ = self.ax_.twinx()
        self._plot_curves(kwargs)
        self._mark_stages()
        self._label()
        return self

    def _plot_curves(self, style: dict[str, Any]) -> None:
        ax, history = self.ax_, self.history
        iterations = np.arange(1, len(history) + 1)
        style = {"linewidth": 1.8, "marker": "o" if len(history) <= 20 else None, "markersize": 4, **style}
        (self.kl_line_,) = self.kl_ax_.plot(
            iterations, history.kl, **{"color": GREEN, "linestyle": (0, (1, 1)), "label": "KL (right)", **style}
        )
        (self.objective_line_,) = ax.plot(
            iterations, history.objective, **{"color": VERMILION, "label": "objective", **style}
        )
        (self.risk_line_,) = ax.plot(iterations, history.risk, **{"color": BLUE, "label": "empirical risk", **style})
        self.certified_line_ = None
        bound = None if self.certificate is None else self.certificate.stochastic_bound
        if self.certificate is not None and bound is not None:
            name, dashes = bound_name(self.certificate), (0, (5, 3))
            self.certified_line_ = ax.axhline(bound, color=VERMILION, linewidth=1, linestyle=dashes, label=name)
        ax.set_xlim(0.5, len(history) + 0.5)
        ax.set_ylim(0, 1.12 * ax.dataLim.ymax)  # leaves room for the names of the stages above the curves
        # a start far from the prior may have a KL that would flatten all others: it is cut off
        highest = min(history.kl.max(), 2 * np.quantile(history.kl, 0.9))
        self.kl_ax_.set_ylim(0, 1.6 * highest if highest > 0 else 1)  # below the objective, so that they do not overlap

    def _mark_stages(self) -> None:
        self.stage_spans_ = []
        end = 0.5
        for k, (stage, lengths) in enumerate(_stages(self.history)):
            start = end
            for length in lengths:
                if end > start:
                    self.kl_ax_.axvline(end, color=FAINT, linewidth=1, zorder=0.5)
                end += length
            span = self.kl_ax_.axvspan(start, end, facecolor=FAINT, alpha=0.45 * (k % 2), linewidth=0, zorder=0)
            self.stage_spans_.append(span)
            runs = f", {len(lengths)} runs" if len(lengths) > 1 else ""
            self.ax_.annotate(
                f"{stage}{runs}",
                ((start + end) / 2, 1),
                (0, -4),
                xycoords=self.ax_.get_xaxis_transform(),
                textcoords="offset points",
                ha="center",
                va="top",
                color=GREY,
                fontsize="small",
            )

    def _label(self) -> None:
        from matplotlib.ticker import MaxNLocator

        ax, kl_ax = self.ax_, self.kl_ax_
        tidy(ax)
        tidy(kl_ax, grid="none")
        kl_ax.spines["right"].set_visible(True)
        in_percent(ax.yaxis)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(xlabel="iteration", ylabel="error")
        kl_ax.set_ylabel("KL from the prior (nats)")
        ax.set_zorder(kl_ax.get_zorder() + 1)  # the error in front of the KL
        ax.patch.set_visible(False)
        lines = (self.objective_line_, self.certified_line_, self.risk_line_, self.kl_line_)
        legend_below(ax, [line for line in lines if line is not None])


def _stages(history: History) -> list[tuple[str, list[int]]]:
    """The stages in order, each with the lengths of its runs; L-BFGS descends, so a rise starts a new run."""
    stages = []
    first = 0
    for stage, steps in groupby(history.stage):
        values = history.objective[first : first + len(list(steps))]
        first += len(values)
        rises = 1 + np.flatnonzero((np.diff(values) > 1e-9) & (stage == "lbfgs"))
        stages.append((stage, np.diff([0, *rises, len(values)]).tolist()))
    return stages
