"""The methods that the paper compares, each as a risk, a posterior and a way to find it."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stocmv.bounds import Bound, Seeger
from stocmv.certificate import PacBayesCertificate
from stocmv.learning import learn
from stocmv.posteriors import Categorical, Dirichlet, Posterior
from stocmv.risks import Binomial, CBound, Exact, FirstOrder, MonteCarlo, Risk, SecondOrder
from stocmv.solvers import LBFGS, Adam, Auto, MiniBatchAdam, Problem, Solver
from stocmv.votes import VoteMatrix

from ._not_proven import PrintedTheorem2, StrictBinomial

DELTA = 0.05


@dataclass(frozen=True)
class Method:
    """One way to weight voters.

    Attributes
    ----------
    label : str
        Its name in tables and figures.
    risk : Risk or None
        The risk whose bound it minimises; None for naive Bayes, which minimises nothing.
    reports : {"drawn", "fixed"}
        Whether the paper's test error is that of the stochastic vote or of the deterministic vote.
    """

    label: str
    risk: Risk | None
    reports: str


METHODS: dict[str, Method] = {
    "naive_bayes": Method("Bayesian NB", None, "fixed"),
    "first_order": Method("First Order", FirstOrder(), "fixed"),
    "second_order": Method("Second Order", SecondOrder(), "fixed"),
    "c_bound": Method("C-Bound", CBound(), "fixed"),
    "binomial": Method("Binomial", Binomial(), "fixed"),
    "binomial_51": Method("Binomial, > N/2", StrictBinomial(), "fixed"),
    "exact": Method("exact", Exact(), "drawn"),
    "exact_recipe": Method("exact, the paper's search", Exact(), "drawn"),
    "mc": Method("MC", MonteCarlo(), "drawn"),
    "merged": Method("exact, merged voters", Exact(), "drawn"),
    "merged_paid": Method("exact, merged voters, paid priors", Exact(), "drawn"),
    "argmax": Method("exact arg-max", Exact(), "drawn"),
    "best": Method("best", Exact(), "drawn"),
}


@dataclass(frozen=True)
class Fitted:
    """The result of a method: one distribution of weights for each fold, or fixed weights.

    Attributes
    ----------
    weights : list of ndarray
        Weights of the deterministic vote of each fold.
    posteriors : list of Posterior
        Empty for naive Bayes.
    certificate : PacBayesCertificate or None
        As returned by `learn`.
    seconds : float
        Time to find it.
    """

    weights: list[NDArray]
    posteriors: list[Posterior]
    certificate: PacBayesCertificate | None
    seconds: float


def paper_bound(n_folds: int) -> Bound:
    """The paper's bound: Theorem 1, or with two folds Theorem 2 as printed, which is not proven."""
    return Seeger(constant="2sqrt") if n_folds == 1 else PrintedTheorem2()


@dataclass(frozen=True)
class BestStart(Solver):
    """L-BFGS from several points; keeps the best result.

    Parameters
    ----------
    points : tuple of ndarray
        Starts besides the prior.
    """

    points: tuple[NDArray, ...]

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        # the tolerance is absolute, so a bound of a thousandth would stop too early
        descent = LBFGS(tolerance=1e-8 * min(1.0, problem(start)[0]))
        ends = [descent.minimise(problem, point, rng) for point in (start, *self.points)]
        return min(ends, key=lambda point: problem(point)[0])


@dataclass(frozen=True)
class PaperSearch(Solver):
    """The paper's own: mini-batch Adam with its schedule, once, from concentrations uniform between 0.01 and 2."""

    n_epochs: int = 100

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        point = np.log(rng.uniform(0.01, 2.0, len(start)))
        return MiniBatchAdam(n_epochs=self.n_epochs).minimise(problem, point, rng)


def searches(mc_steps: int, *, quick: bool) -> dict[str, Solver]:
    """Solvers for the methods with a Dirichlet posterior: from several starts, or quickly from one."""
    return {
        "exact": LBFGS() if quick else Auto(),
        "exact_recipe": PaperSearch(n_epochs=10 if quick else 100),
        "mc": Adam(n_steps=mc_steps),
    }


