"""The Dirichlet posterior, over voters or over blocs of voters that answer alike."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaincinv, gammaln, log_softmax, polygamma, softmax

from ..special import argmax_probability, dirichlet_kl, gamma_draw_gradient, half_betainc
from ._posterior import Draws, Law, Posterior, WeightedPosterior, check_range, positive_per_voter, pull_softmax

_SMALLEST, _LARGEST = 1e-6, 1e6  # of a prior, and for solvers
_DENSER = 100.0  # times the concentrations of a sparse prior
_LEAST, _MOST = 1e-12, 1e12  # where the functions of a concentration are precise
_ROUNDING = 4e-15  # of the terms of a sum: eighteen units


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
        given = np.asarray(self.alpha, float)
        alpha = positive_per_voter(given, given.size, "alpha")
        outside = alpha[(alpha < _LEAST) | (alpha > _MOST)]
        if outside.size:
            raise ValueError(f"alpha must lie between {_LEAST:g} and {_MOST:g}, got {outside[0]:g}: scale it.")
        object.__setattr__(self, "alpha", alpha)

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
        value, _ = dirichlet_kl(self.alpha, _alpha(prior))
        excess = self.alpha - _alpha(prior)
        gradient = excess * polygamma(1, self.alpha) - polygamma(1, self.total) * excess.sum()
        return value, self.alpha * gradient

    def certified_kl(self, prior: Posterior) -> float:
        if self.n_voters == 1 or np.array_equal(self.alpha, _alpha(prior)):
            return 0.0
        return sum(dirichlet_kl(self.alpha, _alpha(prior)))

    def certified_log_ratio(self, prior: Posterior, log_weights: NDArray) -> float:
        r"""Logarithm of the density relative to the prior at drawn weights, rounded up.

        .. math:: \ln\frac{d\rho}{d\pi}(\theta) = \mathrm{KL}(\rho \Vert \pi)
            + \sum_j (\alpha_j - \beta_j) \big(\ln\theta_j - \psi(\alpha_j) + \psi(s)\big), \qquad s = \sum_j \alpha_j ,

        since :math:`\psi(\alpha_j) - \psi(s)` is the mean of :math:`\ln\theta_j`.
        """
        beta = _alpha(prior)
        if self.n_voters == 1 or np.array_equal(self.alpha, beta):
            return 0.0
        kl, rounding = dirichlet_kl(self.alpha, beta)
        gap, means, last = self.alpha - beta, digamma(self.alpha), digamma(self.total)
        size = np.abs(gap) @ (np.abs(log_weights) + np.abs(means) + abs(last) + 1)
        return float(kl + gap @ (log_weights - means + last) + rounding + _ROUNDING * size)

    @property
    def deviation(self) -> NDArray:
        return np.sqrt(self.mean * (1 - self.mean) / (self.total + 1))

    def scaled(self, factor: float) -> "Dirichlet":
        """The same mean weights, with all concentrations multiplied by ``factor``."""
        return Dirichlet(factor * self.alpha)

    def nudged(self, weights: NDArray) -> "Dirichlet":
        return Dirichlet(np.exp(self.point) + weights)

    def denser(self) -> "Dirichlet | None":
        return Dirichlet(_DENSER * self.alpha) if self.alpha.mean() < 1 else None

    def pull(self, d_weights: NDArray, d_total: float) -> NDArray:
        return self.alpha * (d_weights + d_total)

    def draws(self, n_draws: int, rng: np.random.Generator) -> Draws:
        log_gamma = self._log_gammas(n_draws, rng)
        weights = softmax(log_gamma, axis=-1)

        def pull(gradient: NDArray) -> NDArray:
            d_alpha = pull_softmax(weights, gradient) * gamma_draw_gradient(self.alpha, log_gamma)
            return self.alpha * d_alpha.sum(0)

        return Draws(weights, pull)

    def drawn_vote(self, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
        logs = log_softmax(self._log_gammas(1, rng)[0])
        return np.exp(logs), logs

    def _log_gammas(self, n_draws: int, rng: np.random.Generator) -> NDArray:
        uniform = np.maximum(rng.random((n_draws, len(self.alpha))), np.finfo(float).tiny)
        return _log_gamma_quantile(self.alpha, uniform)

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

    def merged(self, blocs: NDArray) -> "Dirichlet":
        return Dirichlet(bloc_sums(blocs, self.alpha))

    def spread(self, blocs: NDArray, prior: Posterior, rng: np.random.Generator) -> "Dirichlet":
        within = _alpha(prior)
        # of exponential waiting times each is the shortest with a probability in proportion to its rate
        waits = rng.standard_exponential(len(blocs)) / within
        order = np.lexsort((waits, blocs))
        return BlocDirichlet(self.alpha, blocs, order[np.unique(blocs[order], return_index=True)[1]], within)

    def parameters(self) -> dict[str, NDArray]:
        return {"alpha": self.alpha}


@dataclass(frozen=True, eq=False, repr=False)
class BlocDirichlet(Dirichlet):
    r"""Weights of blocs drawn from a Dirichlet, and shared within each bloc as the prior shares them.

    A bloc is a set of voters that answer all judging examples alike. Let the prior be Dirichlet(a) over the voters. Its
    sums over blocs are Dirichlet(A), independent of the shares within the blocs, and this posterior only changes the
    law of the sums, so its KL is that of Dirichlet(alpha) from Dirichlet(A): redundant voters cost nothing. The blocs
    may be chosen after looking at the examples.

    The deterministic vote gives the mean weight of a bloc to one of its voters, its speaker, which is drawn once, with
    probabilities proportional to the prior. Without speakers every voter has its mean weight.

    Parameters
    ----------
    alpha : array-like of shape (n_blocs,)
        Concentrations of the blocs, positive.
    blocs : array-like of shape (n_voters,)
        Number of each voter's bloc.
    speakers : array-like of shape (n_blocs,) or (0,)
        Index of the voter that speaks for each bloc; empty if all vote.
    within : array-like of shape (n_voters,)
        Concentrations of the prior, by which the voters of a bloc share its weight.

    Examples
    --------
    >>> from stocmv.posteriors import BlocDirichlet, Dirichlet
    >>> posterior = BlocDirichlet([1.0, 3.0], blocs=[0, 1, 1], speakers=[0, 2], within=[1.0, 1.0, 1.0])
    >>> posterior.mean.tolist()
    [0.25, 0.375, 0.375]
    >>> posterior.fixed_votes().tolist()
    [[0.25, 0.0, 0.75]]
    """

    blocs: NDArray
    speakers: NDArray
    within: NDArray
    name: ClassVar[str] = "bloc_dirichlet"
    proven: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        blocs, speakers = (np.asarray(part, np.int64) for part in (self.blocs, self.speakers))
        numbers = np.arange(len(self.alpha))
        if blocs.ndim != 1 or not np.array_equal(np.unique(blocs), numbers):
            raise ValueError(f"blocs must have every number from 0 to {len(numbers) - 1}, the blocs that alpha has.")
        inside = bool(np.all((speakers >= 0) & (speakers < len(blocs))))
        if speakers.size and not (inside and np.array_equal(blocs[speakers], numbers)):
            raise ValueError("speakers must have the index of one voter of each bloc.")
        object.__setattr__(self, "blocs", blocs)
        object.__setattr__(self, "speakers", speakers)
        object.__setattr__(self, "within", positive_per_voter(self.within, len(blocs), "within"))

    @property
    def prior_name(self) -> str:
        return Dirichlet.name

    @property
    def n_voters(self) -> int:
        return len(self.blocs)

    @property
    def concentrations(self) -> NDArray:
        """All of a bloc's concentration on one of its voters, which is the same wherever the bloc agrees."""
        return self._on_one(self.alpha, np.unique(self.blocs, return_index=True)[1])

    @property
    def mean(self) -> NDArray:
        return self._on_all(self.alpha / self.alpha.sum())

    @property
    def deterministic_rule(self) -> str:  # type: ignore[override]
        if not self.speakers.size:
            return Posterior.deterministic_rule
        return "one voter of each bloc votes, with the bloc's mean weight, and of classes that tie the first wins"

    def fixed_votes(self) -> NDArray:
        if not self.speakers.size:
            return self.mean[None]
        return self._on_one(self.alpha / self.alpha.sum(), self.speakers)[None]

    def without_speakers(self) -> "BlocDirichlet":
        """The same law, with a deterministic vote of all voters."""
        return BlocDirichlet(self.alpha, self.blocs, np.empty(0, int), self.within)

    def unmerged(self) -> Dirichlet:
        """The Dirichlet over all voters with the same mean weights and the same total."""
        return Dirichlet(self._on_all(self.alpha))

    def certified_kl(self, prior: Posterior) -> float:
        return Dirichlet(self.alpha).certified_kl(prior.merged(self.blocs))

    def certified_log_ratio(self, prior: Posterior, log_weights: NDArray) -> float:
        """The same for the sums of the weights over the blocs: within a bloc, both share them by the same law."""
        return Dirichlet(self.alpha).certified_log_ratio(prior.merged(self.blocs), log_weights)

    def heavy(self, factor: float) -> NDArray:
        """Blocs of several voters that have more than this times the weight that the prior gives them."""
        return (np.bincount(self.blocs) > 1) & (self.alpha > factor * bloc_sums(self.blocs, self.within))

    def stray(self, factor: float) -> float:
        """Concentration of the blocs of several voters that are not heavy: their speakers may not hold their weight."""
        return float(self.alpha[(np.bincount(self.blocs) > 1) & ~self.heavy(factor)].sum())

    def speaking_kl(self, leak: float, factor: float) -> float:
        r"""KL of letting the speakers of heavy blocs hold all but a share ``leak`` of their blocs' weight, rounded up.

        With probability :math:`a_j / A` the speaker is voter j of its bloc, and the shares are those of the prior given
        that voter j has at least ``1 - leak``. The KL is the mean over j of :math:`\ln (a_j / A) - \ln r_j`, where
        :math:`r_j` is the probability that a Beta(a_j, b) variable, b = A - a_j, is at least ``1 - leak``. It is at
        least :math:`\epsilon^b (1 - \epsilon)^{\max(a_j - 1, 0)} / (b B(a_j, b))`.
        """
        speaking = self.heavy(factor)[self.blocs]
        a, total = self.within[speaking], bloc_sums(self.blocs, self.within)[self.blocs[speaking]]
        b = total - a
        terms = np.stack(
            [
                -b * np.log(leak),
                gammaln(1 + a) + gammaln(1 + b),
                -gammaln(1 + total),
                -np.maximum(a - 1, 0) * np.log1p(-leak),
            ]
        )
        sizes = np.abs(terms).sum(0) - total * np.log(leak) + 1  # b is a difference, and loses as much as the total
        price, size = ((a / total * each).sum() for each in (terms.sum(0), sizes))
        return max(float(price), 0.0) + _ROUNDING * float(size)

    @property
    def deviation(self) -> NDArray:
        share = self._on_all(np.ones(len(self.alpha)))
        total = bloc_sums(self.blocs, self.within)[self.blocs]
        mean, s = (self.alpha / self.total)[self.blocs], self.total
        squares = mean * (mean * s + 1) / (s + 1) * share * (share * total + 1) / (total + 1)
        return np.sqrt(np.maximum(squares - (mean * share) ** 2, 0.0))

    def scaled(self, factor: float) -> "BlocDirichlet":
        return BlocDirichlet(factor * self.alpha, self.blocs, self.speakers, self.within)

    def splits(self, codes: NDArray) -> NDArray:
        return (codes != codes[:, np.unique(self.blocs, return_index=True)[1][self.blocs]]).any(1)

    def draws(self, n_draws: int, rng: np.random.Generator) -> Draws:
        weights = self._shares(n_draws, rng) * Dirichlet(self.alpha).draws(n_draws, rng).weights[:, self.blocs]

        def pull(gradient: NDArray) -> NDArray:
            raise TypeError("The weights of blocs are learned before they are spread over the voters.")

        return Draws(weights, pull)

    def drawn_vote(self, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
        shares = self._shares(1, rng)[0]
        sums, logs = Dirichlet(self.alpha).drawn_vote(rng)
        return shares * sums[self.blocs], logs

    def _shares(self, n_draws: int, rng: np.random.Generator) -> NDArray:
        """How the voters of each bloc share its weight, drawn from the prior."""
        order = np.argsort(self.blocs, kind="stable")
        blocs = self.blocs[order]
        first = np.searchsorted(blocs, np.arange(len(self.alpha)))
        drawn = log_gammas(np.broadcast_to(self.within[order], (n_draws, self.n_voters)), rng)
        drawn = np.exp(drawn - np.maximum.reduceat(drawn, first, axis=1)[:, blocs])
        shares = np.empty_like(drawn)
        shares[:, order] = drawn / np.add.reduceat(drawn, first, axis=1)[:, blocs]
        return shares

    def parameters(self) -> dict[str, NDArray]:
        return {"alpha": self.alpha, "blocs": self.blocs, "speakers": self.speakers, "within": self.within}

    def _on_one(self, of_blocs: NDArray, chosen: NDArray) -> NDArray:
        weights = np.zeros(self.n_voters)
        weights[chosen] = of_blocs
        return weights

    def _on_all(self, of_blocs: NDArray) -> NDArray:
        """Figures of the blocs, shared among their voters as the prior does on average."""
        return (of_blocs / bloc_sums(self.blocs, self.within))[self.blocs] * self.within


def _alpha(prior: Posterior) -> NDArray:
    if not isinstance(prior, Dirichlet):
        raise TypeError(f"A Dirichlet posterior needs a Dirichlet prior, got {prior!r}.")
    return prior.alpha


def bloc_sums(blocs: NDArray, values: NDArray) -> NDArray:
    """Sums of positive values over blocs, to the last digit however many voters a bloc has."""
    largest = np.zeros(int(blocs.max()) + 1)
    np.maximum.at(largest, blocs, values)
    unit = np.ldexp(1.0, np.frexp(largest)[1] - 26)[blocs]
    coarse = np.rint(values / unit) * unit  # of so few digits that their sum is exact
    return np.bincount(blocs, coarse) + np.bincount(blocs, values - coarse)


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
