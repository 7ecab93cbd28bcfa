"""The categorical posterior of the classical bounds: draws one voter, or weights all of them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax, xlogy

from ._posterior import Draws, Law, Posterior, WeightedPosterior, check_range, positive_per_voter, pull_softmax

_REACH = 60.0  # range of the logarithms of the probabilities
_SMALLEST = 1e-26  # smallest probability in a prior, above exp(-60)


@dataclass(frozen=True, eq=False, repr=False)
class Categorical(WeightedPosterior):
    """One voter is drawn with the given probabilities.

    A draw is the vote of a single voter. Its bounds (first order, second order, binomial, C-bound) certify the
    deterministic vote of all voters, with their probabilities as weights.

    Parameters
    ----------
    theta : array-like of shape (n_voters,)
        Probabilities.

    Examples
    --------
    >>> from stocmv.posteriors import Categorical
    >>> posterior = Categorical([0.5, 0.25, 0.25])
    >>> posterior.mean.tolist()
    [0.5, 0.25, 0.25]
    >>> kl, gradient = posterior.kl(Categorical([1 / 3, 1 / 3, 1 / 3]))
    >>> round(kl, 4)
    0.0589
    """

    theta: NDArray
    name: ClassVar[str] = "categorical"
    proven: ClassVar[bool] = True
    law: ClassVar[Law] = "voter"
    deterministic_rule: ClassVar[str] = (
        "the voters vote with their probabilities as weights, and of classes that tie the first wins"
    )
    point_bounds: ClassVar[tuple[float, float]] = (-_REACH, _REACH)

    def __post_init__(self) -> None:
        theta = np.asarray(self.theta, float)
        if theta.ndim != 1 or not np.all(theta >= 0) or not 0 < theta.sum() < np.inf:
            raise ValueError("theta must be a list of probabilities, not all zero.")
        object.__setattr__(self, "theta", theta / theta.sum())

    @classmethod
    def prior(cls, value: ArrayLike, n_voters: int) -> "Categorical":
        weights = positive_per_voter(value, n_voters, "prior")
        prior = cls(weights / weights.max())  # so that their sum stays finite
        prior.check_prior()
        return prior

    def check_prior(self) -> None:
        check_range(self.theta, _SMALLEST, 1.0, "categorical probabilities")

    @classmethod
    def from_point(cls, point: NDArray) -> "Categorical":
        return cls(softmax(point))

    @property
    def point(self) -> NDArray:
        return np.log(np.maximum(self.theta, np.exp(-_REACH)))

    @property
    def n_voters(self) -> int:
        return len(self.theta)

    @property
    def total(self) -> float:
        return 1.0

    @property
    def concentrations(self) -> NDArray:
        return self.theta

    @property
    def deviation(self) -> NDArray:
        """Zero: the certified vote has fixed weights."""
        return np.zeros(self.n_voters)

    @property
    def mean(self) -> NDArray:
        return self.theta

    def kl(self, prior: Posterior) -> tuple[float, NDArray]:
        ratio = self._log_ratio(prior)
        value = float(self.theta @ ratio)
        return max(value, 0.0), pull_softmax(self.theta, ratio)

    def certified_kl(self, prior: Posterior) -> float:
        if np.array_equal(self.theta, prior.mean):
            return 0.0
        value, _ = self.kl(prior)
        size = -xlogy(self.theta, self.theta) - self.theta * np.log(prior.mean)
        return value + 1e-14 * float(size.sum())

    def _log_ratio(self, prior: Posterior) -> NDArray:
        if not isinstance(prior, Categorical):
            raise TypeError(f"A categorical posterior needs a categorical prior, got {prior!r}.")
        return xlogy(self.theta > 0, np.where(self.theta > 0, self.theta, 1.0)) - np.log(prior.theta)

    def pull(self, d_weights: NDArray, d_total: float) -> NDArray:
        """Gradient by the point from the gradient by the weights; the total is always one."""
        return pull_softmax(self.theta, d_weights)

    def draws(self, n_draws: int, rng: np.random.Generator) -> Draws:
        weights = np.eye(self.n_voters)[rng.choice(self.n_voters, n_draws, p=self.theta)]

        def pull(gradient: NDArray) -> NDArray:
            raise TypeError("A drawn voter does not depend smoothly on the probabilities: there is no gradient.")

        return Draws(weights, pull)

    def win_probabilities(self, concentrations: NDArray) -> NDArray:
        return concentrations

    def drawn_answers(self, concentrations: NDArray, rng: np.random.Generator) -> NDArray:
        reached = np.cumsum(concentrations, axis=1)
        return (reached > rng.random((len(reached), 1)) * reached[:, -1:]).argmax(1)

    def merged(self, blocs: NDArray) -> "Categorical":
        return Categorical(np.bincount(blocs, self.theta))

    def spread(self, blocs: NDArray, prior: Posterior, rng: np.random.Generator) -> "Categorical":
        return Categorical((self.theta / np.bincount(blocs, prior.mean))[blocs] * prior.mean)

    def parameters(self) -> dict[str, NDArray]:
        return {"theta": self.theta}
