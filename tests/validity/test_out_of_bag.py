"""Voters that are judged by the examples they were not trained on: the bounds hold over draws of examples and bags."""

import numpy as np
import pytest
from scipy.special import softmax

from stocmv import certify
from stocmv.bounds import BOUNDS, Bennett, Upper
from stocmv.posteriors import Categorical
from stocmv.risks import RISKS
from stocmv.votes import OutOfBagVotes, fewest_judges
from validity.trials import draws_to_catch, most_violations

pytestmark = pytest.mark.slow

DELTA, MU = 0.2, 0.1
N, N_CELLS, N_VOTERS = 3000, 3000, 6
CHANCE = 0.95  # of label 1, in each cell; all cells are equally frequent
RISK_NAMES = ("first_order", "second_order", "c_bound", "cctnd", "ccpbb", "ccpbskl")
MEANS = ("one errs", "both err", "not exactly one errs", "mu-tandem loss")


class Draw:
    """Voters that remember the labels of the cells in their bag, and answer 1 elsewhere."""

    def __init__(self, seed, honest=True, *, n_unlabelled=0, seen=False):
        rng = np.random.default_rng(seed)
        cells, y = rng.integers(0, N_CELLS, N), (rng.random(N) < CHANCE).astype(int)
        bags = rng.integers(0, N, (N_VOTERS, N))
        self.answers = np.stack([np.bincount(cells[bag], 2 * y[bag] - 1, N_CELLS) >= 0 for bag in bags])
        inside = np.zeros((N, N_VOTERS), bool)
        for j, bag in enumerate(bags):
            inside[bag, j] = honest
        said = self.answers[:, cells].T.astype(float)
        self.votes = OutOfBagVotes.from_labels(np.where(inside, np.nan, said), y, [0, 1])
        if n_unlabelled:
            further = cells if seen else rng.integers(0, N_CELLS, n_unlabelled)
            self.votes = self.votes.with_unlabelled(self.answers[:, further].T.astype(int))
        errors = np.diag(self.votes.pairs.wrong) / np.diag(self.votes.pairs.judged)
        self.prior = Categorical(np.ones(N_VOTERS))
        self.rho = Categorical(softmax(-100 * errors))  # follows what the judges showed

    def mean(self, of):
        """True mean of a function of the wrong weight."""
        wrong = self.rho.theta @ ~self.answers  # where the label is 1
        return float(np.mean(CHANCE * of(wrong) + (1 - CHANCE) * of(1 - wrong)))

    def vote(self):
        return self.mean(lambda w: w >= 0.5)

    def truths(self):
        return [
            self.mean(of)
            for of in (lambda w: w, lambda w: w**2, lambda w: 1 - 2 * w * (1 - w), lambda w: (w - MU) ** 2)
        ]

    def bounds(self, bound):
        """Bounds on the same means, each at the whole delta; the last by Bennett, whatever the bound is."""
        votes, kl = self.votes, self.rho.kl(self.prior)[0]
        upper = Upper(bound, (votes.fewest(1),), DELTA, *fewest_judges([votes])[1:])
        error, either = RISKS["c_bound"].means(self.rho, votes)[0]
        both, half, *spread = RISKS["ccpbb"].means(self.rho, votes)[0]
        variance = spread[0] - 2 * MU * spread[1] + 2 * MU**2 * spread[2]
        above = Bennett().of_means(np.array([variance]), np.array([1 - MU]), 2 * kl, upper.of_pairs.sizes, DELTA)
        return [
            upper(error, kl).value,
            upper.of_pairs(both, 2 * kl).value,
            upper.of_disagreements(1 - either, 2 * kl).value,
            both - 2 * MU * half + MU**2 + above.values[0],
        ]


@pytest.mark.parametrize("bound", ["seeger", "catoni", "mcallester", "lambda"])
def test_means_over_voters_and_pairs_are_below_their_bounds(bound):
    n_draws = draws_to_catch(2 * DELTA, DELTA)
    draws = [Draw(seed) for seed in range(n_draws)]
    truth, above = (np.array([of(d) for d in draws]) for of in (Draw.truths, lambda d: d.bounds(BOUNDS[bound])))
    for name, failed, mean in zip(MEANS, (truth > above).sum(0), above.mean(0), strict=True):
        print(f"{bound}, {name}: {failed} of {n_draws} draws violate; mean bound {mean:.3f}")
        assert failed <= most_violations(n_draws, DELTA)
        assert mean < 1 or name == MEANS[2]  # two voters rarely disagree here


def test_the_weighted_vote_errs_as_rarely_as_every_certificate_says():
    for seed in range(20):
        draw = Draw(seed)
        found = [certify([draw.votes], [draw.rho], [draw.prior], RISKS[r], BOUNDS["seeger"], DELTA) for r in RISK_NAMES]
        assert draw.vote() <= min(each.bound for each in found)
        assert max(each.bound for each in found) < 1


def test_voters_judged_by_what_they_were_trained_on_are_noticed():
    """The same check, with every example judging every voter."""
    n_draws = draws_to_catch(2 * DELTA, DELTA)
    draws = [Draw(seed, honest=False) for seed in range(n_draws)]
    failed = sum(d.truths() > np.array(d.bounds(BOUNDS["seeger"])) for d in draws)
    print(f"violations if voters are judged by their own bags: {dict(zip(MEANS, failed.tolist(), strict=True))}")
    assert min(failed[:2]) > most_violations(n_draws, DELTA)


def disagreement_violated(seed, bound="seeger", seen=False):
    """Whether voters disagree less often than the lower bound says that unlabelled examples help to find."""
    draw = Draw(seed, n_unlabelled=20_000, seen=seen)
    return draw.truths()[2] > draw.bounds(BOUNDS[bound])[2], draw.bounds(BOUNDS[bound])[2]


@pytest.mark.parametrize("bound", ["seeger", "catoni"])
def test_voters_disagree_as_often_as_unlabelled_examples_help_to_say(bound):
    n_draws = draws_to_catch(2 * DELTA, DELTA)
    failed, above = zip(*(disagreement_violated(seed, bound) for seed in range(n_draws)), strict=True)
    print(
        f"{bound}: {sum(failed)} of {n_draws} draws violate; disagreement at least {1 - np.mean(above):.3f} on average"
    )
    assert sum(failed) <= most_violations(n_draws, DELTA)
    assert np.mean(above) < 0.99  # without the unlabelled examples it is 0.997


def test_unlabelled_examples_that_voters_were_trained_on_are_noticed():
    n_draws = draws_to_catch(2 * DELTA, DELTA)
    failed = sum(disagreement_violated(seed, seen=True)[0] for seed in range(n_draws))
    print(f"{failed} of {n_draws} draws violate the bound if voters were trained on the unlabelled examples")
    assert failed > most_violations(n_draws, DELTA)
