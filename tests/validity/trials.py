"""A sample is drawn, a vote learned on it, and its certificate compared with the truth; many times over."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import betainc
from scipy.stats import binom

from stocmv import Certificate, Learned, VoteMatrix, learn
from stocmv.bounds import Bound
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal, Posterior
from stocmv.risks import Risk
from stocmv.solvers import LBFGS, Solver
from stocmv.special import argmax_probability
from validity.populations import Ensemble, Population, Teacher

TIE = 1e-12  # weights this close are a tie, and a tie is an error
TRUTH_DRAWS = 2048  # votes drawn for the true risk of a posterior without a closed form
STANDARD_ERRORS = 4.0  # that such a risk is given the benefit of


@dataclass(frozen=True, eq=False)
class Study:
    """What is drawn, how a vote is learned on it, and which bounds are put to the test.

    Draw ``i`` minimises one pair of risk and bound, in turn; as the bounds hold for all posteriors at once, the posterior is
    judged under every pair.
    """

    population: Population
    teach: Teacher
    sizes: tuple[int, ...]
    delta: float
    risks: dict[str, Risk]
    bounds: dict[str, Bound]
    posterior: type[Posterior] = Dirichlet
    solver: Solver = field(default_factory=lambda: LBFGS(max_iter=5))
    learns_from_its_own_fold: bool = False  # a mistake, to see that it is noticed


class Truth(NamedTuple):
    """Errors on new examples, the folds drawn in proportion to their sizes."""

    random_vote: float
    random_half: float  # voters that err hold at least half of the drawn weight
    fixed_vote: float
    fixed_half: float


class Record(NamedTuple):
    """Arrays over (draws,) risks and bounds. The fixed vote is certified under the pair that was minimised; others: nan."""

    truth: NDArray
    bound: NDArray
    fixed_truth: NDArray
    fixed_bound: NDArray


def most_violations(n_draws: int, delta: float) -> int:
    """The number that a bound with this delta exceeds with a probability of at most 0.1 %."""
    return int(binom.ppf(0.999, n_draws, delta))


def violations(truth: NDArray, bound: NDArray) -> tuple[int, int]:
    """How often the truth was above the bound, and how often the two were compared."""
    return int(np.sum(truth > bound)), int(np.sum(~np.isnan(truth + bound)))


def simulate(study: Study, n_draws: int, seed: int = 0) -> Record:
    """Independent draws, shared out to processes; the result does not depend on how many there are."""
    chunks = np.array_split(np.arange(n_draws), math.ceil(n_draws / 50))
    parts = Parallel(n_jobs=-1)(delayed(_simulate)(study, chunk, seed) for chunk in chunks)
    return Record(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _simulate(study: Study, draws: NDArray, seed: int) -> Record:
    records = []
    for i in draws:
        rng = np.random.default_rng([seed, i])
        folds = [study.population.draw(n, rng) for n in study.sizes]
        records.append(judge(study, folds, int(i), rng))
    return Record(*(np.stack(arrays) for arrays in zip(*records, strict=True)))


def violation_probability(study: Study) -> float:
    """The exact probability that the bound of the only risk and bound fails, by going through all samples.

    The order of the examples in a fold does not matter to teachers (as long as they do not draw) nor to `learn`.
    """
    total = 0.0
    for weighted in itertools.product(*(list(_multisets(study.population, n)) for n in study.sizes)):
        folds, probabilities = zip(*weighted, strict=True)
        record = judge(study, list(folds), 0, np.random.default_rng(1))
        total += math.prod(probabilities) * (record.truth > record.bound).item()
    return total


def _multisets(population: Population, n: int) -> Iterator[tuple[NDArray, float]]:
    for chosen in itertools.combinations_with_replacement(range(len(population)), n):
        orders = math.factorial(n) // math.prod(math.factorial(chosen.count(x)) for x in set(chosen))
        yield np.array(chosen), orders * float(population.probability[list(chosen)].prod())


def judge(study: Study, folds: list[NDArray], draw: int, rng: np.random.Generator) -> Record:
    """Learn on one sample, and set all bounds against the truth."""
    ensembles = [
        study.teach(study.population, [fold] if study.learns_from_its_own_fold else folds[:k] + folds[k + 1 :], rng)
        for k, fold in enumerate(folds)
    ]
    votes = [votes_of(study.population, e, fold) for e, fold in zip(ensembles, folds, strict=True)]
    pairs = list(itertools.product(study.risks, study.bounds))
    minimised = draw % len(pairs)
    risk, bound = pairs[minimised]
    learned = learn(
        votes,
        risk=study.risks[risk],
        posterior=study.posterior.name,
        prior=[_prior(study.posterior, e.prior) for e in ensembles],
        bound=study.bounds[bound],
        delta=study.delta,
        solver=study.solver,
        random_state=rng,
    )
    truth = true_risks(study, ensembles, learned.posterior, rng)
    fixed_bound = np.full(len(pairs), np.nan)
    fixed_bound[minimised] = learned.certificate.deterministic_bound
    shape = len(study.risks), len(study.bounds)
    return Record(
        truth=np.array([[certified(truth, r, study.posterior)] * len(study.bounds) for r in study.risks]),
        bound=np.array([[bound_under(study, learned, votes, r, b) for b in study.bounds] for r in study.risks]),
        fixed_truth=np.full(shape, truth.fixed_vote),
        fixed_bound=fixed_bound.reshape(shape),
    )


def votes_of(population: Population, ensemble: Ensemble, fold: NDArray) -> VoteMatrix:
    classes = range(population.n_classes)
    return VoteMatrix.from_labels(ensemble.answers[fold], population.label[fold], classes, merge=True)


def _prior(kind: type[Posterior], concentrations: NDArray) -> Posterior:
    if kind is LogitNormal:
        return LogitNormal(np.log(concentrations), np.ones(len(concentrations)))
    return kind.prior(concentrations, len(concentrations))


def bound_under(study: Study, learned: Learned, votes: Sequence[VoteMatrix], risk: str, bound: str) -> float:
    """What `certify` would say under another risk and bound, without its work on the fixed vote."""
    certificate, posteriors, measure = learned.certificate, learned.posterior, study.risks[risk]
    moments = np.array(certificate.moments)
    if certificate.risk != measure.name:
        shares = np.array(study.sizes) / sum(study.sizes)
        moments = shares @ [measure.certified_moments(p, v) for p, v in zip(posteriors, votes, strict=True)]
    paid = measure.draw_share if measure.paid_draws(posteriors[0]) else 0.0
    upper = study.bounds[bound].upper
    composed = measure.compose(
        moments,
        certificate.kl,
        lambda mean, kl, share: upper(mean, kl, study.sizes, share * study.delta * (1 - paid)),
        posteriors[0],
    )
    return min(composed.value, 1.0)


def certified(truth: Truth, risk: str, posterior: type[Posterior]) -> float:
    """What the certificate of a risk speaks of, in its strongest proven reading."""
    if risk in ("exact", "mc"):
        return truth.random_vote
    if risk == "half":
        return truth.random_half
    return truth.fixed_half if posterior is Categorical else max(truth.random_half, truth.fixed_half)


def true_risks(
    study: Study, ensembles: Sequence[Ensemble], posteriors: Sequence[Posterior], rng: np.random.Generator
) -> Truth:
    shares = np.array(study.sizes) / sum(study.sizes)
    per_fold = [_fold_truth(study.population, e.answers, p, rng) for e, p in zip(ensembles, posteriors, strict=True)]
    return Truth(*(shares @ np.array(per_fold)))


def _fold_truth(population: Population, answers: NDArray, posterior: Posterior, rng: np.random.Generator) -> Truth:
    """Error probabilities on every example of the domain, weighted by the probability of the example."""
    if isinstance(posterior, LogitNormal):
        return _drawn_truth(population, answers, posterior, rng)
    says = answers[:, :, None] == np.arange(population.n_classes)
    scores = np.einsum("xjk,j->xk", says, posterior.alpha)
    wrong, total = (posterior.alpha * (answers != population.label[:, None])).sum(1), posterior.total
    fixed = population.probability @ _lost(scores, population.label)
    fixed_half = population.probability @ (wrong >= total / 2 * (1 - TIE))
    if isinstance(posterior, Categorical):
        return Truth(np.nan, np.nan, fixed, fixed_half)
    contested = (wrong > 0) & (scores[np.arange(len(scores)), population.label] > 0)
    half = np.where(wrong > 0, 1.0, 0.0)
    half[contested] = betainc(total - wrong[contested], wrong[contested], 0.5)
    error = half if population.n_classes == 2 else 1 - argmax_probability(scores, population.label)
    return Truth(population.probability @ error, population.probability @ half, fixed, fixed_half)


def _drawn_truth(population: Population, answers: NDArray, posterior: Posterior, rng: np.random.Generator) -> Truth:
    """Estimated from draws, and lowered by several standard errors: what exceeds a bound then is no accident."""
    says = answers[:, :, None] == np.arange(population.n_classes)
    scores = np.einsum("tj,xjk->txk", posterior.sample(TRUTH_DRAWS, rng), says, optimize=True)
    wins = scores.argmax(2)[:, :, None] == np.arange(population.n_classes)
    own = np.arange(len(population)), population.label
    errors = 1 - wins[:, own[0], own[1]] @ population.probability
    error = errors.mean() - STANDARD_ERRORS * errors.std() / np.sqrt(TRUTH_DRAWS)
    frequency = wins.mean(0)
    frequency[own] += STANDARD_ERRORS / np.sqrt(TRUTH_DRAWS)  # of a difference of two frequencies, at most
    return Truth(error, np.nan, population.probability @ _lost(frequency, population.label), np.nan)


def _lost(scores: NDArray, label: NDArray) -> NDArray:
    """Whether another class reaches the score of the label."""
    rows = np.arange(len(label))
    rivals = scores.copy()
    rivals[rows, label] = -np.inf
    return rivals.max(1) >= scores[rows, label] * (1 - TIE)
