"""`PosteriorDisplay`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..learning import Learned
from ..posteriors import Posterior
from ._canvas import GREY, INK, canvas, colours, in_percent, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

_PRIOR: dict[str, Any] = {"color": INK, "linewidth": 1, "linestyle": (0, (4, 2))}


class PosteriorDisplay:
    """Mean weights of the voters, fold by fold, with their spread, and the mean of the prior if its KL is paid.

    Make one with `from_estimator`, `from_learned` or `from_posterior`.

    Parameters
    ----------
    means, deviations : list of array-like of shape (n_voters,), one per fold
        Mean and standard deviation of each voter's weight.
    prior_means : list of array-like, optional
        Mean weights under the prior.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    errorbars_ : list of ErrorbarContainer
        The weights, one entry per fold.
    prior_lines_ : list of Line2D
        The prior, one entry per fold.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.displays import PosteriorDisplay
    >>> rng = np.random.default_rng(0)
    >>> learned = learn(VoteMatrix.from_errors(rng.random((300, 5)) < [0.1, 0.2, 0.3, 0.4, 0.5]), random_state=0)
    >>> display = PosteriorDisplay.from_learned(learned)
    >>> display.ax_.get_ylabel()
    'weight'
    """

    def __init__(
        self,
        means: Sequence[ArrayLike],
        deviations: Sequence[ArrayLike],
        prior_means: Sequence[ArrayLike] | None = None,
    ) -> None:
        self.means = [np.asarray(mean, float) for mean in means]
        self.deviations = [np.asarray(deviation, float) for deviation in deviations]
        self.prior_means = None if prior_means is None else [np.asarray(mean, float) for mean in prior_means]

    @classmethod
    def from_estimator(
        cls, clf: Any, *, sort: bool = True, ax: "Axes | None" = None, **kwargs: Any
    ) -> "PosteriorDisplay":
        """Draw the posteriors of a fitted `MajorityVoteClassifier`.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted.
        sort : bool
            Whether to sort the voters of a fold by weight.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.errorbar`.
        """
        check_is_fitted(clf, ["posterior_", "certificate_"])
        priors = clf.certificate_.paid_priors() or None
        return cls.from_posterior(clf.posterior_, priors, sort=sort, ax=ax, **kwargs)

    @classmethod
    def from_learned(
        cls, learned: Learned, *, sort: bool = True, ax: "Axes | None" = None, **kwargs: Any
    ) -> "PosteriorDisplay":
        """Draw a result of `learn`; parameters as in `from_estimator`."""
        return cls.from_posterior(learned.posterior, learned.prior, sort=sort, ax=ax, **kwargs)

    @classmethod
    def from_posterior(
        cls,
        posterior: Posterior | Sequence[Posterior],
        prior: Posterior | Sequence[Posterior] | None = None,
        *,
        sort: bool = True,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "PosteriorDisplay":
        """Draw one posterior, or one for each fold; parameters as in `from_estimator`."""
        folds = [posterior] if isinstance(posterior, Posterior) else list(posterior)
        priors = [prior] if isinstance(prior, Posterior) else prior
        display = cls(
            [fold.mean for fold in folds],
            [fold.deviation for fold in folds],
            None if priors is None else [fold.mean for fold in priors],
        )
        return display.plot(ax, sort=sort, **kwargs)

    def plot(self, ax: "Axes | None" = None, *, sort: bool = True, **kwargs: Any) -> "PosteriorDisplay":
        """Draw; parameters as in `from_estimator`."""
        self.ax_, self.figure_ = canvas(ax, 7.5, 3.8)
        n_folds = len(self.means)
        sizes = np.array([len(mean) for mean in self.means])
        gap = max(1, round(0.03 * sizes.sum())) if n_folds > 1 else 0
        starts = 1 + np.cumsum(sizes + gap) - (sizes + gap)
        self.errorbars_: list[ErrorbarContainer] = []
        self.prior_lines_: list[Line2D] = []
        for k, colour in enumerate(colours(n_folds)):
            order = np.argsort(-self.means[k], kind="stable") if sort else np.arange(sizes[k])
            places = starts[k] + np.arange(sizes[k])
            self._plot_fold(places, k, order, {"color": colour, "label": f"fold {k + 1}", **kwargs})
        self._label(starts, sizes, sort)
        return self

    def _plot_fold(self, places: NDArray, k: int, order: NDArray, style: dict[str, Any]) -> None:
        room = 400 / sum(map(len, self.means))  # points from one voter to the next, about
        defaults = {"fmt": "o", "markersize": np.clip(room, 2, 6), "elinewidth": np.clip(0.4 * room, 0.3, 1.8)}
        bars = self.ax_.errorbar(places, self.means[k][order], self.deviations[k][order], **{**defaults, **style})
        for line in bars.lines[2]:
            line.set_alpha(0.5)
        self.errorbars_.append(bars)
        if self.prior_means is not None:
            edges = np.concatenate([places - 0.5, places[-1:] + 0.5])
            heights = self.prior_means[k][order]
            self.prior_lines_ += self.ax_.plot(
                edges, np.append(heights, heights[-1]), drawstyle="steps-post", zorder=3, **_PRIOR
            )

    def _label(self, starts: NDArray, sizes: NDArray, sort: bool) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.ticker import MaxNLocator

        ax, several = self.ax_, len(sizes) > 1
        tidy(ax)
        in_percent(ax.yaxis)
        ax.set_ylim(bottom=self._bottom())
        ax.set_xlim(0, starts[-1] + sizes[-1])
        if several:
            names = [f"fold {k + 1}: {size} voters" for k, size in enumerate(sizes)]
            ax.set_xticks(starts + (sizes - 1) / 2, names)
            ax.tick_params(axis="x", length=0)
        else:
            ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        ax.set(xlabel="voters, the heaviest first" if sort else "voters", ylabel="weight")
        handles = [Line2D([], [], color=GREY, marker="o", markersize=5, linestyle="", label="posterior mean")]
        if any(np.any(deviation > 0) for deviation in self.deviations):
            bar: dict[str, Any] = {"marker": "|", "markersize": 11, "linestyle": "", "alpha": 0.7}
            handles.append(Line2D([], [], color=GREY, label="± one standard deviation", **bar))
        if self.prior_means is not None:
            handles.append(Line2D([], [], label="prior mean", **_PRIOR))
        legend_below(ax, handles)

    def _bottom(self) -> float:
        """Zero, unless the weights are so similar that their differences would be invisible."""
        low = min((mean - deviation).min() for mean, deviation in zip(self.means, self.deviations, strict=True))
        high = max((mean + deviation).max() for mean, deviation in zip(self.means, self.deviations, strict=True))
        return low - 0.2 * (high - low) if low > 0.4 * high else -0.02 * high
