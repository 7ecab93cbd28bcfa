"""Promises kept: "with probability at least 1 - delta" is checked by drawing the sample many times, or all samples.

The populations are finite, so the true risk is known. A count of violations is too high when a valid bound reaches it with
a probability below 0.1 %. Run with ``-s`` to see the frequencies.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from stocmv import certify
from stocmv.bounds import BOUNDS, Bound, Bounded, Catoni, CatoniPerFold, PrintedTheorem2, Seeger
from stocmv.posteriors import Categorical, LogitNormal
from stocmv.risks import Binomial, CBound, Exact, FirstOrder, Half, MonteCarlo, SecondOrder
from stocmv.solvers import LBFGS, Adam
from validity import populations as p
from validity.trials import (
    Study,
    attempt,
    bounds_under,
    judge_classes,
    most_violations,
    simulate,
    violation_probability,
    violations,
)

pytestmark = pytest.mark.slow

ONE_SAMPLE = {name: bound for name, bound in BOUNDS.items() if bound.proven} | {"catoni_fixed": Catoni(c=2.0)}
FOLDS = ONE_SAMPLE | {"catoni_per_fold": CatoniPerFold}
EXACT = {"exact": Exact()}
WITH_A_DIRICHLET = {"exact": Exact(), "half": Half(), "first_order": FirstOrder(), "second_order": SecondOrder()}
CLASSICAL = {
    "first_order": FirstOrder(),
    "second_order": SecondOrder(),
    "binomial": Binomial(n_draws=10),  # a hundred draws pay so much that nothing is learned
    "c_bound": CBound(),
}
FEW_DRAWS = {"mc": MonteCarlo(certificate_draws=300)}

FLIPS = p.coin_flips(16)
TAIL, TAIL3 = p.long_tail(16, noise=0.05), p.long_tail(12, noise=0.05, n_classes=3)
SKILLS = np.linspace(0.05, 0.35, 12)
CROWD = p.one_label_each([*np.full(38, 0.97 / 38), 0.02, 0.01])
CROWD3 = p.one_label_each([*np.full(22, 0.97 / 22), 0.02, 0.01], n_classes=3)

STUDIES = {
    "one sample, two classes": (2000, Study(FLIPS, p.guessers(FLIPS, 24), (60,), 0.2, EXACT, ONE_SAMPLE)),
    "two folds, two classes": (2000, Study(TAIL, p.Memorisers(8), (20, 20), 0.05, EXACT, FOLDS)),
    "three folds, two classes": (2000, Study(TAIL, p.Memorisers(8), (10, 20, 40), 0.2, EXACT, FOLDS)),
    "one sample, three classes": (
        400,
        Study(CROWD3, p.specialists(CROWD3, SKILLS, hopeless=2), (150,), 0.2, WITH_A_DIRICHLET, ONE_SAMPLE),
    ),
    "two folds, three classes": (400, Study(TAIL3, p.Memorisers(9), (80, 80), 0.2, WITH_A_DIRICHLET, FOLDS)),
    "three folds, three classes": (400, Study(TAIL3, p.Memorisers(9), (60, 80, 160), 0.05, WITH_A_DIRICHLET, FOLDS)),
    "one sample, weighted vote": (
        2000,
        Study(CROWD, p.specialists(CROWD, SKILLS, hopeless=2), (200,), 0.05, CLASSICAL, ONE_SAMPLE, Categorical),
    ),
    "two folds, weighted vote": (2000, Study(TAIL, p.Memorisers(8), (100, 100), 0.2, CLASSICAL, FOLDS, Categorical)),
    "three folds, weighted vote": (
        2000,
        Study(TAIL, p.Memorisers(8), (60, 100, 140), 0.05, CLASSICAL, FOLDS, Categorical),
    ),
    "one sample, drawn in training": (
        240,
        Study(FLIPS, p.guessers(FLIPS, 24), (60,), 0.2, {"mc": MonteCarlo()}, ONE_SAMPLE, solver=Adam(6, 0.5)),
    ),
    "three folds, drawn in training": (
        240,
        Study(TAIL3, p.Memorisers(9), (20, 30, 50), 0.2, {"mc": MonteCarlo()}, FOLDS, solver=Adam(6, 0.5)),
    ),
    "one sample, logit-normal": (
        240,
        Study(
            CROWD,
            p.specialists(CROWD, SKILLS, hopeless=2),
            (100,),
            0.2,
            FEW_DRAWS,
            ONE_SAMPLE,
            LogitNormal,
            Adam(8, 0.5),
        ),
    ),
    "two folds, logit-normal": (
        240,
        Study(TAIL, p.Memorisers(8), (60, 60), 0.2, FEW_DRAWS, FOLDS, LogitNormal, Adam(8, 0.5)),
    ),
    "three folds, logit-normal": (
        240,
        Study(TAIL3, p.Memorisers(9), (20, 30, 50), 0.2, FEW_DRAWS, FOLDS, LogitNormal, Adam(8, 0.5)),
    ),
}
RISKS = [(name, risk) for name, (_, study) in STUDIES.items() for risk in study.risks]


@cache
def record(name):
    n_draws, study = STUDIES[name]
    return simulate(study, n_draws)


def assert_holds(what, truth, bound, delta):
    count, n_draws = violations(truth, bound)
    most = most_violations(n_draws, delta)
    useful = np.mean(bound[~np.isnan(bound)] < 1)
    print(
        f"{what}: {count / n_draws:.2%} of {n_draws} draws violate, {delta:.0%} may; "
        f"mean bound {np.nanmean(bound):.3f}, mean risk {np.nanmean(truth):.3f}, {useful:.0%} below 1"
    )
    assert count <= most, f"{what}: {count} of {n_draws} draws violate the bound, at most {most} may."
    assert useful > 0.2, f"{what}: the bound says nothing, so that nothing is tested."


@pytest.mark.parametrize(("name", "risk"), RISKS)
def test_bound_holds(name, risk):
    study, r = STUDIES[name][1], record(name)
    row = list(study.risks).index(risk)
    for column, bound in enumerate(study.bounds):
        assert_holds(f"{name}, {risk}, {bound}", r.truth[:, row, column], r.bound[:, row, column], study.delta)


@pytest.mark.parametrize("name", STUDIES)
def test_bound_on_the_fixed_vote_holds(name):
    study, r = STUDIES[name][1], record(name)
    for column, bound in enumerate(study.bounds):
        what = f"{name}, fixed vote, {bound}"
        assert_holds(what, r.fixed_truth[:, :, column], r.fixed_bound[:, :, column], study.delta)


