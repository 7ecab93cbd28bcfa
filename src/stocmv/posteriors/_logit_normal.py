"""The logit-normal posterior."""

import hashlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from ._posterior import Draws, Posterior, check_range, positive_per_voter, pull_softmax

_MEAN_DRAWS = 4096
FIXED_VOTES = 2000  # number of votes whose majority is the deterministic vote
_REACH = 30.0  # range of the means and of the logarithms of the standard deviations
_SMALLEST, _LARGEST = 1e-13, 1e13  # standard deviations of a prior, within exp(-30) and exp(30)


@dataclass(frozen=True, eq=False, repr=False)
class LogitNormal(Posterior):
    """Weights that are the softmax of independent normal variables.

    Its risk has no closed form: it is learned by Monte Carlo, and its certificate pays for the draws.

    Parameters
    ----------
    location, scale : array-like of shape (n_voters,)
        Means and standard deviations of the normal variables.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv.posteriors import LogitNormal
    >>> posterior = LogitNormal([0.0, 1.0, 0.0], [0.5, 0.5, 0.5])
    >>> posterior.sample(2, np.random.default_rng(0)).sum(axis=1).round(6).tolist()
    [1.0, 1.0]
    >>> kl, gradient = posterior.kl(LogitNormal([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]))
    >>> round(kl, 4)
    1.4544
    """

    location: NDArray
    scale: NDArray
    name: ClassVar[str] = "logit_normal"
    proven: ClassVar[bool] = True
    deterministic_rule: ClassVar[str] = "the class that most of 2,000 votes answer, whose weights were drawn once"
    point_bounds: ClassVar[tuple[float, float]] = (-_REACH, _REACH)

    def __post_init__(self) -> None:
        location = np.atleast_1d(np.asarray(self.location, float))
        if not np.all(np.isfinite(location)):
            raise ValueError("location must be finite.")
        object.__setattr__(self, "location", location)
        object.__setattr__(self, "scale", positive_per_voter(self.scale, len(location), "scale"))

    @classmethod
    def prior(cls, value: ArrayLike, n_voters: int) -> "LogitNormal":
        """Centred, with ``value`` as the standard deviation."""
        prior = cls(np.zeros(n_voters), positive_per_voter(value, n_voters, "prior"))
        prior.check_prior()
        return prior

    def check_prior(self) -> None:
        check_range(self.scale, _SMALLEST, _LARGEST, "logit-normal standard deviations")
        check_range(self.location, -_REACH, _REACH, "logit-normal means")

    @classmethod
    def from_point(cls, point: NDArray) -> "LogitNormal":
        location, log_scale = np.split(point, 2)
        return cls(location, np.exp(log_scale))

    @property
    def point(self) -> NDArray:
        return np.concatenate([self.location, np.log(self.scale)])

    @property
    def n_voters(self) -> int:
        return len(self.location)

    @property
    def mean(self) -> NDArray:
        """Mean weights, from a fixed set of draws (they have no closed form)."""
        return self.sample(_MEAN_DRAWS, np.random.default_rng(0)).mean(0)

    def fixed_votes(self) -> NDArray:
        """A fixed set of draws: the mean weights have no closed form, and no bound of their own."""
        return self.sample(FIXED_VOTES, np.random.default_rng(self.seed("the fixed votes")))

    def seed(self, purpose: str) -> list[int]:
        """Seed for a purpose's draws: a hash of the parameters, so that no posterior can be fitted to the draws."""
        hashed = hashlib.sha256(f"stocmv draws for {purpose};".encode())
        for values in (self.location, self.scale):
            hashed.update(values.astype("<f8").tobytes())
        return np.frombuffer(hashed.digest(), "<u4").tolist()

    def kl(self, prior: Posterior) -> tuple[float, NDArray]:
        if not isinstance(prior, LogitNormal):
            raise TypeError(f"A logit-normal posterior needs a logit-normal prior, got {prior!r}.")
        ratio = self.scale / prior.scale
        shift = (self.location - prior.location) / prior.scale
        value = float(np.sum((ratio**2 - 1) / 2 - np.log(ratio) + shift**2 / 2))
        return max(value, 0.0), np.concatenate([shift / prior.scale, ratio**2 - 1])

    def certified_kl(self, prior: Posterior) -> float:
        value, _ = self.kl(prior)
        return value + 1e-14 * (value + self.n_voters)

    def draws(self, n_draws: int, rng: np.random.Generator) -> Draws:
        noise = rng.standard_normal((n_draws, self.n_voters))
        weights = softmax(self.location + self.scale * noise, axis=-1)

        def pull(gradient: NDArray) -> NDArray:
            d_logits = pull_softmax(weights, gradient)
            return np.concatenate([d_logits.sum(0), self.scale * (noise * d_logits).sum(0)])

        return Draws(weights, pull)

    def parameters(self) -> dict[str, NDArray]:
        return {"location": self.location, "scale": self.scale}
