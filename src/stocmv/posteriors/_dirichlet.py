"""The Dirichlet posterior."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaincinv, gammaln, polygamma, softmax

from ..special import argmax_probability, gamma_draw_gradient, half_betainc
from ._base import Draws, Law, Posterior, WeightedPosterior, check_range, positive_per_voter, pull_softmax

_SMALLEST, _LARGEST = 1e-6, 1e6


@dataclass(frozen=True, eq=False, repr=False)
class Dirichlet(WeightedPosterior):
    """Weights drawn from a Dirichlet distribution.

    Parameters
    ----------
    alpha : array-like of shape (n_voters,)
        Concentrations, positive.

    Examples
    --------
    >>> from stocmv.posteriors import Dirichlet
    >>> posterior = Dirichlet([1.0, 2.0, 1.0])
    >>> posterior.mean.tolist()
    [0.25, 0.5, 0.25]
    >>> kl, gradient = posterior.kl(Dirichlet([1.0, 1.0, 1.0]))
    >>> round(kl, 6)
    0.265279
    """

    alpha: NDArray
    name: ClassVar[str] = "dirichlet"
    proven: ClassVar[bool] = True
    law: ClassVar[Law] = "dirichlet"
    point_bounds: ClassVar[tuple[float, float]] = (float(np.log(_SMALLEST)), float(np.log(_LARGEST)))

    def __post_init__(self) -> None:
        alpha = np.asarray(self.alpha, float)
        object.__setattr__(self, "alpha", positive_per_voter(alpha, alpha.size, "alpha"))

    @classmethod
    def prior(cls, value: ArrayLike, n_voters: int) -> "Dirichlet":
        prior = cls(positive_per_voter(value, n_voters, "prior"))
        prior.check_prior()
        return prior

    def check_prior(self) -> None:
        check_range(self.alpha, _SMALLEST, _LARGEST, "Dirichlet concentrations")

    @classmethod
    def from_point(cls, point: NDArray) -> "Dirichlet":
        return cls(np.exp(point))

    @property
    def point(self) -> NDArray:
        return np.log(self.alpha)

    @property
    def n_voters(self) -> int:
        return len(self.alpha)

    @property
    def concentrations(self) -> NDArray:
        return self.alpha

    @property
    def total(self) -> float:
        return float(self.alpha.sum())

    @property
    def mean(self) -> NDArray:
        return self.alpha / self.alpha.sum()

    def kl(self, prior: Posterior) -> tuple[float, NDArray]:
        value, _ = self._kl_and_scale(prior)
        excess = self.alpha - _alpha(prior)
        gradient = excess * polygamma(1, self.alpha) - polygamma(1, self.total) * excess.sum()
        return value, self.alpha * gradient

    def certified_kl(self, prior: Posterior) -> float:
        if np.array_equal(self.alpha, _alpha(prior)):
            return 0.0
        value, scale = self._kl_and_scale(prior)
        return value + 1e-14 * scale + 1e-15 * self.n_voters

    def _kl_and_scale(self, prior: Posterior) -> tuple[float, float]:
        """The KL and the sum of the sizes of its terms, to which its rounding error is proportional."""
        alpha, beta = self.alpha, _alpha(prior)
        terms = np.concatenate(
            [
                [gammaln(alpha.sum()), -gammaln(beta.sum())],
                gammaln(beta) - gammaln(alpha),
                (alpha - beta) * digamma(alpha),
                [-(alpha - beta).sum() * digamma(alpha.sum())],
            ]
        )
        scale = float(np.abs(terms).sum() + np.abs(gammaln(beta)).sum() + np.abs(gammaln(alpha)).sum())
        return max(float(terms.sum()), 0.0), scale

    @property
    def deviation(self) -> NDArray:
        return np.sqrt(self.mean * (1 - self.mean) / (self.total + 1))

    def scaled(self, factor: float) -> "Dirichlet":
        """The same mean weights, with all concentrations multiplied by ``factor``."""
        return Dirichlet(factor * self.alpha)

    def nudged(self, weights: NDArray) -> "Dirichlet":
        return Dirichlet(np.exp(self.point) + weights)

    def pull(self, d_weights: NDArray, d_total: float) -> NDArray:
        return self.alpha * (d_weights + d_total)

    def draws(self, n_draws: int, rng: np.random.Generator) -> Draws:
        uniform = np.maximum(rng.random((n_draws, self.n_voters)), np.finfo(float).tiny)
        log_gamma = _log_gamma_quantile(self.alpha, uniform)
        weights = softmax(log_gamma, axis=-1)

        def pull(gradient: NDArray) -> NDArray:
            d_alpha = pull_softmax(weights, gradient) * gamma_draw_gradient(self.alpha, log_gamma)
            return self.alpha * d_alpha.sum(0)

        return Draws(weights, pull)

    def win_probabilities(self, concentrations: NDArray) -> NDArray:
        n, n_classes = concentrations.shape
        if n_classes == 2:
            second = half_betainc(concentrations[:, 1], concentrations.sum(1))[0]
            return np.column_stack([1 - second, second])
        probabilities = np.zeros((n, n_classes))
        for k in range(n_classes):
            rows = np.flatnonzero(concentrations[:, k] > 0)
            probabilities[rows, k] = argmax_probability(concentrations[rows], np.full(len(rows), k))
        return probabilities / probabilities.sum(1, keepdims=True)

    def drawn_answers(self, concentrations: NDArray, rng: np.random.Generator) -> NDArray:
        # the weights of the classes, up to a common factor, are independent gammas
        return log_gammas(concentrations, rng).argmax(1)

    def parameters(self) -> dict[str, NDArray]:
        return {"alpha": self.alpha}


def _alpha(prior: Posterior) -> NDArray:
    if not isinstance(prior, Dirichlet):
        raise TypeError(f"A Dirichlet posterior needs a Dirichlet prior, got {prior!r}.")
    return prior.alpha


def log_gammas(shapes: NDArray, rng: np.random.Generator) -> NDArray:
    """Logarithms of gamma variables, which would themselves underflow for small shapes; minus infinity at shape 0."""
    with np.errstate(divide="ignore"):
        uniform = np.log1p(-rng.random(shapes.shape)) / shapes  # gamma(a) is gamma(a + 1) u^(1/a)
    return np.where(shapes > 0, np.log(rng.standard_gamma(shapes + 1)) + uniform, -np.inf)


def _log_gamma_quantile(shape: NDArray, uniform: NDArray) -> NDArray:
    """Logarithm of the gamma quantile; if the quantile underflows, the first term of its series is exact."""
    small = (np.log(uniform) + gammaln(shape + 1)) / shape
    normal = small > -200
    quantile = gammaincinv(np.where(normal, shape, 1.0), np.where(normal, uniform, 0.5))
    return np.where(normal, np.log(quantile), small)
