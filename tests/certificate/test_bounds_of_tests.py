"""The verifier's own path to the bounds of tests, against sums over all counts and against the package."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from certificate.made import certificate, judging
from stocmv import verify
from stocmv.bounds import FoldTest, bentkus
from stocmv.certificate import Expected, certify_tested
from stocmv.posteriors import Dirichlet


def excess(p, slope, offset, n):
    """``E (p - a B/n - t)_+`` as it is written."""
    counts = np.arange(n + 1)
    room = np.maximum(p[:, None] - slope * counts / n - offset, 0)
    return (binom.pmf(counts, n, p[:, None]) * room).sum(1)


@pytest.mark.parametrize("n", [1, 2, 5, 16, 60, 1000])
@pytest.mark.parametrize("p", [1e-9, 0.001, 0.3, 0.999, 1.0])
def test_probabilities_of_counts(n, p):
    counts = np.arange(-1, n + 2)
    np.testing.assert_allclose(verify.binomial(counts, n, p), binom.pmf(counts, n, p), rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("n", [1, 2, 5, 40, 500])
@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (1.3, 0.01), (4.5, 0.0), (1.0, 0.2)])
def test_expected_shortfall(n, slope, offset):
    p = np.linspace(0, 1, 301)
    found = verify.shortfall(p - offset, slope, n, p)
    np.testing.assert_allclose(found, excess(p, slope, offset, n), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 7, 40, 300])
@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (1.2, 0.001), (1.9, 0.01), (4.5, 0.0), (1.0, 0.1)])
def test_the_supremum_is_neither_missed_nor_exceeded(n, slope, offset):
    p = np.sin(np.linspace(0, np.pi / 2, 40_001)) ** 2  # finer near 0
    largest = excess(p, slope, offset, n).max()
    for factor in (1 + 1e-5, 1.001, 1.5, 40.0):
        assert verify.largest_excess(slope, offset, n, largest * factor) <= largest * (1 + 1e-5)
    for factor in (1 - 1e-7, 0.99, 0.5, 0.01):
        assert verify.largest_excess(slope, offset, n, largest * factor) > largest * factor


def test_a_supremum_of_nothing():
    assert verify.largest_excess(1.5, 1.0, 10, 1e-9) == 0
    assert verify.largest_excess(1.5, 7.0, 10, 1e-9) == 0


@pytest.mark.parametrize("n", [1, 3, 30, 1000, 10**5, 10**7])
@pytest.mark.parametrize("error", [0.0, 0.002, 0.05, 0.4])
def test_the_constants_that_the_package_chooses_are_proven(n, error):
    test = FoldTest.choose([error], [n], 0.05)
    (slope,), (offset,), (scale,) = test.slope, test.offset, test.scale
    needed = verify.largest_excess(slope, offset, n, 0.05 * scale) / 0.05
    assert 0.97 * scale < needed <= scale
    assert verify.largest_excess(slope, offset, n, 0.96 * 0.05 * scale) > 0.96 * 0.05 * scale


@pytest.mark.parametrize("n", [1, 4, 50, 3000, 10**6])
@pytest.mark.parametrize("risk", [0.0, 0.001, 0.03, 0.31, 1.0])
@pytest.mark.parametrize("delta", [0.3, 0.05, 0.001])
def test_bentkus_is_that_of_the_package(n, risk, delta):
    ours, theirs = verify.one_sample(risk, n, delta, False), bentkus(risk, n, delta)
    assert ours * (1 - 1e-11) <= theirs <= verify.one_sample(risk, n, delta, False, verify.ROUNDED) + 1e-9


def test_bentkus_is_no_less_than_clopper_and_pearson():
    for errors in range(20):
        assert verify.one_sample(errors / 20, 20, 0.05, False) >= beta.isf(0.05, errors + 1, 20 - errors) * (1 - 1e-12)


@pytest.mark.parametrize("delta", [1e-13, 1e-30])
def test_a_tiny_delta_ends_in_a_bound_of_one(delta):
    """Rounding hides what such a delta allows, so that only an offset of 1 is proven."""
    votes = judging("two_folds")
    guesses = [Expected(np.full(3, 3.0), np.full(3, 20.0))] * 2
    ours = certify_tested(votes, [Dirichlet(np.ones(7))] * 2, delta, guesses, per_class=True)
    assert {ours.bound, *(entry["bound"] for entry in ours.per_class)} == {1.0}
    assert ours.verify(votes), ours.verify(votes)


def test_a_proof_for_ten_million_examples_needs_few_cells(monkeypatch):
    cells = []
    counted = verify.shortfall

    def counting(room, slope, n, p):
        cells.append(len(p))
        return counted(room, slope, n, p)

    monkeypatch.setattr(verify, "shortfall", counting)
    test = FoldTest.choose([0.1], [10**7], 0.05)
    assert verify.largest_excess(test.slope[0], test.offset[0], 10**7, 0.05 * test.scale[0]) < 0.05 * test.scale[0]
    assert sum(cells) < 10**6


def test_losses_of_groups_are_means_over_their_rows():
    """Counted by hand, group by group."""
    ours, (votes,) = (
        certificate("three_classes", bound="test", per_class=True, grouped=True),
        judging("three_classes", True),
    )
    errs = votes.vote_errors(np.array(ours.posteriors[0]["alpha"]) / sum(ours.posteriors[0]["alpha"]))
    names = np.unique(votes.groups)
    assert ours.n == len(names) < votes.n_rows
    overall = [errs[votes.groups == g].mean() for g in names]
    assert ours.empirical_risk == pytest.approx(np.mean(overall), rel=1e-12)
    for k, entry in enumerate(ours.per_class):
        mine = [errs[(votes.groups == g) & (votes.targets == k)] for g in names]
        means = [losses.mean() for losses in mine if losses.size]
        assert entry["n"] == len(means)
        assert entry["empirical_risk"] == pytest.approx(np.mean(means), rel=1e-12)
    shares = [[np.mean(votes.targets[votes.groups == g] != k) for g in names] for k in range(3)]
    assert ours.baseline["empirical_risk"] == pytest.approx(min(map(np.mean, shares)), rel=1e-12)


def test_the_verifier_certifies_nothing_from_no_examples():
    assert verify.clopper_pearson(0, 0, 0.05) == 1.0
