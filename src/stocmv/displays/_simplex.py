"""`SimplexDisplay`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from sklearn.utils.validation import check_is_fitted

from ..learning import Learned
from ..posteriors import Dirichlet, Posterior
from ..votes._classes import class_weights
from ._canvas import GREY, INK, VERMILION, canvas, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.lines import Line2D
    from matplotlib.tri import TriContourSet

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_SHARES = (0.99, 0.95, 0.8, 0.5, 0.2)  # of the drawn weights: what the bands hold, from the widest
_STEPS = 120  # intervals along one side of the triangle
_DRAWS = 20_000
_EDGE = 1e-3  # a smaller weight is taken for this one where the density is evaluated
_NARROW = 0.02  # a spread below which the peak is shown enlarged, too


class SimplexDisplay:
    """The density of three weights that sum to one, as a filled triangle.

    A corner stands for a vote that is all one voter's (or one class's). The bands are the smallest regions that hold a
    given share of the drawn weights, the densest first; a Dirichlet over many voters becomes one over three when their
    weights are added up in three groups. Make one with `from_posterior`, `from_learned` or `from_estimator`.

    Parameters
    ----------
    concentrations : array-like of shape (3,)
        Of the Dirichlet distribution.
    labels : sequence of three str
        Names of the corners.
    are_classes : bool
        Whether the corners are all the classes there are; then the borders between their majorities are drawn.

    Attributes
    ----------
    weights_ : ndarray of shape (n_points, 3)
        Points of the triangle, and
    log_density_ : ndarray of shape (n_points,)
        the logarithm of the density there.
    ax_, figure_ : Axes, Figure
        Where it was drawn.
    bands_ : TriContourSet
        The filled triangle.
    mean_ : Line2D
        The mean weights.
    inset_ : Axes or None
        A narrow peak enlarged.
    colorbar_ : Colorbar or None
        What the bands hold, where it was asked for.

    Examples
    --------
    >>> from stocmv.displays import SimplexDisplay
    >>> from stocmv.posteriors import Dirichlet
    >>> display = SimplexDisplay.from_posterior(Dirichlet([6.0, 3.0, 2.0]), labels=["tree", "line", "neighbour"])
    >>> display.concentrations.tolist()
    [6.0, 3.0, 2.0]

    Six voters in three groups:

    >>> display = SimplexDisplay.from_posterior(Dirichlet([1.0] * 6), groups=[0, 0, 0, 1, 1, 2])
    >>> display.concentrations.tolist()
    [3.0, 2.0, 1.0]
    """

    def __init__(
        self, concentrations: ArrayLike, labels: Sequence[str] | None = None, *, are_classes: bool = False
    ) -> None:
        self.concentrations = np.asarray(concentrations, float)
        if self.concentrations.shape != (3,) or not np.all(self.concentrations > 0):
            raise ValueError(f"concentrations must be three positive numbers, got {concentrations!r}.")
        self.labels = ["voter 1", "voter 2", "voter 3"] if labels is None else [str(label) for label in labels]
        if len(self.labels) != 3:
            raise ValueError(f"labels must name the three corners, got {len(self.labels)} names.")
        self.are_classes = are_classes

    @classmethod
    def from_posterior(
        cls,
        posterior: Posterior,
        *,
        groups: ArrayLike | None = None,
        labels: Sequence[str] | None = None,
        colorbar: bool = True,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "SimplexDisplay":
        """Draw a Dirichlet over three voters, or over three groups of voters.

        Parameters
        ----------
        posterior : Dirichlet
            Over three voters, unless there are groups.
        groups : array-like of shape (n_voters,), optional
            Group of each voter: 0, 1 or 2, and none of them empty.
        labels : sequence of three str, optional
            Names of the corners.
        colorbar : bool
            Whether a bar says what the bands hold.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Handed to `matplotlib.axes.Axes.tricontourf`.
        """
        if not isinstance(posterior, Dirichlet):
            raise TypeError(f"SimplexDisplay draws the density of a Dirichlet, got {posterior!r}.")
        if groups is not None:
            labels = labels or ["group 1", "group 2", "group 3"]
            posterior = _grouped(posterior, groups)
        if posterior.n_voters != 3:
            raise ValueError(
                f"SimplexDisplay draws three voters, got {posterior.n_voters}: put them in three groups with `groups`."
            )
        return cls(posterior.alpha, labels).plot(ax, colorbar=colorbar, **kwargs)

    @classmethod
    def from_learned(cls, learned: Learned, *, fold: int = 0, **kwargs: Any) -> "SimplexDisplay":
        """Draw the posterior of one fold of what `learn` returned; parameters as in `from_posterior`."""
        folds = [learned.posterior] if isinstance(learned.posterior, Posterior) else learned.posterior
        return cls.from_posterior(folds[fold], **kwargs)

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        x: Any = None,
        *,
        fold: int = 0,
        colorbar: bool = True,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "SimplexDisplay":
        """Draw what a fitted `MajorityVoteClassifier` thinks of one example, or its three voters.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted, with Dirichlet posteriors.
        x : array-like of shape (n_features,) or (1, n_features), optional
            An example: the corners are its classes, and the weights those of the voters that answer each. Of more than
            three classes the two heaviest have a corner of their own, the others share the third. Without an example
            the corners are the voters.
        fold : int
            Fold whose voters and posterior are drawn.
        colorbar, ax, **kwargs
            As in `from_posterior`, which also explains ``groups`` and ``labels`` (when there is no example).
        """
        check_is_fitted(clf, ["posterior_", "classes_"])
        posterior = clf.posterior_[fold]
        if x is None:
            return cls.from_posterior(posterior, colorbar=colorbar, ax=ax, **kwargs)
        if not isinstance(posterior, Dirichlet):
            raise TypeError(f"SimplexDisplay draws the density of a Dirichlet, got {posterior!r}.")
        codes = clf._codes(np.reshape(x, (1, -1)) if np.ndim(x) == 1 else x)[fold]
        if len(codes) != 1:
            raise ValueError(f"x must be one example, got {len(codes)}.")
        weights = class_weights(codes, len(clf.classes_), posterior.alpha)[0]
        concentrations, labels = _three_classes(weights, clf.classes_)
        display = cls(concentrations, labels, are_classes=len(clf.classes_) == 3)
        return display.plot(ax, colorbar=colorbar, **kwargs)

    def plot(self, ax: "Axes | None" = None, *, colorbar: bool = True, **kwargs: Any) -> "SimplexDisplay":
        """Draw; parameters as in `from_posterior`."""
        self.ax_, self.figure_ = canvas(ax, 6, 5)
        self.weights_ = _points(self.concentrations)
        self.log_density_ = _log_density(self.weights_, self.concentrations)
        self.bands_, self.mean_ = self._plot_on(self.ax_, kwargs)
        self._plot_frame()
        self.inset_ = self._plot_inset(kwargs) if _spread(self.concentrations) < _NARROW else None
        self.colorbar_ = self._plot_colorbar() if colorbar else None
        legend_below(self.ax_, [self.mean_])
        return self

    def _plot_on(self, ax: "Axes", style: dict[str, Any]) -> "tuple[TriContourSet, Line2D]":
        """The bands and the mean, on these axes."""
        from matplotlib import colormaps
        from matplotlib.tri import Triangulation

        levels = _levels(self.concentrations, self.log_density_)
        style = {"colors": colormaps["Blues"](np.linspace(0.02, 0.9, len(levels) - 1)), "levels": levels, **style}
        bands = ax.tricontourf(Triangulation(*(self.weights_ @ _CORNERS).T), self.log_density_, **style)
        centre = _mean(self.concentrations) @ _CORNERS
        mark: dict[str, Any] = {"color": VERMILION, "marker": "P", "markersize": 9, "markeredgecolor": "white"}
        (mean,) = ax.plot(*centre[:, None], linestyle="", label="mean weights, as at the corners", **mark)
        return bands, mean

    def _plot_inset(self, style: dict[str, Any]) -> "Axes":
        """A narrow peak under the glass, beside the triangle's upper left side."""
        inset = self.ax_.inset_axes((-0.06, 0.6, 0.3, 0.3), transform=self.ax_.transData)
        self._plot_on(inset, style)
        reach = 5 * _spread(self.concentrations)
        x, y = _mean(self.concentrations) @ _CORNERS
        inset.set(xlim=(x - reach, x + reach), ylim=(y - reach, y + reach), xticks=[], yticks=[])
        for spine in inset.spines.values():
            spine.set_color(GREY)
        self.ax_.indicate_inset_zoom(inset, edgecolor=GREY, alpha=1)
        return inset

    def _plot_colorbar(self) -> "Colorbar":
        bar = self.figure_.colorbar(self.bands_, ax=self.ax_, spacing="uniform", shrink=0.7, aspect=16)
        bar.set_ticks(list(self.bands_.levels)[1:-1], labels=[f"{100 * share:.0f} %" for share in _SHARES])
        bar.set_label("share of the draws inside")
        bar.outline.set_edgecolor(GREY)
        bar.ax.tick_params(length=0)
        return bar

    def _plot_frame(self) -> None:
        ax = self.ax_
        ax.plot(*_CORNERS[[0, 1, 2, 0]].T, color=GREY, linewidth=1.2, solid_joinstyle="round")
        if self.are_classes:
            centre = _CORNERS.mean(0)
            for side in (_CORNERS + np.roll(_CORNERS, 1, axis=0)) / 2:
                ax.plot(*np.array([centre, side]).T, color=GREY, linewidth=1, linestyle=(0, (4, 3)))
        mean = _mean(self.concentrations)
        for k, (align, y) in enumerate((("left", -6), ("right", -6), ("center", 6))):
            ax.annotate(
                f"{self.labels[k]}\n{100 * mean[k]:.1f} %",
                _CORNERS[k],
                (0, y),
                textcoords="offset points",
                ha=align,
                va="top" if y < 0 else "bottom",
                color=INK,
            )
        ax.set(aspect="equal", xlim=(-0.04, 1.04), ylim=(-0.14, 1.01))
        ax.set_axis_off()


