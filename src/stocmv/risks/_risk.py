"""The interface of risks."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._provable import Provable
from ..bounds import Bound, Upper
from ..posteriors import POSTERIORS, Law, Posterior
from ..votes import PairCounts, VoteMatrix, Votes
from ._pair_losses import drawn_moments, outward_moments

MOST_DRAWS = 10**6
Moments = tuple[NDArray, NDArray]


class VoteBound(NamedTuple):
    """The bound that a risk yields, with its derivatives.

    Examples
    --------
    >>> from stocmv.risks import RISKS, VoteBound
    >>> from stocmv.bounds import Seeger, UpperBound
    >>> from stocmv.posteriors import Categorical
    >>> def upper(risk, kl):
    ...     return Seeger().upper(risk, kl, [1000], 0.05)
    >>> bounded = RISKS["first_order"].compose([0.1], 5.0, upper, Categorical([0.5, 0.5]))
    >>> isinstance(bounded, VoteBound), round(bounded.value, 4)  # twice the bound on a drawn voter
    (True, 0.304)
    """

    value: float
    d_moments: NDArray
    d_kl: float


class Risk(Provable, ABC):
    """One or two empirical means (its moments), and how they become a bound on the error of the vote.

    Most risks have one moment, and the bound is ``factor`` times an upper bound on it at ``kl_count`` times the KL.

    A class of your own is not proven unless it says ``proven = True``.

    Examples
    --------
    >>> from stocmv import VoteMatrix
    >>> from stocmv.posteriors import Dirichlet
    >>> from stocmv.risks import RISKS, Risk
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> isinstance(RISKS["exact"], Risk)
    True
    >>> RISKS["exact"].certified_moments(Dirichlet([2.0, 1.0, 1.0]), votes).round(3).tolist()
    [0.125]
    """

    name: ClassVar[str]
    laws: ClassVar[tuple[Law, ...]]  # kinds of posteriors that it is defined for
    default_posterior: ClassVar[str] = "dirichlet"
    factor: ClassVar[float] = 1.0
    draws_again: ClassVar[bool] = False  # whether an evaluation in training draws random numbers
    draw_share: float = 0.0  # share of delta that pays for drawn votes in a certificate
    certified: ClassVar[str]  # what is bounded, in words
    outward: ClassVar[tuple[int, ...]] = (1,)  # whether each moment is rounded up (1) or down (-1)
    allows_abstention: ClassVar[bool] = False  # whether it is defined if voters abstain
    soft: ClassVar[bool] = False  # whether it is for voters that answer with probabilities

    @abstractmethod
    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        """Empirical means, (m,), and their gradients by the posterior's point, (m, n_point). For training."""

    @abstractmethod
    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        """Empirical means, evaluated row by row without interpolation and rounded outward."""

    def losses(self, pairs: PairCounts) -> Sequence[NDArray]:
        """Mean loss of each voter, (M,), or of each two, (M, M), for each moment: what out-of-bag votes need."""
        raise NotImplementedError

    def means(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        """The moments, also where each voter has examples of its own that judge it."""
        if votes.out_of_bag:
            return drawn_moments(self.losses(votes.pairs), posterior)
        return self.moments(posterior, votes, rng)

    def certified_means(self, posterior: Posterior, votes: Votes) -> NDArray:
        """The certified moments, over all matrices that hold the votes, and where voters have their own examples."""
        if votes.out_of_bag:
            return outward_moments(self.losses(votes.pairs), posterior, self.outward)
        return votes.mean(partial(self.certified_moments, posterior))

    def settings(self) -> dict:
        """What a certificate records to evaluate the risk again."""
        return {f.name: getattr(self, f.name) for f in fields(self)} if is_dataclass(self) else {}  # type: ignore[redundant-expr]

    def check_posterior(self, posterior: Posterior | type[Posterior]) -> None:
        """Refuse a posterior that the risk is not defined for."""
        if posterior.law not in self.laws:
            fitting = " or ".join(repr(name) for name, kind in POSTERIORS.items() if kind.law in self.laws)
            raise ValueError(f"risk {self.name!r} is not defined for the posterior {posterior.name!r}: use {fitting}.")

    def check_votes(self, votes: Votes) -> None:
        """Refuse votes that the risk is not defined for."""
        if votes.soft and not self.soft:
            raise ValueError(f"risk {self.name!r} is for voters that answer with a class: use risk='soft'.")
        if self.soft and not votes.soft:
            raise ValueError(f"risk {self.name!r} needs votes made with ScoreMatrix.from_probabilities.")
        if votes.out_of_bag and type(self).losses is Risk.losses:
            raise ValueError(
                f"risk {self.name!r} is not defined for out-of-bag votes: use 'first_order', 'second_order', "
                "'c_bound', 'cctnd', 'ccpbb', 'ccpbskl' or 'disagreement'."
            )
        if votes.abstains and not self.allows_abstention:
            raise ValueError(
                f"risk {self.name!r} depends on the weight of the voters that err, which is not enough if voters "
                "abstain: use risk='exact'."
            )

    @property
    def n_bounds(self) -> int:
        """Number of bounds that share delta equally."""
        return len(self.outward)

    def bound_for(self, asked: Bound) -> Bound:
        """The bound that is used: the one that is asked for, unless the risk has one of its own."""
        return asked

    def covers_drawn(self, law: Law) -> bool:
        """Whether the bound also holds for the stochastic vote, with weights drawn from a posterior with this law.

        A draw from a categorical posterior is a single voter. The classical bounds are about the deterministic vote of
        all voters, with the probabilities as weights, which may be far better than its voters.
        """
        return law != "voter"

    def paid_draws(self, posterior: Posterior) -> int:
        """Number of drawn votes that the certified moments average; 0 if they are exact."""
        return 0

    def kl_count(self, posterior: Posterior) -> float:
        """Number of independent draws from the posterior that the loss depends on."""
        return 1.0

    def compose(self, moments: NDArray, kl: float, upper: Upper, posterior: Posterior) -> VoteBound:
        """The bound on the vote's error; ``upper`` has an equal share of delta for each moment."""
        count = self.kl_count(posterior)
        bounded = (upper.of_pairs if count == 2 else upper)(float(moments[0]), count * kl)
        return VoteBound(
            self.factor * bounded.value, np.array([self.factor * bounded.d_risk]), self.factor * count * bounded.d_kl
        )
