"""How to make a vote from examples: its voters, and the distribution of their weights."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..certificate import Guess
from ..learning import History, named, posterior_kind
from ..posteriors import Posterior
from ..risks import RISKS, Risk
from ..solvers import Solver
from ..voters import StackedVoters, VoterSet, VoterSource, known_classes, out_of_bag_answers, recoded, train_voters
from ._choices import is_auto
from ._cut import inner_cuts
from ._rule import HARD, VotingRule
from ._weights import EQUAL

TRIED = 5000  # examples used to estimate the expected error if the voters have no out-of-bag estimate


class FoldVote(NamedTuple):
    """The vote that a part of the examples judges, made from the others."""

    voters: VoterSet
    rule: VotingRule
    posterior: Posterior | None  # None if the judging examples set the weights
    guess: Guess | None
    history: History
    n: int  # examples, or groups, that made it
    learned: bool = False  # whether they set the weights
    stacked: bool = False  # whether the last voter is a stack of the others, which they trained


@dataclass(frozen=True)
class Recipe:
    """Everything needed to make a vote from examples; it can be sent to where the examples are.

    Attributes
    ----------
    source : VoterSource
        Makes the voters.
    classes : ndarray
        Sorted class labels of all examples.
    weighs : bool
        Whether these examples also set the weights. If not, the judging examples set them later.
    estimates : bool
        Whether to estimate the expected error.
    rule : VotingRule
        How voters and weights become an answer.
    inner_folds : int
        Number of cross-validation folds for the weights of trained voters; 0 for equal weights.
    risk, posterior, prior, solver, delta, device
        As in `learn`.
    """

    source: VoterSource
    classes: NDArray
    weighs: bool
    estimates: bool
    rule: VotingRule = HARD
    inner_folds: int = 0
    risk: str | Risk = "exact"
    posterior: str = "auto"
    prior: Any = "auto"
    solver: str | Solver = "auto"
    delta: float = 0.05
    device: str | None = None

    @property
    def equal(self) -> bool:
        """Whether the weights do not depend on the examples."""
        given = self.source.exchangeable or self.source.given_weights() is not None
        return given or self.inner_folds == 0

    @property
    def learns(self) -> bool:
        """Whether the examples have any influence."""
        return self.source.learns or (self.weighs and not self.equal)

    def make(
        self,
        X: Any,
        codes: NDArray,
        groups: NDArray | None,
        seed: int,
        n_jobs: int | None = None,
        weights: NDArray | None = None,
    ) -> FoldVote:
        """Make voters and weights from examples, their class codes, their groups and their weights in training.

        A class that occurs only among the judging examples has no influence, not even on rounding.
        """
        known = known_classes(self.source, codes, self.classes)
        own = replace(self, classes=self.classes[known])
        vote = own._make(X, np.searchsorted(known, codes).astype(codes.dtype), groups, seed, n_jobs, weights)
        guess = None if vote.guess is None else vote.guess.among(known, len(self.classes))
        return vote._replace(voters=recoded(vote.voters, known, len(self.classes)), guess=guess)

    def _make(
        self,
        X: Any,
        codes: NDArray,
        groups: NDArray | None,
        seed: int,
        n_jobs: int | None,
        weights: NDArray | None,
    ) -> FoldVote:
        voters = train_voters(self.source, X, codes, self.classes, seed, n_jobs, weights)
        n = len(codes if groups is None else np.unique(groups))
        if not self.weighs:
            guess = self._out_of_bag(voters, X, codes) if self.estimates else None
            return FoldVote(voters, self.rule, None, guess, History(), n)
        learns = not self.equal and voters.n_voters > 1
        votes = self._votes(voters, X, codes, groups, seed, n_jobs, weights) if learns else None
        if votes is None or votes.shape[1] != voters.n_voters:
            guess = self._guess(voters, X, codes, seed, weights)
            return FoldVote(voters, self.rule, self.equal_weights(voters.n_voters), guess, History(), n)
        learned = self.rule.learn(self, votes, codes, groups, seed)
        stacked = learned.stack is not None
        if learned.stack is not None:
            voters = StackedVoters(voters, learned.stack)
        return FoldVote(voters, learned.rule, learned.posterior, learned.guess, learned.history, n, True, stacked)

    @property
    def kind(self) -> type[Posterior]:
        """The kind of distribution of the weights."""
        return posterior_kind(self.posterior, named(self.risk, RISKS, Risk, "risk"))

    def equal_weights(self, n_voters: int) -> Posterior:
        """The prior: equal weights, unless the user or the source gave others."""
        given, equal = self.source.given_weights(), EQUAL if self.kind.law == "dirichlet" else 1.0
        if is_auto(self.prior) and given is not None:
            return self.kind.prior(np.maximum(equal * n_voters * given, 1e-6), n_voters)
        return self.kind.prior(equal if is_auto(self.prior) else self.prior, n_voters)

    def _votes(
        self,
        voters: VoterSet,
        X: Any,
        codes: NDArray,
        groups: NDArray | None,
        seed: int,
        n_jobs: int | None,
        weights: NDArray | None,
    ) -> NDArray | None:
        """What voters say about these examples, in their order; if they learn from labels, cross-validated.

        None if the inner folds do not all have the same number of voters.
        """
        n_classes = len(self.classes)
        if not (self.source.learns and self.source.uses_labels):
            return self.rule.votes(voters, X, n_classes)
        parts, places = [], []
        for rows, others in inner_cuts(len(codes), groups, self.inner_folds, seed):
            own, known = _safe_indexing(X, others), codes[others]
            heavy = None if weights is None else weights[others]
            trained = train_voters(self.source, own, known, self.classes, seed, n_jobs, heavy)
            parts.append(self.rule.votes(trained, _safe_indexing(X, rows), n_classes))
            places.append(rows)
        if not parts or len({part.shape[1] for part in parts}) > 1:
            return None
        return np.concatenate(parts)[np.argsort(np.concatenate(places))]

    def _guess(self, voters: VoterSet, X: Any, codes: NDArray, seed: int, weights: NDArray | None) -> Guess | None:
        """Expected error of the voters with equal weights."""
        if not self.estimates:
            return None
        out_of_bag = self._out_of_bag(voters, X, codes) if self.source.learns else None
        return self.tried(X, codes, seed, weights) if out_of_bag is None else out_of_bag

    def _out_of_bag(self, voters: VoterSet, X: Any, codes: NDArray) -> Guess | None:
        answers = out_of_bag_answers(self.source, voters, X)
        if answers is None or not (answers >= 0).any():
            return None
        known = answers >= 0
        return Guess.of(answers[known] != codes[known], codes[known], len(self.classes))

    def tried(self, X: Any, codes: NDArray, seed: int, weights: NDArray | None = None) -> Guess:
        """Errors on a third of the examples, of voters trained on the other two thirds."""
        rows, n_classes = np.random.default_rng(seed).permutation(len(codes))[:TRIED], len(self.classes)
        trained, judged = np.sort(rows[len(rows) // 3 :]), np.sort(rows[: len(rows) // 3])
        if not len(judged):
            return Guess.of(np.zeros(0, bool), codes[:0], n_classes)
        heavy = None if weights is None else weights[trained]
        voters = train_voters(self.source, _safe_indexing(X, trained), codes[trained], self.classes, seed, None, heavy)
        posterior = self.equal_weights(voters.n_voters)
        answers = self.rule.answers(voters, posterior, _safe_indexing(X, judged), n_classes)
        return Guess.of(answers != codes[judged], codes[judged], n_classes)
