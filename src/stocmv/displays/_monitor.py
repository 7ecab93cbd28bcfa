"""`MonitorDisplay`."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ..certificate import ChallengerMonitor, Monitor
from ._canvas import BLUE, GREY, VERMILION, canvas, in_percent, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Words(NamedTuple):
    """What the lines and axes are."""

    cases: str
    evidence: str
    errors: str
    bound: str
    share: str
    alarm: str


_BOUND = Words("cases", "evidence against the bound", "errors so far (right)", "bound (right)", "error", "first alarm")
_CHALLENGER = Words(
    "cases on which exactly one model erred",
    "evidence that the challenger errs less",
    "share of the champion (right)",
    "one half (right)",
    "errors of the champion among them",
    "shown",
)


class MonitorDisplay:
    """Evidence that a bound no longer holds, case by case, and the share of errors so far.

    For a `ChallengerMonitor`: evidence that the challenger errs less, and how often it was the champion that erred
    where exactly one of them did. Make one with `from_monitor`.

    Parameters
    ----------
    monitor : Monitor
        With at least one case.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    error_ax_ : Axes
        The right-hand axis.
    evidence_line_, error_line_ : Line2D
        The two curves.
    threshold_line_, bound_line_ : Line2D
        The alarm threshold, and the bound under test.
    alarm_line_ : Line2D or None
        The case that raised the alarm.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import Monitor
    >>> from stocmv.displays import MonitorDisplay
    >>> monitor = Monitor(bound=0.05).update_losses(np.random.default_rng(0).random(500) < 0.04)
    >>> display = MonitorDisplay.from_monitor(monitor)
    >>> len(display.evidence_line_.get_xdata())
    500
    """

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor
        words = _CHALLENGER if isinstance(monitor, ChallengerMonitor) else _BOUND
        self._words = words._replace(cases=words.cases.replace("cases", "groups")) if monitor.grouped else words

    @classmethod
    def from_monitor(cls, monitor: Monitor, *, ax: "Axes | None" = None, **kwargs: Any) -> "MonitorDisplay":
        """Draw what a monitor has seen.

        Parameters
        ----------
        monitor : Monitor
            With at least one case.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot` for the evidence.
        """
        return cls(monitor).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "MonitorDisplay":
        """Draw; parameters as in `from_monitor`."""
        monitor, curve = self.monitor, self.monitor.curve
        if not len(curve.n):
            raise ValueError("The monitor has seen no case with an answer: there is nothing to draw.")
        self.ax_, self.figure_ = canvas(ax, 7.5, 3.8)
        self.error_ax_ = self.ax_.twinx()
        marker = "o" if len(curve.n) <= 20 else None
        style = {"color": VERMILION, "linewidth": 1.8, "marker": marker, "label": "evidence", **kwargs}
        (self.evidence_line_,) = self.ax_.plot(curve.n, curve.evidence, **style)
        dashes = (0, (5, 3))
        self.threshold_line_ = self.ax_.axhline(
            1 / monitor.delta, color=VERMILION, linewidth=1, linestyle=dashes, label="alarm"
        )
        (self.error_line_,) = self.error_ax_.plot(
            curve.n, curve.errors / curve.n, color=BLUE, linewidth=1.2, marker=marker, label=self._words.errors
        )
        self.bound_line_ = self.error_ax_.axhline(
            monitor.bound, color=BLUE, linewidth=1, linestyle=dashes, label=self._words.bound
        )
        self.alarm_line_ = None
        if monitor.alarm_at is not None:
            name = f"{self._words.alarm}, {'group' if monitor.grouped else 'case'} {monitor.alarm_at:,}"
            self.alarm_line_ = self.ax_.axvline(monitor.alarm_at, color=GREY, linewidth=1, label=name)
        self._label()
        return self

    def _label(self) -> None:
        ax, error_ax = self.ax_, self.error_ax_
        tidy(ax)
        tidy(error_ax, grid="none")
        error_ax.spines["right"].set_visible(True)
        ax.set_yscale("log")
        ax.set(xlabel=self._words.cases, ylabel=self._words.evidence)
        error_ax.set_ylabel(self._words.share)
        error_ax.set_ylim(0, min(1.0, 3 * max(self.monitor.bound, self.monitor.errors / self.monitor.n)))
        in_percent(error_ax.yaxis)
        ax.set_zorder(error_ax.get_zorder() + 1)  # the evidence in front of the errors
        ax.patch.set_visible(False)
        lines = (self.evidence_line_, self.threshold_line_, self.error_line_, self.bound_line_, self.alarm_line_)
        legend_below(ax, [line for line in lines if line is not None], columns=3)
