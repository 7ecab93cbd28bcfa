"""`CertificateDisplay`."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..certificate import Certificate, confidence, percent
from ..learning import Learned
from ._canvas import BLUE, GREEN, GREY, INK, PURPLE, VERMILION, canvas, in_percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Mark(NamedTuple):
    """How to draw one kind of figure."""

    colour: str
    shape: str
    front: float = 3.0


_MARKS = {
    "empirical_risk": Mark(BLUE, "o"),
    "test_error": Mark(GREEN, "^"),
    "bound": Mark(VERMILION, "D", 3.2),  # drawn in front of the others if they coincide
    "stochastic_bound": Mark(PURPLE, "s"),
    "baseline": Mark(GREY, "X"),
}
_FAR = 2.5  # a baseline above this many times all other figures is cut off


class CertificateDisplay:
    """The figures of a certificate side by side: bounds and measured errors.

    The first is the bound on `predict`, the last that of always answering the most frequent class. If the certificate
    has bounds per class, a row for each class follows, with the same marks. Make one with `from_estimator`,
    `from_learned` or `from_certificate`.

    Parameters
    ----------
    certificate : Certificate
        The certificate to draw.
    test_error : float, optional
        Error of `predict` on new examples.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    points_ : dict of str to Line2D
        The mark of each figure, by its name in the certificate; ``test_error`` if given.
        ``empirical_risk`` is the error of `predict` on the judging examples if these only tested it; otherwise the
        mean loss that the bound on the stochastic vote is computed from.
    class_points_ : list of dict of str to Line2D
        The same for each class.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.displays import CertificateDisplay
    >>> votes = VoteMatrix.from_errors(np.random.default_rng(0).random((300, 5)) < 0.3)
    >>> display = CertificateDisplay.from_learned(learn(votes, random_state=0), test_error=0.2)
    >>> list(display.points_)
    ['bound', 'stochastic_bound', 'empirical_risk', 'test_error']
    """

    def __init__(self, certificate: Certificate, *, test_error: float | None = None) -> None:
        self.certificate = certificate
        self.test_error = test_error

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "CertificateDisplay":
        """Draw the certificate of a fitted `MajorityVoteClassifier`.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted.
        X, y : array-like, optional
            New examples and their labels, on which the error of ``clf.predict`` is measured.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot`, for the marks.
        """
        check_is_fitted(clf, "certificate_")
        if (X is None) != (y is None):
            raise ValueError("X and y belong together: pass both for a test error, or neither.")
        test_error = None if y is None else float(np.mean(clf.predict(X) != np.asarray(y)))
        return cls.from_certificate(clf.certificate_, test_error=test_error, ax=ax, **kwargs)

    @classmethod
    def from_learned(cls, learned: Learned, *, ax: "Axes | None" = None, **kwargs: Any) -> "CertificateDisplay":
        """Draw the certificate of a result of `learn`; parameters as in `from_certificate`."""
        return cls.from_certificate(learned.certificate, ax=ax, **kwargs)

    @classmethod
    def from_certificate(
        cls,
        certificate: Certificate,
        *,
        test_error: float | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "CertificateDisplay":
        """Draw a certificate; ``test_error`` as in the class, the rest as in `from_estimator`."""
        return cls(certificate, test_error=test_error).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "CertificateDisplay":
        """Draw; parameters as in `from_estimator`."""
        rows, classes = self._rows(), self.certificate.per_class
        self.ax_, self.figure_ = canvas(ax, 7, 1.1 + 0.36 * (len(rows) + len(classes) + bool(classes)))
        self.points_ = {name: self._plot_row(-k, name, value, kwargs) for k, (name, value, _) in enumerate(rows)}
        first = len(rows) + 0.6
        self.class_points_ = [self._plot_class(-first - k, figures, kwargs) for k, figures in enumerate(classes)]
        places = [*range(len(rows)), *(first + k for k in range(len(classes)))]
        labels = [*(label for *_, label in rows), *(f"class {c['label']}" for c in classes)]
        self.ax_.set_yticks([-place for place in places], labels)
        self._label(places[-1])
        self._cut_baseline()
        return self

    def _rows(self) -> list[tuple[str, float, str]]:
        """Name, value and label of each figure."""
        certificate = self.certificate
        bound = "bound" if certificate.proven else "not proven"
        stochastic = certificate.stochastic_bound if certificate.has_stochastic_vote else None
        rows: list[tuple[str, float | None, str]] = [
            ("bound", certificate.bound, f"{bound}, {certificate.subject}"),
            ("stochastic_bound", stochastic, f"{bound}, stochastic vote"),
            ("empirical_risk", certificate.empirical_risk, certificate.measured_name),
            ("test_error", self.test_error, "test error, predict"),
            ("baseline", certificate.baseline.get("bound"), "bound, one answer to all"),
        ]
        return [(name, value, label) for name, value, label in rows if value is not None]

    def _plot_mark(self, y: float, name: str, value: float, style: dict[str, Any]) -> Any:
        mark = _MARKS[name]
        defaults = {"color": mark.colour, "marker": mark.shape, "markersize": 8, "markeredgecolor": "white"}
        (point,) = self.ax_.plot(
            [value], [y], **{"linestyle": "", "clip_on": False, "zorder": mark.front, **defaults, **style}
        )
        return point

    def _plot_row(self, y: float, name: str, value: float, style: dict[str, Any]) -> Any:
        self.ax_.plot([0, value], [y, y], color=_MARKS[name].colour, linewidth=2, alpha=0.45, solid_capstyle="butt")
        self._note(percent(value), value, y, 9)
        return self._plot_mark(y, name, value, style)

    def _note(self, text: str, x: float, y: float, offset: float) -> None:
        side = "left" if offset > 0 else "right"
        self.ax_.annotate(
            text, (x, y), (offset, 0), textcoords="offset points", ha=side, va="center", color=INK, zorder=4
        )

    def _plot_class(self, y: float, figures: dict[str, Any], style: dict[str, Any]) -> dict[str, Any]:
        values = class_figures(self.certificate, figures)
        self.ax_.plot([min(values.values()), max(values.values())], [y, y], color=GREY, linewidth=1.2, alpha=0.6)
        return {name: self._plot_mark(y, name, value, style) for name, value in values.items()}

    def _cut_baseline(self) -> None:
        """Cut off a baseline far beyond all other figures, so that these remain distinguishable."""
        if "baseline" not in self.points_:
            return
        others = [p for name, p in self.points_.items() if name != "baseline"]
        others += [p for points in self.class_points_ for p in points.values()]
        reach = max(float(np.asarray(point.get_xdata())[0]) for point in others)
        (value,), (y,) = (np.asarray(data) for data in self.points_["baseline"].get_data())
        if value <= _FAR * reach or reach == 0:
            return
        self.ax_.set_xlim(0, 1.3 * reach)
        self.points_["baseline"].set_visible(False)
        bar = next(line for line in self.ax_.lines if np.all(np.asarray(line.get_ydata()) == y))
        bar.set_xdata([0, 1.3 * reach])
        self.ax_.texts[list(self.points_).index("baseline")].remove()  # rows and texts are in the same order
        self._note(f"{percent(value)} →", 1.3 * reach, y + 0.28, -2)

    def _label(self, last: float) -> None:
        ax = self.ax_
        tidy(ax, grid="x")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        in_percent(ax.xaxis)
        right = ax.dataLim.x1
        ax.set_xlim(0, 1.4 * right if right > 0 else 1)
        ax.set_ylim(-last - 0.7, 0.7)
        promise = f"; each bound holds with probability at least {confidence(self.certificate.delta)}"
        ax.set_xlabel("error" + promise * self.certificate.proven)


def bound_name(certificate: Certificate) -> str:
    return "certified bound" if certificate.proven else "bound (not proven)"


def class_figures(certificate: Certificate, figures: dict[str, Any]) -> dict[str, float]:
    """The figures of a class, by the names that they have for all examples."""
    shown = {"bound": figures["bound"]}
    if certificate.has_stochastic_vote:
        shown["stochastic_bound"] = figures["stochastic_bound"]
    return {**shown, "empirical_risk": certificate.class_risk(figures)}
