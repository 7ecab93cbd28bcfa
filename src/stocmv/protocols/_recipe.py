"""How to make a vote from examples: its voters, and the distribution of their weights."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..certificate import Guess
from ..learning import History, Minimum, minimise, named, posterior_kind
from ..posteriors import Posterior
from ..progress import logger
from ..risks import RISKS, Risk
from ..solvers import Solver
from ..voters import VoterSet, VoterSource, known_classes, out_of_bag_answers, recoded, train_voters
from ..votes import VoteMatrix
from ._choices import is_auto
from ._cut import random_parts

_EQUAL = 50.0  # concentration of each voter if all have the same weight
KL_WEIGHTS = (1.0, 0.1, 0.03)  # tried when the bound does not include the KL
_CHOOSING = 6_000  # examples that are enough to choose among them
_CHOOSING_FOLDS = 3
TRIED = 5000  # examples used to estimate the expected error if the voters have no out-of-bag estimate


class FoldVote(NamedTuple):
    """The vote that a part of the examples judges, made from the others."""

    voters: VoterSet
    posterior: Posterior | None  # None if the judging examples set the weights
    guess: Guess | None
    history: History
    n: int  # examples, or groups, that made it


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
    inner_folds : int
        Number of cross-validation folds for the weights of trained voters; 0 for equal weights.
    risk, posterior, prior, solver, delta, device
        As in `learn`.
    """

    source: VoterSource
    classes: NDArray
    weighs: bool
    estimates: bool
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
        return self.source.exchangeable or self.inner_folds == 0

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
    ) -> FoldVote:
        """Make voters and weights from examples, their class codes and their groups.

        A class that occurs only among the judging examples has no influence, not even on rounding.
        """
        known = known_classes(self.source, codes, self.classes)
        own = replace(self, classes=self.classes[known])
        vote = own._make(X, np.searchsorted(known, codes).astype(codes.dtype), groups, seed, n_jobs)
        guess = None if vote.guess is None else vote.guess.among(known, len(self.classes))
        return vote._replace(voters=recoded(vote.voters, known, len(self.classes)), guess=guess)

    def _make(
        self,
        X: Any,
        codes: NDArray,
        groups: NDArray | None,
        seed: int,
        n_jobs: int | None,
    ) -> FoldVote:
        voters = train_voters(self.source, X, codes, self.classes, seed, n_jobs)
        n = len(codes if groups is None else np.unique(groups))
        if not self.weighs:
            return FoldVote(voters, None, self._out_of_bag(voters, X, codes) if self.estimates else None, History(), n)
        votes = None if self.equal or voters.n_voters == 1 else self._votes(voters, X, codes, groups, seed, n_jobs)
        if votes is None or votes.n_voters != voters.n_voters:
            return FoldVote(
                voters, self.equal_weights(voters.n_voters), self._guess(voters, X, codes, seed), History(), n
            )
        found, guess = self._learn(votes, groups, seed)
        return FoldVote(voters, found.posteriors[0], guess, found.history, n)

    @property
    def kind(self) -> type[Posterior]:
        """The kind of distribution of the weights."""
        return posterior_kind(self.posterior, named(self.risk, RISKS, Risk, "risk"))

    def equal_weights(self, n_voters: int) -> Posterior:
        """The prior: equal weights, unless the user gave others."""
        kind = self.kind
        value = (_EQUAL if kind.law == "dirichlet" else 1.0) if is_auto(self.prior) else self.prior
        return kind.prior(value, n_voters)

    def _votes(
        self, voters: VoterSet, X: Any, codes: NDArray, groups: NDArray | None, seed: int, n_jobs: int | None
    ) -> VoteMatrix | None:
        """Votes on these examples; if voters learn from labels, cross-validated ones.

        None if the inner folds do not all have the same number of voters.
        """
        if not (self.source.learns and self.source.uses_labels):
            return VoteMatrix.from_codes(voters.codes(X), codes, self.classes)
        parts = []
        for rows, others in inner_cuts(len(codes), groups, self.inner_folds, seed):
            trained = train_voters(self.source, _safe_indexing(X, others), codes[others], self.classes, seed, n_jobs)
            parts.append(VoteMatrix.from_codes(trained.codes(_safe_indexing(X, rows)), codes[rows], self.classes))
        alike = parts and len({part.n_voters for part in parts}) == 1
        return VoteMatrix.joined(parts) if alike else None

    def _learn(self, votes: VoteMatrix, groups: NDArray | None, seed: int) -> tuple[Minimum, Guess]:
        """The weights that minimise the objective, and their expected error.

        The certificate does not include this KL. It only keeps the weights from overfitting, and its weight is the one
        that does best on a held-out part of the votes.
        """
        kl_weight, guess = self._kl_weight(votes, groups, seed)
        found = self._minimise(votes, kl_weight, seed)
        return found, _errors(votes, found.posteriors[0].mean) if guess is None else guess

    def _kl_weight(self, votes: VoteMatrix, groups: NDArray | None, seed: int) -> tuple[float, Guess | None]:
        """The weight of the KL, and its errors on a third of the votes with weights learned on the rest.

        This is the largest weight whose errors are within one standard error of the fewest.
        """
        rows = _some_rows(votes.n_examples, groups, seed)
        cuts = inner_cuts(len(rows), None if groups is None else groups[rows], _CHOOSING_FOLDS, seed)
        judged, others = next(cuts, (rows[:0], rows))
        if not len(judged):
            return KL_WEIGHTS[0], None
        judges, teachers = votes.take(rows[judged]), votes.take(rows[others])
        logger.debug("choosing among the weights %s of the KL", KL_WEIGHTS)
        means = [self._minimise(teachers, weight, seed).posteriors[0].mean for weight in KL_WEIGHTS]
        errors = np.array([judges.vote_errors(mean) for mean in means], float)
        excess = errors - errors[np.argmin(errors.mean(1))]
        chosen = int(np.argmax(excess.mean(1) <= excess.std(1) / np.sqrt(len(judged))))
        return KL_WEIGHTS[chosen], _errors(judges, means[chosen])

    def _minimise(self, votes: VoteMatrix, kl_weight: float, seed: int) -> Minimum:
        return minimise(
            [votes],
            risk=self.risk,
            posterior=self.posterior,
            prior=1.0 if is_auto(self.prior) else self.prior,
            bound="catoni",
            delta=self.delta,
            solver="quick" if is_auto(self.solver) else self.solver,
            random_state=seed,
            kl_weight=kl_weight,
            device=self.device,
        )

    def _guess(self, voters: VoterSet, X: Any, codes: NDArray, seed: int) -> Guess | None:
        """Expected error of the voters with equal weights."""
        if not self.estimates:
            return None
        out_of_bag = self._out_of_bag(voters, X, codes) if self.source.learns else None
        return self.tried(X, codes, seed) if out_of_bag is None else out_of_bag

    def _out_of_bag(self, voters: VoterSet, X: Any, codes: NDArray) -> Guess | None:
        answers = out_of_bag_answers(self.source, voters, X)
        if answers is None or not (answers >= 0).any():
            return None
        known = answers >= 0
        return Guess.of(answers[known] != codes[known], codes[known], len(self.classes))

    def tried(self, X: Any, codes: NDArray, seed: int) -> Guess:
        """Errors on a third of the examples, of voters trained on the other two thirds."""
        rows = np.random.default_rng(seed).permutation(len(codes))[:TRIED]
        trained, judged = np.sort(rows[len(rows) // 3 :]), np.sort(rows[: len(rows) // 3])
        if not len(judged):
            return Guess.of(np.zeros(0, bool), codes[:0], len(self.classes))
        voters = train_voters(self.source, _safe_indexing(X, trained), codes[trained], self.classes, seed)
        votes = VoteMatrix.from_codes(voters.codes(_safe_indexing(X, judged)), codes[judged], self.classes)
        return _errors(votes, self.equal_weights(voters.n_voters).mean)


def _errors(votes: VoteMatrix, weights: NDArray) -> Guess:
    targets = np.asarray(votes.targets)
    return Guess.of(votes.vote_errors(weights), targets, len(np.asarray(votes.classes)))


def _some_rows(n: int, groups: NDArray | None, seed: int) -> NDArray:
    """About `_CHOOSING` random rows, in whole groups if there are any; all rows if there are fewer."""
    if n <= _CHOOSING:
        return np.arange(n)
    rng = np.random.default_rng(seed)
    if groups is None:
        return np.sort(rng.permutation(n)[:_CHOOSING])
    members, row_group = np.unique(groups, return_inverse=True)
    return np.flatnonzero(rng.random(len(members))[row_group] < _CHOOSING / n)


def inner_cuts(n: int, groups: NDArray | None, n_folds: int, seed: int) -> Iterator[tuple[NDArray, NDArray]]:
    """The rows of each inner fold, and the other rows; fewer folds if there are few examples or groups."""
    count = min(n_folds, n if groups is None else len(np.unique(groups)))
    if count < 2:
        return
    part = random_parts(n, groups, np.full(count, 1 / count), np.random.default_rng(seed))
    for k in range(count):
        yield np.flatnonzero(part == k), np.flatnonzero(part != k)
