"""What the bounds rest on: inequalities between the risks that hold for the examples themselves."""

import numpy as np
import pytest
from scipy.special import betainc

import dense
from stocmv import certify
from stocmv.bounds import BOUNDS, UpperBound
from stocmv.certificate._fixed_vote import MARGINS
from stocmv.certificate._partition import closest_contests
from stocmv.risks import RISKS, Exact, Half
from stocmv.risks._exact import margin_rows
from stocmv.risks._monte_carlo import argmax_error
from zoo import PAIRS, SEVERAL_CLASSES, SINGLE, posterior_near, prior_of, problem

SCALES = [0.1, 1.0, 20.0]
CLASSICAL = [(risk, kind) for risk, kind in PAIRS if RISKS[risk].factor > 1 or len(RISKS[risk].outward) > 1]


def some_posterior(kind, name, scale=1.0):
    return posterior_near(prior_of(kind, problem(name).n_voters, scale), spread=1.0)


def as_if_infinite(risk, kl):
    """The bound from infinitely many examples: the empirical value itself."""
    return UpperBound(risk, 1.0, 0.0)


as_if_infinite.two_sided = True
as_if_infinite.of_pairs = as_if_infinite.of_disagreements = as_if_infinite
as_if_infinite.sizes, as_if_infinite.delta = (10**12,), 0.5


@pytest.mark.parametrize("name", SINGLE)
class TestMeanVote:
    @pytest.mark.parametrize(("risk", "kind"), CLASSICAL)
    def test_errs_at_most_as_often_as_the_classical_risks_say(self, risk, kind, name):
        posterior, votes = some_posterior(kind, name), problem(name)
        composed = RISKS[risk].compose(RISKS[risk].certified_moments(posterior, votes), 0.0, as_if_infinite, posterior)
        assert argmax_error(posterior.mean, votes) <= min(composed.value, 1.0) + 1e-9

    @pytest.mark.parametrize("scale", SCALES)
    def test_errs_at_most_twice_as_often_as_the_drawn_vote(self, name, scale):
        posterior, votes = some_posterior("dirichlet", name, scale), problem(name)
        assert argmax_error(posterior.mean, votes) <= 2 * Exact().certified_moments(posterior, votes)[0]

    @pytest.mark.parametrize("scale", SCALES)
    def test_is_covered_by_the_drawn_vote_within_a_margin_on_every_row(self, name, scale):
        posterior, votes = some_posterior("dirichlet", name, scale), problem(name)
        wrong = np.array([argmax_error(posterior.mean, votes.take([row])) for row in range(votes.n_rows)])
        contests = closest_contests(posterior.alpha, votes.n_classes)
        # ties are taken to differ by 1e-9 of the weight: a beta variable is below one half then with a probability that
        # is less than one half by at most as much, times the root of its total if that is large
        least = 0.5 * (1 - 2e-9 * np.sqrt(posterior.total + 1))
        for margin in MARGINS:
            coverage = contests.coverage(1.0, margin)
            assert coverage == 1 if posterior.n_voters == 1 else least <= coverage < 1
            assert np.all(margin_rows(posterior, votes, margin) >= coverage * wrong)


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("scale", SCALES)
def test_an_error_needs_half_of_the_weight(name, scale):
    posterior, votes = some_posterior("dirichlet", name, scale), problem(name)
    assert Exact().certified_moments(posterior, votes)[0] <= Half().certified_moments(posterior, votes)[0] + 1e-10


@pytest.mark.parametrize("name", SEVERAL_CLASSES)
@pytest.mark.parametrize("scale", SCALES)
def test_an_error_needs_one_class_that_beats_the_true_one(name, scale):
    posterior, votes = some_posterior("dirichlet", name, scale), problem(name)
    a = dense.class_weights(votes.labels, votes.n_classes, posterior.alpha)
    own = np.take_along_axis(a, votes.targets[:, None].astype(int), 1)
    beaten = np.where(a > 0, np.where(own > 0, betainc(np.maximum(own, 1e-300), np.maximum(a, 1e-300), 0.5), 1), 0)
    np.put_along_axis(beaten, votes.targets[:, None].astype(int), 0, 1)
    assert Exact().certified_moments(posterior, votes)[0] <= votes.row_mean(beaten.sum(1)) + 1e-9


class TestCBound:
    @pytest.mark.parametrize("r", [0.0, 0.1, 0.3, 0.49])
    @pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
    def test_is_the_corrected_formula(self, r, share):
        d = share * 2 * r * (1 - r)
        second = r - d / 2
        theirs = (second - r**2) / (second - r + 0.25)
        composed = RISKS["c_bound"].compose(np.array([r, d]), 0.0, as_if_infinite, None)
        assert composed.value == pytest.approx(theirs, rel=1e-12, abs=1e-12)

    def test_is_above_the_risk_where_the_printed_formula_is_not(self):
        """Two equal voters, one of which errs with probability 0.3: a vote that errs as often; the paper says 0.171."""
        composed = RISKS["c_bound"].compose(np.array([0.15, 0.15]), 0.0, as_if_infinite, None)
        assert composed.value == pytest.approx(0.3, rel=1e-14)

    def test_pays_for_both_draws_of_the_second_moment(self):
        asked = []

        def upper(risk, kl):
            asked.append((risk, kl))
            return UpperBound(risk, 1.0, 0.0)

        upper.of_disagreements = upper
        RISKS["c_bound"].compose(np.array([0.2, 0.1]), 3.0, upper, None)
        assert asked == [(0.2, 3.0), (0.9, 6.0)]

    @pytest.mark.parametrize("bound", BOUNDS)
    @pytest.mark.parametrize("name", ["all_wrong", "symmetric"])
    def test_certifies_nothing_where_voters_err_half_of_the_time(self, name, bound):
        prior = prior_of("categorical", problem(name).n_voters)
        certificate = certify([problem(name)], [prior], [prior], RISKS["c_bound"], BOUNDS[bound], 0.05)
        assert certificate.empirical_risk >= 0.5
        assert certificate.stochastic_bound == certificate.bound == 1

    def test_meets_the_first_order_bound_where_it_ends(self):
        """A solver sees one continuous function."""
        below, above = (
            RISKS["c_bound"].compose(np.array([r, 0.0]), 0.0, as_if_infinite, None).value for r in (0.5 - 1e-9, 0.5)
        )
        assert below == pytest.approx(above, abs=1e-8)
        assert above == 1