def _grouped(posterior: Dirichlet, groups: ArrayLike) -> Dirichlet:
    """The distribution of the groups' weights, which is a Dirichlet again."""
    codes = np.asarray(groups)
    if codes.shape != (posterior.n_voters,) or not np.array_equal(np.unique(codes), [0, 1, 2]):
        raise ValueError(
            f"groups must say 0, 1 or 2 for each of the {posterior.n_voters} voters and leave no group empty."
        )
    return Dirichlet(np.bincount(codes.astype(int), posterior.alpha))


def _three_classes(weights: NDArray, classes: NDArray) -> tuple[NDArray, list[str]]:
    """Concentrations and names of three classes: all three, or the heaviest two and the others together."""
    if len(weights) < 3:
        raise ValueError(
            f"SimplexDisplay needs at least three classes for an example, the classifier has {len(weights)}."
        )
    labels = [str(label) for label in classes]
    if len(weights) > 3:
        order = np.argsort(-weights, kind="stable")
        labels = [labels[order[0]], labels[order[1]], "all others"]
        weights = np.array([weights[order[0]], weights[order[1]], weights[order[2:]].sum()])
    for label, weight in zip(labels, weights, strict=True):
        if weight <= 0:
            raise ValueError(
                f"No voter answers {label!r} on this example, so that its weight is always zero: "
                "choose an example on which the voters name three classes."
            )
    return weights, labels


