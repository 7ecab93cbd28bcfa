"""Certificates of votes learned on the zoo."""

from dataclasses import replace
from functools import cache

import numpy as np

from stocmv import certify
from stocmv.bounds import BOUNDS, CatoniPerFold
from stocmv.certificate import Costs, Expected, certify_tested
from stocmv.learning._history import History
from stocmv.learning._objective import Objective
from stocmv.solvers import LBFGS, Adam
from zoo import PAIRS, PROBLEMS, folds, prior_of, risk_of

# every risk of every problem; what a certificate says of a Dirichlet's fixed vote does not depend on the risk, so that
# the problems on which that takes longest are left to the exact one
COMBINATIONS = [
    (name, risk, kind)
    for name in PROBLEMS
    for risk, kind in PAIRS
    if risk == "exact" or kind != "dirichlet" or name not in ("three_classes", "ten_classes", "many_classes")
]


@cache
def learned(name, risk, kind):
    """Posteriors and priors of the folds, after a few iterations."""
    votes = folds(name)
    priors, sizes = [prior_of(kind, v.n_voters) for v in votes], tuple(v.n_examples for v in votes)
    objective = Objective(votes, priors, risk_of(risk), BOUNDS["seeger"], 0.05, sizes, History())
    solver = Adam(n_steps=5) if risk == "mc" else LBFGS(max_iter=2 if risk == "binomial" else 8)
    return objective.posteriors(solver.minimise(objective, objective.start, np.random.default_rng(1))), priors


@cache
def judging(name, grouped=False):
    """The votes of a problem; of groups of two rows, and one more row in every third group."""
    votes = folds(name)
    if not grouped:
        return votes
    named = [np.arange(v.n_rows) // 7 * 3 + np.arange(v.n_rows) % 7 // 2 % 3 + 1000 * k for k, v in enumerate(votes)]
    return [replace(v, groups=ids.astype(np.uint64)) for v, ids in zip(votes, named, strict=True)]


def costs_of(n_classes):
    """Wrong answers cost more the further they are from the right one, and even a right one costs something."""
    code = np.arange(n_classes)
    return 1.0 + 2.5 * np.abs(code[:, None] - code) * (1 + code[:, None])


@cache
def certificate(
    name,
    risk="exact",
    kind="dirichlet",
    bound="seeger",
    per_class=False,
    delta=0.05,
    alternatives=2,
    grouped=False,
    priced=False,
):
    posteriors, priors = learned(name, risk, kind)
    if bound == "test":
        votes = judging(name, grouped)
        expected = [Expected(np.full(v.n_classes, 3.0), np.full(v.n_classes, 20.0)) for v in votes]
        extras = {"per_class": per_class, "context": {"seed": 1}}
        if priced:
            extras["cost"] = Costs(votes[0].classes.tolist(), costs_of(votes[0].n_classes))
        return certify_tested(votes, posteriors, delta, expected, ["The sun will rise."], **extras)
    the_bound = BOUNDS[bound] if bound in BOUNDS else CatoniPerFold(tuple(np.linspace(0.8, 2.0, len(priors))))
    extras = {"per_class": per_class, "alternatives": alternatives, "context": {"seed": 1}}
    return certify(folds(name), posteriors, priors, risk_of(risk), the_bound, delta, ["The sun will rise."], **extras)
