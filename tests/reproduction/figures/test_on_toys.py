import numpy as np
import pytest

from reproduction._methods import fit
from reproduction.figures import mc, moons, moons_methods, noise, noise_merged, training
from reproduction.figures._compared import LOOKS
from reproduction.figures._toys import moons as draw_moons
from stocmv.risks import Exact


def values(rows, key, **wanted):
    return np.array([row[key] for row in rows if all(row[name] == value for name, value in wanted.items())])


def test_our_bound_is_the_smallest(quick_rows):
    rows = quick_rows("fig-moons-methods")
    for settings in moons_methods.units(quick=True):
        place = {key: settings[key] for key in ("trial", "n_voters")}
        (ours,) = values(rows, "bound", method="exact", **place)
        for name in ("first_order", "second_order", "binomial"):
            assert ours < values(rows, "bound", method=name, **place)[0]


def test_bounds_hold_on_the_test_points(quick_rows):
    """Each with probability 0.95; with this seed, and by a wide margin, all of them."""
    for name in ("fig-moons-methods", "fig-noise", "fig-mc"):
        for row in quick_rows(name):
            kind = "drawn" if row["method"] in ("exact", "mc") else "fixed"
            assert row[f"test_{kind}"] < row["bound"]
            assert row["test_fixed"] < row["bound_fixed"]


def test_more_noise_raises_errors_and_bounds(quick_rows):
    rows = quick_rows("fig-noise")
    for name in ("first_order", "second_order", "binomial", "exact"):
        for key in ("train_fixed", "test_fixed", "bound"):
            little, much = (values(rows, key, method=name, noise=size).mean() for size in (0.05, 0.5))
            assert little < much


def test_noise_is_the_authors_grid():
    sizes = sorted({unit["noise"] for unit in noise.units()})
    assert sizes[:2] == [0.0, 0.05]
    np.testing.assert_allclose(np.diff(np.log10(sizes[2:])), 1 / 9, atol=1e-6)
    assert (sizes[2], sizes[-1], len(sizes)) == (0.1, 1.0, 12)


def test_the_paper_s_rows_are_the_same_beside_merged_voters(quick_rows):
    for row in quick_rows("fig-noise-merged"):
        place = {key: row[key] for key in ("method", "trial", "noise", "n_voters")}
        if row["method"] in ("second_order", "binomial", "exact"):
            for key in ("bound", "test_fixed", "kl"):
                assert values(quick_rows("fig-noise"), key, **place).tolist() == [row[key]]


def test_the_hold_out_has_the_same_stumps():
    toy = draw_moons(100, 16, 0.05, 0, 0)
    stumps = noise_merged.stump_source(toy).fit(toy.X, toy.y, np.arange(2), 0)
    np.testing.assert_allclose(stumps.thresholds, toy.voters.thresholds, atol=1e-12)


def test_bounds_of_merged_voters_and_of_the_hold_out_hold_on_the_test_points(quick_rows):
    for row in quick_rows("fig-noise-merged"):
        if row["method"] == "merged_paid":
            assert row["test_drawn"] < row["bound"]
        if row["method"] in ("merged_paid", "holdout"):
            assert row["test_fixed"] < row["bound_fixed"]


def test_merging_and_the_grid_take_away_most_of_the_growth_with_the_stumps(quick_rows):
    rows = quick_rows("fig-voters")
    growth = {name: np.diff(values(rows, "bound", method=name))[0] for name in ("exact", "merged", "merged_paid")}
    assert growth["merged_paid"] < growth["exact"] / 2
    assert np.all(values(rows, "n_distinct", method="exact") < values(rows, "n_voters", method="exact"))


@pytest.mark.parametrize("n_draws", [1, 10])
def test_monte_carlo_does_not_beat_the_exact_minimum(n_draws):
    """Its bound is the exact one of the posterior that it found."""
    settings = {"trial": 0, "n_examples": 100, "n_voters": 16, "n_draws": n_draws, "n_steps": 100}
    (row,) = mc.compute({**settings, "noise": 0.05, "delta": 0.05}, seed=0)
    best = fit([draw_moons(100, 16, 0.05, 0, 0).votes], Exact(), 0).certificate.stochastic_bound
    assert row["bound"] >= best - 1e-6
    assert row["method"] == "mc"


