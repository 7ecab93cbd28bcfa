import numpy as np
import pytest
from scipy import stats

from reproduction.figures import expected, oracle


def curve(rows, name):
    own = [row for row in rows if row["curve"] == name]
    return np.array([row["wrong_weight"] for row in own]), np.array([row["value"] for row in own])


@pytest.mark.parametrize("name", ["first_order", "second_order", "c_bound", "binomial"])
def test_oracle_bounds_lie_above_the_error(name, quick_rows):
    rows = quick_rows("fig-oracle")
    weight, error = curve(rows, "error")
    _, bound = curve(rows, name)
    assert set(error) == {0.0, 1.0}
    assert np.all(bound >= error - 1e-12)
    assert bound[weight == 0.5] >= 1 - 1e-12


def test_binomial_is_twice_the_probability_that_half_of_the_drawn_voters_err(quick_rows):
    weight, bound = curve(quick_rows("fig-oracle"), "binomial")
    np.testing.assert_allclose(bound, 2 * stats.binom.sf(49, 100, weight), atol=1e-12)
    assert 2 * stats.binom.sf(50, 100, 0.5) == pytest.approx(0.92, abs=0.005)  # as the notes say of the authors' code


def test_the_parabola_has_the_c_bound_as_its_mean():
    weights = stats.beta(2.0, 5.0).rvs(500, random_state=0)
    first, second = weights.mean(), np.mean(weights**2)
    bound = (second - first**2) / (second - first + 1 / 4)
    best = oracle.cantelli(weights, first, weights.std())
    assert best.mean() == pytest.approx(bound, rel=1e-12)
    assert best.mean() <= 4 * second  # that of the second order is another parabola of the same kind
    assert np.mean(weights >= 0.5) <= bound


def test_twice_the_drawn_error_lies_above_the_mean_votes_error(quick_rows):
    for row in quick_rows("fig-expected"):
        assert row["bound"] >= row["mean_error"] - 1e-12
        assert row["bound"] == 2 * row["drawn_error"]
        if row["wrong_weight"] == 0.5:
            assert row["bound"] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("total", [2.0, 10.0, 100.0])
def test_the_drawn_error_is_what_drawn_weights_show(total):
    rows = expected.compute({"total": total, "n_points": 21}, seed=0)
    rng = np.random.default_rng(0)
    for row in rows[1:-1:4]:
        wrong = row["wrong_weight"] * total
        voters = [0.3 * wrong, 0.7 * wrong, total - wrong]  # the first two err
        theta = rng.dirichlet(voters, 20_000)
        assert np.mean(theta[:, :2].sum(1) >= 0.5) == pytest.approx(row["drawn_error"], abs=0.015)


def test_concentrations_of_the_triangles(quick_rows):
    rows = quick_rows("fig-simplex")
    for start in range(0, len(rows), 3):
        alpha = [rows[start][f"alpha_{j}"] for j in (1, 2, 3)]
        theirs = stats.dirichlet(alpha)
        np.testing.assert_allclose([row["mean"] for row in rows[start : start + 3]], theirs.mean())
        np.testing.assert_allclose([row["deviation"] ** 2 for row in rows[start : start + 3]], theirs.var())


def test_the_gamma_family(quick_rows):
    found = {
        name: np.array([row["value"] for row in quick_rows("fig-gamma") if row["function"] == name])
        for name in ("gamma", "ln gamma", "digamma", "trigamma")
    }
    argument = np.array([row["argument"] for row in quick_rows("fig-gamma") if row["function"] == "gamma"])
    np.testing.assert_allclose(np.log(found["gamma"]), found["ln gamma"], atol=1e-12)
    middle = (argument[1:] + argument[:-1]) / 2
    smooth = middle > 1
    for primitive, derivative in (("ln gamma", "digamma"), ("digamma", "trigamma")):
        slopes = np.diff(found[primitive]) / np.diff(argument)
        theirs = np.interp(middle, argument, found[derivative])
        np.testing.assert_allclose(slopes[smooth], theirs[smooth], atol=0.02)