def fit_methods(
    votes: Sequence[VoteMatrix],
    names: Iterable[str],
    seed: int,
    *,
    prior: float = 1.0,
    risks: Mapping[str, Risk] | None = None,
    solvers: Mapping[str, Solver] | None = None,
) -> dict[str, Fitted]:
    """Each method's weights for these votes, one matrix per fold.

    The exact method comes first: its mean weights are another start for the baselines, whose bounds have poor local
    minima around the prior. So is the best single voter.

    Parameters
    ----------
    votes : sequence of VoteMatrix
        Without labels all methods see W >= 1/2; "argmax" needs labels.
    names : iterable of str
        Keys of `METHODS`.
    seed : int
        Seed for the searches.
    prior : float
        Concentration of the Dirichlet prior; the categorical one is uniform.
    risks : mapping, optional
        Risks that replace a method's own.
    solvers : mapping, optional
        Solvers that replace `Auto` for methods with a Dirichlet posterior.
    """
    chosen = [name for name in METHODS if name in set(names)]
    order = sorted(chosen, key=lambda name: name != "exact")
    found: dict[str, Fitted] = {}
    for name in order:
        risk = (risks or {}).get(name, METHODS[name].risk)
        if risk is None:
            found[name] = _naive_bayes(votes)
            continue
        search = (solvers or {}).get(name, Auto())
        if risk.default_posterior == "categorical":
            search = BestStart(_starts(votes, found.get("exact")))
        found[name] = fit(votes, risk, seed, prior=prior, solver=search)
    return {name: found[name] for name in chosen}


def fit(
    votes: Sequence[VoteMatrix],
    risk: Risk,
    seed: int,
    *,
    prior: float | str = 1.0,
    merge: bool = False,
    solver: Solver | None = None,
    bound: Bound | None = None,
) -> Fitted:
    """The posterior with the smallest bound on a risk, in the paper's setting unless another one is given."""
    began = time.perf_counter()
    learned = learn(
        list(votes),
        risk=risk,
        prior=1.0 if risk.default_posterior == "categorical" else prior,
        merge=merge,
        bound=bound or paper_bound(len(votes)),
        delta=DELTA,
        solver=solver or Auto(),
        random_state=seed,
    )
    posteriors: Any = learned.posterior
    fixed = [p.fixed_votes()[0] for p in posteriors]
    return Fitted(fixed, posteriors, learned.certificate, time.perf_counter() - began)


def _starts(votes: Sequence[VoteMatrix], exact: Fitted | None) -> tuple[NDArray, ...]:
    """Points of a categorical: almost all weight on each fold's best voter, and the exact method's mean weights."""
    almost_one = [np.where(v.voter_errors() == v.voter_errors().min(), 1.0, 0.1 / v.n_voters) for v in votes]
    weights = [almost_one] if exact is None else [almost_one, exact.weights]
    return tuple(np.concatenate([Categorical(w).point for w in per_fold]) for per_fold in weights)


def _naive_bayes(votes: Sequence[VoteMatrix]) -> Fitted:
    began = time.perf_counter()
    weights = [log_odds(v) for v in votes]
    return Fitted(weights, [], None, time.perf_counter() - began)


def log_odds(votes: VoteMatrix) -> NDArray:
    r"""Weights that treat the errors of the voters as independent (Berend and Kontorovich 2015).

    A voter that was right on :math:`c` and wrong on :math:`w` examples has the weight :math:`\ln \frac{1 + c}{1 + w}`.
    One that is wrong more often than right has a negative weight: it counts against the class that it answers.
    """
    ones = votes.counts if votes.counts.size else np.ones(votes.n_rows)
    return np.log1p(votes.right_column_sums(ones)) - np.log1p(votes.column_sums(ones))


def dirichlets(fitted: Fitted) -> list[Dirichlet]:
    """The posteriors, if they are Dirichlets."""
    return [p for p in fitted.posteriors if isinstance(p, Dirichlet)]
