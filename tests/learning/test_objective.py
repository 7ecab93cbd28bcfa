"""The bound as a function of the point: its gradient for every posterior, risk, bound and number of folds."""

import numpy as np
import pytest

import dense
from stocmv.bounds import BOUNDS, CatoniPerFold
from stocmv.learning._history import History
from stocmv.learning._objective import Objective
from zoo import OPEN, PAIRS, PROBLEMS, folds, prior_of, problem, risk_of

every_pair = pytest.mark.parametrize(("risk", "kind"), PAIRS)
BOUND_NAMES = [*BOUNDS, "catoni_per_fold"]


def objective_of(name, risk, kind, bound="seeger", prior=1.0, **settings):
    votes = folds(name)
    the_bound = BOUNDS[bound] if bound in BOUNDS else CatoniPerFold(tuple(np.linspace(0.5, 2.0, len(votes))))
    priors = [prior_of(kind, v.n_voters, prior) for v in votes]
    sizes = tuple(v.n_examples for v in votes)
    return Objective(votes, priors, risk_of(risk), the_bound, 0.05, sizes, History(), **settings)


def some_point(objective, spread):
    return objective.start + spread * np.random.default_rng(0).standard_normal(len(objective.start))


def spread_of(risk):
    """The divergence counts a hundred times for 100 drawn voters, and would soon make the bound 1."""
    return 0.03 if risk == "binomial" else 0.3


def evaluate(objective, point):
    """Value and gradient, with the same draws at every call."""
    return objective(point, np.random.default_rng(3))


def assert_slopes_agree(objective, point):
    """Three random directions see every coordinate, at a fraction of the cost of all of them."""
    directions = np.random.default_rng(1).standard_normal((3, len(point)))
    ours = directions @ evaluate(objective, point)[1]
    step = 1e-4 if objective.draws_again else 5e-4
    theirs = dense.slopes(lambda x: evaluate(objective, x)[0], point, directions, step)
    size = np.linalg.norm(evaluate(objective, point)[1])
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=3e-6 * size + 1e-11)


@every_pair
@pytest.mark.parametrize("name", OPEN)
def test_moves_as_its_gradient_says(name, risk, kind):
    # identical voters never disagree: the kl inverse is 1, where its slopes are made to differ from 0
    saturated = name == "identical" and risk in ("c_bound", "ccpbskl", "disagreement")
    objective = objective_of(name, risk, kind, "mcallester" if saturated else "seeger")
    assert_slopes_agree(objective, some_point(objective, spread_of(risk)))


@every_pair
@pytest.mark.parametrize("name", ["noisy", "two_folds", "three_folds"])
def test_moves_as_its_gradient_says_with_every_bound(name, risk, kind):
    for bound in BOUND_NAMES:
        objective = objective_of(name, risk, kind, bound)
        assert_slopes_agree(objective, some_point(objective, spread_of(risk)))


@every_pair
@pytest.mark.parametrize("prior", [0.2, 10.0])
@pytest.mark.parametrize("kl_weight", [0.1, 1.0])
def test_moves_as_its_gradient_says_with_other_priors_and_weights(risk, kind, prior, kl_weight):
    objective = objective_of("three_classes", risk, kind, prior=prior, kl_weight=kl_weight)
    assert_slopes_agree(objective, some_point(objective, spread_of(risk)))


@every_pair
@pytest.mark.parametrize("name", ["all_right", "all_wrong", "identical"])
def test_a_solver_may_leave_the_corners(name, risk, kind):
    """No voter errs, or all do, or they do together: the bound may be flat, but what the solver is shown is finite."""
    for bound in BOUND_NAMES:
        objective = objective_of(name, risk, kind, bound)
        for spread in (0.0, 0.3, 5.0):
            value, gradient = evaluate(objective, some_point(objective, spread))
            assert np.isfinite(value)
            assert np.all(np.isfinite(gradient))


@every_pair
def test_starts_at_the_prior(risk, kind):
    for name in PROBLEMS:
        objective = objective_of(name, risk, kind)
        for posterior, prior in zip(objective.posteriors(objective.start), objective.priors, strict=True):
            np.testing.assert_allclose(posterior.point, prior.point, rtol=1e-14)
        objective.record("start", objective.start)
        assert objective.history.kl[0] == pytest.approx(0, abs=1e-13)


