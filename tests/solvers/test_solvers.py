import sys

import numpy as np
import pytest
from scipy.optimize import minimize

from benchmarks.solver import Restarts, made, solved
from stocmv import VoteMatrix, certify, learn
from stocmv.bounds import BOUNDS
from stocmv.learning._history import History
from stocmv.learning._objective import Objective
from stocmv.risks import MonteCarlo
from stocmv.solvers import LBFGS, SOLVERS, Adam, Auto, MiniBatchAdam, Quick
from stocmv.solvers._auto import _merged
from stocmv.solvers._starts import logistic_weights, random_start
from zoo import PROBLEMS, answers, folds, prior_of, problem, risk_of

SHORT = {
    "quick": Quick(),
    "lbfgs": LBFGS(),
    "adam": Adam(n_steps=30),
    "minibatch_adam": MiniBatchAdam(batch_size=32, n_epochs=10),
}
STAGE = {"quick": "quick start: lbfgs"}
# the prior is best where voters are alike, and a saddle where they are in opposite pairs
FLAT = ("one_voter", "identical", "all_right", "all_wrong", "symmetric")


def objective_of(votes, risk="half", kind="dirichlet"):
    priors = [prior_of(kind, v.n_voters) for v in votes]
    sizes = tuple(v.n_examples for v in votes)
    return Objective(
        votes, priors, risk_of(risk) if isinstance(risk, str) else risk, BOUNDS["seeger"], 0.05, sizes, History()
    )


def minimised(solver, objective, seed=0):
    """The bound at the prior, and at the point that the solver returns."""
    point = solver.minimise(objective, objective.start, np.random.default_rng(seed))
    assert np.all((point >= objective.box[0]) & (point <= objective.box[1]))
    return objective(objective.start)[0], objective(point)[0]


class TestEvery:
    @pytest.mark.parametrize("solver", SHORT)
    @pytest.mark.parametrize(
        ("name", "risk", "kind"),
        [(name, "half", "dirichlet") for name in PROBLEMS if name not in FLAT]
        + [(name, "second_order", "categorical") for name in ("noisy", "three_folds")],
    )
    def test_decreases_the_bound_where_there_is_something_to_learn(self, name, solver, risk, kind):
        before, after = minimised(SHORT[solver], objective_of(folds(name), risk, kind))
        assert after < 0.97 * before

    @pytest.mark.parametrize(
        ("solver", "name"),
        [(solver, name) for solver in SHORT for name in FLAT],
    )
    def test_returns_nothing_worse_than_the_prior(self, solver, name):
        before, after = minimised(SHORT[solver], objective_of(folds(name)))
        assert after <= before

    @pytest.mark.parametrize("solver", [*SHORT, "auto"])
    def test_the_same_seed_gives_the_same_point(self, solver):
        objective = objective_of(folds("noisy"), "first_order", "categorical")
        first, second = (
            SHORT.get(solver, Auto()).minimise(objective, objective.start, np.random.default_rng(5)) for _ in range(2)
        )
        np.testing.assert_array_equal(first, second)

    @pytest.mark.parametrize("solver", SHORT)
    def test_records_its_iterations(self, solver):
        objective = objective_of(folds("noisy"))
        SHORT[solver].minimise(objective, objective.start, np.random.default_rng(0))
        assert set(objective.history.stage) == {STAGE.get(solver, solver.replace("_", " "))}
        counts = {"quick": range(5, 201), "lbfgs": range(5, 1001), "adam": [30], "minibatch_adam": [10]}
        assert len(objective.history) in counts[solver]

    def test_of_every_name_is_tested(self):
        assert {*SHORT, "auto", "alternating"} == set(SOLVERS)  # the last is for categorical posteriors alone

    @pytest.mark.parametrize(
        ("solver", "limits"),
        [
            (LBFGS(), []),
            (LBFGS(max_iter=2), [2]),
            (LBFGS(max_iter=2, stops_early=True), []),
            (Quick(max_iter=2), []),
            (Quick(max_iter=2, sample_work=100), []),
            (Adam(n_steps=2), []),
            (MiniBatchAdam(n_epochs=2), []),
            (Auto(), []),
            (Auto(explore_iterations=1, max_iter=2), [2]),  # only the last descent
            (Auto(explore_work=100, max_iter=2), [2]),  # the descent on all examples, after a sample
        ],
        ids=repr,
    )
    def test_tells_when_it_stopped_before_it_converged(self, solver, limits):
        objective = objective_of(folds("noisy"))
        solver.minimise(objective, objective.start, np.random.default_rng(0))
        assert objective.history.limits == limits


def test_seeds_draw_different_batches():
    objective = objective_of(folds("noisy"))
    points = [SHORT["minibatch_adam"].minimise(objective, objective.start, np.random.default_rng(s)) for s in (0, 1)]
    assert np.any(points[0] != points[1])


