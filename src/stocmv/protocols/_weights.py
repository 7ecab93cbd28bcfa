"""Learn the weights of voters from examples that do not judge them."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from ..certificate import Guess
from ..learning import History, Minimum, learn_pool, minimise
from ..posteriors import Posterior
from ..progress import logger
from ..voters import learn_stack
from ..votes import VoteMatrix
from ._choices import is_auto
from ._cut import inner_cuts

if TYPE_CHECKING:
    from ._recipe import Recipe

KL_WEIGHTS = (1.0, 0.1, 0.03)  # tried when the bound does not include the KL
_CHOOSING = 6_000  # examples that are enough to choose among them
_CHOOSING_FOLDS = 3
_STACK_FOLDS = 3
EQUAL = 50.0  # concentration of each voter if all have the same weight
_LEAST = 1e-6  # concentration of a voter without weight


def learn_hard(
    recipe: "Recipe", codes: NDArray, truth: NDArray, groups: NDArray | None, seed: int
) -> tuple[Posterior, Guess, History]:
    """The weights that minimise the objective on the voters' answers, and their expected error.

    The certificate does not include the KL. It only keeps the weights from overfitting, and its weight is the one that
    does best on a held-out part of the votes.
    """
    votes = packed_votes(codes, truth, recipe.classes)
    kl_weight, guess = _kl_weight(recipe, votes, groups, seed)
    found = _minimise(recipe, votes, kl_weight, seed)
    if guess is None:
        guess = _errors(votes, found.posteriors[0].mean)
    return found.posteriors[0], guess, found.history


def packed_votes(codes: NDArray, truth: NDArray, classes: NDArray) -> VoteMatrix:
    """Votes from unsigned codes, in which the number of classes stands for no answer."""
    signed = np.where(codes == len(classes), -1, codes.astype(np.int64)) if codes.max() == len(classes) else codes
    return VoteMatrix.from_codes(signed, truth, classes)


def _kl_weight(recipe: "Recipe", votes: VoteMatrix, groups: NDArray | None, seed: int) -> tuple[float, Guess | None]:
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
    means = [_minimise(recipe, teachers, weight, seed).posteriors[0].mean for weight in KL_WEIGHTS]
    errors = np.array([judges.vote_errors(mean) for mean in means], float)
    excess = errors - errors[np.argmin(errors.mean(1))]
    chosen = int(np.argmax(excess.mean(1) <= excess.std(1) / np.sqrt(len(judged))))
    return KL_WEIGHTS[chosen], _errors(judges, means[chosen])


def _minimise(recipe: "Recipe", votes: VoteMatrix, kl_weight: float, seed: int) -> Minimum:
    return minimise(
        [votes],
        risk=recipe.risk,
        posterior=recipe.posterior,
        prior=1.0 if is_auto(recipe.prior) else recipe.prior,
        bound="catoni",
        delta=recipe.delta,
        solver="quick" if is_auto(recipe.solver) else recipe.solver,
        random_state=seed,
        kl_weight=kl_weight,
        device=recipe.device,
    )


def _errors(votes: VoteMatrix, weights: NDArray) -> Guess:
    return Guess.of(votes.vote_errors(weights), np.asarray(votes.targets), len(np.asarray(votes.classes)))


def _some_rows(n: int, groups: NDArray | None, seed: int) -> NDArray:
    """About `_CHOOSING` random rows, in whole groups if there are any; all rows if there are fewer."""
    if n <= _CHOOSING:
        return np.arange(n)
    rng = np.random.default_rng(seed)
    if groups is None:
        return np.sort(rng.permutation(n)[:_CHOOSING])
    members, row_group = np.unique(groups, return_inverse=True)
    return np.flatnonzero(rng.random(len(members))[row_group] < _CHOOSING / n)


class SoftWeights(NamedTuple):
    """The weights of a soft vote, its expected error, how to sharpen its scores, and the model of the stack."""

    posterior: Posterior
    guess: Guess
    linear: float
    logarithmic: float
    stack: LogisticRegression | None


def learn_soft(
    recipe: "Recipe", probabilities: NDArray, truth: NDArray, groups: NDArray | None, seed: int
) -> "SoftWeights":
    """The weights of the voters' probabilities, and of a stack of these as one more voter."""
    cuts = list(inner_cuts(len(truth), groups, _STACK_FOLDS, seed))
    stack = learn_stack(probabilities, truth, cuts)
    if stack is not None:
        probabilities = np.concatenate([probabilities, stack.probabilities[:, None]], axis=1)
    pool = learn_pool(probabilities, truth, groups, seed)
    n_voters = len(pool.weights)
    posterior = recipe.kind.prior(np.maximum(EQUAL * n_voters * pool.weights, _LEAST), n_voters)
    wrong = pool.shares(probabilities).argmax(1) != truth
    guess = Guess.of(wrong, truth, len(recipe.classes))
    return SoftWeights(posterior, guess, pool.linear, pool.logarithmic, None if stack is None else stack.model)
