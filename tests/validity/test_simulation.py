"""Promises kept: "with probability at least 1 - delta" is checked by drawing the sample many times, or all samples.

The populations are finite, so the true risk is known. A count of violations is too high when a valid bound exceeds it
with a probability of at most 0.1 %, and there are so many draws that a bound which fails twice as often as it may
exceeds it with a probability of 99.9 %. Run with ``-s`` to see the frequencies.
"""

from dataclasses import replace

import numpy as np
import pytest

from stocmv import certify
from stocmv.bounds import BOUNDS, Bennett, Catoni, CatoniPerFold, Seeger, UpperBound
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal
from stocmv.risks import (
    Binomial,
    CantelliBennett,
    CantelliSplit,
    CantelliTandem,
    CBound,
    Disagreement,
    Exact,
    FirstOrder,
    Half,
    MonteCarlo,
    SecondOrder,
)
from stocmv.solvers import LBFGS, Adam
from validity import populations as p
from validity.trials import (
    Study,
    attempt,
    bounds_under,
    draws_to_catch,
    most_violations,
    simulate,
    violation_probability,
    violations,
)

pytestmark = pytest.mark.slow

ONE_SAMPLE = {name: bound for name, bound in BOUNDS.items() if bound.proven} | {
    "catoni_fixed": Catoni(c=2.0),
    "bennett": Bennett(),
}
FOLDS = ONE_SAMPLE | {"catoni_per_fold": CatoniPerFold}
EXACT = {"exact": Exact()}
WITH_A_DIRICHLET = {"exact": Exact(), "half": Half(), "first_order": FirstOrder(), "second_order": SecondOrder()}
CLASSICAL = {
    "first_order": FirstOrder(),
    "second_order": SecondOrder(),
    "binomial": Binomial(n_draws=10),  # a hundred draws pay so much that nothing is learned
    "c_bound": CBound(),
    "cctnd": CantelliTandem(),
    "ccpbb": CantelliBennett(),
    "ccpbskl": CantelliSplit(),
    "disagreement": Disagreement(),
}
BENNETT = {"ccpbb": CLASSICAL["ccpbb"]}  # whose variance takes more examples to estimate
OTHERS = {name: risk for name, risk in CLASSICAL.items() if name not in BENNETT}
FEW_DRAWS = {"mc": MonteCarlo(certificate_draws=300)}

FLIPS = p.coin_flips(16)
CROWD = p.one_label_each([*np.full(38, 0.97 / 38), 0.02, 0.01])
CROWD3 = p.one_label_each([*np.full(22, 0.97 / 22), 0.02, 0.01], n_classes=3)
TAIL, TAIL3 = p.long_tail(16, noise=0.05), p.long_tail(12, noise=0.05, n_classes=3)
NOISE = p.guessers(FLIPS, 24)
SKILL, SKILL3 = (p.specialists(crowd, np.linspace(0.05, 0.35, 12), hopeless=2) for crowd in (CROWD, CROWD3))
MEMORY, MEMORY3 = p.Memorisers(8), p.Memorisers(9)

WEIGHTED = {"posterior": Categorical}
NORMAL = {"posterior": LogitNormal, "solver": Adam(4, 0.7)}
TRAINED_ON_DRAWS = {"solver": Adam(4, 0.7)}
MC = {"mc": MonteCarlo()}

DELTA = 0.2  # at 0.05 five times as many draws are needed to notice a rate of twice delta
DRAWN = {"certified": False}  # only the drawn vote: the certificate of the fixed vote is the same code as elsewhere
STUDIES = {
    "one sample, two classes": Study(FLIPS, NOISE, (80,), DELTA, EXACT, ONE_SAMPLE, **DRAWN),
    "two folds, fixed voters": Study(FLIPS, NOISE, (60, 60), DELTA, EXACT, FOLDS),
    "two folds, two classes": Study(TAIL, MEMORY, (20, 20), DELTA, EXACT, FOLDS, **DRAWN),
    "one sample, three classes": Study(CROWD3, SKILL3, (150,), DELTA, WITH_A_DIRICHLET, ONE_SAMPLE),
    "two folds, three classes": Study(TAIL3, MEMORY3, (110, 110), DELTA, WITH_A_DIRICHLET, FOLDS, **DRAWN),
    "one sample, weighted vote": Study(CROWD, SKILL, (200,), DELTA, CLASSICAL, ONE_SAMPLE, **WEIGHTED),
    "three folds, weighted vote": Study(TAIL, MEMORY, (60, 100, 140), DELTA, OTHERS, FOLDS, **WEIGHTED),
    "three folds, CCPBB": Study(TAIL, MEMORY, (300, 500, 700), DELTA, BENNETT, {"seeger": Seeger()}, **WEIGHTED),
    "two folds, drawn in training": Study(TAIL3, MEMORY3, (30, 50), DELTA, MC, FOLDS, **TRAINED_ON_DRAWS, **DRAWN),
    "two folds, logit-normal": Study(TAIL3, MEMORY3, (30, 50), DELTA, FEW_DRAWS, FOLDS, **NORMAL),
}
REPEATED = {  # with another number of folds, which is no code of its own, and the fixed vote once more
    "one sample, two classes, fixed": Study(FLIPS, NOISE, (80,), DELTA, EXACT, ONE_SAMPLE),
    "two folds, two classes, fixed": Study(TAIL, MEMORY, (20, 20), DELTA, EXACT, FOLDS),
    "two folds, three classes, fixed": Study(TAIL3, MEMORY3, (110, 110), DELTA, WITH_A_DIRICHLET, FOLDS),
    "one sample, drawn in training": Study(CROWD, SKILL, (100,), DELTA, MC, ONE_SAMPLE, **TRAINED_ON_DRAWS),
    "one sample, logit-normal": Study(CROWD, SKILL, (100,), DELTA, FEW_DRAWS, ONE_SAMPLE, **NORMAL),
    "three folds, two classes": Study(TAIL, MEMORY, (10, 20, 40), DELTA, EXACT, FOLDS),
    "three folds, three classes": Study(TAIL3, MEMORY3, (60, 80, 160), DELTA, WITH_A_DIRICHLET, FOLDS),
    "two folds, weighted vote": Study(TAIL, MEMORY, (120, 120), DELTA, OTHERS, FOLDS, **WEIGHTED),
    "three folds, drawn in training": Study(TAIL3, MEMORY3, (20, 30, 50), DELTA, MC, FOLDS, **TRAINED_ON_DRAWS),
    "three folds, logit-normal": Study(TAIL3, MEMORY3, (20, 30, 50), DELTA, FEW_DRAWS, FOLDS, **NORMAL),
}


