"""Risks that depend on an example only through the weight of the voters that err: one pass, one curve each."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln

from ..posteriors import Law, Posterior, WeightedPosterior
from ..votes import Curve, PairCounts, VoteMatrix, Votes, scaled, split_rows, thread_map
from ._half_curve import half_curve
from ._pair_losses import of_both, of_one
from ._risk import MOST_DRAWS, Moments, Risk

_NODES = 193


class CurveRisk(Risk):
    """The mean over examples of a function of the wrong weight ``w`` and the total ``s``."""

    @abstractmethod
    def curve(self, posterior: WeightedPosterior) -> Curve:
        """The function, tabulated for training."""

    @abstractmethod
    def rows(self, w: NDArray, posterior: WeightedPosterior) -> NDArray:
        """The function at the given wrong weights, never below its true value."""

    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        weighted = as_weighted(posterior)
        sums = votes.curve_sum(weighted.concentrations, self.curve(weighted))
        value, d_weights, d_total = scaled(sums, 1 / votes.n_examples)
        return np.array([value]), weighted.pull(d_weights, d_total)[None]

    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        weighted = as_weighted(posterior)
        return np.array([rounded_mean(votes, wrong_weight_rows(votes, weighted, lambda w: self.rows(w, weighted)))])


def wrong_weight_rows(votes: VoteMatrix, posterior: WeightedPosterior, of: Callable[[NDArray], NDArray]) -> NDArray:
    """A function of the wrong weight, for every row."""
    w = np.clip(votes.wrong_weights(posterior.concentrations), 0.0, posterior.total)

    def evaluate(start: int, stop: int) -> None:
        w[start:stop] = np.clip(of(w[start:stop]), 0.0, 1.0)

    thread_map(evaluate, split_rows(len(w), 64))
    return w


def rounded_mean(votes: VoteMatrix, rows: NDArray) -> float:
    """Mean over the examples, rounded up."""
    return min(votes.row_mean(rows) * (1 + 1e-13), 1.0)


def as_weighted(posterior: Posterior) -> WeightedPosterior:
    if posterior.law == "drawn":
        raise TypeError(f"This risk needs a Dirichlet or a categorical posterior, got {posterior!r}.")
    return cast(WeightedPosterior, posterior)


def half_rows(wrong: NDArray, right: NDArray, margin: float = 0.0) -> NDArray:
    """The probability that a Beta(wrong, right) variable exceeds one half minus a margin; 1 if both are 0.

    Row by row with scipy, raised by 30 times the largest error ever observed.
    """
    inside = (wrong > 0) & (right > 0)
    value = np.where(right > 0, 0.0, 1.0)
    w, r = wrong[inside], right[inside]
    value[inside] = betainc(r, w, 0.5 + margin) + 1e-12 * (1 + (w + r) / 1e3)
    return value


class Half(CurveRisk):
    """Probability that the voters that err hold at least half of the weight: the paper's exact risk.

    With two classes this is the error of the vote; with more it is an upper bound.
    """

    name: ClassVar[str] = "half"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("dirichlet",)
    certified: ClassVar[str] = "the probability that the voters that err hold at least half of the weight"

    def curve(self, posterior: WeightedPosterior) -> Curve:
        return half_curve(posterior.total)

    def rows(self, w: NDArray, posterior: WeightedPosterior) -> NDArray:
        return half_rows(w, posterior.total - w)


class FirstOrder(CurveRisk):
    """Mean error of a drawn voter; twice this bounds the error of the vote (Langford and Shawe-Taylor 2003)."""

    name: ClassVar[str] = "first_order"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("voter", "dirichlet")
    default_posterior: ClassVar[str] = "categorical"
    factor: ClassVar[float] = 2.0
    certified: ClassVar[str] = "the error of the weighted vote (at most twice the mean error of a voter)"

    def losses(self, pairs: PairCounts) -> Sequence[NDArray]:
        return [of_one(pairs)]

    def covers_drawn(self, law: Law) -> bool:
        return True  # half of the bound already bounds the error of a drawn voter

    def curve(self, posterior: WeightedPosterior) -> Curve:
        s = posterior.total
        nodes = s * np.linspace(0, 1, 5)
        return Curve.from_nodes(nodes, nodes / s, np.full(5, 1 / s), -nodes / s**2)

    def rows(self, w: NDArray, posterior: WeightedPosterior) -> NDArray:
        return w / posterior.total


class SecondOrder(CurveRisk):
    """Mean squared wrong weight; four times this bounds the error of the vote (Masegosa et al. 2020).

    With a categorical posterior this is the joint error of two drawn voters, which pays the KL twice; with a Dirichlet
    it is a loss of one drawn vote, which pays it once.
    """

    name: ClassVar[str] = "second_order"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("voter", "dirichlet")
    default_posterior: ClassVar[str] = "categorical"
    factor: ClassVar[float] = 4.0
    certified: ClassVar[str] = (
        "the error of the weighted vote (at most four times the mean squared weight of the wrong voters)"
    )

    def losses(self, pairs: PairCounts) -> Sequence[NDArray]:
        return [of_both(pairs)]

    def kl_count(self, posterior: Posterior) -> float:
        return 2.0 if posterior.law == "voter" else 1.0

    def curve(self, posterior: WeightedPosterior) -> Curve:
        s = posterior.total
        w = s * np.linspace(0, 1, 5)
        if posterior.law == "voter":
            return Curve.from_nodes(w, (w / s) ** 2, 2 * w / s**2, -2 * w**2 / s**3)
        value = w * (w + 1) / (s * (s + 1))
        return Curve.from_nodes(w, value, (2 * w + 1) / (s * (s + 1)), -value * (1 / s + 1 / (s + 1)))

    def rows(self, w: NDArray, posterior: WeightedPosterior) -> NDArray:
        s = posterior.total
        return (w / s) ** 2 if posterior.law == "voter" else w * (w + 1) / (s * (s + 1))


@dataclass(frozen=True)
class Binomial(CurveRisk):
    """Probability that at least half of ``n_draws`` drawn voters err; twice this bounds the error of the vote.

    After Lacasse et al. 2010, with "at least half", for which the factor two holds.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.risks import Binomial
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> learned = learn(votes, risk=Binomial(n_draws=50), random_state=0)
    >>> learned.certificate.bound < 0.2
    True
    """

    n_draws: int = 100
    name: ClassVar[str] = "binomial"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("voter",)
    default_posterior: ClassVar[str] = "categorical"
    factor: ClassVar[float] = 2.0
    certified: ClassVar[str] = "the error of the weighted vote (at most twice the error of a vote of drawn voters)"

    def __post_init__(self) -> None:
        if not 1 <= self.n_draws <= MOST_DRAWS:
            raise ValueError(f"n_draws must be from 1 to {MOST_DRAWS:,}, got {self.n_draws!r}.")

    def kl_count(self, posterior: Posterior) -> float:
        return float(self.n_draws)

    def _shape(self) -> tuple[int, int]:
        needed = -(-self.n_draws // 2)
        return needed, self.n_draws - needed + 1

    def curve(self, posterior: WeightedPosterior) -> Curve:
        a, b = self._shape()
        w = np.linspace(0, 1, _NODES)
        with np.errstate(divide="ignore"):
            log_slope = np.where((w > 0) | (a == 1), (a - 1) * np.log(np.maximum(w, 1e-300)), -np.inf)
            log_slope += np.where((w < 1) | (b == 1), (b - 1) * np.log(np.maximum(1 - w, 1e-300)), -np.inf)
        slope = np.exp(log_slope - betaln(a, b))
        return Curve.from_nodes(w, betainc(a, b, w), slope, -w * slope)

    def rows(self, w: NDArray, posterior: WeightedPosterior) -> NDArray:
        return betainc(*self._shape(), np.minimum(w, 1.0)) * (1 + 1e-12)
