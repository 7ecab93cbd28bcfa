"""Chebyshev-Cantelli bounds: two of the means that describe how often voters err together, with the best offset mu."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bennett, Bound, Upper, UpperBound
from ..posteriors import Law, Posterior
from ..votes import PairCounts, VoteMatrix, Votes
from ._curves import FirstOrder, SecondOrder
from ._pair_losses import drawn_moments, of_both, of_either, of_neither, of_one, outward_moments
from ._risk import Moments, Risk, VoteBound

_FIRST, _SECOND = FirstOrder(), SecondOrder()
_UNSURE = 1e-12  # more than the rounding of a mean, relative to it
_ROUNDING = 1e-14  # more than a sum of a few numbers up to one can lose
LEAST_MU, MOST_MU = -10.0, 0.49
MUS = 0.5 - 0.5 * 0.85 ** np.arange(20)  # from 0 to 0.477; their distances from one half fall by 15 % each


class CantelliTandem(Risk):
    r"""The Chebyshev-Cantelli bound with the tandem loss, CCTND (Wu et al. 2021), for all :math:`\mu` at once.

    .. math:: R \le \frac{T - 2 \mu g + \mu^2}{(1/2 - \mu)^2}, \quad \mu < 1/2

    with the probability :math:`T` that two drawn voters both err bounded from above, and the mean error :math:`g` of a
    drawn voter from below if :math:`\mu \ge 0`, otherwise from above, each with half of delta. Only some bounds hold on
    both sides of :math:`g` at once (`Bound.two_sided`); with the others, :math:`\mu` is not negative.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix
    >>> from stocmv.posteriors import Categorical
    >>> from stocmv.risks import CantelliTandem
    >>> votes = VoteMatrix.from_errors(np.array([[True, False], [False, False]]))
    >>> means, _ = CantelliTandem().moments(Categorical(np.array([0.5, 0.5])), votes)
    >>> means  # both of two drawn voters err; a drawn voter errs
    array([0.125, 0.25 ])
    """

    name: ClassVar[str] = "cctnd"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("voter",)
    default_posterior: ClassVar[str] = "categorical"
    outward: ClassVar[tuple[int, ...]] = (1, -1)
    certified: ClassVar[str] = "the error of the weighted vote (from the mean error and joint error of its voters)"

    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        (first, second), (d_first, d_second) = _wrong_weight(posterior, votes)
        return np.array([second, first]), np.stack([d_second, d_first])

    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        first, second = (risk.certified_moments(posterior, votes)[0] for risk in (_FIRST, _SECOND))
        return np.array([second, first * (1 - _UNSURE)])

    def losses(self, pairs: PairCounts) -> Sequence[NDArray]:
        return of_both(pairs), of_one(pairs)

    def compose(self, moments: NDArray, kl: float, upper: Upper, posterior: Posterior) -> VoteBound:
        tandem, low = _above(upper.of_pairs, moments[0], 2, kl), _below(upper, moments[1], 1, kl)
        mu = _best_mu(tandem.value, low.value)
        if mu >= 0 or not upper.two_sided:
            return self._at(max(mu, 0.0), tandem, low)
        high = _above(upper, moments[1] * (1 + 4 * _UNSURE), 1, kl)
        if high.value < 0.5:
            other = self._at(min(_best_mu(tandem.value, high.value), 0.0), tandem, high)
        else:  # all that is proven is R <= 1; the solver gets the first-order bound, which reaches 1 at g = 1/2
            other = VoteBound(2 * high.value, np.array([0.0, 2 * high.d_risk]), 2 * high.d_kl)
        return min(self._at(0.0, tandem, low), other, key=lambda bound: bound.value)

    def _at(self, mu: float, tandem: UpperBound, error: UpperBound) -> VoteBound:
        return _quotient(mu, mu**2, (1.0, tandem), (-2 * mu, error))


@dataclass(frozen=True)
class CantelliSplit(Risk):
    r"""The Chebyshev-Cantelli bound with split kl, CCPBSkl (Wu and Seldin 2022).

    For :math:`0 \le \mu < 1/2`, with the probabilities :math:`T` that two drawn voters both err, bounded from above,
    and :math:`d` that exactly one does, bounded from below, each with half of delta,

    .. math:: R \le \frac{\mu^2 + (1 - 2 \mu) T - \mu d}{(1/2 - \mu)^2} .

    The two means do not depend on :math:`\mu`, so this holds for all these :math:`\mu` at once.

    Parameters
    ----------
    mu : float, optional
        An offset chosen in advance, from -10 to 0.49; by default the best that is not negative. For a negative one,
        the probability that neither errs takes the place of :math:`d`.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix
    >>> from stocmv.posteriors import Categorical
    >>> from stocmv.risks import CantelliSplit
    >>> votes = VoteMatrix.from_errors(np.array([[True, False], [False, False]]))
    >>> means, _ = CantelliSplit().moments(Categorical(np.array([0.5, 0.5])), votes)
    >>> means  # both of two drawn voters err; exactly one does
    array([0.125, 0.25 ])
    """

    mu: float | None = None
    name: ClassVar[str] = "ccpbskl"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("voter",)
    default_posterior: ClassVar[str] = "categorical"
    outward: ClassVar[tuple[int, ...]] = (1, -1)
    certified: ClassVar[str] = "the error of the weighted vote (from how often both of two voters err, and only one)"

    def __post_init__(self) -> None:
        if self.mu is not None and not LEAST_MU <= self.mu <= MOST_MU:
            raise ValueError(f"mu must lie between {LEAST_MU:g} and {MOST_MU:g}, got {self.mu!r}.")

    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        (first, second), (d_first, d_second) = _wrong_weight(posterior, votes)
        if self.mu is not None and self.mu < 0:
            return np.array([second, 1 - 2 * first + second]), np.stack([d_second, d_second - 2 * d_first])
        return np.array([second, 2 * (first - second)]), np.stack([d_second, 2 * (d_first - d_second)])

    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        first, second = (risk.certified_moments(posterior, votes)[0] for risk in (_FIRST, _SECOND))
        if self.mu is not None and self.mu < 0:
            return np.array([second, max(1 - 2 * first * (1 + _UNSURE) + second * (1 - _UNSURE) - _ROUNDING, 0.0)])
        return np.array([second, max(2 * (first * (1 - _UNSURE) - second * (1 + _UNSURE)), 0.0)])

    def losses(self, pairs: PairCounts) -> Sequence[NDArray]:
        negative = self.mu is not None and self.mu < 0
        return of_both(pairs), of_neither(pairs) if negative else of_either(pairs)

    def compose(self, moments: NDArray, kl: float, upper: Upper, posterior: Posterior) -> VoteBound:
        negative = self.mu is not None and self.mu < 0
        compared = upper.of_pairs if negative else upper.of_disagreements
        tandem, rest = _above(upper.of_pairs, moments[0], 2, kl), _below(compared, moments[1], 2, kl)
        mu = max(_best_mu(tandem.value, tandem.value + rest.value / 2), 0.0) if self.mu is None else self.mu
        if mu < 0:
            return _quotient(mu, -mu * (1 - mu), (1 - mu, tandem), (mu, rest))
        return _quotient(mu, mu**2, (1 - 2 * mu, tandem), (-mu, rest))


@dataclass(frozen=True)
class CantelliBennett(Risk):
    r"""The Chebyshev-Cantelli bound with PAC-Bayes-Bennett, CCPBB (Wu et al. 2021).

    .. math:: R \le \frac{1}{(1/2 - \mu)^2}\, \mathbb E\, \ell_\mu, \quad
        \ell_\mu = (\mathbb 1[h \text{ errs}] - \mu)(\mathbb 1[h' \text{ errs}] - \mu), \quad 0 \le \mu < 1/2

    with the mean loss of two drawn voters bounded by `Bennett`, whatever the bound of other risks is. It gains where
    voters err independently, so that the loss varies little. The loss depends on :math:`\mu`: the best of a grid of 20
    numbers is taken, which share delta.

    Parameters
    ----------
    mu : float, optional
        An offset chosen in advance, from 0 to 0.49; by default the best of the grid.
    bound : Bennett
        The bound on the mean loss.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix
    >>> from stocmv.posteriors import Categorical
    >>> from stocmv.risks import CantelliBennett
    >>> votes = VoteMatrix.from_errors(np.array([[True, False], [False, False]]))
    >>> means, _ = CantelliBennett().moments(Categorical(np.array([0.5, 0.5])), votes)
    >>> means[:2]  # both of two drawn voters err; a drawn voter errs
    array([0.125, 0.25 ])
    """

    mu: float | None = None
    bound: Bennett = field(default_factory=Bennett)
    name: ClassVar[str] = "ccpbb"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("voter",)
    default_posterior: ClassVar[str] = "categorical"
    outward: ClassVar[tuple[int, ...]] = (1, -1, 1, -1, 1)
    certified: ClassVar[str] = (
        "the error of the weighted vote (from how often two of its voters err, and how much that varies)"
    )

    def __post_init__(self) -> None:
        if self.mu is not None and not 0 <= self.mu <= MOST_MU:
            raise ValueError(f"mu must lie between 0 and {MOST_MU:g}, got {self.mu!r}.")

    @property
    def n_bounds(self) -> int:
        return len(self._offsets)

    @property
    def _offsets(self) -> NDArray:
        return MUS if self.mu is None else np.array([self.mu])

    def bound_for(self, asked: Bound) -> Bound:
        return self.bound

    def settings(self) -> dict:
        return {"mu": self.mu}

    def losses(self, pairs: PairCounts) -> Sequence[NDArray]:
        """Both err; half the number of errors; unbiased estimates of how these vary, each two on their common judges.

        The estimates are the variance of "both err", its covariance with the number of errors, and half of the variance
        of that number.
        """
        n = pairs.judged
        squares, errors = n * np.maximum(n - 1, 1), pairs.wrong + pairs.wrong.T
        both = pairs.both * (n - pairs.both) / squares
        together = pairs.both * (2 * n - errors) / squares
        number = (n * (2 * pairs.both + errors) - errors**2) / squares / 2
        return of_both(pairs), errors / (2 * n), both, together, number

    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        return drawn_moments(self.losses(votes.pairs), posterior)

    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        return self.certified_means(posterior, votes)

    def certified_means(self, posterior: Posterior, votes: Votes) -> NDArray:
        return outward_moments(self.losses(votes.pairs), posterior, self.outward)

    def compose(self, moments: NDArray, kl: float, upper: Upper, posterior: Posterior) -> VoteBound:
        mus = self._offsets
        factors = np.stack([np.ones_like(mus), -2 * mus, mus**2])
        scales = 1 / (0.5 - mus) ** 2
        tandem, error, *spread = moments
        variances = np.maximum(spread[0] + factors[1] * spread[1] + 2 * factors[2] * spread[2], 0.0)
        found = self.bound.of_means(variances, 1 - mus, 2 * kl, upper.of_pairs.sizes, upper.delta)
        values = scales * (tandem + factors[1] * error + factors[2] + found.values + _ROUNDING)
        best = int(values.argmin())
        by_variance = found.d_variances[best] * factors[:, best] * [1, 1, 2]
        d_moments = scales[best] * np.array([1.0, factors[1, best], *by_variance])
        return VoteBound(float(values[best]), d_moments, float(2 * scales[best] * found.d_kl[best]))


def _wrong_weight(posterior: Posterior, votes: Votes) -> Moments:
    """Mean and mean square of the wrong weight, and their gradients."""
    started = [votes.start(risk.moments, posterior, votes) for risk in (_FIRST, _SECOND)]
    values, gradients = zip(*(wait() for wait in started), strict=True)
    return np.concatenate(values), np.concatenate(gradients)


def _above(upper: Upper, mean: float, count: int, kl: float) -> UpperBound:
    """The upper bound on a mean over ``count`` drawn voters, with its derivative by the KL of one."""
    bounded = upper(min(float(mean), 1.0), count * kl)
    return bounded._replace(d_kl=count * bounded.d_kl)


def _below(upper: Upper, mean: float, count: int, kl: float) -> UpperBound:
    """The lower bound: one minus the upper bound on the opposite."""
    bounded = _above(upper, 1 - float(mean), count, kl)
    return UpperBound(max(1 - bounded.value, 0.0), bounded.d_risk, -bounded.d_kl)


def _best_mu(tandem: float, error: float) -> float:
    """The offset with the smallest bound; 0 if voters err half of the time, where no offset helps."""
    return (error / 2 - tandem) / (0.5 - error) if error < 0.5 else 0.0


def _quotient(mu: float, constant: float, *terms: tuple[float, UpperBound]) -> VoteBound:
    """A linear function of bounds, divided by the square of the distance from mu to one half; mu may be optimal."""
    scale = 1 / (0.5 - mu) ** 2
    size = constant + sum(factor * bound.value for factor, bound in terms)
    return VoteBound(
        scale * (size + _ROUNDING * (1 + mu**2)),
        np.array([scale * factor * bound.d_risk for factor, bound in terms]),
        scale * sum(factor * bound.d_kl for factor, bound in terms),
    )