def assert_holds(what, truth, bound, delta):
    count, n_draws = violations(truth, bound)
    most = most_violations(n_draws, delta)
    print(
        f"{what}: {count / n_draws:.2%} of {n_draws} draws violate, {delta:.0%} may; "
        f"mean bound {np.nanmean(bound):.3f}, mean risk {np.nanmean(truth):.3f}"
    )
    assert count <= most, f"{what}: {count} of {n_draws} draws violate the bound, at most {most} may."


def assert_says_something(what, bound):
    share = np.mean(bound[~np.isnan(bound)] < 1)
    assert share > 0.2, f"{what}: the bound is below one in {share:.0%} of the draws, so that little is tested."


@pytest.mark.parametrize("name", [*STUDIES, *(pytest.param(name, marks=pytest.mark.long) for name in REPEATED)])
def test_bounds_hold(name):
    """Under each risk, of the fixed vote, and of the classes: all from the same draws."""
    study = (STUDIES | REPEATED)[name]
    r = simulate(study, draws_to_catch(2 * DELTA, DELTA))
    for row, risk in enumerate(study.risks):
        assert_drawn_vote_holds(f"{name}, {risk}", r.truth[:, row], r.bound[:, row], study)
    if not study.certified:
        return
    for column, bound in enumerate(study.bounds):
        what = f"{name}, fixed vote, {bound}"
        assert_holds(what, r.fixed_truth[:, :, column], r.fixed_bound[:, :, column], study.delta)
    assert_holds(f"{name}, fixed vote", r.fixed_truth, r.fixed_bound, study.delta)
    assert_says_something(f"{name}, fixed vote", r.fixed_bound)
    if study.posterior is Dirichlet:
        assert_holds(f"{name}, classes", r.class_truth, r.class_bound, study.delta)
        assert_holds(f"{name}, fixed vote, classes", r.fixed_class_truth, r.fixed_class_bound, study.delta)
        assert_says_something(f"{name}, classes", r.class_bound)


def assert_drawn_vote_holds(what, truth, bound, study):
    for column, name in enumerate(study.bounds):
        assert_holds(f"{what}, {name}", truth[:, column], bound[:, column], study.delta)
        assert_says_something(f"{what}, {name}", bound[:, column])
    if np.isnan(bound).any():  # a draw judges one bound only: all of them together are enough
        assert_holds(what, truth, bound, study.delta)


@pytest.mark.parametrize("name", STUDIES)
def test_judged_is_what_certify_says(name):
    """The other bounds are composed without `certify`, for speed: the same to the last digits."""
    study = STUDIES[name]
    rng = np.random.default_rng(7)
    tried = attempt(study, [study.population.draw(n, rng) for n in study.sizes], 0, rng)
    for risk in study.risks.values():
        for ours, bound in zip(bounds_under(study, tried, risk), tried.bounds.values(), strict=True):
            theirs = certify(tried.votes, tried.posteriors, tried.priors, risk, bound, study.delta).stochastic_bound
            assert np.isnan(ours) or ours == pytest.approx(theirs, abs=1e-12)


# Where the bounds are tight: the exact probability of a violation, over all samples.

LARGE_C = {"catoni_large_c": Catoni(c=20.0)}


