"""The interface of posteriors."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._provable import Provable

_DEVIATION_DRAWS = 4096  # for the spread of a posterior without a closed form

Law = Literal["dirichlet", "voter", "drawn"]
"""How the weight of a class is distributed: as in a Dirichlet, all on one drawn voter, or known only through draws."""


class Draws(NamedTuple):
    """Drawn weights, and how to propagate a gradient back."""

    weights: NDArray  # (n_draws, n_voters)
    pull: Callable[[NDArray], NDArray]  # gradient by the weights -> gradient by the point


class Posterior(Provable, ABC):
    """A distribution over the weights of a vote.

    Solvers move its `point`, an unconstrained vector; all gradients that a posterior returns are by the point.

    Attributes
    ----------
    law : "dirichlet", "voter" or "drawn"
        How the weight of some voters is distributed. The first two are for a `WeightedPosterior`.
    deterministic_rule : str
        What the deterministic vote does, in words.
    proven : bool
        Whether certificates of this posterior are proven; False unless the class itself says ``proven = True``.

    Examples
    --------
    >>> from stocmv.posteriors import Dirichlet, Posterior
    >>> posterior = Dirichlet([1.0, 2.0, 1.0])
    >>> isinstance(posterior, Posterior), posterior.law
    (True, 'dirichlet')
    >>> Dirichlet.from_point(posterior.point).mean.round(6).tolist()  # to the solvers and back
    [0.25, 0.5, 0.25]
    """

    name: ClassVar[str]
    law: ClassVar[Law] = "drawn"
    deterministic_rule: ClassVar[str] = (
        "the voters vote with their mean weights, and of classes that tie the first wins"
    )
    point_bounds: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    @property
    def prior_name(self) -> str:
        """Name of the kind that its prior has."""
        return self.name

    @classmethod
    @abstractmethod
    def prior(cls, value: ArrayLike, n_voters: int) -> "Posterior":
        """The prior for a user's ``prior`` argument: one number for all voters, or one for each."""

    def check_prior(self) -> None:
        """Refuse a prior outside the solvers' box, `point_bounds`: they could only find something worse."""
        check_range(self.point, *self.point_bounds, "coordinates")

    @classmethod
    @abstractmethod
    def from_point(cls, point: NDArray) -> "Posterior":
        """The posterior at a point."""

    @property
    @abstractmethod
    def point(self) -> NDArray:
        """Unconstrained coordinates."""

    @property
    @abstractmethod
    def n_voters(self) -> int:
        """Number of voters."""

    @property
    @abstractmethod
    def mean(self) -> NDArray:
        """Mean weights, which sum to one."""

    @abstractmethod
    def kl(self, prior: "Posterior") -> tuple[float, NDArray]:
        """KL to the prior, with its gradient."""

    @abstractmethod
    def certified_kl(self, prior: "Posterior") -> float:
        """The KL, rounded up by more than the rounding errors of its evaluation."""

    @abstractmethod
    def draws(self, n_draws: int, rng: np.random.Generator) -> Draws:
        """Draw weights, smoothly in the point for a given state of the generator."""

    @abstractmethod
    def parameters(self) -> dict[str, NDArray]:
        """Named parameters, as a certificate records them; the class takes them as keyword arguments."""

    def merged(self, blocs: NDArray) -> "Posterior":
        """The law of the sums of the weights over blocs of voters; None if it is not of the same kind."""
        return None  # type: ignore[return-value]

    def spread(self, blocs: NDArray, prior: "Posterior", rng: np.random.Generator) -> "Posterior":
        """These weights of blocs as weights of their voters, which share them as the prior does."""
        raise NotImplementedError

    def splits(self, codes: NDArray) -> NDArray:
        """Rows of new votes on which a bloc of voters disagrees, so that the sums of the weights have another law."""
        return np.zeros(len(codes), bool)

    def fixed_votes(self) -> NDArray:
        """Weights of the votes whose majority is the deterministic vote, (n_votes, n_voters): by default the mean."""
        return self.mean[None]

    @property
    def deviation(self) -> NDArray:
        """Standard deviation of each voter's weight; by default estimated from draws."""
        return self.sample(_DEVIATION_DRAWS, np.random.default_rng(0)).std(0)

    def nudged(self, weights: NDArray) -> "Posterior | None":
        """The distribution moved towards some weights, as a start for a solver; None if that is not possible."""
        return None

    def denser(self) -> "Posterior | None":
        """A prior that spreads the weights more, near which a solver may start; None if this one is not sparse."""
        return None

    def seed(self, purpose: str) -> list[int]:
        """Seed for draws that a certificate pays for; only for posteriors whose risk is estimated."""
        raise TypeError(f"{type(self).__name__} has exact risks: nothing is drawn for {purpose}.")

    def sample(self, n_draws: int, rng: np.random.Generator) -> NDArray:
        """Draw weights: (n_draws, n_voters)."""
        return self.draws(n_draws, rng).weights

    def drawn_vote(self, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
        """Weights of one drawn vote, and the logarithms of what its density depends on; empty if that is not known.

        Of a Dirichlet over blocs, these are the sums of the weights over blocs. The weights themselves may underflow.
        """
        return self.sample(1, rng)[0], np.empty(0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_voters} voters)"


