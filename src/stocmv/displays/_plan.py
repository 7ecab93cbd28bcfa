"""`PlanDisplay`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificate import ComparisonPlan, Plan
from ._canvas import BLUE, GREY, VERMILION, canvas, in_percent, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 160


class PlanDisplay:
    """The chance of success by the number of judging examples, and the number that was planned.

    It is the smallest chance with so many examples or more, as in the plan itself: the chance for exactly so many
    falls a little with each example, until one more error is allowed.

    Make one with `from_plan`.

    Parameters
    ----------
    plan : Plan or ComparisonPlan
        From `plan` or `plan_comparison`.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    chance_line_ : Line2D
        The chance by the number of examples.
    target_line_, plan_line_ : Line2D
        The chance that was asked for, and the number of examples from which on it is reached.

    Examples
    --------
    >>> from stocmv import plan
    >>> from stocmv.displays import PlanDisplay
    >>> display = PlanDisplay.from_plan(plan(error=0.05, bound=0.07))
    >>> display.ax_.get_xlabel()
    'judging examples'
    """

    def __init__(self, plan: Plan | ComparisonPlan) -> None:
        self.plan = plan

    @classmethod
    def from_plan(cls, plan: Plan | ComparisonPlan, *, ax: "Axes | None" = None, **kwargs: Any) -> "PlanDisplay":
        """Draw a plan.

        Parameters
        ----------
        plan : Plan or ComparisonPlan
            From `plan` or `plan_comparison`.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot` for the chance.
        """
        return cls(plan).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "PlanDisplay":
        """Draw; parameters as in `from_plan`."""
        plan = self.plan
        numbers = np.unique(np.linspace(1, 2 * plan.n, _POINTS).astype(int))
        chances = [plan.chance_at(int(n)) for n in numbers]
        self.ax_, self.figure_ = canvas(ax, 6.0, 3.4)
        style = {"color": BLUE, "linewidth": 1.8, "label": "chance of success", **kwargs}
        (self.chance_line_,) = self.ax_.plot(numbers, chances, **style)
        self.target_line_ = self.ax_.axhline(
            plan.chance, color=VERMILION, linewidth=1, linestyle=(0, (5, 3)), label="asked for"
        )
        self.plan_line_ = self.ax_.axvline(plan.n, color=GREY, linewidth=1, label=f"planned, {plan.n:,}")
        tidy(self.ax_)
        self.ax_.set(xlabel="judging examples", ylabel="chance", ylim=(0, 1.02), xlim=(0, 2 * plan.n))
        in_percent(self.ax_.yaxis)
        self.ax_.xaxis.set_major_formatter(lambda n, _: f"{n:,.0f}")
        legend_below(self.ax_, [self.chance_line_, self.target_line_, self.plan_line_])
        return self