def test_exact_by_adam_comes_close_to_the_exact_minimum():
    settings = {"trial": 0, "n_examples": 100, "n_voters": 16, "n_draws": 0, "n_steps": 200, "noise": 0.05}
    (row,) = mc.compute({**settings, "delta": 0.05}, seed=0)
    best = fit([draw_moons(100, 16, 0.05, 0, 0).votes], Exact(), 0).certificate.stochastic_bound
    assert best - 1e-6 <= row["bound"] <= best + 0.002
    assert row["method"] == "exact"
    assert row["seconds"] > 0


def test_no_run_draws_more_weights_than_it_can_afford():
    places = mc.units(trials=1)
    assert max(unit["n_draws"] * unit["n_voters"] for unit in places) <= 6400
    assert {unit["n_draws"] for unit in places if unit["n_voters"] == 64} == {0, 1, 10, 100}
    assert {unit["n_examples"] for unit in places if unit["n_voters"] == 16} == {10, 100, 1000, 10_000}


def test_surfaces_answer_as_the_vote_does(quick_rows):
    """In each cell the shares of the training points that fall into it give the training error."""
    rows = quick_rows("fig-moons")
    points = [row for row in rows if row["kind"] == "point"]
    X = np.array([[row["x1"], row["x2"]] for row in points])
    y = np.array([row["label"] for row in points])
    assert len(points) == 200
    for method in (row for row in rows if row["kind"] == "method"):
        cells = [row for row in rows if row["kind"] == "cell" and row["method"] == method["method"]]
        corners = np.array([[row["x1"], row["x2"]] for row in cells])
        share = np.array([row["answers_one"] for row in cells])
        inside = (X[:, None] > corners) & (X[:, None] <= corners + cells[0]["size"])
        found = share[inside.all(2).argmax(1)]
        error = np.mean(np.where(y == 1, 1 - found, found))
        kind = "drawn" if method["method"] == "exact" else "fixed"
        if kind == "fixed":
            error = np.mean(np.where(y == 1, found < 1, found > 0))  # a tie counts as an error
        assert error == pytest.approx(method[f"train_{kind}"], abs=1e-6)


def test_naive_bayes_has_no_bound_and_all_others_have(quick_rows):
    methods = [row for row in quick_rows("fig-moons") if row["kind"] == "method"]
    assert [row["method"] for row in methods] == [*moons._METHODS]
    assert [row["method"] for row in methods if row["bound"] is None] == ["naive_bayes"]
    figure = moons.draw(quick_rows("fig-moons"))
    assert [len(ax.texts) for ax in figure.axes] == [0, 1, 1, 1, 1, 1]


def test_training_with_the_bound_comes_to_rest_and_without_it_does_not():
    shared = {"trial": 0, "n_examples": 50, "prior": 0.1, "delta": 0.05, "rate": 0.1, "n_steps": 400}
    bound, risk = (training.compute({**shared, "objective": name}, seed=0) for name in ("bound", "risk"))
    assert bound[0]["alpha_norm"] == risk[0]["alpha_norm"]  # the same start
    middle, end = (len(bound) // 2, -1)
    assert bound[end]["alpha_norm"] == pytest.approx(bound[middle]["alpha_norm"], rel=1e-2)
    assert risk[end]["alpha_norm"] > 1.005 * risk[middle]["alpha_norm"]
    assert risk[end]["alpha_norm"] > 1.3 * bound[end]["alpha_norm"]
    assert bound[end]["kl"] < risk[end]["kl"]
    for run in (bound, risk):
        assert run[end]["gradient_norm"] < 1e-3 * run[0]["gradient_norm"]
        assert run[end]["risk"] < 0.001


def test_a_method_has_its_own_colour():
    assert len({look.colour for look in LOOKS.values()}) == len(LOOKS)
