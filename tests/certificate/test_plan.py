"""How many judging examples it takes: against brute force and simulation."""

import json

import numpy as np
import pytest
from scipy.stats import binom

from stocmv import certify_predictions, compare_predictions, plan, plan_comparison
from stocmv.bounds import clopper_pearson
from stocmv.certificate._comparison import _interval


def chances(error, bound, delta, most):
    """The chance to certify the bound, for each number of examples from 0 to most."""
    sizes = np.arange(most + 1)
    allowed = binom.ppf(delta, sizes, bound).astype(int)
    allowed -= binom.cdf(allowed, sizes, bound) > delta
    return np.where(allowed >= 0, binom.cdf(allowed, sizes, error), 0.0)


@pytest.mark.parametrize(
    ("error", "bound", "delta", "chance"),
    [
        (0.05, 0.07, 0.05, 0.8),
        (0, 0.01, 0.05, 0.8),
        (0.2, 0.3, 0.1, 0.95),
        (0.01, 0.02, 0.001, 0.5),
        (0.4, 0.9, 0.5, 0.1),
    ],
)
def test_the_smallest_number_from_which_on_the_chance_is_enough(error, bound, delta, chance):
    found = plan(error=error, bound=bound, delta=delta, chance=chance)
    reached = chances(error, bound, delta, 4 * found.n + 500)
    assert np.all(reached[found.n :] >= chance)
    assert reached[found.n - 1] < chance
    assert clopper_pearson(found.allowed, found.n, delta) <= bound < clopper_pearson(found.allowed + 1, found.n, delta)


@pytest.mark.parametrize("prevalence", [0.03, 0.3, 1.0])
def test_only_some_examples_count(prevalence):
    found = plan(error=0.1, bound=0.2, prevalence=prevalence)
    reached = chances(0.1, 0.2, 0.05, found.n + 200)

    def chance(n):
        members = np.arange(n + 1)
        return binom.pmf(members, n, prevalence) @ reached[: n + 1]

    assert all(chance(n) >= 0.8 for n in range(found.n, found.n + 200))
    assert chance(int(0.9 * found.n) - 1) < 0.8
    if prevalence == 1:
        assert found.n == plan(error=0.1, bound=0.2).n


def test_a_class_shares_delta_with_the_others():
    """What `certify_predictions` says of one of two classes is met as often as planned; a plan for one alone is not."""
    planned = plan(error=0.2, bound=0.3, prevalence=0.1, classes=2)
    assert planned.chance_at(planned.n) >= 0.8 > planned.chance_at(planned.n - 50)
    rng, met = np.random.default_rng(0), {}
    for n in (planned.n, plan(error=0.2, bound=0.3, prevalence=0.1).n):
        sizes = rng.binomial(n, 0.1, 2000)
        errors = rng.binomial(sizes, 0.2)
        met[n] = np.mean([clopper_pearson(int(e), int(m), 0.025) <= 0.3 for e, m in zip(errors, sizes, strict=True)])
    assert met[planned.n] > 0.8 - 3 * np.sqrt(0.16 / 2000)
    assert min(met.values()) < 0.77
    truth = np.repeat([0, 1], [900, 100])
    answers = np.where(np.arange(1000) < 920, 0, 1)
    assert certify_predictions(truth, answers).per_class[1]["bound"] == clopper_pearson(20, 100, 0.025)


def test_two_models_by_simulation():
    found = plan_comparison(difference=0.1, discordant=0.3)
    counts = np.random.default_rng(0).multinomial(found.n, [0.2, 0.1, 0.7], 1000)
    shown = np.mean([_interval(b, c, found.n, 0.05)[0] > 0 for b, c, _ in counts.tolist()])
    assert 0.77 < shown < 0.87  # three standard deviations below 0.8; the saw-tooth above
    few = np.random.default_rng(0).multinomial(int(0.8 * found.n), [0.2, 0.1, 0.7], 1000)
    assert np.mean([_interval(b, c, int(0.8 * found.n), 0.05)[0] > 0 for b, c, _ in few.tolist()]) < 0.77


def test_a_model_that_never_errs_alone():
    found = plan_comparison(difference=0.2, discordant=0.2, chance=0.9)
    needed = next(m for m in range(50) if compare_predictions([0] * 50, [1] * m + [0] * (50 - m), [0] * 50).better)
    assert binom.sf(needed - 1, found.n, 0.2) >= 0.9 > binom.sf(needed - 1, found.n - 1, 0.2)


def test_close_figures_take_many_examples():
    found = plan(error=0.05, bound=0.0505)
    assert chances(0.05, 0.0505, 0.05, 3)[3] == 0
    assert 1_100_000 < found.n < 1_300_000
    assert clopper_pearson(found.allowed, found.n, 0.05) <= 0.0505


def test_statements():
    assert plan(error=0.05, bound=0.07).statement() == (
        "If the model errs on 5 %, 961 judging examples certify at most 7 % with a chance of at least 80 %; the "
        "certificate holds with probability at least 95 %. The bound is met with at most 54 errors."
    )
    assert "makes up 10 % of the examples" in str(plan(error=0.05, bound=0.2, prevalence=0.1))
    of_class = plan(error=0.05, bound=0.2, prevalence=0.1, classes=3)
    assert "errs on 5 % of the class (one of 3) that makes up 10 % of the examples" in str(of_class)
    both = plan_comparison(difference=0.1, discordant=0.3)
    assert "10.00 percentage points fewer" in str(both)
    assert json.loads(json.dumps(both.to_dict()))["n"] == both.n


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"error": 0.07, "bound": 0.05}, "bound must be larger than error"),
        ({"error": -0.1, "bound": 0.05}, "error must be a share, at least 0 and below 1, got -0.1"),
        ({"error": 0.1, "bound": float("nan")}, "bound must be a share"),
        ({"error": 0.1, "bound": 0.2, "chance": 1}, "chance must be a share, above 0 and below 1"),
        ({"error": 0.1, "bound": 0.2, "prevalence": 0}, "prevalence must be a share, above 0 and at most 1"),
        ({"error": 0.1, "bound": 0.2, "delta": 0}, "delta"),
        ({"error": 0.1, "bound": 0.2, "classes": 2}, "give the share of its examples as prevalence"),
        ({"error": 0.1, "bound": 0.2, "prevalence": 0.1, "classes": 0}, "classes must be the number of classes, got 0"),
        ({"error": 0.1, "bound": 0.1000001}, "more than 100,000,000 examples"),
        ({"error": 0.1, "bound": 0.2, "prevalence": 1e-7}, "more than 100,000,000 examples"),
    ],
)
def test_bad_input_is_refused(figures, words):
    with pytest.raises(ValueError, match=words):
        plan(**figures)


def test_a_difference_that_cannot_be():
    with pytest.raises(ValueError, match="difference cannot be larger than discordant"):
        plan_comparison(difference=0.3, discordant=0.1)
