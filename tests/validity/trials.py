"""A sample is drawn, a vote learned on it, and its certificate compared with the truth; many times over."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc
from scipy.stats import binom

from stocmv import VoteMatrix, learn
from stocmv.bounds import Bound, CatoniPerFold, Upper
from stocmv.certificate import PacBayesCertificate
from stocmv.learning import minimise
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal, Posterior
from stocmv.risks import Risk
from stocmv.solvers import LBFGS, Solver
from stocmv.special import argmax_probability
from validity.populations import Ensemble, Population, Teacher

TIE = 1e-12  # weights this close are a tie, and a tie is an error
TRUTH_DRAWS = 1024  # votes drawn for the true risk of a posterior without a closed form
STANDARD_ERRORS = 4.0  # that such a risk is given the benefit of


@dataclass(frozen=True, eq=False)
class Study:
    """What is drawn, how a vote is learned on it, and which bounds are put to the test.

    Draw ``i`` minimises one pair of risk and bound, in turn. The bounds hold for all posteriors at once, so the
    posterior is judged under the other pairs as well. A certificate of each posterior takes most of the time; without
    one, only the bounds on the drawn vote are tested.
    """

    population: Population
    teach: Teacher
    sizes: tuple[int, ...]
    delta: float
    risks: dict[str, Risk]
    bounds: dict[str, Bound | type[CatoniPerFold]]  # the class: its constants are taken from the ensembles
    posterior: type[Posterior] = Dirichlet
    solver: Solver = field(default_factory=lambda: LBFGS(max_iter=3))
    certified: bool = True
    learns_from_its_own_fold: bool = False  # a mistake, to see that it is noticed


class Truth(NamedTuple):
    """Errors on new examples, the folds drawn in proportion to their sizes."""

    random_vote: float
    random_half: float  # voters that err hold at least half of the drawn weight
    fixed_vote: float
    fixed_half: float


class Record(NamedTuple):
    """True errors and bounds, over risks and bounds.

    The fixed vote, and the classes, have bounds under the pair that was minimised; elsewhere nan. The bounds on the
    classes hold all at once: the one that is closest to being broken speaks for all.
    """

    truth: NDArray
    bound: NDArray
    fixed_truth: NDArray
    fixed_bound: NDArray
    class_truth: NDArray
    class_bound: NDArray
    fixed_class_truth: NDArray
    fixed_class_bound: NDArray


def most_violations(n_draws: int, delta: float) -> int:
    """The number that a bound with this delta exceeds with a probability of at most 0.1 %."""
    return int(binom.ppf(0.999, n_draws, delta))


@cache
def draws_to_catch(rate: float, delta: float) -> int:
    """The number of draws in which a bound that fails at this rate is caught with a probability of at least 99.9 %."""
    return next(n for n in itertools.count(1) if binom.sf(most_violations(n, delta), n, rate) >= 0.999)


def violations(truth: NDArray, bound: NDArray) -> tuple[int, int]:
    """How often the truth was above the bound, and how often the two were compared."""
    return int(np.sum(truth > bound)), int(np.sum(~np.isnan(truth + bound)))


class Attempt(NamedTuple):
    """What one sample led to."""

    ensembles: list[Ensemble]
    votes: list[VoteMatrix]
    priors: list[Posterior]
    posteriors: list[Posterior]
    bounds: dict[str, Bound]
    minimised: tuple[str, str]  # risk and bound
    certificate: PacBayesCertificate | None


def attempt(study: Study, folds: list[NDArray], draw: int, rng: np.random.Generator) -> Attempt:
    """Teach the voters of each fold and learn their weights."""
    ensembles = [
        study.teach(study.population, [fold] if study.learns_from_its_own_fold else folds[:k] + folds[k + 1 :], rng)
        for k, fold in enumerate(folds)
    ]
    votes = [_votes(study.population, e, fold) for e, fold in zip(ensembles, folds, strict=True)]
    priors = [_prior(study.posterior, e.prior) for e in ensembles]
    constants = tuple(e.constant for e in ensembles)
    bounds = {name: b(c=constants) if b is CatoniPerFold else b for name, b in study.bounds.items()}
    pairs = list(itertools.product(study.risks, bounds))
    minimised = pairs[draw % len(pairs)]
    settings: dict[str, Any] = {
        "risk": study.risks[minimised[0]],
        "bound": bounds[minimised[1]],
        "posterior": study.posterior.name,
        "prior": priors,
        "delta": study.delta,
        "solver": study.solver,
        "random_state": rng,
    }
    if not study.certified:
        found = minimise(votes, merge=True, **settings)
        return Attempt(ensembles, votes, priors, found.posteriors, bounds, minimised, None)
    learned = learn(votes, per_class=study.posterior is Dirichlet, **settings)
    return Attempt(ensembles, votes, priors, learned.posterior, bounds, minimised, learned.certificate)


def _votes(population: Population, ensemble: Ensemble, fold: NDArray) -> VoteMatrix:
    classes = range(population.n_classes)
    return VoteMatrix.from_labels(ensemble.answers[fold], population.label[fold], classes, merge=True)


def _prior(kind: type[Posterior], concentrations: NDArray) -> Posterior:
    if kind is LogitNormal:
        return LogitNormal(np.log(concentrations), np.ones(len(concentrations)))
    return kind.prior(concentrations, len(concentrations))


def judge(study: Study, folds: list[NDArray], draw: int, rng: np.random.Generator) -> Record:
    """Learn on one sample, and set the bounds against the truth."""
    tried = attempt(study, folds, draw, rng)
    errors, probability = true_errors(study, tried, rng), study.population.probability
    truth = Truth(*(errors @ probability))
    bound = np.array([bounds_under(study, tried, risk) for risk in study.risks.values()])
    certified = np.full((6, *bound.shape), np.nan)
    if tried.certificate is not None:
        place = list(study.risks).index(tried.minimised[0]), list(study.bounds).index(tried.minimised[1])
        bound[place] = tried.certificate.stochastic_bound
        certified[:, *place] = truth.fixed_vote, tried.certificate.bound, *_class_claims(study, tried, errors)
    return Record(
        truth=np.array([[_certified(truth, risk, study.posterior)] * len(study.bounds) for risk in study.risks]),
        bound=bound,
        fixed_truth=certified[0],
        fixed_bound=certified[1],
        class_truth=certified[2],
        class_bound=certified[3],
        fixed_class_truth=certified[4],
        fixed_class_bound=certified[5],
    )


def _class_claims(study: Study, tried: Attempt, errors: NDArray) -> list[float]:
    """True error and bound of a class, for the drawn and for the fixed vote; nan if there are no bounds on classes."""
    entries = [c for c in tried.certificate.per_class if c["label"] in study.population.label]
    if not entries:
        return [np.nan] * 4
    probability = study.population.probability * (study.population.label == [[c["label"]] for c in entries])
    truth = Truth(*(errors @ (probability / probability.sum(1, keepdims=True)).T))
    claims = []
    for true, name in ((truth.random_vote, "stochastic_bound"), (truth.fixed_vote, "bound")):
        bounds = np.array([c[name] for c in entries])
        worst = np.argmax(true - bounds)
        claims += [true[worst], bounds[worst]]
    return claims


def bounds_under(study: Study, tried: Attempt, risk: Risk) -> list[float]:
    """What `certify` says of the learned posteriors under a risk and each bound, without its work on the fixed vote.

    Draws that are paid for are not drawn again: nan.
    """
    posteriors = tried.posteriors
    if risk.paid_draws(posteriors[0]):
        return [np.nan] * len(tried.bounds)
    moments = np.stack([risk.certified_moments(p, v) for p, v in zip(posteriors, tried.votes, strict=True)])
    divergence = sum(p.certified_kl(q) for p, q in zip(posteriors, tried.priors, strict=True))

    def value(asked: Bound) -> float:
        bound = risk.bound_for(asked)
        upper = Upper(bound, study.sizes, study.delta / risk.n_bounds)
        mean = np.minimum(bound.risk_weights(study.sizes) @ moments, 1.0)
        return min(risk.compose(mean, divergence, upper, posteriors[0]).value, 1.0)

    return [value(bound) for bound in tried.bounds.values()]


def _certified(truth: Truth, risk: str, posterior: type[Posterior]) -> float:
    """What the certificate of a risk speaks of, in its strongest proven reading."""
    if risk in ("exact", "mc"):
        return truth.random_vote
    if risk == "half":
        return truth.random_half
    return truth.fixed_half if posterior is Categorical else max(truth.random_half, truth.fixed_half)


def true_errors(study: Study, tried: Attempt, rng: np.random.Generator) -> NDArray:
    """The fields of `Truth` for every example of the domain."""
    shares = np.array(study.sizes) / sum(study.sizes)
    kind = _drawn_errors if study.posterior is LogitNormal else _exact_errors
    per_fold = [
        kind(study.population, e.answers, p, rng) for e, p in zip(tried.ensembles, tried.posteriors, strict=True)
    ]
    return np.tensordot(shares, per_fold, 1)


def _exact_errors(population: Population, answers: NDArray, posterior: Posterior, rng: np.random.Generator) -> NDArray:
    says = answers[:, :, None] == np.arange(population.n_classes)
    scores = np.einsum("xjk,j->xk", says, posterior.concentrations)
    wrong, total = (posterior.concentrations * (answers != population.label[:, None])).sum(1), posterior.total
    fixed, fixed_half = _lost(scores, population.label), wrong >= total / 2 * (1 - TIE)
    if isinstance(posterior, Categorical):
        return np.stack([np.full(len(population), np.nan)] * 2 + [fixed, fixed_half])
    contested = (wrong > 0) & (scores[np.arange(len(scores)), population.label] > 0)
    half = np.where(wrong > 0, 1.0, 0.0)
    half[contested] = betainc(total - wrong[contested], wrong[contested], 0.5)
    error = half if population.n_classes == 2 else 1 - argmax_probability(scores, population.label)
    return np.stack([error, half, fixed, fixed_half])


def _drawn_errors(population: Population, answers: NDArray, posterior: Posterior, rng: np.random.Generator) -> NDArray:
    """Estimated from draws, and lowered by several standard errors: what exceeds a bound then is no accident."""
    says = answers[:, :, None] == np.arange(population.n_classes)
    scores = np.einsum("tj,xjk->txk", posterior.sample(TRUTH_DRAWS, rng), says, optimize=True)
    wins = scores.argmax(2)[:, :, None] == np.arange(population.n_classes)
    own = np.arange(len(population)), population.label
    right = wins[:, own[0], own[1]]
    # the estimated risk is a mean of one number per draw, and so is its standard error
    spread = (right @ population.probability).std()
    error = 1 - right.mean(0) - STANDARD_ERRORS * spread / np.sqrt(TRUTH_DRAWS)
    frequency = wins.mean(0)
    frequency[own] += STANDARD_ERRORS / np.sqrt(TRUTH_DRAWS)  # of a difference of two frequencies, at most
    unknown = np.full(len(population), np.nan)
    return np.stack([error, unknown, _lost(frequency, population.label), unknown])


def _lost(scores: NDArray, label: NDArray) -> NDArray:
    """Whether another class reaches the score of the label."""
    rows = np.arange(len(label))
    rivals = scores.copy()
    rivals[rows, label] = -np.inf
    return rivals.max(1) >= scores[rows, label] * (1 - TIE)


def simulate(study: Study, n_draws: int, seed: int = 0) -> Record:
    """Independent draws."""
    records = []
    for i in range(n_draws):
        rng = np.random.default_rng([seed, i])
        folds = [study.population.draw(n, rng) for n in study.sizes]
        records.append(judge(study, folds, i, rng))
    return Record(*(np.stack(arrays) for arrays in zip(*records, strict=True)))


def violation_probability(study: Study) -> float:
    """The exact probability that the bound fails, by going through all samples; for one risk and one bound.

    The order of the examples in a fold is nothing to `learn`; it must be nothing to the teacher, who must not draw.
    """
    total = 0.0
    for weighted in itertools.product(*(list(_multisets(study.population, n)) for n in study.sizes)):
        folds, probabilities = zip(*weighted, strict=True)
        record = judge(study, list(folds), 0, np.random.default_rng(0))
        total += math.prod(probabilities) * (record.truth > record.bound).item()
    return total


def _multisets(population: Population, n: int) -> Iterator[tuple[NDArray, float]]:
    for chosen in itertools.combinations_with_replacement(range(len(population)), n):
        orders = math.factorial(n) // math.prod(math.factorial(chosen.count(x)) for x in set(chosen))
        yield np.array(chosen), orders * float(population.probability[list(chosen)].prod())