class TestFolds:
    def test_the_risk_is_the_mean_by_size_and_the_divergence_the_sum(self):
        objective = objective_of("three_folds", "half", "dirichlet")
        point = some_point(objective, 0.3)
        objective.record("here", point)
        posteriors = objective.posteriors(point)
        risks = [objective.risk.moments(p, v)[0][0] for p, v in zip(posteriors, objective.votes, strict=True)]
        step = objective.history.steps[0]
        assert step.risk == pytest.approx(np.average(risks, weights=[25, 35, 45]), rel=1e-14)
        kls = [p.kl(q)[0] for p, q in zip(posteriors, objective.priors, strict=True)]
        assert step.kl == pytest.approx(sum(kls), rel=1e-14)
        theirs = objective.bound.upper(step.risk, step.kl, (25, 35, 45), 0.05).value
        assert step.objective == pytest.approx(theirs, rel=1e-14)

    def test_one_fold_in_a_list_is_no_fold(self):
        objective = objective_of("noisy", "half", "dirichlet")
        point = some_point(objective, 0.3)
        posterior = objective.posteriors(point)[0]
        risk, kl = objective.risk.moments(posterior, problem("noisy"))[0][0], posterior.kl(objective.priors[0])[0]
        assert objective(point)[0] == pytest.approx(objective.bound.upper(risk, kl, [120], 0.05).value, rel=1e-14)


class TestBatches:
    @pytest.mark.parametrize("name", ["noisy", "merged", "three_folds"])
    @pytest.mark.parametrize("size", [10, 32, 10_000])
    def test_pass_over_every_row_once(self, name, size):
        objective = objective_of(name, "half", "dirichlet")
        batches = list(objective.batches(size, np.random.default_rng(0)))
        for fold, votes in enumerate(objective.votes):
            rows = [batch.votes[fold] for batch in batches]
            assert sum(r.n_rows for r in rows) == votes.n_rows
            assert sum(r.n_examples for r in rows) == votes.n_examples
            assert max(r.n_rows for r in rows) - min(r.n_rows for r in rows) <= 1
        assert len(batches) == max(1, round(sum(v.n_rows for v in objective.votes) / size))
        assert all(batch.sizes == objective.sizes for batch in batches)

    def test_average_to_the_whole_risk(self):
        objective = objective_of("noisy", "first_order", "dirichlet", "mcallester")
        point = some_point(objective, 0.3)
        gradients = [batch(point)[1] for batch in objective.batches(40, np.random.default_rng(0))]
        np.testing.assert_allclose(np.mean(gradients, axis=0), objective(point)[1], rtol=1e-10, atol=1e-14)


class TestSample:
    def test_is_of_the_same_votes_when_it_takes_all_rows(self):
        objective = objective_of("noisy", "half", "dirichlet")
        sample = objective.sample(problem("noisy").work, np.random.default_rng(0))
        assert sample.n_rows == objective.n_rows
        assert all(ours is theirs for ours, theirs in zip(sample.votes, objective.votes, strict=True))

    def test_takes_its_share_of_the_rows(self):
        objective = objective_of("three_folds", "half", "dirichlet")
        third = objective.sample(sum(v.work for v in objective.votes) / 3, np.random.default_rng(0))
        assert third.sizes == objective.sizes
        for ours, theirs in zip(third.votes, objective.votes, strict=True):
            assert 0.15 < ours.n_rows / theirs.n_rows < 0.5

    def test_leaves_no_fold_without_rows(self):
        objective = objective_of("three_folds", "half", "dirichlet")
        few = objective.sample(sum(v.work for v in objective.votes) / 1000, np.random.default_rng(0))
        assert all(v.n_rows for v in few.votes)
        assert np.isfinite(few(few.start)[0])


class TestHistory:
    def test_a_record_is_of_the_point_it_was_asked_for(self):
        objective = objective_of("noisy", "half", "dirichlet")
        point = some_point(objective, 0.3)
        value, gradient = objective(point)
        objective(objective.start)
        objective.record("here", point)
        (step,) = objective.history.steps
        assert (step.stage, step.objective) == ("here", value)
        assert step.gradient_norm == pytest.approx(np.linalg.norm(gradient), rel=1e-14)

    def test_of_another_problem_is_not_kept(self, caplog):
        objective = objective_of("noisy", "half", "dirichlet")
        with caplog.at_level("DEBUG", "stocmv"):
            objective.alone().record("elsewhere", objective.start)
        assert not objective.history.steps
        assert not caplog.messages
