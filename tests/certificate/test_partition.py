"""The closest contests, against a list of everything that voters can say."""

import itertools

import numpy as np
import pytest
from scipy.special import betainc

from stocmv import VoteMatrix, learn
from stocmv.certificate._partition import LISTED, closest_contests
from stocmv.verify import coverage

RNG = np.random.default_rng(5)
FEW = [[1.0], [1.0, 1.0], [1.0, 1.0, 1.0], [3.0, 1.0, 1.0, 1.0], [0.5, 0.2, 7.0], [1e-3, 1e-3, 1.0, 40.0, 41.0]]
FEW += [RNG.gamma(1.0, size=size).tolist() for size in (4, 5, 6, 7)]


def coverage_by_listing(weights, n_classes, margin):
    """Least probability, over all answers on which the mean vote errs, that the true class is not clear ahead."""
    least = 1.0
    for answers in itertools.product(range(n_classes), repeat=len(weights)):  # class 0 is the true one
        totals = np.bincount(answers, weights, minlength=n_classes)
        wrong = totals[1:].max()
        if wrong >= totals[0] * (1 - 1e-12) and totals[0] > 0:
            least = min(least, betainc(totals[0], wrong, 0.5 + margin))
    return least


@pytest.mark.parametrize("weights", FEW, ids=len)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("scale", [0.3, 1.0, 50.0])
def test_coverage_is_that_of_the_closest_contest(weights, n_classes, scale):
    contests = closest_contests(np.array(weights), n_classes)
    for margin in (0.0, 0.04, 0.2):
        theirs = coverage_by_listing(scale * np.array(weights), n_classes, margin)
        ours = contests.coverage(scale, margin)
        assert ours <= theirs
        if n_classes == 2:
            assert ours >= theirs * (1 - 1e-7)


@pytest.mark.parametrize("spoken_for", [0.0, 0.003, 0.1])
@pytest.mark.parametrize("margin", [0.0, 0.04, 0.2])
@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_no_tie_is_closer_if_a_leak_takes_more_than_the_margin(scale, margin, spoken_for):
    """Of tied classes that one of them must win clearly, the heavier are closer: their shares vary less."""
    ours = closest_contests(np.full(12, 2.0), 3).coverage(scale, margin, leak=spoken_for)
    left = margin - 6 * spoken_for * (0.5 - margin) / (1 - spoken_for)
    theirs = min(betainc(scale * tied, scale * tied, max(0.5 + left, 0.0)) for tied in (8.0, 10.0, 12.0))
    assert ours <= max(theirs, 1e-300)
    assert coverage(scale * np.full(12, 2.0), 3, margin, leak=spoken_for) <= max(theirs, 1e-300)


@pytest.mark.parametrize("n_voters", [LISTED + 1, 40, 1000])
def test_many_alike_voters_can_be_cut_in_half(n_voters):
    contests = closest_contests(np.ones(n_voters), 2)
    assert contests.coverage(1.0, 0.0) == pytest.approx(0.5, abs=1e-7)  # a tie within 1e-9 of the weight is a loss


@pytest.mark.parametrize(("n_voters", "shown"), [(3, 0.97), (5, 0.92), (15, 0.79)])
def test_few_voters_cover_as_much_as_the_theory_page_says(n_voters, shown):
    assert closest_contests(np.full(n_voters, 10.0), 2).coverage(1.0, 0.0) == pytest.approx(shown, abs=0.005)


def test_light_voters_cannot_close_the_gap_of_heavy_ones():
    weights = np.concatenate([[5.0, 4.0, 4.0], np.full(100, 0.001)])
    contests = closest_contests(weights, 2)
    assert contests.wrong[0] == pytest.approx(8.0)  # the two lighter ones of the three, with none of the others


def test_twenty_voters_are_listed_whole():
    weights = RNG.gamma(0.3, size=LISTED) + 1e-3
    sums = np.zeros(1)
    for weight in weights:
        sums = np.append(sums, sums + weight)
    lightest = sums[sums >= weights.sum() / 2 * (1 - 1e-12)].min()
    assert closest_contests(weights, 2).wrong[0] == pytest.approx(lightest, rel=2e-9)


@pytest.mark.parametrize("n_classes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_few_good_voters_have_a_deterministic_vote_little_above_the_stochastic_one(n_classes):
    y = RNG.integers(n_classes, size=4000)
    votes = np.where(RNG.random((4000, 3)) < 0.05, RNG.integers(n_classes, size=(4000, 3)), y[:, None])
    learned = learn(VoteMatrix.from_labels(votes, y), prior=1.0, random_state=0)
    certificate = learned.certificate
    assert certificate.bound < 1.3 * certificate.stochastic_bound
    assert certificate.deterministic_vote["coverage"] > 0.9
