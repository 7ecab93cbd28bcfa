import numpy as np
import pytest
from sklearn import datasets

from stocmv.datasets import load, make_moons, make_normals


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_bundled_sets_are_those_of_scikit_learn(name):
    theirs = getattr(datasets, f"load_{name}")()
    ours = load(name)
    np.testing.assert_array_equal(ours.X, theirs.data)
    np.testing.assert_array_equal(ours.y, theirs.target)
    assert ours.target_names == tuple(map(str, theirs.target_names))
    assert ours.feature_names == tuple(theirs.feature_names)
    assert ours.source == "bundled with scikit-learn"


@pytest.mark.parametrize(("name", "make"), [("moons", make_moons), ("normals", make_normals)])
def test_a_toy_that_is_loaded_is_always_the_same(name, make):
    first, second, made = load(name), load(name), make(random_state=0)
    for other in (second, made):
        np.testing.assert_array_equal(first.X, other.X)
        np.testing.assert_array_equal(first.y, other.y)
    assert first.X.shape == (1000, 2)
    assert not np.array_equal(first.X, make(random_state=1).X)


@pytest.mark.parametrize("make", [make_moons, make_normals])
@pytest.mark.parametrize("n", [2, 7, 100])
def test_toys_are_balanced(make, n):
    ours = make(n, random_state=0)
    assert np.bincount(ours.y).tolist() == [n // 2, n - n // 2]
    assert ours.y.dtype == np.uint8


def test_moons_lie_on_half_circles():
    ours = make_moons(500, noise=0, random_state=0)
    centres = np.array([[0, 0], [1, 0.5]])[ours.y]
    np.testing.assert_allclose(np.linalg.norm(ours.X - centres, axis=1), 1)
    noisy = make_moons(50_000, random_state=0)
    away = np.linalg.norm(noisy.X - np.array([[0, 0], [1, 0.5]])[noisy.y], axis=1) - 1
    assert np.std(away) == pytest.approx(0.05, rel=0.03)


def test_normals_have_the_moments_of_the_paper():
    n = 200_000
    ours = make_normals(n, random_state=0)
    for code, sign in ((0, -1), (1, 1)):
        X = ours.X[ours.y == code]
        np.testing.assert_allclose(X.mean(axis=0), [sign, 0], atol=5 / np.sqrt(n / 2))
        np.testing.assert_allclose(np.cov(X.T), np.diag([0.1, 1]), atol=0.02)


@pytest.mark.parametrize("make", [make_moons, make_normals])
@pytest.mark.parametrize("n", [1, -3])
def test_a_size_without_both_classes(make, n):
    with pytest.raises(ValueError, match=f"n == {n}, must be >= 2"):
        make(n)


def test_negative_noise():
    with pytest.raises(ValueError, match=r"noise == -0\.1, must be >= 0"):
        make_moons(noise=-0.1)
