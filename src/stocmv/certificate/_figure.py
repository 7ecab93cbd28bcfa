"""A figure of a tested certificate: a function of the judgments, its table and its words."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bounds import FoldTest, one_sample
from ._claims import Claim, share_of
from ._costs import Costs
from ._guess import Guess
from ._judgments import Judgments, Losses
from ._tables import Table

if TYPE_CHECKING:
    from ._tested import TestedCertificate


class Scope(NamedTuple):
    """What decides how a figure splits delta."""

    delta: float
    folds: int
    classes: int
    stochastic: bool  # whether the stochastic vote is certified too
    priced: int  # number of answers that have costs
    subgroups: int = 0
    grouped: bool = False
    voters: int = 0  # of a panel


@dataclass(frozen=True)
class Trial:
    """Judgments, and what was fixed before looking at them.

    Attributes
    ----------
    judgments : Judgments
        The table.
    delta : float
        Probability that a figure fails, at most.
    guesses : sequence of Guess
        With folds: what to expect of each fold's vote, according to the other folds.
    costs : Costs or None
        The cost of each answer.
    prevalence : dict or None
        Other shares of the classes, by label.
    baseline : object
        The class to compare with, if it is always answered; None for the most frequent one here.
    """

    judgments: Judgments
    delta: float
    guesses: Sequence[Guess] = field(default=())
    costs: Costs | None = None
    prevalence: dict[Any, float] | None = None
    baseline: Any = None

    @property
    def scope(self) -> Scope:
        j = self.judgments
        priced = 0 if self.costs is None else len(self.costs.classes)
        subgroups = 0 if j.subgroups is None else len(j.subgroups)
        voters = 0 if j.voters is None else len(j.voters)
        return Scope(self.delta, j.n_folds, len(j.classes), j.loss is not None, priced, subgroups, j.grouped, voters)

    @cached_property
    def folds(self) -> list[Judgments]:
        return self.judgments.folds()

    @property
    def sizes(self) -> list[int]:
        """Number of examples, or of groups, in each fold."""
        return [fold.errors.n for fold in self.folds]

    @cached_property
    def test(self) -> FoldTest | None:
        """The fold test of the error, whose shares of the folds all figures use; None without folds."""
        if len(self.folds) == 1:
            return None
        return FoldTest.choose([guess.overall for guess in self.guesses], self.sizes, self.delta)

    @property
    def shares(self) -> NDArray:
        """How often each fold answers."""
        return np.ones(1) if self.test is None else self.test.shares

    def mean(self, losses: Sequence[Losses]) -> float:
        """The mean over the folds, at most 1: their shares sum to one but for rounding."""
        return min(float(self.shares @ [own.mean for own in losses]), 1.0)

    def upper(self, losses: Sequence[Losses], delta: float, *, counted: bool, test: FoldTest | None = None) -> float:
        """The bound for the losses of all folds; ``counted`` if each loss is 0 or 1."""
        if test is not None:
            return test.upper([own.mean for own in losses])
        counted = counted and not self.judgments.grouped
        return one_sample(losses[0].total, losses[0].n, delta, counted=counted)


class Figure(ABC):
    """A figure, or a list of them, that a tested certificate states.

    To add one: a subclass, an entry in `FIGURES`, and its check in `stocmv.verify` under the same name.
    """

    name: ClassVar[str]

    @abstractmethod
    def claims(self, scope: Scope) -> list[Claim]:
        """How it splits delta; empty if it is only measured."""

    @abstractmethod
    def compute(self, trial: Trial) -> Any:
        """The figure, as certificate.json has it."""

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        """Its tables."""
        return []

    def remarks(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        """What the statement must say about it."""
        return []

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        """What it means, below the tables."""
        return []

    def share(self, trial: Trial, name: str = "", pays_for: str = "bound") -> float:
        """The share of delta of one of its claims, by default the one of its own name."""
        return share_of(self.claims(trial.scope), name or self.name, pays_for)
