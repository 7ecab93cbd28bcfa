"""The Monte-Carlo risk: a smoothed error of a few drawn votes."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..posteriors import Law, Posterior
from ..votes import Curve, VoteMatrix, Votes, scaled
from ._exact import Exact
from ._risk import MOST_DRAWS, Moments, Risk

_NODES = 1025
_TIE = 1 - 1e-12  # a difference that rounding may cause counts as a tie


@dataclass(frozen=True)
class MonteCarlo(Risk):
    """Mean of a sigmoid of the wrong weight over drawn votes: the paper's approximate risk.

    It is only used for training. A Dirichlet found this way is certified by its exact risk; any other posterior by the
    errors of newly drawn arg-max votes, which cost a share of delta.

    Parameters
    ----------
    n_draws : int
        Number of votes drawn per evaluation in training.
    slope : float
        Steepness of the sigmoid at one half.
    certificate_draws : int
        Number of votes newly drawn for the certificate of a posterior without an exact risk.
    draw_share : float
        Share of delta that pays for draws: half for these, half for those that make up the deterministic vote.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.risks import MonteCarlo
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> risk = MonteCarlo(certificate_draws=500)
    >>> learned = learn(votes, risk=risk, posterior="logit_normal", random_state=0)
    >>> learned.certificate.stochastic_bound < 0.3
    True
    """

    n_draws: int = 10
    slope: float = 100.0
    certificate_draws: int = 2000
    draw_share: float = 0.1
    name: ClassVar[str] = "mc"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("dirichlet", "drawn")
    draws_again: ClassVar[bool] = True
    certified: ClassVar[str] = "the error of the stochastic vote"

    def __post_init__(self) -> None:
        if not (1 <= self.n_draws <= MOST_DRAWS and 1 <= self.certificate_draws <= MOST_DRAWS):
            raise ValueError(f"n_draws and certificate_draws must be from 1 to {MOST_DRAWS:,}.")
        if not 0 < self.draw_share < 1:
            raise ValueError(f"draw_share must lie strictly between 0 and 1, got {self.draw_share!r}.")
        if not 0 < self.slope < np.inf:
            raise ValueError(f"slope must be positive and finite, got {self.slope!r}.")

    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        draws = posterior.draws(self.n_draws, rng or np.random.default_rng(0))
        sums = votes.total(partial(_of_each_draw, draws.weights, self._sigmoid(), votes.n_examples))
        values, d_weights = scaled(sums, 1 / votes.n_examples)
        return np.array([values.mean()]), draws.pull(d_weights)[None] / self.n_draws

    def paid_draws(self, posterior: Posterior) -> int:
        return 0 if posterior.law == "dirichlet" else self.certificate_draws

    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        if posterior.law == "dirichlet":
            return Exact().certified_moments(posterior, votes)
        rng = np.random.default_rng(posterior.seed("a certificate"))  # different draws from those in training
        errors = [argmax_error(w, votes) for w in posterior.sample(self.certificate_draws, rng)]
        return np.array([min(float(np.mean(errors)) * (1 + 1e-13), 1.0)])

    def _sigmoid(self) -> Curve:
        w = np.linspace(0, 1, _NODES)
        value = expit(self.slope * (w - 0.5))
        return Curve.from_nodes(w, value, self.slope * value * (1 - value), np.zeros_like(w))


def _of_each_draw(weights: NDArray, curve: Curve, among: int, votes: VoteMatrix) -> tuple[NDArray, NDArray]:
    values, gradients, _ = zip(*(votes.curve_sum(drawn, curve, among) for drawn in weights), strict=True)
    return np.array(values), np.stack(gradients)


def argmax_error(weights: NDArray, votes: VoteMatrix) -> float:
    """Error of the vote with fixed weights; a tie counts as an error."""
    if votes.labels is None or votes.targets is None:
        return votes.row_mean(votes.wrong_weights(weights) >= weights.sum() / 2 * _TIE)
    scores = votes.class_weights(weights)
    rows = np.arange(votes.n_rows)
    own = scores[rows, votes.targets]
    scores[rows, votes.targets] = -np.inf
    return votes.row_mean(scores.max(1) >= own * _TIE)
