"""`ErrorDistributionDisplay`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..certificate import Certificate, Judgments, PacBayesCertificate, percent
from ..learning import Learned
from ..posteriors import Posterior, WeightedPosterior
from ..risks import error_rows
from ..votes import VoteMatrix, Votes
from ._canvas import BLUE, SKY, VERMILION, canvas, in_percent, legend_below, tidy
from ._certificate import bound_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ErrorDistributionDisplay:
    """Histogram of the probability that the stochastic vote errs, over the examples.

    A risk of five percent may be five percent everywhere, or certain errors on one example in twenty; this figure shows
    which. The exact risk is the mean of these probabilities, with the folds weighted as in the bound. Make one with
    `from_estimator` or `from_learned`.

    Parameters
    ----------
    probabilities : array-like of shape (n_rows,)
        Probability that the stochastic vote errs, for each row of the evidence.
    counts : array-like of shape (n_rows,)
        Number of examples that each row stands for.
    certificate : Certificate
        Has the mean and the bound on it.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and figure of the drawing.
    heights_ : ndarray
        Number of examples in each bar.
    bars_ : BarContainer
        The histogram.
    risk_line_, bound_line_ : Line2D
        Mean probability, and the certified bound on the stochastic vote.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.displays import ErrorDistributionDisplay
    >>> votes = VoteMatrix.from_errors(np.random.default_rng(0).random((300, 5)) < 0.3)
    >>> display = ErrorDistributionDisplay.from_learned(learn(votes, random_state=0), votes)
    >>> int(display.heights_.sum())
    300
    """

    def __init__(self, probabilities: ArrayLike, counts: ArrayLike, certificate: Certificate) -> None:
        self.probabilities = np.asarray(probabilities, float)
        self.counts = np.asarray(counts, float)
        self.certificate = certificate

    @classmethod
    def from_estimator(
        cls, clf: Any, *, bins: int = 25, ax: "Axes | None" = None, **kwargs: Any
    ) -> "ErrorDistributionDisplay":
        """Draw the distribution over the judging examples of a `MajorityVoteClassifier`.

        Parameters
        ----------
        clf : MajorityVoteClassifier
            Fitted with ``stochastic=True`` or a PAC-Bayes bound, and with its evidence.
        bins : int
            Number of bars.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs
            Passed to `matplotlib.axes.Axes.hist`.
        """
        check_is_fitted(clf, ["posterior_", "certificate_"])
        evidence, certificate = clf.evidence_, clf.certificate_
        if isinstance(evidence, Judgments):
            display = cls._from_judgments(certificate.judgments(evidence), certificate)
        else:
            display = cls._from_folds(clf.posterior_, evidence, cast(PacBayesCertificate, certificate))
        return display.plot(ax, bins=bins, **kwargs)

    @classmethod
    def from_learned(
        cls,
        learned: Learned,
        votes: Votes | Sequence[Votes],
        *,
        bins: int = 25,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "ErrorDistributionDisplay":
        """Draw the distribution over the examples passed to `learn`; parameters as in `from_estimator`."""
        posteriors = [learned.posterior] if isinstance(learned.posterior, Posterior) else learned.posterior
        folds = [votes] if isinstance(votes, Votes) else list(votes)
        return cls._from_folds(posteriors, folds, learned.certificate).plot(ax, bins=bins, **kwargs)

    @classmethod
    def _from_judgments(cls, judgments: Judgments, certificate: Certificate) -> "ErrorDistributionDisplay":
        if judgments.loss is None:
            raise ValueError(
                "The stochastic vote, whose errors are drawn here, is not certified: fit with stochastic=True."
            )
        return cls(judgments.loss, np.ones(len(judgments)), certificate)

    @classmethod
    def _from_folds(
        cls, posteriors: Sequence[Posterior], votes: Sequence[Votes], certificate: PacBayesCertificate
    ) -> "ErrorDistributionDisplay":
        weights = tuple({name: each.tolist() for name, each in p.parameters().items()} for p in posteriors)
        if certificate.evidence != tuple(v.digest() for v in votes) or certificate.posteriors != weights:
            raise ValueError("The certificate is about other votes or weights than these, as their digests differ.")
        whole = [v.whole() for v in votes]
        rows = [error_probabilities(p, v) for p, v in zip(posteriors, whole, strict=True)]
        counts = [v.counts if v.counts.size else np.ones(v.n_rows) for v in whole]
        return cls(np.concatenate(rows), np.concatenate(counts), certificate)

    def plot(self, ax: "Axes | None" = None, *, bins: int = 25, **kwargs: Any) -> "ErrorDistributionDisplay":
        """Draw; parameters as in `from_estimator`."""
        self.ax_, self.figure_ = canvas(ax, 7, 4)
        ax = self.ax_
        style = {"color": SKY, "edgecolor": "white", "linewidth": 0.6, **kwargs}
        edges = np.linspace(0, 1, bins + 1)
        heights, _, self.bars_ = ax.hist(self.probabilities, edges.tolist(), weights=self.counts, **style)
        self.heights_ = np.asarray(heights)
        risk, bound = (cast(float, x) for x in (self.certificate.stochastic_risk, self.certificate.stochastic_bound))
        self.risk_line_ = ax.axvline(risk, color=BLUE, linewidth=2, label=f"mean, {percent(risk)}")
        name, dashes = bound_name(self.certificate), (0, (4, 1.5))
        self.bound_line_ = ax.axvline(
            bound, color=VERMILION, linewidth=2, linestyle=dashes, label=f"{name}, {percent(bound)}"
        )
        self._label()
        return self

    def _label(self) -> None:
        from matplotlib.ticker import FuncFormatter, NullFormatter

        ax = self.ax_
        tidy(ax)
        ax.set_yscale("log")
        ax.set_ylim(0.6, 1.5 * max(self.heights_.max(), 10))  # a single example is a visible bar
        ax.yaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{count:,.0f}"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.tick_params(axis="y", which="minor", length=0)
        ax.set_xlim(-0.01, 1.01)
        in_percent(ax.xaxis)
        ax.set(xlabel="probability that the stochastic vote errs", ylabel="examples (log scale)")
        legend_below(ax, [self.risk_line_, self.bound_line_])


def error_probabilities(posterior: Posterior, votes: VoteMatrix) -> NDArray:
    """Probability that the stochastic vote errs on each row; for a categorical, that the drawn voter errs."""
    if posterior.law == "drawn":
        raise ValueError(f"The error of each example has no closed form for {posterior!r}: learn a Dirichlet.")
    return error_rows(cast(WeightedPosterior, posterior), votes)
