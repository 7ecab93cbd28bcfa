"""The interface of bounds."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._provable import Provable

ROUND_UP = (
    1 + 1e-14
)  # 90 units of rounding; no bound loses 30 of them in sums, products and quotients of positive terms


class UpperBound(NamedTuple):
    """An upper bound with its derivatives.

    Examples
    --------
    >>> from stocmv.bounds import Seeger
    >>> bounded = Seeger().upper(0.1, 5.0, [1000], 0.05)
    >>> round(bounded.value, 4), round(bounded.d_risk, 3), round(bounded.d_kl, 6)
    (0.152, 1.185, 0.002479)
    """

    value: float
    d_risk: float
    d_kl: float


class Bound(Provable, ABC):
    """An upper bound on the risk of a posterior, valid for all posteriors at once.

    ``sizes`` holds the number of examples of each fold. With one fold this is the classical bound; with several, the
    voters and the prior of a fold come from the other folds, ``risk`` is the mean of the folds' empirical risks with
    weights `risk_weights`, ``kl`` is the sum of their KLs, and the bound is on the risk of drawing a fold (with
    probability proportional to its size) and then a vote from its posterior. The proofs are on the theory page.

    A class of your own is not proven unless it says ``proven = True``; name the theorem and its reference beside it.

    Examples
    --------
    Seeger's bound with an empirical risk of 10 % and a KL of 5 nats, on one fold of 1,000 examples:

    >>> from stocmv.bounds import Bound, Seeger
    >>> isinstance(Seeger(), Bound), Seeger.proven
    (True, True)
    >>> round(Seeger().upper(0.1, 5.0, [1000], 0.05).value, 4)
    0.152
    >>> round(Seeger().price([1000], 0.05), 2)
    6.69
    """

    name: ClassVar[str]
    theorem: ClassVar[str]
    two_sided: ClassVar[bool] = False  # whether one share of delta pays for bounds on both sides of a mean

    def assumption(self, n_folds: int) -> str:
        """A sentence on what else was fixed without looking at the judging examples; usually empty."""
        return ""

    @abstractmethod
    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> UpperBound:
        """The bound, which may exceed 1, and its derivatives by the empirical risk and by the KL."""

    @abstractmethod
    def price(self, sizes: Sequence[int], delta: float) -> float:
        """The cost of confidence, in nats, which is added to the KL."""

    def risk_weights(self, sizes: Sequence[int]) -> NDArray:
        """Weights of the folds in the empirical risk passed to `upper`: their shares of the examples."""
        return np.asarray(sizes) / sum(sizes)

    @abstractmethod
    def settings(self) -> dict:
        """What a certificate records to evaluate the bound again."""


@dataclass(frozen=True)
class Upper:
    """A bound for folds of given sizes, with a given share of delta for each mean: what risks compose.

    ``pair_sizes`` are the sizes for means over pairs of voters, and ``compared_sizes`` for how often two disagree, if
    these are others.
    """

    bound: Bound
    sizes: Sequence[int]
    delta: float
    pair_sizes: Sequence[int] = ()
    compared_sizes: Sequence[int] = ()

    def __call__(self, risk: float, kl: float) -> UpperBound:
        return self.bound.upper(risk, kl, self.sizes, self.delta)

    @property
    def of_pairs(self) -> "Upper":
        """The same for means over pairs of voters."""
        return replace(self, sizes=self.pair_sizes or self.sizes)

    @property
    def of_disagreements(self) -> "Upper":
        """The same for how often exactly one of two voters errs."""
        return replace(self, sizes=self.compared_sizes or self.sizes)

    @property
    def two_sided(self) -> bool:
        return self.bound.two_sided
