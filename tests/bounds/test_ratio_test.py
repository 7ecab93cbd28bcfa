"""The ratio test: its promise by simulation, its price, its inversion, and what it is in special cases."""

import math

import numpy as np
import pytest

from stocmv.bounds import RatioTest, clopper_pearson
from stocmv.special import kl_bernoulli


def test_one_fold_of_examples_has_clopper_and_pearsons_bound_given_the_answers():
    assert RatioTest((1000,), 0.05).upper_counts(3, 400) == clopper_pearson(3, 400, 0.05)


def test_no_answers_certify_nothing():
    assert RatioTest((20,), 0.05).upper_counts(0, 0) == 1.0
    assert not RatioTest((10, 10), 0.05).rejects_counts(0, 0, 0.999)


def test_answers_that_are_all_wrong_certify_nothing():
    assert RatioTest((100,), 0.05).upper_counts(50, 50) == 1.0
    assert not RatioTest((100, 100), 0.05).rejects_counts(150, 150, 0.999)


def test_the_ratio_of_folds_has_no_bound_by_inversion():
    with pytest.raises(ValueError, match="fixed in advance"):
        RatioTest((10, 10), 0.05).upper_counts(1, 10)


@pytest.mark.parametrize("sizes", [(40,), (30, 30), (21, 20, 20)])
def test_evidence_increases_with_the_ratio(sizes):
    rng = np.random.default_rng(0)
    test = RatioTest(sizes, 0.05)
    for _ in range(20):
        answered = rng.random(sum(sizes)) * rng.integers(0, 2, sum(sizes))
        errors = answered * rng.random(sum(sizes)) ** rng.integers(1, 30)
        evidence = [test.evidence(errors, answered, r) for r in np.linspace(0.001, 0.999, 100)]
        assert np.all(np.diff(evidence) >= -1e-12)


@pytest.mark.parametrize("n_folds", [1, 3])
def test_rejects_what_the_evidence_suffices_for(n_folds):
    rng = np.random.default_rng(1)
    test = RatioTest((900 // n_folds,) * n_folds, 0.05)
    answered = rng.integers(0, 2, 900) * rng.random(900)
    errors = answered * (rng.random(900) < 0.05)
    rejected = [r for r in np.linspace(0.01, 0.3, 300) if test.rejects(errors, answered, r)]
    assert test.evidence(errors, answered, rejected[0]) >= math.log(20)
    assert test.evidence(errors, answered, rejected[0] - 0.29 / 299) < math.log(20)
    if n_folds == 1:
        assert rejected[0] - 0.29 / 299 < test.upper(errors, answered) <= rejected[0]


def test_units_may_be_given_by_their_counts():
    test = RatioTest((50, 50), 0.1)
    errors, answered = np.repeat([1.0, 0.0, 0.0], [4, 66, 30]), np.repeat([1.0, 1.0, 0.0], [4, 66, 30])
    assert test.evidence(errors, answered, 0.2) == pytest.approx(test.evidence([1, 0], [1, 1], 0.2, [4, 66]), abs=1e-9)


def test_without_errors_it_is_the_best_bet():
    best = 1 - 0.05 ** (1 / 1000)
    test = RatioTest((1000,) * 3, 0.05)
    assert test.rejects_counts(0, 3000, best * 1.001)
    assert not test.rejects_counts(0, 3000, best * 0.999)


def _least_rejected(test, n_errors, answers):
    low, high = 1e-9, 1 - 1e-9
    for _ in range(50):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if test.rejects_counts(n_errors, answers, middle) else (middle, high)
    return high


@pytest.mark.parametrize("n", [3000, 30_000, 3_000_000])
@pytest.mark.parametrize("n_folds", [2, 3, 10])
@pytest.mark.parametrize("share", [1.0, 0.35, 0.03])
def test_price_beside_the_best_bet_in_hindsight(n, n_folds, share):
    test, answers = RatioTest((n // n_folds,) * n_folds, 0.05), int(share * n)
    for n_errors in (0, 1, 5, 30, 1000, 10**6):
        if n_errors < answers / 2:
            found = _least_rejected(test, n_errors, answers)
            price = answers / n_folds * float(kl_bernoulli(n_errors / answers, found)) - math.log(20)
            assert price < (2.5 if share == 1 else 3.0)


@pytest.mark.parametrize(("errors", "answered"), [([0.5], [0.4]), ([-0.1], [1.0]), ([0.5], [1.5])])
def test_units_that_are_none_are_refused(errors, answered):
    with pytest.raises(ValueError, match="0 <= errors <= answered <= 1"):
        RatioTest((5, 5), 0.05).rejects(errors, answered, 0.5)


def test_groups_whose_shares_are_0_and_1_are_tested_like_others():
    """Which test is used does not depend on what the groups turn out to say."""
    errors, answered = np.repeat([1.0, 0.0], [3, 97]), np.ones(100)
    test = RatioTest((100,), 0.05)
    bound = test.upper(errors, answered)
    assert bound > clopper_pearson(3, 100, 0.05)
    assert test.evidence(errors, answered, bound) >= math.log(20)
    assert not test.rejects(errors, answered, bound * 0.999)
    assert test.rejects_counts(3, 100, bound * 0.999)


@pytest.mark.slow
@pytest.mark.parametrize("n_folds", [1, 2, 3])
@pytest.mark.parametrize("rows", [1, 2])
def test_ratio_exceeds_its_bound_at_most_as_often_as_delta_allows(n_folds, rows):
    """Votes that are good or bad by chance, and depend on the other folds: the true ratio is random."""
    rng = np.random.default_rng(7)
    delta, size, trials, target = 0.1, 120, 1000, 0.1
    test, failures, false_alarms = RatioTest((size // rows,) * n_folds, delta), 0, 0
    for _ in range(trials):
        z = rng.random((n_folds, size))
        lucky = np.array([int(1000 * np.delete(z, k, 0).sum()) % 2 for k in range(n_folds)], bool)
        wrong, covered = np.where(lucky, 0.04, 0.15), np.where(lucky, 0.8, 0.5)
        answered, errors = (
            (z < rate[:, None]).astype(float).reshape(n_folds, -1, rows).mean(2) for rate in (covered, wrong * covered)
        )
        ratio = float(wrong @ covered / covered.sum())
        failures += n_folds == 1 and test.upper(errors, answered) < ratio
        false_alarms += ratio >= target and test.rejects(errors, answered, target)
    assert failures <= delta * trials
    assert false_alarms <= delta * trials
