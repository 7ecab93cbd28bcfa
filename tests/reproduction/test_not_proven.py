"""What the paper claims without a proof calls itself so, and is false."""

import math

import numpy as np
import pytest

from reproduction._not_proven import PrintedTheorem2, StrictBinomial
from stocmv.bounds import BOUNDS, Seeger
from stocmv.posteriors import Categorical
from stocmv.risks import Binomial, Exact
from validity import populations as p
from validity.trials import Study, most_violations, simulate, violation_probability, violations

COARSE = Seeger(constant="2sqrt")
TEN_POINTS = p.one_label_each(np.ones(10))


class TestPrintedTheorem2:
    def test_is_marked_as_not_proven(self):
        assert not PrintedTheorem2.proven
        assert "NOT PROVEN" in PrintedTheorem2.theorem
        assert all(bound.proven for bound in BOUNDS.values())

    def test_pays_for_delta_once(self):
        m, n, delta = 300, 1000, 0.05
        printed = math.log(4 * math.sqrt(m * (n - m)) / delta)
        assert PrintedTheorem2().price((m, n - m), delta) == pytest.approx(printed, rel=1e-14)
        assert COARSE.price((m, n - m), delta) - printed == pytest.approx(math.log(1 / delta), rel=1e-13)

    @pytest.mark.parametrize("risk", [0.0, 0.1, 0.5])
    @pytest.mark.parametrize("kl", [0.0, 5.0])
    def test_is_below_what_is_proven_for_two_folds_and_the_same_for_one(self, risk, kl):
        printed = PrintedTheorem2()
        assert printed.upper(risk, kl, (300, 700), 0.05).value < COARSE.upper(risk, kl, (300, 700), 0.05).value
        assert printed.upper(risk, kl, (900,), 0.05) == COARSE.upper(risk, kl, (900,), 0.05)

    def test_is_violated_twice_as_often_as_delta_allows(self):
        """Ten equally likely points, two folds of one example, voters that are right on the other fold's point only.

        With probability 0.1 the two points are the same: no error is seen, and nine in ten are made.
        """
        assert PrintedTheorem2().upper(0.0, 0.0, (1, 1), 0.05).value < 0.9
        assert COARSE.upper(0.0, 0.0, (1, 1), 0.05).value > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("bound", "expected"), [(PrintedTheorem2(), 0.1), (Seeger(), 0.0)], ids=["printed", "ours"])
def test_printed_theorem_2_fails_and_ours_holds(bound, expected):
    """Ten equally likely points, two examples, two folds, each with one voter that is right where the other one is."""
    study = Study(TEN_POINTS, p.Recogniser(), (1, 1), 0.05, {"exact": Exact()}, {"bound": bound})
    assert violation_probability(study) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_printed_theorem_2_is_caught():
    bounds = {"printed": PrintedTheorem2(), "seeger": Seeger()}
    r = simulate(Study(TEN_POINTS, p.Recogniser(), (1, 1), 0.05, {"exact": Exact()}, bounds), 600)
    caught = []
    for column in range(2):
        count, n_draws = violations(r.truth[:, 0, column], r.bound[:, 0, column])
        caught.append(count > most_violations(n_draws, 0.05))
    assert caught == [True, False]


def test_the_strict_binomial_is_no_bound():
    """Where half of the weight is wrong, twice the loss has to be at least one."""
    half, posterior = np.array([0.5]), Categorical(np.ones(2))
    assert 2 * Binomial().rows(half, posterior)[0] >= 1
    assert 2 * StrictBinomial().rows(half, posterior)[0] == pytest.approx(0.92, abs=0.005)
    assert StrictBinomial(n_draws=3)._shape() == (2, 2)
