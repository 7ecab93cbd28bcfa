"""`CertificateDisplay`."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..certificate import Certificate
from ..certificate._percent import confidence, percent
from ..learning import Learned
from ._canvas import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, VERMILION, canvas, in_percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Mark(NamedTuple):
    """How one kind of figure is shown."""

    colour: str
    shape: str


_MARKS = {
    "empirical_risk": Mark(BLUE, "o"),
    "test_error": Mark(GREEN, "^"),
    "bound": Mark(VERMILION, "D"),
    "deterministic_bound": Mark(PURPLE, "s"),
    "holdout_bound": Mark(ORANGE, "v"),
}
_OF_A_CLASS = ("empirical_risk", "bound", "deterministic_bound")


class CertificateDisplay:
    """The figures of a certificate side by side: what was measured, and what is promised.

    The upper rows are also the key to the marks of the rows below them, one for each class, where the certificate has
    bounds per class. Make one with `from_estimator`, `from_learned` or `from_certificate`.

    Parameters
    ----------
    certificate : Certificate
        What is shown.
    test_error : float, optional
        Error of the fixed vote on new examples.
    holdout_bound : float, optional
        A bound from examples that were held out, to compare with.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        Where it was drawn.
    points_ : dict of str to Line2D
        The mark of each figure, under its name in the certificate; ``test_error`` and ``holdout_bound`` where given.
    class_points_ : list of dict of str to Line2D
        The same for each class.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.displays import CertificateDisplay
    >>> votes = VoteMatrix.from_errors(np.random.default_rng(0).random((300, 5)) < 0.3)
    >>> display = CertificateDisplay.from_learned(learn(votes, random_state=0), holdout_bound=0.4)
    >>> list(display.points_)
    ['empirical_risk', 'bound', 'deterministic_bound', 'holdout_bound']
    """

    def __init__(
        self, certificate: Certificate, *, test_error: float | None = None, holdout_bound: float | None = None
    ) -> None:
        self.certificate = certificate
        self.test_error = test_error
        self.holdout_bound = holdout_bound

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        holdout_bound: float | None = None,
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
        holdout_bound : float, optional
            A bound from examples that were held out, to compare with.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Handed to `matplotlib.axes.Axes.plot`, for the marks.
        """
        check_is_fitted(clf, "certificate_")
        if (X is None) != (y is None):
            raise ValueError("X and y belong together: give both for a test error, or none.")
        test_error = None if y is None else float(np.mean(clf.predict(X) != np.asarray(y)))
        return cls.from_certificate(
            clf.certificate_, test_error=test_error, holdout_bound=holdout_bound, ax=ax, **kwargs
        )

    @classmethod
    def from_learned(cls, learned: Learned, *, ax: "Axes | None" = None, **kwargs: Any) -> "CertificateDisplay":
        """Draw the certificate of what `learn` returned; parameters as in `from_certificate`."""
        return cls.from_certificate(learned.certificate, ax=ax, **kwargs)

    @classmethod
    def from_certificate(
        cls,
        certificate: Certificate,
        *,
        test_error: float | None = None,
        holdout_bound: float | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "CertificateDisplay":
        """Draw a certificate; ``test_error`` and ``holdout_bound`` as in the class, the rest as in `from_estimator`."""
        return cls(certificate, test_error=test_error, holdout_bound=holdout_bound).plot(ax, **kwargs)

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
        return self

    def _rows(self) -> list[tuple[str, float, str]]:
        """Name, value and label of each figure."""
        certificate = self.certificate
        doubt = "" if certificate.proven else " (not proven)"
        rows: list[tuple[str, float | None, str]] = [
            ("empirical_risk", certificate.empirical_risk, "empirical risk"),
            ("test_error", self.test_error, "test error"),
            ("bound", certificate.bound, f"bound, {vote_kind(certificate)} vote{doubt}"),
            ("deterministic_bound", certificate.deterministic_bound, f"bound, fixed vote{doubt}"),
            ("holdout_bound", self.holdout_bound, "bound, hold-out"),
        ]
        if certificate.posterior == "categorical":  # the weighted vote is the fixed one
            del rows[3]
        return [(name, value, label) for name, value, label in rows if value is not None]

    def _plot_mark(self, y: float, name: str, value: float, style: dict[str, Any]) -> Any:
        mark = _MARKS[name]
        defaults = {"color": mark.colour, "marker": mark.shape, "markersize": 8, "markeredgecolor": "white"}
        (point,) = self.ax_.plot([value], [y], **{"linestyle": "", "clip_on": False, "zorder": 3, **defaults, **style})
        return point

    def _plot_row(self, y: float, name: str, value: float, style: dict[str, Any]) -> Any:
        self.ax_.plot([0, value], [y, y], color=_MARKS[name].colour, linewidth=2, alpha=0.45, solid_capstyle="butt")
        self.ax_.annotate(
            percent(value), (value, y), (9, 0), textcoords="offset points", va="center", color=INK, zorder=4
        )
        return self._plot_mark(y, name, value, style)

    def _plot_class(self, y: float, figures: dict[str, Any], style: dict[str, Any]) -> dict[str, Any]:
        values = [figures[name] for name in _OF_A_CLASS]
        self.ax_.plot([min(values), max(values)], [y, y], color=GREY, linewidth=1.2, alpha=0.6)
        return {name: self._plot_mark(y, name, figures[name], style) for name in _OF_A_CLASS}

    def _label(self, last: float) -> None:
        ax = self.ax_
        tidy(ax, grid="x")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        in_percent(ax.xaxis)
        right = ax.dataLim.x1
        ax.set_xlim(0, 1.16 * right if right > 0 else 1)
        ax.set_ylim(-last - 0.7, 0.7)
        promise = f"; each bound holds with probability at least {confidence(self.certificate.delta)}"
        ax.set_xlabel("error" + promise * self.certificate.proven)


def bound_name(certificate: Certificate) -> str:
    return "certified bound" if certificate.proven else "bound (not proven)"


def vote_kind(certificate: Certificate) -> str:
    """What the bound is on: a vote with drawn weights, or, for the classical risks, the weighted one."""
    return "weighted" if "weighted" in certificate.certified else "drawn"
