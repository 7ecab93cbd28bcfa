"""Every figure of `certify_predictions` is false no more often than delta, and exact ones hardly less often."""

import numpy as np
import pytest

from benchmarks.coverage import GRID, Truth, failures
from validity.trials import draws_to_catch, most_violations

EXACT = ("error", "one subgroup")  # a single Clopper-Pearson bound, without a share for others


def test_few_draws():
    draws = draws_to_catch(0.5, 0.05)
    counts = failures(GRID[0], draws, delta=0.05)
    assert max(counts.values()) <= most_violations(draws, 0.05), counts


@pytest.mark.slow
@pytest.mark.parametrize("truth", [Truth(30, (0.005, 0.3), 0.5), Truth(100, (0.5, 0.4), 0.2)], ids=str)
def test_all_figures_hold_as_often_as_they_promise(truth):
    delta = 0.2
    draws = draws_to_catch(2 * delta, delta)
    counts = failures(truth, draws, delta=delta)
    assert max(counts.values()) <= most_violations(draws, delta), counts


@pytest.mark.slow
def test_exact_figures_are_not_too_careful_and_a_wrong_delta_is_noticed():
    """At 300 examples that err on nearly half, the steps of the binomial distribution are small."""
    truth, delta = Truth(300, (0.5, 0.4), 0.5), 0.2
    draws = draws_to_catch(2 * delta, delta)
    few = np.array([failures(truth, draws, delta=delta)[name] for name in EXACT])
    assert np.all(few >= draws * delta * 2 / 3 - 3 * np.sqrt(draws * delta * (1 - delta))), few
    twice = failures(truth, draws, certified=2.2 * delta)
    assert all(twice[name] > most_violations(draws, delta) for name in EXACT), twice
