"""`PanelDisplay`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificate import TestedCertificate
from ._canvas import BLUE, FAINT, VERMILION, canvas, in_percent, legend_below, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LETTERS = 24  # longest name of a voter


class PanelDisplay:
    """The voters of a panel side by side, below `predict` and their vote with equal weights.

    Make one with `from_certificate`.

    Parameters
    ----------
    certificate : TestedCertificate
        Made with ``panel=True``.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    bound_points_, measured_points_ : Line2D
        The bounds and the measured errors, from top to bottom.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.displays import PanelDisplay
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> answers = np.where(rng.random((300, 3)) < 0.2, 1 - y[:, None], y[:, None])
    >>> clf = MajorityVoteClassifier("answers", panel=True, holdout=0.5, random_state=0).fit(answers, y)
    >>> display = PanelDisplay.from_certificate(clf.certificate_)
    >>> len(display.bound_points_.get_xdata())
    5
    """

    def __init__(self, certificate: TestedCertificate) -> None:
        self.certificate = certificate

    @classmethod
    def from_certificate(
        cls, certificate: TestedCertificate, *, ax: "Axes | None" = None, **kwargs: Any
    ) -> "PanelDisplay":
        """Draw the panel of a certificate.

        Parameters
        ----------
        certificate : TestedCertificate
            Made with ``panel=True``.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.plot` for the bounds.
        """
        return cls(certificate).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> "PanelDisplay":
        """Draw; parameters as in `from_certificate`."""
        panel = self.certificate.figures.get("panel")
        if panel is None:
            raise ValueError("The certificate has no panel: fit with panel=True.")
        rows = [
            ("predict", self.certificate.figures["error"]),
            ("vote, equal weights", panel["equal"]),
            *((_short(own["name"]), own) for own in panel["voters"]),
        ]
        bounds, measured = (np.array([own[name] for _, own in rows]) for name in ("bound", "empirical_risk"))
        y = np.arange(len(rows))
        self.ax_, self.figure_ = canvas(ax, 6.0, 1.0 + 0.32 * len(rows))
        self.ax_.hlines(y, measured, bounds, color=FAINT, linewidth=4, zorder=1)
        style = {"color": VERMILION, "marker": "D", "linestyle": "none", "label": "bound", **kwargs}
        (self.bound_points_,) = self.ax_.plot(bounds, y, **style)
        (self.measured_points_,) = self.ax_.plot(
            measured, y, color=BLUE, marker="o", linestyle="none", label="measured", zorder=3
        )
        self._label([name for name, _ in rows])
        return self

    def _label(self, names: list[str]) -> None:
        tidy(self.ax_, grid="x")
        self.ax_.set_yticks(np.arange(len(names)), names)
        self.ax_.set_ylim(len(names) - 0.5, -0.5)
        self.ax_.set_xlim(left=0)
        self.ax_.axhline(1.5, color=FAINT, linewidth=0.8, zorder=0)
        self.ax_.set_xlabel("error, of a voter where it answers")
        in_percent(self.ax_.xaxis)
        legend_below(self.ax_, [self.measured_points_, self.bound_points_])


def _short(name: str) -> str:
    printable = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    return printable if len(printable) <= _LETTERS else printable[: _LETTERS - 1] + "…"
