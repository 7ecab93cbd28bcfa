"""A sample is drawn, a vote learned on it, and its certificate compared with the truth; many times over."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import betainc
from scipy.stats import binom

from stocmv import VoteMatrix, learn
from stocmv.bounds import Bound
from stocmv.certificate import certify
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal, Posterior
from stocmv.risks import Risk
from stocmv.solvers import LBFGS, Solver
from stocmv.special import argmax_probability
from validity.populations import Ensemble, Population, Teacher

TIE = 1e-12  # weights this close are a tie, and a tie is an error
TRUTH_DRAWS = 4096  # votes drawn for the true risk of a posterior without a closed form
STANDARD_ERRORS = 4.0  # that such a risk is given the benefit of


@dataclass(frozen=True, eq=False)
class Study:
    """What is drawn, how a vote is learned on it, and which certificates are issued for it.

    Draw ``i`` minimises one pair of risk and bound, in turn; as the bounds hold for all posteriors at once, the posterior is
    certified under every pair.
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

    def folds(self, sample: NDArray) -> list[NDArray]:
        return np.split(sample, np.cumsum(self.sizes)[:-1])


class Truth(NamedTuple):
    """Errors on new examples, averaged over the folds in proportion to their sizes."""

    random_vote: float
    random_half: float  # voters that err hold at least half of the drawn weight
    fixed_vote: float
    fixed_half: float


class Record(NamedTuple):
    """Arrays over draws, risks and bounds."""

    truth: NDArray
    bound: NDArray
    fixed_truth: NDArray
    fixed_bound: NDArray


def most_violations(n_draws: int, delta: float) -> int:
    """The largest number that a valid bound reaches with a probability of 99.9 %."""
    return int(binom.ppf(0.999, n_draws, delta))


def simulate(study: Study, n_draws: int = 2000, seed: int = 0) -> Record:
    """Independent draws, shared out to processes; the result does not depend on how many there are."""
    chunks = np.array_split(np.arange(n_draws), max(1, n_draws // 100))
    parts = Parallel(n_jobs=-1)(delayed(_simulate)(study, chunk, seed) for chunk in chunks)
    return Record(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _simulate(study: Study, draws: NDArray, seed: int) -> Record:
    records = []
    for i in draws:
        rng = np.random.default_rng([seed, i])
        records.append(judge(study, study.population.draw(sum(study.sizes), rng), int(i), rng))
    return Record(*(np.stack(arrays) for arrays in zip(*records, strict=True)))


def violation_probabilities(study: Study) -> tuple[NDArray, NDArray]:
    """The exact probability, over all samples, that the bound fails, and that the bound on the fixed vote does."""
    domain = range(len(study.population))
    total = np.zeros((2, len(study.risks), len(study.bounds)))
    for sample in itertools.product(domain, repeat=sum(study.sizes)):
        positions = np.array(sample)
        record = judge(study, positions, 0, np.random.default_rng(1))
        failed = np.stack([record.truth > record.bound, record.fixed_truth > record.fixed_bound])
        total += study.population.probability[positions].prod() * failed
    return total[0], total[1]


def judge(study: Study, sample: NDArray, draw: int, rng: np.random.Generator) -> Record:
    """Learn on one sample, and set the certificates against the truth."""
    folds = study.folds(sample)
    ensembles = [
        study.teach(study.population, [fold] if study.learns_from_its_own_fold else _without(folds, k), rng)
        for k, fold in enumerate(folds)
    ]
    votes = [_votes(study.population, e, fold) for e, fold in zip(ensembles, folds, strict=True)]
    pairs = list(itertools.product(study.risks, study.bounds))
    risk, bound = pairs[draw % len(pairs)]
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
    cells = [
        (_certified(truth, r, learned.posterior[0]), c.bound, truth.fixed_vote, c.deterministic_bound)
        for r, c in _certificates(study, votes, learned)
    ]
    shape = len(study.risks), len(study.bounds)
    return Record(*(np.reshape(values, shape) for values in zip(*cells, strict=True)))


def _certificates(study: Study, votes: Sequence[VoteMatrix], learned) -> Iterator[tuple[str, object]]:
    for (name, risk), bound in itertools.product(study.risks.items(), study.bounds.values()):
        yield name, certify(votes, learned.posterior, learned.prior, risk, bound, study.delta)


def _without(folds: list[NDArray], k: int) -> list[NDArray]:
    return folds[:k] + folds[k + 1 :]


def _votes(population: Population, ensemble: Ensemble, fold: NDArray) -> VoteMatrix:
    classes = range(population.n_classes)
    return VoteMatrix.from_labels(ensemble.answers[fold], population.label[fold], classes, merge=True)


def _prior(kind: type[Posterior], concentrations: NDArray) -> Posterior:
    if kind is LogitNormal:
        return LogitNormal(np.log(concentrations), np.ones(len(concentrations)))
    return kind.prior(concentrations, len(concentrations))


def _certified(truth: Truth, risk: str, posterior: Posterior) -> float:
    """What the certificate of a risk speaks of, in its strongest proven reading."""
    if risk in ("exact", "mc"):
        return truth.random_vote
    if risk == "half":
        return truth.random_half
    if isinstance(posterior, Categorical):
        return truth.fixed_half
    return max(truth.random_half, truth.fixed_half)


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
    open_ = (wrong > 0) & (scores[np.arange(len(scores)), population.label] > 0)
    half = np.where(wrong > 0, 1.0, 0.0)
    half[open_] = betainc(total - wrong[open_], wrong[open_], 0.5)
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