@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("name", [*ONE_SAMPLE, *LARGE_C])
def test_failures_too_rare_to_be_met(name, delta):
    """The risk is just above what the bound says when no failure was met, and then alone the bound is violated."""
    bound, n = (ONE_SAMPLE | LARGE_C)[name], 20
    share = bound.upper(0.0, 0.0, (n,), delta).value * (1 + 1e-6)
    population = p.rare_failure(share)
    study = Study(population, p.unanimous(population), (n,), delta, EXACT, {name: bound})
    probability = violation_probability(study)
    print(f"{name}: violated with probability {probability:.4f}, {delta} may")
    assert probability == pytest.approx((1 - share) ** n, rel=1e-9)
    assert probability <= delta


@pytest.mark.parametrize(
    ("bound", "sizes"),
    [
        (Seeger(), (1, 1)),
        (Seeger(), (1, 2)),
        (Catoni(c=20.0), (1, 1)),
        (Catoni(c=20.0), (1, 1, 1)),
        (Catoni(c=20.0), (1, 1, 2)),
        (CatoniPerFold(c=(20.0, 15.0)), (1, 1)),
    ],
    ids=str,
)
def test_folds_that_succeed_together(bound, sizes):
    """The risk is just above what the bound says when no voter erred, and the folds agree on when that happens."""
    delta = 0.2
    n_points = int(1 / (1 - bound.upper(0.0, 0.0, sizes, delta).value)) + 1
    study = Study(p.one_label_each(np.ones(n_points)), p.Checksum(), sizes, delta, EXACT, {"bound": bound})
    probability = violation_probability(study)
    print(f"{bound}, {sizes}: violated with probability {probability:.4f}, {delta} may")
    assert probability == pytest.approx(n_points ** -(1.0 + sum(sizes) - len(sizes)), rel=1e-9)
    assert probability <= delta


# What is wrong is noticed: by the same counts and the same limits.


def is_caught(truth, bound, delta):
    count, n_draws = violations(truth, bound)
    return count > most_violations(n_draws, delta)


@pytest.mark.parametrize("own", [True, False])
def test_voters_trained_on_the_fold_that_judges_them_are_caught(own):
    study = Study(p.coin_flips(60), MEMORY, (40, 40), 0.05, EXACT, FOLDS, **DRAWN, learns_from_its_own_fold=own)
    r = simulate(study, 100)
    for column in range(len(study.bounds)):
        assert is_caught(r.truth[:, 0, column], r.bound[:, 0, column], study.delta) == own


@pytest.mark.parametrize("own", [True, False])
def test_a_prior_chosen_on_the_fold_that_judges_it_is_caught(own):
    teach = p.Trusted(p.guessers(FLIPS, 200).answers)
    study = Study(FLIPS, teach, (30, 30), 0.2, EXACT, {"seeger": Seeger()}, **DRAWN, learns_from_its_own_fold=own)
    r = simulate(study, 60)
    assert is_caught(r.truth, r.bound, study.delta) == own


class WithoutDivergence(Seeger):
    def upper(self, risk: float, kl: float, sizes, delta: float) -> UpperBound:
        return super().upper(risk, 0.0, sizes, delta)._replace(d_kl=0.0)


class WithoutConfidence(Seeger):
    def price(self, sizes, delta: float) -> float:
        return super().price(sizes, 1.0)


def test_a_forgotten_divergence_is_caught():
    population = p.coin_flips(64)
    bounds = {"wrong": WithoutDivergence(), "seeger": Seeger()}
    teach = p.guessers(population, 160)
    study = Study(population, teach, (30,), 0.2, EXACT, bounds, solver=LBFGS(max_iter=10), **DRAWN)
    r = simulate(study, 80)
    minimised = slice(0, None, 2)
    assert is_caught(r.truth[minimised, 0, 0], r.bound[minimised, 0, 0], study.delta)
    assert not is_caught(r.truth[:, 0, 1], r.bound[:, 0, 1], study.delta)


def test_a_forgotten_confidence_is_caught():
    population = p.rare_failure(0.09)
    study = Study(population, p.unanimous(population), (20,), 0.05, EXACT, {"seeger": Seeger()})
    assert violation_probability(study) == 0
    assert violation_probability(replace(study, bounds={"wrong": WithoutConfidence()})) > 2 * study.delta


@pytest.fixture
def even():
    """Equal weights (nothing is learned) on examples where a bare majority errs."""
    population, teach = p.bare_majority(0.4, n_voters=41)
    return Study(population, teach, (200,), 0.2, EXACT, {"seeger": Seeger()}, solver=Adam(n_steps=0))


def test_a_fixed_vote_taken_for_the_drawn_one_is_caught(even):
    r = simulate(even, 50)
    assert is_caught(r.fixed_truth, r.bound, even.delta)
    assert not is_caught(r.fixed_truth, r.fixed_bound, even.delta)


def test_a_forgotten_factor_is_caught(even):
    study = replace(even, risks=CLASSICAL, posterior=Categorical)
    r = simulate(study, 100)
    for row, risk in enumerate(study.risks.values()):
        assert not is_caught(r.truth[:, row], r.bound[:, row], study.delta)
        if risk.factor > 1:
            assert is_caught(r.truth[:, row], r.bound[:, row] / risk.factor, study.delta)
