"""The bound on one drawn vote, through `fit` and `draw`, against its true error on new examples."""

import numpy as np
import pytest

from stocmv import MajorityVoteClassifier
from stocmv.solvers import LBFGS, Solver
from validity.trials import draws_to_catch, most_violations

DELTA = 0.2
QUICK = LBFGS(max_iter=10, stops_early=True)
GRID = np.linspace(0, 1, 401)


def stumps(x):
    """Answers of stumps on both sides of thresholds, many of which the judges cannot tell apart."""
    above = x[:, None] > np.linspace(0.02, 0.98, 25)
    return np.hstack([above, ~above]).astype(int)


def fit(X, y, **settings):
    return MajorityVoteClassifier("answers", bound="seeger", delta=DELTA, **settings).fit(X, y)


def learned(seed):
    """The true error of one drawn vote, and its bound: learned weights, of blocs that split on new examples."""
    rng = np.random.default_rng(seed)
    noise = rng.choice([0.0, 0.2, 0.4])
    x = rng.random(30)
    y = (x > 0.5) ^ (rng.random(30) < noise)
    clf = fit(stumps(x), y.astype(int), prior=rng.choice([0.02, 1.0]), solver=QUICK, random_state=seed)
    drawn = clf.draw(seed)
    right = drawn.predict(stumps(GRID)) == (GRID > 0.5)
    return np.where(right, noise, 1 - noise).mean(), drawn.certificate_.bound


class Untaught(Solver):
    """Leaves the weights as the prior has them, so that draws differ as much as they can."""

    def minimise(self, problem, start, rng):
        return start


def guessing(seed):
    """Bounds below one half among those of twenty drawn votes, where no vote is better than a guess.

    Whatever the labels, errors are tosses of a coin. With five of them, Seeger's bound is below one half if none is
    wrong, with probability 1/32: it has less to spare than with more examples.
    """
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (5, 200)), rng.permutation([0, 1, *rng.integers(0, 2, 3)])
    clf = fit(X, y, prior=0.001, solver=Untaught(), random_state=seed)
    return [clf.draw(1000 * seed + k).certificate_.bound < 0.5 for k in range(20)]


@pytest.mark.slow
def test_a_drawn_vote_rarely_errs_more_than_its_bound_says():
    draws = draws_to_catch(0.5, DELTA)
    errors, bounds = np.transpose([learned(seed) for seed in range(draws)])
    violations = int(np.sum(errors > bounds))
    assert np.mean(bounds < 0.5) > 0.2, np.mean(bounds)  # a bound of 1 would show nothing
    assert violations <= most_violations(draws, DELTA), violations


@pytest.mark.slow
def test_the_best_of_several_draws_is_noticed():
    """One draw keeps the promise where votes only guess; the best of twenty, at the same delta, does not."""
    draws = draws_to_catch(2 * DELTA, DELTA)
    below = np.array([guessing(seed) for seed in range(draws)])
    assert 0 < below[:, 0].sum() <= most_violations(draws, DELTA)
    assert below.any(1).sum() > most_violations(draws, DELTA), below.any(1).sum()