def _mean(concentrations: NDArray) -> NDArray:
    return concentrations / concentrations.sum()


def _spread(concentrations: NDArray) -> float:
    """Largest standard deviation of a weight."""
    mean = _mean(concentrations)
    return float(np.sqrt((mean * (1 - mean)).max() / (concentrations.sum() + 1)))


def _points(concentrations: NDArray) -> NDArray:
    """Points that fill the triangle evenly, and more of them around a narrow peak."""
    i, j = (index.ravel() for index in np.indices((_STEPS + 1, _STEPS + 1)))
    inside = i + j <= _STEPS
    lattice = np.column_stack([i, j, _STEPS - i - j])[inside] / _STEPS
    if _spread(concentrations) >= _NARROW:
        return lattice
    near = _mean(concentrations) + 20 * _spread(concentrations) * (lattice - 1 / 3)
    return np.vstack([lattice, near[(near > 0).all(1)]])


def _log_density(weights: NDArray, concentrations: NDArray) -> NDArray:
    """Logarithm of the Dirichlet's density; on the edges, where it may be infinite, that of a point beside them."""
    weights = np.maximum(weights, _EDGE)
    constant = gammaln(concentrations.sum()) - gammaln(concentrations).sum()
    return constant + np.log(weights) @ (concentrations - 1)


def _levels(concentrations: NDArray, log_density: NDArray) -> NDArray:
    """Log-densities above which lie the shares of the drawn weights, rising; the ends take in every point."""
    draws = np.random.default_rng(0).dirichlet(concentrations, _DRAWS)
    inner = np.quantile(_log_density(draws, concentrations), 1 - np.array(_SHARES))
    lowest, highest = min(log_density.min(), inner.min()) - 1, max(log_density.max(), inner.max()) + 1
    # an even density has one level only: the shares then lie a hair apart
    return np.concatenate([[lowest], inner + 1e-9 * np.arange(len(inner)) - 1e-8, [highest]])
