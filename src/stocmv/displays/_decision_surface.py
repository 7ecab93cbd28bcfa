"""`DecisionSurfaceDisplay`."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..certificate import Certificate
from ..certificate._percent import percent
from ._canvas import BLUE, CYCLE, INK, ORANGE, canvas, colours, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar

_MARGIN = 0.08  # of the range of the examples, on every side


class DecisionSurfaceDisplay:
    """What a vote over two features answers, and how surely.

    With two classes, or for a class of interest, the colour is the expected weight of the voters for the class; with
    more, the colour is that of the class that is answered, paler where its weight is smaller. Make one with
    `from_estimator`.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (n_rows, n_columns)
        The grid.
    probabilities : ndarray of shape (n_rows, n_columns, n_classes)
        What ``predict_proba`` says for each class: of a vote, the expected weight of the voters for it.
    classes : array-like of shape (n_classes,)
        Class labels.
    X, y : array-like, optional
        Examples to show, and their labels.
    class_of_interest : label, optional
        Class whose weight is shown; by default the second of two.
    certificate : Certificate, optional
        What says the bound in the corner.
    xlabel, ylabel : str
        Names of the features.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        Where it was drawn.
    surface_ : AxesImage
        The coloured grid.
    boundary_ : list of ContourSet
        Where the answer changes.
    scatter_ : list of PathCollection
        The examples, one entry per class.
    text_ : Annotation or None
        The bound.
    colorbar_ : Colorbar or None
        The weights, where one class is shown.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.displays import DecisionSurfaceDisplay
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier("forest", random_state=0).fit(X, y)
    >>> display = DecisionSurfaceDisplay.from_estimator(clf, X, y, grid_resolution=20)
    >>> display.probabilities.shape
    (20, 20, 2)
    """

    def __init__(
        self,
        xx0: NDArray,
        xx1: NDArray,
        probabilities: NDArray,
        classes: ArrayLike,
        *,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        class_of_interest: Any = None,
        certificate: Certificate | None = None,
        xlabel: str = "feature 1",
        ylabel: str = "feature 2",
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.probabilities = probabilities
        self.classes = np.asarray(classes)
        if len(self.classes) < 2:
            raise ValueError("DecisionSurfaceDisplay needs at least two classes.")
        self.X = None if X is None else np.asarray(X, float)
        self.y = None if y is None else np.asarray(y)
        self.class_of_interest = class_of_interest
        self.certificate = certificate
        self.xlabel = xlabel
        self.ylabel = ylabel

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        X: Any,
        y: ArrayLike | None = None,
        *,
        class_of_interest: Any = None,
        grid_resolution: int = 200,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "DecisionSurfaceDisplay":
        """Draw the decision surface of a classifier that was fitted to two features.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted; any other classifier with ``predict_proba`` will do, but has no bound to show.
        X : array-like or data frame of shape (n, 2)
            Examples; they also say how far the grid reaches.
        y : array-like of shape (n,), optional
            Their labels. Without them no examples are shown.
        class_of_interest : label, optional
            Class whose weight is shown; by default the second of two classes, and of more classes all.
        grid_resolution : int
            Grid points along each feature.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Handed to `matplotlib.axes.Axes.scatter`.
        """
        check_is_fitted(clf)
        points = np.asarray(X, float)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(f"DecisionSurfaceDisplay needs two features, got X of shape {points.shape}.")
        low, high = points.min(0), points.max(0)
        reach = _MARGIN * np.where(high > low, high - low, 1.0)
        xx0, xx1 = np.meshgrid(*np.linspace(low - reach, high + reach, grid_resolution).T)
        grid = np.column_stack([xx0.ravel(), xx1.ravel()])
        names = X.columns if hasattr(X, "iloc") else None  # of a pandas data frame
        probabilities = clf.predict_proba(grid if names is None else type(X)(grid, columns=names))
        display = cls(
            xx0,
            xx1,
            probabilities.reshape(*xx0.shape, -1),
            clf.classes_,
            X=None if y is None else points,
            y=y,
            class_of_interest=class_of_interest,
            certificate=getattr(clf, "certificate_", None),
            xlabel="feature 1" if names is None else str(names[0]),
            ylabel="feature 2" if names is None else str(names[1]),
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "DecisionSurfaceDisplay":
        """Draw; parameters as in `from_estimator`."""
        self.ax_, self.figure_ = canvas(ax, 6.8, 5)
        focus = self._focus()
        palette = [ORANGE, BLUE] if len(self.classes) == 2 else colours(len(self.classes))
        self.colorbar_: Colorbar | None = None
        if focus is None:
            self._plot_classes(palette)
        else:
            self._plot_class(focus, palette)
        self.scatter_ = self._plot_examples(palette, kwargs) if self.X is not None and self.y is not None else []
        tidy(self.ax_, grid="none")
        self.ax_.set(xlabel=self.xlabel, ylabel=self.ylabel)
        self.ax_.set(xlim=self.xx0[0, [0, -1]], ylim=self.xx1[[0, -1], 0])
        self.text_ = None
        if self.certificate is not None and self.certificate.proven:
            self.text_ = self._plot_bound(self.certificate)
        self._plot_legend(palette)
        return self

    def _focus(self) -> int | None:
        """Code of the class whose weight is shown; None for all of them."""
        if self.class_of_interest is not None:
            found = np.flatnonzero(self.classes == self.class_of_interest)
            if found.size == 0:
                raise ValueError(
                    f"class_of_interest must be one of {self.classes.tolist()}, got {self.class_of_interest!r}."
                )
            return int(found[0])
        return 1 if len(self.classes) == 2 else None

    @property
    def _extent(self) -> tuple[float, float, float, float]:
        """Edges of the grid's cells, whose centres are the grid's points."""
        (left, right), (bottom, top) = self.xx0[0, [0, -1]], self.xx1[[0, -1], 0]
        rows, columns = self.xx0.shape
        across, up = (right - left) / max(columns - 1, 1) / 2, (top - bottom) / max(rows - 1, 1) / 2
        return left - across, right + across, bottom - up, top + up

    def _show(self, values: NDArray, **style: Any) -> Any:
        return self.ax_.imshow(values, origin="lower", aspect="auto", extent=self._extent, zorder=0, **style)

    def _borders(self, k: int, width: float) -> list[Any]:
        """Where a class gets or loses the majority; nowhere, if it has it on all of the grid or on none of it."""
        lead = self.probabilities[:, :, k] - np.delete(self.probabilities, k, axis=2).max(2)
        if not lead.min() < 0 < lead.max():
            return []
        return [self.ax_.contour(self.xx0, self.xx1, lead, levels=[0.0], colors=INK, linewidths=width)]

    def _plot_class(self, focus: int, palette: list[str]) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        shown = self.probabilities[:, :, focus]
        other = palette[1 - focus] if len(self.classes) == 2 else "#999999"
        ramp = LinearSegmentedColormap.from_list("answers", [_pale(other), "#ffffff", _pale(palette[focus])])
        self.surface_ = self._show(shown, cmap=ramp, vmin=0, vmax=1)
        self.boundary_ = self._borders(focus, 0.9)
        bar = self.figure_.colorbar(self.surface_, ax=self.ax_, format=lambda p, _: f"{100 * p:.0f} %", aspect=30)
        score = "probability" if self.certificate is None else "weight of the voters"
        bar.set_label(f"{score} for {self.classes[focus]}")
        bar.outline.set_visible(False)
        self.colorbar_ = bar

    def _plot_classes(self, palette: list[str]) -> None:
        from matplotlib.colors import to_rgb

        best = self.probabilities.argmax(2)
        surety = self.probabilities.max(2)
        chance = 1 / len(self.classes)
        strength = 0.08 + 0.42 * np.clip((surety - chance) / (1 - chance), 0, 1)[:, :, None]
        self.surface_ = self._show(1 - strength * (1 - np.array([to_rgb(c) for c in palette])[best]))
        self.boundary_ = [border for k in range(len(self.classes)) for border in self._borders(k, 0.4)]

    def _plot_examples(self, palette: list[str], style: dict[str, Any]) -> list[Any]:
        X, y = np.asarray(self.X), np.asarray(self.y)
        style = {"s": float(np.clip(9000 / len(X), 8, 30)), "edgecolors": "white", "linewidths": 0.4, **style}
        if len(self.classes) > len(CYCLE):  # so many colours are hard to tell apart
            self._name_classes(X, y)
        return [
            self.ax_.scatter(*X[y == label].T, **{"color": colour, "label": str(label), **style})
            for label, colour in zip(self.classes, palette, strict=True)
        ]

    def _cells(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Rows and columns of the grid points nearest to the examples."""
        left, right, bottom, top = self._extent
        rows, columns = self.xx0.shape
        across = np.clip((X[:, 0] - left) / (right - left) * columns, 0, columns - 1).astype(int)
        up = np.clip((X[:, 1] - bottom) / (top - bottom) * rows, 0, rows - 1).astype(int)
        return up, across

    def _name_classes(self, X: NDArray, y: NDArray) -> None:
        """The name of each class amid its examples that are answered right."""
        from matplotlib.patheffects import withStroke

        answers = self.classes[self.probabilities.argmax(2)[self._cells(X)]]
        for label in np.unique(y[answers == y]):
            place = np.median(X[(y == label) & (answers == label)], axis=0)
            name = self.ax_.annotate(str(label), place, ha="center", va="center", color=INK, zorder=4)
            name.set(fontsize="x-large", fontweight="bold", path_effects=[withStroke(linewidth=3, foreground="white")])

    def _plot_bound(self, certificate: Certificate) -> Any:
        """The bound, in the corner that covers the fewest examples."""
        corners = np.array([(0, 0), (1, 0), (0, 1), (1, 1)])
        crowd = np.zeros(4)
        if self.X is not None:
            low, high = np.array([self.xx0[0, [0, -1]], self.xx1[[0, -1], 0]]).T
            places = (self.X - low) / (high - low)
            crowd = np.array([(np.abs(places - c) < (0.6, 0.12)).all(1).sum() for c in corners])
        right, top = corners[::-1][crowd[::-1].argmin()]
        return self.ax_.annotate(
            f"errs on at most {percent(certificate.bound)}",
            (right, top),
            (8 - 16 * right, 8 - 16 * top),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right" if right else "left",
            va="top" if top else "bottom",
            color=INK,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
        )

    def _plot_legend(self, palette: list[str]) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        if self.scatter_:
            handles: list[Any] = [
                Line2D(
                    [], [], marker="o", markersize=8, linestyle="", color=c, markeredgecolor="white", label=str(label)
                )
                for label, c in zip(self.classes, palette, strict=True)
            ]
        else:
            handles = [
                Patch(facecolor=_pale(c), label=str(label)) for label, c in zip(self.classes, palette, strict=True)
            ]
        longest = max(len(str(label)) for label in self.classes)
        legend_below(self.ax_, handles, columns=int(np.clip(70 // (longest + 6), 1, 10)))


def _pale(colour: str, strength: float = 0.55) -> str:
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = 1 - strength * (1 - np.array(to_rgb(colour)))
    return to_hex((red, green, blue))
