"""The promise of PAC-Bayes certificates of soft votes, by drawing the sample many times from a finite population."""

import numpy as np
import pytest

from stocmv import ScoreMatrix, learn
from stocmv.risks import margin_rows
from validity.trials import draws_to_catch, most_violations
from zoo import probabilities

pytestmark = pytest.mark.slow

DELTA = 0.2


@pytest.mark.parametrize("n_classes", [2, 3])
def test_bounds_of_soft_votes_hold(n_classes):
    scores, y = probabilities(40, np.linspace(-0.5, 1.5, 6), n_classes, seed=5)
    classes = np.arange(n_classes)
    population = ScoreMatrix.from_probabilities(scores, y, classes)
    rng, n_draws = np.random.default_rng(0), draws_to_catch(2 * DELTA, DELTA)
    failed, informative = np.zeros(2, int), 0
    for _ in range(n_draws):
        rows = rng.integers(0, 40, 120)
        learned = learn(population.take(rows), risk="soft", prior=1.0, delta=DELTA, solver="lbfgs", random_state=0)
        ours = learned.certificate
        truth = margin_rows(learned.posterior, population).mean(), np.mean(learned.predict(scores) != y)
        failed += np.array(truth) > [ours.stochastic_bound, ours.bound]
        informative += ours.bound < 1
    print(f"{n_classes} classes: {failed} of {n_draws} draws violate; predict's bound is below one in {informative}")
    assert failed.max() <= most_violations(n_draws, DELTA)
    assert informative > 0.2 * n_draws