class TestAuto:
    def test_leaves_the_saddle_that_holds_the_others(self):
        objective = objective_of(folds("symmetric"))
        before, stays = minimised(LBFGS(), objective)
        assert stays == pytest.approx(before, abs=1e-9)
        _, leaves = minimised(Auto(), objective)
        assert leaves < 0.75 * before

    @pytest.mark.slow
    def test_does_not_only_learn_the_sample_by_heart(self):
        votes, y = answers(20_000, np.linspace(0.5, 0.6, 60), 2, seed=0)
        objective = objective_of([VoteMatrix.from_labels(votes, y)])
        sampled = Auto(explore_work=0.01 * objective.votes[0].work)
        point = sampled.minimise(objective, objective.start, np.random.default_rng(0))
        first = {
            stage: objective.history.objective[objective.history.stage.index(stage)]
            for stage in ("overfitted: lbfgs", "regularised: lbfgs")
        }
        assert first["regularised: lbfgs"] < first["overfitted: lbfgs"]
        whole = Auto().minimise(objective, objective.start, np.random.default_rng(0))
        assert objective(point)[0] == pytest.approx(objective(whole)[0], rel=1e-5)

    def test_a_sample_alone_weighs_the_divergence_as_its_own(self):
        objective = objective_of(folds("three_folds"))
        sample = objective.sample(0.5 * sum(v.work for v in objective.votes), np.random.default_rng(0))
        alone, recorded = sample.alone(), len(objective.history)
        assert sample.sizes == objective.sizes
        assert alone.sizes == tuple(v.n_examples for v in sample.votes) != objective.sizes
        alone.record("elsewhere", alone.start)
        assert len(objective.history) == recorded

    def test_is_at_least_as_good_as_its_parts(self):
        objective = objective_of(folds("two_folds"), "second_order")
        best = min(minimised(solver, objective)[1] for solver in (LBFGS(), Adam(n_steps=100)))
        assert minimised(Auto(), objective)[1] <= best * (1 + 1e-7)

    def test_is_as_good_as_many_restarts(self):
        """Two folds of five classes: the prior and logistic weights lead to a minimum 1.5 % above the best."""
        problem = made(1018)
        ours, theirs = (solved(problem, solver, seed=1018) for solver in ("auto", Restarts()))
        assert ours.bound <= 1.003 * theirs.bound
        assert 1.01 * ours.bound < solved(problem, "lbfgs", seed=1018).bound

    @pytest.mark.parametrize("name", ["two_folds", "three_folds"])
    def test_takes_each_fold_from_the_descent_that_was_better_for_it(self, name):
        objective = objective_of(folds(name))
        start = objective.start
        best = LBFGS().minimise(objective, start, np.random.default_rng(0))
        first, *others = objective.parts
        ours, theirs = best.copy(), best.copy()
        ours[first], theirs[others[0]] = start[first], start[others[0]]
        mixed, value, same = _merged(objective, ours, objective(ours)[0], theirs)
        np.testing.assert_array_equal(mixed, best)
        assert value == objective(best)[0]
        assert not same

    def test_leaves_a_problem_that_draws_to_adam(self):
        objective = objective_of(folds("separable"), MonteCarlo(n_draws=1))
        ours, theirs = (s.minimise(objective, objective.start, np.random.default_rng(2)) for s in (Auto(), Adam()))
        np.testing.assert_array_equal(ours, theirs)


class TestLBFGS:
    def test_goes_on_where_scipy_gives_up_on_a_slope(self, monkeypatch):
        """scipy may end after a short step, as the steps it remembers mislead it; here it always ends after two."""
        objective = objective_of(folds("two_folds"))
        patient, ends = minimised(LBFGS(), objective)[1], []

        def impatient(*problem, options, **settings):
            end = minimize(*problem, options=options | {"maxiter": 2}, **settings)
            end.status = 0  # as if it had converged
            ends.append(end.fun)
            return end

        monkeypatch.setattr(sys.modules[LBFGS.__module__], "minimize", impatient)
        found = minimised(LBFGS(), objective)[1]
        assert ends[0] > 1.001 * patient
        assert found == pytest.approx(patient, rel=1e-5)
        assert len(ends) > 3


