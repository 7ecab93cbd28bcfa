import numpy as np
import pytest

from reproduction._measures import argmax_bound, bound_value, entropy, measures
from reproduction._methods import METHODS, fit, fit_methods, log_odds, paper_bound
from reproduction._not_proven import PrintedTheorem2
from stocmv import VoteMatrix
from stocmv.bounds import Seeger
from stocmv.posteriors import Categorical
from stocmv.risks import Exact
from stocmv.solvers import LBFGS, Adam
from zoo import SINGLE, answers, errors, problem

QUICK = {"exact": LBFGS(), "mc": Adam(n_steps=30)}


def folds(n_classes, n_folds=2, n=300):
    made = [answers(n, np.linspace(0.5, 0.8, 8), n_classes, seed) for seed in range(2 * n_folds)]
    votes = [VoteMatrix.from_labels(*pair, classes=np.arange(n_classes)) for pair in made]
    return votes[:n_folds], votes[n_folds:]


def test_the_paper_s_bound_is_proven_for_one_fold_only():
    assert paper_bound(1) == Seeger(constant="2sqrt")
    assert isinstance(paper_bound(2), PrintedTheorem2)
    assert not paper_bound(2).proven


@pytest.mark.parametrize(("n_classes", "n_folds"), [(2, 1), (2, 2), (4, 2)])
def test_every_method_reports_every_error(n_classes, n_folds):
    votes, tests = folds(n_classes, n_folds)
    seen = [v.errors_only() for v in votes]
    ours = ("argmax", "merged", "merged_paid", "best")
    fitted = fit_methods(seen, [name for name in METHODS if name not in ours], 0, solvers=QUICK)
    for name, found in fitted.items():
        row = measures(found, METHODS[name].risk, votes, tests)
        assert 0 <= row["test_fixed_argmax"] <= row["test_fixed"] <= 1
        if name == "naive_bayes":
            assert row["bound"] is row["kl"] is row["test_drawn"] is None
            continue
        assert row["test_drawn_argmax"] <= row["test_drawn"] + 1e-6
        assert row["bound_xi"] <= row["bound_proven"]
        assert (row["bound"] == row["bound_proven"]) is (n_folds == 1)
        assert row["bound"] <= row["bound_proven"]
        assert row["train_drawn"] > 0


def test_the_bound_pays_for_the_grid_of_priors_and_the_vote_is_what_predict_answers():
    votes, tests = folds(2, n_folds=1)
    twice = [VoteMatrix.from_codes(np.tile(v.answers(), 2), v.targets, v.classes) for v in (*votes, *tests)]
    found = fit(twice[:1], Exact(), 0, prior="auto", merge=True, solver=LBFGS())
    row = measures(found, Exact(), twice[:1], twice[1:])
    assert found.certificate.alternatives > 1
    assert row["bound"] == pytest.approx(found.certificate.stochastic_bound, rel=1e-9)
    np.testing.assert_array_equal(found.weights[0], found.posteriors[0].fixed_votes()[0])


def test_errors_of_drawn_votes_are_those_of_many_draws():
    votes, tests = folds(4)
    found = fit([v.errors_only() for v in votes], Exact(), 0, solver=LBFGS())
    row = measures(found, Exact(), votes, tests)
    rng = np.random.default_rng(0)
    wrong_half, wrong_argmax = [], []
    for posterior, test in zip(found.posteriors, tests, strict=True):
        for weights in posterior.sample(2000, rng):
            wrong_half.append(np.mean(test.wrong_weights(weights) >= 0.5))
            wrong_argmax.append(np.mean(test.class_weights(weights).argmax(1) != test.targets))
    assert row["test_drawn"] == pytest.approx(np.mean(wrong_half), abs=0.003)
    assert row["test_drawn_argmax"] == pytest.approx(np.mean(wrong_argmax), abs=0.003)


def test_a_drawn_voter_is_what_a_categorical_draws():
    votes, tests = folds(2, 1)
    found = fit_methods(votes, ["first_order"], 0)["first_order"]
    row = measures(found, METHODS["first_order"].risk, votes, tests)
    assert row["test_drawn"] == pytest.approx(found.weights[0] @ tests[0].voter_errors())


def test_the_bound_of_the_certificate_is_found_again():
    votes, _ = folds(2)
    found = fit(votes, Exact(), 0, solver=LBFGS())
    again = bound_value(found, Exact(), PrintedTheorem2(), [v.n_examples for v in votes])
    assert again == pytest.approx(found.certificate.stochastic_bound, abs=1e-15)


def test_bounds_are_not_cut_at_one():
    votes = [VoteMatrix.from_labels(*answers(20, np.full(3, 0.5)), classes=[0, 1])]
    found = fit_methods(votes, ["second_order"], 0)["second_order"]
    assert found.certificate.stochastic_bound == 1.0
    assert measures(found, METHODS["second_order"].risk, votes, votes)["bound"] > 1.0


def test_naive_bayes_weights_of_handmade_votes():
    y = np.array([0, 1, 2, 0, 1])
    always_right, always_wrong, constant = y, (y + 1) % 3, np.zeros(5, int)
    ours = log_odds(VoteMatrix.from_labels(np.column_stack([always_right, always_wrong, constant]), y))
    np.testing.assert_allclose(ours, [np.log(6 / 1), np.log(1 / 6), np.log(3 / 4)], rtol=1e-14)


@pytest.mark.parametrize("name", SINGLE)
def test_naive_bayes_weights_are_the_odds(name):
    wrong = errors(name).sum(0)
    theirs = np.log((1 + len(errors(name)) - wrong) / (1 + wrong))
    np.testing.assert_allclose(log_odds(problem(name)), theirs, rtol=1e-13, atol=1e-13)


def test_a_voter_that_is_always_wrong_is_as_good_as_one_that_is_always_right():
    votes = VoteMatrix.from_labels(*answers(200, np.array([0.0, 0.5, 0.5])), classes=[0, 1])
    found = fit_methods([votes], ["naive_bayes"], 0)["naive_bayes"]
    assert measures(found, None, [votes], [votes])["test_fixed_argmax"] == 0


def test_the_bound_on_the_arg_max_is_below_that_on_a_wrong_half():
    votes, _ = folds(4)
    found = fit([v.errors_only() for v in votes], Exact(), 0, solver=LBFGS())
    sizes = [v.n_examples for v in votes]
    assert argmax_bound(found, votes) < bound_value(found, Exact(), Seeger(constant="2sqrt"), sizes)
    assert argmax_bound(fit_methods(votes, ["naive_bayes"], 0)["naive_bayes"], votes) is None


def test_a_start_at_the_best_voter_helps_the_first_order_bound():
    """One voter is nearly always right, one in fifty: from equal weights the way to it is long and flat."""
    votes, y = answers(40_000, np.append(np.full(49, 0.997), 0.9999))
    matrix = VoteMatrix.from_labels(votes, y, classes=[0, 1])
    found = fit_methods([matrix], ["first_order"], 0)["first_order"]
    alone = Categorical(np.append(np.full(49, 1e-9), 1.0))
    divergence = alone.kl(Categorical.prior(1.0, 50))[0]
    single = Seeger(constant="2sqrt").upper(matrix.voter_errors()[-1], divergence, [40_000], 0.05).value
    assert found.certificate.stochastic_bound <= 2 * single * (1 + 1e-6)


def test_entropy_is_that_of_the_shares():
    assert entropy(np.ones(8)) == pytest.approx(np.log(8))
    assert entropy(np.array([1.0, 0.0])) == 0.0
