"""A champion and its challenger: looking after every case costs nothing, and a real difference is found."""

import numpy as np
import pytest

from stocmv import ChallengerMonitor
from validity.trials import draws_to_catch

LENGTH, DELTA = 3000, 0.05


def shown(champion, challenger, groups=None):
    """In how many of the streams of errors the challenger is ever found better."""
    truth, found = np.zeros(champion.shape[1], int), 0
    for old, new in zip(champion.astype(int), challenger.astype(int), strict=True):
        found += ChallengerMonitor(DELTA, grouped=groups is not None).update(truth, old, new, groups=groups).alarm
    return found


@pytest.mark.slow
def test_equal_models_are_rarely_told_apart_at_any_time():
    """An alarm stays, so that these are streams in which anybody who looked after every case would have stopped."""
    rng, draws = np.random.default_rng(0), draws_to_catch(2 * DELTA, DELTA)
    for rate in (0.02, 0.2):
        assert shown(*(rng.random((2, draws, LENGTH)) < rate)) <= DELTA * draws


@pytest.mark.slow
def test_models_that_change_with_the_past_and_rows_of_groups():
    """Both err more often after a case on which only the champion erred; and groups that err as a whole."""
    rng, draws = np.random.default_rng(1), draws_to_catch(2 * DELTA, DELTA)
    coins, champion = rng.random((2, draws, LENGTH)), np.zeros((draws, LENGTH), bool)
    challenger = champion.copy()
    for t in range(LENGTH):
        rate = 0.1 if t == 0 else np.where(champion[:, t - 1] & ~challenger[:, t - 1], 0.3, 0.1)
        champion[:, t], challenger[:, t] = coins[0, :, t] < rate, coins[1, :, t] < rate
    assert shown(champion, challenger) <= DELTA * draws
    groups = np.repeat(np.arange(LENGTH // 5), 5)
    champion, challenger = np.repeat(rng.random((2, draws, LENGTH // 5)) < 0.2, 5, axis=2)
    assert shown(champion, challenger, groups) <= DELTA * draws


def test_what_is_wrong_is_noticed():
    """Rows of a group that are counted one by one, though they depend on each other, tell equal models apart."""
    champion, challenger = np.repeat(np.random.default_rng(2).random((2, 40, 100)) < 0.2, 30, axis=2)
    assert shown(champion, challenger) > 10


@pytest.mark.parametrize(("better", "least"), [(0.05, 38), (0.1, 0), (0.2, 0)])
def test_a_real_difference_is_found_and_no_other(better, least):
    """Errors of 10 % and 5 % within 3,000 cases; never for a challenger that is worse."""
    rng = np.random.default_rng(3)
    found = shown(rng.random((40, LENGTH)) < 0.1, rng.random((40, LENGTH)) < better)
    assert found >= least
    assert better < 0.1 or found <= 7  # more than 7 of 40 have probability below 0.1 %