class TestQuick:
    def test_is_nearly_as_good_as_auto_in_fewer_iterations(self):
        votes = VoteMatrix.from_labels(*answers(3000, np.linspace(0.5, 0.7, 40), seed=0))
        ours, theirs = objective_of([votes]), objective_of([votes])
        assert minimised(Quick(), ours)[1] <= 1.01 * minimised(Auto(), theirs)[1]
        assert len(ours.history) < len(theirs.history) / 2

    def test_goes_from_a_sample_to_all_examples(self):
        objective = objective_of([VoteMatrix.from_labels(*answers(5000, np.linspace(0.5, 0.7, 20), seed=0))])
        sampled = Quick(sample_work=0.1 * objective.votes[0].work)
        assert minimised(sampled, objective)[1] == pytest.approx(minimised(Quick(), objective)[1], rel=1e-3)
        assert "all examples: lbfgs" in objective.history.stage

    def test_leaves_a_problem_that_draws_to_adam(self):
        objective = objective_of(folds("separable"), MonteCarlo(n_draws=1))
        ours, theirs = (s.minimise(objective, objective.start, np.random.default_rng(2)) for s in (Quick(), Adam()))
        np.testing.assert_array_equal(ours, theirs)


class TestMiniBatchAdam:
    def test_reaches_the_optimum_of_the_full_batch(self):
        votes = VoteMatrix.from_labels(*answers(2000, np.linspace(0.55, 0.85, 10), seed=0))
        objective = objective_of([votes])
        _, ours = minimised(MiniBatchAdam(batch_size=512), objective)
        _, theirs = minimised(LBFGS(), objective)
        assert theirs <= ours < 1.006 * theirs

    def test_lowers_its_rate_on_a_plateau_and_then_stops(self):
        """Nothing to learn: the rate falls after three epochs without progress, and 25 such epochs end the training."""

        class Flat:
            box, draws_again, points = (-9.0, 9.0), False, []

            def __call__(self, point, rng=None):
                return 1.0, np.ones(1)

            def record(self, stage, point):
                self.points.append(float(point[0]))

            def batches(self, size, rng):
                yield self

        flat = Flat()
        best = MiniBatchAdam().minimise(flat, np.zeros(1), np.random.default_rng(0))
        steps = -np.diff([0.0, *flat.points])
        theirs = np.concatenate([np.full(3, 0.1), *(np.full(3, 0.1 / 10**k) for k in range(1, 8)), [1e-9]])
        np.testing.assert_allclose(steps, theirs, rtol=1e-6)
        assert best[0] == 0  # no epoch was better than the start


class TestAdam:
    def test_first_steps_are_those_of_the_algorithm(self):
        """Kingma and Ba's Adam, written out for one coordinate of a parabola."""

        class Parabola:
            box, draws_again, points = (-9.0, 9.0), False, []

            def __call__(self, point, rng=None):
                return float(point[0] ** 2), 2 * point

            def record(self, stage, point):
                self.points.append(float(point[0]))

        theirs, x, m, v = [], 1.0, 0.0, 0.0
        for t in range(1, 21):
            theirs.append(x)
            m, v = 0.9 * m + 0.1 * 2 * x, 0.999 * v + 0.001 * 4 * x * x
            x -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-12)
        parabola = Parabola()
        best = Adam(n_steps=20).minimise(parabola, np.ones(1), np.random.default_rng(0))
        np.testing.assert_allclose(parabola.points, theirs, rtol=1e-12)
        assert best[0] == min([*parabola.points, float(x)], key=abs)


class TestStarts:
    def test_logistic_weights_minimise_the_logistic_loss(self):
        votes = problem("noisy")
        margins = 1 - 2 * votes.errors()

        def loss(weights):
            return np.mean(np.logaddexp(0, -margins @ weights)) + 1e-3 * weights.sum()

        ours = logistic_weights(votes)
        assert np.all(ours >= 0)
        for j in range(votes.n_voters):
            for step in (-0.02, 0.02):
                assert loss(np.maximum(ours + step * (np.arange(votes.n_voters) == j), 0)) >= loss(ours) - 1e-7

    def test_logistic_weights_of_separable_votes_are_finite_and_right(self):
        weights = logistic_weights(problem("separable"))
        assert np.all(np.isfinite(weights))
        assert not np.any(problem("separable").wrong_weights(weights) >= weights.sum() / 2)

    def test_a_random_start_moves_every_coordinate(self):
        start = np.arange(5.0)
        moved = random_start(start, np.random.default_rng(0), 0.1) - start
        assert np.all((moved != 0) & (np.abs(moved) < 0.5))


@pytest.mark.parametrize("kind", ["dirichlet", "logit_normal"])
@pytest.mark.parametrize("name", ["noisy", "three_classes", "ten_classes"])
def test_monte_carlo_returns_nothing_worse_than_the_prior(kind, name):
    votes, prior = problem(name), prior_of(kind, problem(name).n_voters)
    before = certify([votes], [prior], [prior], risk_of("mc"), BOUNDS["seeger"], 0.05).stochastic_bound
    learned = learn(votes, prior=1.0, risk=risk_of("mc"), posterior=kind, solver=Adam(n_steps=100), random_state=0)
    assert learned.certificate.stochastic_bound <= before
