"""Certificates of blocs, whose voters agree on the judging examples and disagree on new ones."""

import numpy as np
import pytest

from stocmv import VoteMatrix, certify, learn
from stocmv.bounds import Seeger
from stocmv.posteriors import BlocDirichlet, Dirichlet
from stocmv.risks import RISKS
from stocmv.solvers import LBFGS
from validity.trials import draws_to_catch, most_violations

DELTA = 0.2
N, THRESHOLDS, GRID = 40, 60, np.linspace(0, 1, 1201)


def stumps(x):
    """Answers of stumps on both sides of thresholds that lie closer together than the judges."""
    above = x[:, None] > np.linspace(0.01, 0.99, THRESHOLDS)
    return np.hstack([above, ~above]).astype(int)


def true_errors(answers, noise):
    """The error at each point of the grid, where the right answer is 1 above one half but for noise."""
    best = (GRID > 0.5).astype(int)
    return np.where(answers == best, noise, 1 - noise).mean(-1)


def weighed(weights):
    """Answers on the grid of votes with these weights."""
    return (weights @ stumps(GRID).T > weights.sum(1, keepdims=True) / 2).astype(int)


def drawn_problem(rng, noise):
    x = rng.random(N)
    y = np.where(rng.random(N) < noise, x <= 0.5, x > 0.5).astype(int)
    return VoteMatrix.from_labels(stumps(x), y, classes=[0, 1])


def risks(posterior, noise, rng):
    """The true errors of the stochastic vote, and of predict averaged over the draw of the speakers."""
    stochastic = true_errors(weighed(posterior.sample(300, rng)), noise).mean()
    if not posterior.speakers.size:
        return stochastic, float(true_errors(weighed(posterior.fixed_votes()), noise)[0])
    prior, sums = Dirichlet(posterior.within), Dirichlet(posterior.alpha)
    speaking = [sums.spread(posterior.blocs, prior, rng).fixed_votes()[0] for _ in range(60)]
    return stochastic, true_errors(weighed(np.array(speaking)), noise).mean()


@pytest.mark.parametrize(
    "prior", [pytest.param(0.01, marks=pytest.mark.slow), pytest.param(0.3, marks=pytest.mark.long)]
)
def test_what_is_learned_from_blocs_that_split(prior):
    draws, spoke, split = draws_to_catch(2 * DELTA, DELTA), 0, []
    violations = np.zeros(2, int)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        noise = rng.choice([0.0, 0.1, 0.3])
        votes = drawn_problem(rng, noise)
        learned = learn(votes, prior=prior, delta=DELTA, solver=LBFGS(max_iter=15, stops_early=True), random_state=seed)
        posterior = learned.posterior
        assert isinstance(posterior, BlocDirichlet)
        split.append(posterior.splits(stumps(GRID)).mean())
        spoke += bool(posterior.speakers.size)
        certificate = learned.certificate
        violations += np.array(risks(posterior, noise, rng)) > (certificate.stochastic_bound, certificate.bound)
    assert np.mean(split) > 0.5  # the test would show nothing if blocs agreed on new examples
    assert spoke == 0 if prior == 0.3 else spoke > draws / 2
    assert violations.max() <= most_violations(draws, DELTA), violations


@pytest.mark.long
def test_an_adversary_who_chooses_blocs_and_weights_by_the_labels():
    """Whoever looks at labels, and at the population, may choose what fails most often: still at most delta of it does.

    The adversary tries sharp and flat posteriors that favour the blocs that are luckiest on the judges, with blocs as
    large as they can be or cut at random, and keeps the one whose error exceeds its bound by most.
    """
    draws, violations, noise = draws_to_catch(2 * DELTA, DELTA), np.zeros(2, int), 0.5
    prior = Dirichlet(np.full(2 * THRESHOLDS, 0.05))
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        votes = drawn_problem(rng, noise)
        worst = np.full(2, -np.inf)
        for cut, sharpness in ((False, 2.0), (False, 50.0), (True, 10.0)):
            whole = votes.blocs()
            blocs = np.unique(2 * whole + cut * rng.integers(0, 2, len(whole)), return_inverse=True)[1]
            errors = np.array([votes.voter_errors()[blocs == bloc][0] for bloc in range(blocs.max() + 1)])
            alpha = prior.merged(blocs).alpha + sharpness * (errors == errors.min())
            posterior = Dirichlet(alpha).spread(blocs, prior, rng)
            certificate = certify([votes], [posterior], [prior], RISKS["exact"], Seeger(), DELTA)
            over = np.array(risks(posterior, noise, rng)) - (certificate.stochastic_bound, certificate.bound)
            worst = np.maximum(worst, over)
        violations += worst > 0
    assert violations.max() <= most_violations(draws, DELTA), violations
