import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from reproduction.figures._toys import REACH, RandomStart, best_error, moons, normals
from stocmv.datasets import make_moons
from stocmv.solvers import Adam


@pytest.mark.parametrize("noise", [0.0, 0.05, 1.0])
def test_moons_are_standardized_by_their_population(noise):
    toy = moons(20_000, 4, noise, seed=0, trial=0)
    np.testing.assert_allclose(toy.X.mean(0), 0, atol=0.02)
    np.testing.assert_allclose(toy.X.std(0), 1, atol=0.02)


def test_standardizing_does_not_look_at_the_draw():
    """The same map takes the points of all trials to where they are."""
    for trial in (0, 1):
        toy = moons(50, 4, 0.05, seed=0, trial=trial)
        low, high = toy.X.min(0), toy.X.max(0)
        assert not np.allclose(toy.X.mean(0), 0, atol=1e-6)
        assert np.all((low > -REACH) & (high < REACH))


@pytest.mark.parametrize("count", [8, 16, 128])
def test_stumps_are_spread_over_the_square_whatever_the_points(count):
    first, second = (moons(30, count, 0.05, seed=0, trial=trial).voters for trial in (0, 1))
    np.testing.assert_array_equal(first.thresholds, second.thresholds)
    assert first.codes(np.zeros((1, 2))).shape == (1, count)
    np.testing.assert_allclose(np.diff(first.thresholds, axis=1), 2 * REACH / (count // 4))
    assert first.thresholds.min() == -REACH
    assert first.thresholds.max() < REACH


def test_a_trial_has_the_same_points_for_any_number_of_stumps():
    few, many = (moons(100, count, 0.05, seed=0, trial=3) for count in (8, 64))
    np.testing.assert_array_equal(few.X, many.X)
    assert not np.array_equal(few.X, moons(100, 8, 0.05, seed=0, trial=4).X)


def test_without_noise_training_and_test_points_are_the_same():
    """What the notes say: scikit-learn's moons have fixed angles."""
    first, second = (make_moons(1000, noise=0.0, random_state=seed).X for seed in (0, 1))
    np.testing.assert_array_equal(np.unique(first, axis=0), np.unique(second, axis=0))


def test_normals_have_the_best_stump_among_their_four():
    errors = normals(10_000, seed=0, trial=0).voter_errors()
    assert errors.min() == pytest.approx(0.0008, abs=0.001)
    assert np.sort(errors)[1:3] == pytest.approx([0.5, 0.5], abs=0.03)
    assert errors.max() > 0.99


def test_starts_are_uniform_between_the_papers_limits():
    class Level:
        """A problem without slope: solvers stay where they start."""

        box = (-100.0, 100.0)
        draws_again = False

        def __call__(self, point, rng=None):
            return 0.0, np.zeros_like(point)

        def record(self, stage, point):
            pass

    solver = RandomStart((Adam(n_steps=1),))
    alpha = np.exp(solver.minimise(Level(), np.zeros(20_000), np.random.default_rng(0)))
    assert alpha.min() >= 0.01
    assert alpha.max() <= 2
    assert alpha.mean() == pytest.approx(1.005, abs=0.02)


def test_no_classifier_beats_the_best_possible_by_more_than_chance():
    """Neighbours among 20,000 points come close to it; both are judged by the same 1,000 test points."""
    for noise in (0.2, 0.5, 1.0):
        toy = moons(20_000, 4, noise, seed=0, trial=0)
        neighbours = KNeighborsClassifier(101).fit(toy.X, toy.y)
        found, best = 1 - neighbours.score(toy.X_test, toy.y_test), best_error(toy, noise)
        assert best - 0.01 < found < best + 0.02
    assert best_error(moons(50, 4, 0.0, seed=0, trial=0), 0.0) == 0
