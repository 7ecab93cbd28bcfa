"""Certificates of blocs, whose voters agree on the judging examples and disagree on new ones."""

import numpy as np
import pytest

from stocmv import VoteMatrix, certify, learn
from stocmv.bounds import Seeger
from stocmv.learning import minimise
from stocmv.posteriors import BlocDirichlet, Dirichlet
from stocmv.risks import RISKS
from stocmv.solvers import LBFGS
from validity.trials import draws_to_catch, most_violations

DELTA = 0.2
N, THRESHOLDS, GRID = 40, 60, np.linspace(0, 1, 601)


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
    ("prior", "speakers"),
    [
        pytest.param(0.01, True, marks=pytest.mark.slow),
        pytest.param(0.01, False, marks=pytest.mark.long),
        pytest.param(0.3, False, marks=pytest.mark.long),
    ],
)
def test_what_is_learned_from_blocs_that_split(prior, speakers):
    """With and without voters that speak for a bloc: `learn` certifies both, and keeps the better one."""
    draws, split, violations = draws_to_catch(2 * DELTA, DELTA), [], np.zeros(2, int)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        noise = rng.choice([0.0, 0.1, 0.3])
        votes = drawn_problem(rng, noise)
        solver = LBFGS(max_iter=15, stops_early=True)
        found = minimise([votes], prior=prior, merge=True, delta=DELTA, solver=solver, random_state=seed)
        (posterior,) = found.posteriors
        assert isinstance(posterior, BlocDirichlet)
        posterior = posterior if speakers else posterior.without_speakers()
        assert bool(posterior.speakers.size) == speakers
        certificate = certify([votes], [posterior], found.priors, RISKS["exact"], Seeger(), DELTA)
        split.append(posterior.splits(stumps(GRID)).mean())
        violations += np.array(risks(posterior, noise, rng)) > (certificate.stochastic_bound, certificate.bound)
    assert np.mean(split) > 0.5  # the test would show nothing if blocs agreed on new examples
    assert violations.max() <= most_violations(draws, DELTA), violations


def guesses(rng, n_classes):
    """Votes of voters that know nothing on examples with drawn labels: whatever is learned, every vote only guesses.

    Each voter is a table of answers to 200 cases, in twelve versions that differ in one case of a hundred. Most
    versions agree on the cases that the judges have, so blocs are large, and split on new examples.
    """
    tables = rng.integers(0, n_classes, (200, 30)).repeat(12, axis=1)
    other = rng.random(tables.shape) < 0.01
    tables[other] = rng.integers(0, n_classes, other.sum())
    votes = tables[rng.integers(0, 200, N)]
    return VoteMatrix.from_labels(votes, rng.integers(0, n_classes, N), classes=range(n_classes)), tables


@pytest.mark.long
def test_an_adversary_who_chooses_blocs_and_weights_by_the_labels():
    """No vote is better than a guess, so every bound below that is false, and `learn` looks for the smallest.

    A prior that knows the labels, so that blocs and weights cost nothing, is noticed.
    """
    draws, violations, unpaid, spoke, split = draws_to_catch(2 * DELTA, DELTA), np.zeros(2, int), 0, 0, []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        n_classes = int(rng.integers(2, 4))
        votes, tables = guesses(rng, n_classes)
        given = {"solver": LBFGS(max_iter=15, stops_early=True), "random_state": seed}
        learned = learn(votes, prior=rng.choice([0.5, 10.0, 3000.0]) / votes.n_voters, delta=DELTA, **given)
        bounds = learned.certificate.stochastic_bound, learned.certificate.bound
        violations += 1 - 1 / n_classes > np.array(bounds)
        spoke += bool(learned.posterior.speakers.size)
        split.append(learned.posterior.splits(tables).mean())
        (fitted,) = minimise([votes], prior=1.0, merge=True, kl_weight=0.01, **given).posteriors
        prior = fitted.unmerged()
        posterior = Dirichlet(fitted.alpha).spread(fitted.blocs, prior, rng)
        cheating = certify([votes], [posterior], [prior], RISKS["exact"], Seeger(), DELTA)
        unpaid += 1 - 1 / n_classes > cheating.stochastic_bound
    assert np.mean(split) > 0.5
    assert draws / 10 < spoke < draws * 9 / 10
    assert unpaid > most_violations(draws, DELTA), unpaid
    assert violations.max() <= most_violations(draws, DELTA), violations
