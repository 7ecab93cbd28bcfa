"""Two models on the same examples: the interval holds, and the words say no more than it does."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from stocmv import compare_predictions
from stocmv.certificate import Comparison
from stocmv.certificate._comparison import _interval


def answers(only_first, only_second, n, both=0):
    """True labels, and two models that err alone and together so often."""
    truth = np.zeros(n, int)
    first, second = truth.copy(), truth.copy()
    first[:only_first] = 1
    second[only_first : only_first + only_second] = 1
    for model in (first, second):
        model[only_first + only_second : only_first + only_second + both] = 1
    return truth, first, second


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize("n", [3, 12, 25])
def test_the_interval_holds_by_enumeration(n, delta):
    counts = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    lower, upper = np.array([_interval(b, c, n, delta) for b, c in counts]).T
    b, c = np.array(counts).T
    ways = np.array([math.comb(n, i) * math.comb(n - i, j) for i, j in counts], float)
    grid = (0, 0.01, 0.1, 0.25, 0.4, 0.5, 0.75, 0.99, 1)
    for p, q in itertools.product(grid, grid):
        if p + q > 1:
            continue
        probability = ways * p**b * q**c * (1 - p - q) ** (n - b - c)
        for failed in (p - q < lower - 1e-12, p - q > upper + 1e-12):
            assert probability[failed].sum() <= delta / 2
        assert np.isclose(probability.sum(), 1)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 5), (12, 3), (3, 12), (90, 60), (400, 380)])
def test_the_test_is_mcnemars(b, c):
    found = compare_predictions(*answers(b, c, 1000, both=30))
    theirs = binomtest(b, b + c).pvalue if b + c else 1.0
    assert found.p_value == pytest.approx(theirs, rel=1e-9)
    assert (found.only_first, found.only_second) == (b, c)
    assert (found.first_error, found.second_error) == ((b + 30) / 1000, (c + 30) / 1000)
    assert found.lower <= found.difference == (b - c) / 1000 <= found.upper


def test_the_ends_by_scipys_quantiles():
    often, seldom = beta.ppf(0.9975, 61, 1940), beta.ppf(0.0025, 60, 1941)
    found = compare_predictions(*answers(45, 15, 2000))
    first, second = beta.ppf(0.9775, 46, 15), beta.ppf(0.0225, 45, 16)  # shares of the first model's errors
    assert (found.lower, found.upper) == pytest.approx((seldom * (2 * second - 1), often * (2 * first - 1)), rel=1e-9)


def test_a_model_is_better_if_the_test_rejects_at_nine_tenths_of_delta():
    for b, c in itertools.product(range(0, 40, 3), repeat=2):
        found = compare_predictions(*answers(b, c, 100))
        assert (found.better is not None) == (found.p_value <= 0.045)
        assert found.better in (None, "second" if b > c else "first")


def test_exchanging_the_models_turns_the_interval_around():
    truth, first, second = answers(30, 12, 500)
    one, other = compare_predictions(truth, first, second), compare_predictions(truth, second, first)
    assert (one.lower, one.upper) == (-other.upper, -other.lower)
    assert (one.better, other.better) == ("second", "first")


def test_groups_count_as_one_example_each():
    truth, first, second = answers(60, 10, 200)
    groups = np.arange(200) // 4
    found = compare_predictions(truth, first, second, groups=groups)
    assert (found.n, found.grouped, found.p_value) == (50, True, None)
    assert found.difference == pytest.approx(0.25)
    assert found.lower <= 0.25 <= found.upper
    assert "the 50 groups" in found.statement()
    assert "averaged group by group" in found.statement()
    repeated = [np.repeat(each, 3) for each in (truth, first, second, groups)]
    again = compare_predictions(*repeated[:3], groups=repeated[3])
    assert (again.lower, again.upper) == pytest.approx((found.lower, found.upper), rel=1e-9)


def test_the_interval_of_groups_holds():
    rng = np.random.default_rng(0)
    failures = 0
    for _ in range(200):  # each group of three has one answer of its own
        gap = rng.choice([-1, 0, 1], 40, p=[0.3, 0.1, 0.6]).repeat(3)
        found = compare_predictions(np.zeros(120, int), gap == 1, gap == -1, groups=np.arange(120) // 3, delta=0.2)
        failures += not found.lower <= 0.3 <= found.upper
    assert failures <= 40


def test_all_groups_alike():
    truth, first, second = answers(30, 0, 30)
    found = compare_predictions(truth, first, second, groups=np.arange(30) // 3)
    assert 0 < found.lower < found.upper == 1


def test_statements():
    assert compare_predictions(*answers(60, 0, 2000)).statement() == (
        "With probability at least 95 % over the draw of the 2,000 examples, the second model errs on at least 1.78 "
        "percentage points fewer examples than the first model (measured 3.00)."
    )
    undecided = compare_predictions(*answers(10, 12, 1000))
    assert undecided.statement().startswith("It cannot be said which model errs less: with probability at least 95 %")
    assert "McNemar" in str(undecided)


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (0.00899, 0.05, "the second model errs on at least 0.89 percentage points fewer"),
        (-0.05, -0.00899, "the first model errs on at least 0.89 percentage points fewer"),
        (0.0000129, 0.05, "at least 0.0012 percentage points fewer"),
        (-0.00401, 0.01101, "between -0.41 and 1.11 percentage points"),
        (0.0, 0.01, "between 0.00 and 1.00 percentage points"),
    ],
)
def test_the_text_is_rounded_outward(lower, upper, words):
    found = Comparison(100, 0.05, False, 3, 2, 0.03, 0.02, 0.01, lower, upper, 1.0)
    assert words in found.statement()


def test_json():
    content = json.loads(json.dumps(compare_predictions(*answers(60, 0, 2000)).to_dict(), allow_nan=False))
    assert content["better"] == "second"
    assert content["statement"].startswith("With probability")


def test_nothing_is_shown_by_models_that_agree():
    found = compare_predictions(*answers(0, 0, 1))
    assert (found.better, found.p_value, found.lower, found.upper) == (None, 1.0, -found.upper, found.upper)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([0, 1], [0, 1], [0]), {}, "y_true and second must have one label for each example, got 2 and 1"),
        (([0, 1], ["a", "b"], [0, 1]), {}, "y_true holds numbers such as .* and first texts"),
        (([], [], []), {}, "y_true and first are empty"),
        (([0, 1], [0, None], [0, 1]), {}, "first has missing values"),
        (([0, 1], [0, 1], [0, 1]), {"delta": 1}, "delta must lie strictly between 0 and 1"),
        (([0, 1], [0, 1], [0, 1]), {"groups": [1]}, "groups"),
        (([0, 1], [0, 1], [0, 1]), {"names": ("new", "new")}, "names must be two different texts"),
        (([0, 1], [0, 1], [0, 1]), {"names": ("a", "b", "c")}, "names must be two different texts"),
        (([0, 1], [0, 1], [0, 1]), {"names": (1, 2)}, "names must be two different texts"),
        (([0, 1], [0, 1], [0, 1]), {"names": "ab"}, "names must be two different texts"),
    ],
)
def test_bad_input_is_refused(arguments, options, words):
    with pytest.raises(ValueError, match=words):
        compare_predictions(*arguments, **options)


def test_a_p_value_below_delta_that_decides_nothing_is_explained():
    truth = np.zeros(900, int)
    first, second = np.zeros(900, int), np.zeros(900, int)
    first[:57], second[57:94] = 1, 1
    found = compare_predictions(truth, first, second)
    assert 0.045 < found.p_value < 0.05
    assert found.better is None
    assert "p = 0.049; the interval excludes 0 only if it is at most 0.045" in str(found)