class WeightedPosterior(Posterior):
    """A posterior that matters only through the sums of its concentrations over voters that agree.

    Examples
    --------
    >>> from stocmv.posteriors import Dirichlet, WeightedPosterior
    >>> posterior = Dirichlet([1.0, 2.0, 1.0])
    >>> isinstance(posterior, WeightedPosterior)
    True
    >>> posterior.concentrations.tolist(), float(posterior.total)
    ([1.0, 2.0, 1.0], 4.0)
    """

    @property
    @abstractmethod
    def concentrations(self) -> NDArray:
        """Concentration of each voter; its probability, if a single voter is drawn."""

    @property
    @abstractmethod
    def total(self) -> float:
        """Their sum."""

    @abstractmethod
    def pull(self, d_weights: NDArray, d_total: float) -> NDArray:
        """Gradient by the point from the gradient by the concentrations at a fixed total, and by the total."""

    @abstractmethod
    def win_probabilities(self, concentrations: NDArray) -> NDArray:
        """Probability that the stochastic vote gives each class, from the concentrations of the classes, (n, K)."""

    @abstractmethod
    def drawn_answers(self, concentrations: NDArray, rng: np.random.Generator) -> NDArray:
        """Codes answered by drawn votes, one vote for each row of the concentrations of the classes, (n, K)."""


def positive_per_voter(value: ArrayLike, n_voters: int, name: str) -> NDArray:
    """One positive finite number per voter, from one number or a list."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be one number or one for each of the voters, got {value!r}.") from error
    if array.ndim > 1 or (array.ndim == 1 and array.shape != (n_voters,)):
        raise ValueError(
            f"{name} must be one number or one for each of the {n_voters} voters, got shape {array.shape}."
        )
    if not (np.all(np.isfinite(array)) and np.all(array > 0)):
        raise ValueError(f"{name} must be positive and finite, got {value!r}.")
    return np.broadcast_to(array, (n_voters,)).copy()


def check_range(values: NDArray, smallest: float, largest: float, what: str) -> None:
    """Refuse a prior's parameter outside a range."""
    outside = values[(values < smallest) | (values > largest)]
    if outside.size:
        raise ValueError(f"prior must have {what} between {smallest:g} and {largest:g}, got {outside[0]:g}.")


def pull_softmax(weights: NDArray, gradient: NDArray) -> NDArray:
    """Gradient by the logits from the gradient by the weights."""
    return weights * (gradient - (weights * gradient).sum(-1, keepdims=True))
