"""How the deterministic vote of a fold answers: by counting answers, or by adding up probabilities."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils import _safe_indexing

from ..certificate import Guess
from ..learning import History, drawn_answers, mean_weights, sharpened, win_probabilities
from ..posteriors import Posterior, WeightedPosterior
from ..risks import Risk, error_rows, margin_rows
from ..voters import VoterSet, checked_codes
from ..votes import ScoreMatrix, VoteMatrix, class_weights, heaviest
from ._weights import learn_hard, learn_soft, packed_votes

if TYPE_CHECKING:
    from ._recipe import Recipe

_BLOCK = 1 << 16  # rows
_DRAWS = 1000  # votes by which a probability without a closed form is estimated


class Reply(NamedTuple):
    """What a vote says about examples."""

    answers: NDArray  # class codes
    scores: NDArray  # (n, n_classes)
    votes: NDArray  # what each voter says: class codes, (n, n_voters), or probabilities, (n, n_voters, n_classes)
    silent: NDArray | None = None  # where no voter answers; None if all voters answer everything


class LearnedWeights(NamedTuple):
    """A distribution of the weights and the rule that uses them, what to expect of the vote, how it was found."""

    rule: "VotingRule"
    posterior: Posterior
    guess: Guess
    history: History
    stack: LogisticRegression | None = None  # one more voter, on the probabilities of the others


class VotingRule(ABC):
    """How voters and weights become an answer."""

    name: ClassVar[str]
    keeps_scores: ClassVar[bool] = False  # whether `predict_proba` is the scores as they are

    @abstractmethod
    def ask(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> Reply:
        """Answers and scores, each computed row by row: they do not depend on the rows around."""

    @abstractmethod
    def losses(self, reply: Reply, posterior: Posterior, truth: NDArray, classes: NDArray) -> NDArray:
        """For each example, the probability that the stochastic vote errs, rounded up."""

    @abstractmethod
    def votes(self, voters: VoterSet, X: Any, n_classes: int) -> NDArray:
        """What each voter says about each example."""

    def answers_itself(self, voters: VoterSet) -> bool:
        """Whether `predict` is that of a model, which need not follow from its probabilities."""
        return False

    def paid_risk(self, risk: str | Risk) -> str | Risk:
        """The risk whose bound pays for learning on the judging examples."""
        return risk

    @abstractmethod
    def packed(self, votes: NDArray, truth: NDArray, classes: NDArray) -> VoteMatrix | ScoreMatrix:
        """What the voters said, in the form that a PAC-Bayes bound and the loss of the stochastic vote need."""

    @abstractmethod
    def learn(
        self, recipe: "Recipe", votes: NDArray, truth: NDArray, groups: NDArray | None, seed: int
    ) -> "LearnedWeights":
        """Weights for voters that said this about examples which did not train them."""

    @abstractmethod
    def stochastic_answers(
        self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int, rng: np.random.Generator
    ) -> NDArray:
        """Answers of the stochastic vote, with new weights drawn for every example."""

    @abstractmethod
    def win_probabilities(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> NDArray:
        """Probability that the stochastic vote gives each class, (n, n_classes)."""

    @abstractmethod
    def class_scores(self, voters: VoterSet, weights: NDArray, X: Any, n_classes: int) -> NDArray:
        """The score of each class if the voters have these weights, (n, n_classes)."""

    def blocks(self, X: Any) -> Iterable[Any]:
        """The examples in parts that are asked one after the other, for less memory."""
        return (X,)

    def answers(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> NDArray:
        """The answers alone, where they are cheaper."""
        return self.ask(voters, posterior, X, n_classes).answers

    def labels(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int, classes: NDArray) -> NDArray:
        """The answers as class labels."""
        return classes[self.answers(voters, posterior, X, n_classes)]

    def scores(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> NDArray:
        """The scores alone, where they are cheaper."""
        return self.ask(voters, posterior, X, n_classes).scores


@dataclass(frozen=True)
class HardVoting(VotingRule):
    """The class with the largest mean weight of the voters that answer it; of tied classes, the first."""

    name: ClassVar[str] = "hard"

    def ask(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> Reply:
        codes = self.votes(voters, X, n_classes)
        scores = mean_weights(posterior, codes, n_classes)
        silent = (codes == n_classes).all(1) if codes.max(initial=0) == n_classes else None
        return Reply(heaviest(scores), scores, codes, silent)

    def blocks(self, X: Any) -> Iterable[Any]:
        """Blocks of rows, because the votes of many voters take more memory than the examples."""
        starts = range(0, max(np.shape(X)[0], 1), _BLOCK)
        return (X,) if len(starts) == 1 else (_safe_indexing(X, slice(at, at + _BLOCK)) for at in starts)

    def answers(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> NDArray:
        return np.concatenate([self.ask(voters, posterior, block, n_classes).answers for block in self.blocks(X)])

    def votes(self, voters: VoterSet, X: Any, n_classes: int) -> NDArray:
        return checked_codes(np.asarray(voters.codes(X)), voters.n_voters, n_classes, np.shape(X)[0])

    def packed(self, votes: NDArray, truth: NDArray, classes: NDArray) -> VoteMatrix:
        return packed_votes(votes, truth, classes)

    def learn(
        self, recipe: "Recipe", votes: NDArray, truth: NDArray, groups: NDArray | None, seed: int
    ) -> "LearnedWeights":
        return LearnedWeights(self, *learn_hard(recipe, votes, truth, groups, seed))

    def stochastic_answers(
        self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int, rng: np.random.Generator
    ) -> NDArray:
        return drawn_answers(posterior, self.votes(voters, X, n_classes), n_classes, rng)

    def win_probabilities(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> NDArray:
        return win_probabilities(posterior, self.votes(voters, X, n_classes), n_classes)

    def class_scores(self, voters: VoterSet, weights: NDArray, X: Any, n_classes: int) -> NDArray:
        return class_weights(self.votes(voters, X, n_classes), n_classes, weights)

    def losses(self, reply: Reply, posterior: Posterior, truth: NDArray, classes: NDArray) -> NDArray:
        if reply.silent is not None and posterior.law != "dirichlet":
            raise ValueError(
                f"stochastic=True and posterior {posterior.name!r}, which draws a single voter, that may not answer: "
                "with voters that abstain use risk='exact' and a Dirichlet posterior."
            )
        return error_rows(cast(WeightedPosterior, posterior), self.packed(reply.votes, truth, classes))


@dataclass(frozen=True)
class SoftVoting(VotingRule):
    """The class with the largest weighted sum of the voters' probabilities; a single voter answers itself.

    A mean of good probabilities is too cautious. So the score of class k, with the sum s_k, is made sharper: it is
    proportional to ``exp(linear * s_k + logarithmic * log(s_k))``, which keeps the order of the classes.
    """

    linear: float = 0.0
    logarithmic: float = 1.0
    name: ClassVar[str] = "soft"
    keeps_scores: ClassVar[bool] = True

    def ask(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> Reply:
        if not self.answers_itself(voters):
            probabilities = self.votes(voters, X, n_classes)
            sums = weighted_scores(probabilities, posterior.mean)
            return Reply(sums.argmax(1), self._sharpened(sums), probabilities)
        codes, given = voters.codes_and_probabilities(X)
        probabilities = _checked(given, voters, X, n_classes)
        scores = self._sharpened(weighted_scores(probabilities, posterior.mean))
        return Reply(codes[:, 0].astype(np.int64), scores, probabilities)

    def votes(self, voters: VoterSet, X: Any, n_classes: int) -> NDArray:
        return _checked(voters.probabilities(X), voters, X, n_classes)

    def answers_itself(self, voters: VoterSet) -> bool:
        return voters.n_voters == 1

    def paid_risk(self, risk: str | Risk) -> str | Risk:
        return "soft" if risk == "exact" else risk

    def packed(self, votes: NDArray, truth: NDArray, classes: NDArray) -> ScoreMatrix:
        return ScoreMatrix.from_probabilities(votes, classes[truth], classes)

    def learn(
        self, recipe: "Recipe", votes: NDArray, truth: NDArray, groups: NDArray | None, seed: int
    ) -> "LearnedWeights":
        found = learn_soft(recipe, votes, truth, groups, seed)
        rule = SoftVoting(found.linear, found.logarithmic)
        return LearnedWeights(rule, found.posterior, found.guess, History(), found.stack)

    def stochastic_answers(
        self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int, rng: np.random.Generator
    ) -> NDArray:
        if self.answers_itself(voters):
            return self.answers(voters, posterior, X, n_classes)
        probabilities = self.votes(voters, X, n_classes)
        theta = posterior.sample(len(probabilities), rng)
        return np.einsum("ij,ijk->ik", theta, probabilities).argmax(1)

    def win_probabilities(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> NDArray:
        if self.answers_itself(voters):
            return np.eye(n_classes)[self.answers(voters, posterior, X, n_classes)]
        probabilities, won = self.votes(voters, X, n_classes), 0.0
        for theta in posterior.sample(_DRAWS, np.random.default_rng(0)):
            won = won + np.eye(n_classes)[weighted_scores(probabilities, theta).argmax(1)]
        return np.asarray(won) / _DRAWS

    def class_scores(self, voters: VoterSet, weights: NDArray, X: Any, n_classes: int) -> NDArray:
        return weighted_scores(self.votes(voters, X, n_classes), weights)

    def losses(self, reply: Reply, posterior: Posterior, truth: NDArray, classes: NDArray) -> NDArray:
        if posterior.law != "dirichlet":
            raise ValueError(
                f"stochastic=True and posterior {posterior.name!r}, which draws a single voter: with voting='soft' use "
                "a Dirichlet posterior."
            )
        if reply.votes.shape[1] == 1:  # it answers itself, in a fold whose ensemble stopped early, say
            return (reply.answers != truth).astype(float)
        return margin_rows(cast(WeightedPosterior, posterior), self.packed(reply.votes, truth, classes))

    def answers(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> NDArray:
        if self.answers_itself(voters):
            return voters.codes(X)[:, 0].astype(np.int64)
        return weighted_scores(self.votes(voters, X, n_classes), posterior.mean).argmax(1)

    def labels(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int, classes: NDArray) -> NDArray:
        if self.answers_itself(voters):
            return voters.labels(X, classes)
        return super().labels(voters, posterior, X, n_classes, classes)

    def scores(self, voters: VoterSet, posterior: Posterior, X: Any, n_classes: int) -> NDArray:
        return self._sharpened(weighted_scores(self.votes(voters, X, n_classes), posterior.mean))

    def _sharpened(self, sums: NDArray) -> NDArray:
        if (self.linear, self.logarithmic) == (0.0, 1.0):
            return sums
        return sharpened(sums, self.linear, self.logarithmic)


def _checked(probabilities: NDArray, voters: VoterSet, X: Any, n_classes: int) -> NDArray:
    """Probabilities, after checking that there is one for each example, voter and class."""
    probabilities, expected = np.asarray(probabilities), (np.shape(X)[0], voters.n_voters, n_classes)
    if probabilities.shape != expected:
        raise ValueError(f"Voters gave probabilities of shape {probabilities.shape}, not {expected}.")
    return probabilities


def weighted_scores(probabilities: NDArray, weights: NDArray) -> NDArray:
    """Sum of the voters' probabilities, (n, n_voters, n_classes), times their weights: the same for any batch."""
    if len(weights) == 1:
        return probabilities[:, 0]
    scores = np.zeros((len(probabilities), probabilities.shape[2]))
    for j, weight in enumerate(weights):
        scores += weight * probabilities[:, j]
    return scores


HARD, SOFT = HardVoting(), SoftVoting()
