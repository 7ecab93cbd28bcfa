"""Whether the order of the examples looks random: what is found, what is only noted, and what is left alone."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp
from sklearn.datasets import load_iris, make_moons
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from stocmv import MajorityVoteClassifier, OrderTest, OrderWarning
from stocmv.checks._order import _EXACT, _largest_gap, _unevenness
from stocmv.persistence import load, save
from validity.trials import draws_to_catch

N = 900


def fit(X, y, **settings):
    groups, time = settings.pop("groups", None), settings.pop("time", None)
    return MajorityVoteClassifier(RandomForestClassifier(10), random_state=0, **settings).fit(X, y, groups, time)


def changing(n=N, shuffled=False):
    """The rule is another in the last third of the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] * np.where(np.arange(n) < 2 * n // 3, 1, -1) > 0).astype(int)
    order = rng.permutation(n) if shuffled else np.arange(n)
    return X[order], y[order], np.arange(n)[order]


@pytest.mark.parametrize("settings", [{}, {"n_folds": 3}, {"bound": "catoni_per_fold"}])
def test_errors_that_become_frequent_are_found(settings):
    X, y, _ = changing()
    with pytest.warns(OrderWarning, match=r"^The errors of the vote \(p [<=] \d(e-\d+)?\) change along the rows"):
        clf = fit(X, y, **settings)
    test = clf.order_test_
    assert test.errors < 1e-6 < test.level == 0.001 < test.classes
    assert test.p_value == 2 * test.errors
    assert clf.certificate_.warnings == (test.doubt,)
    assert test.error_rates[-1] > test.error_rates[0]
    assert sum(test.sizes) == test.n == clf.certificate_.n


def test_the_sentence_says_what_it_means_and_what_to_do():
    X, y, _ = changing()
    with pytest.warns(OrderWarning) as caught:
        fit(X, y)
    (warning,) = caught
    assert warning.filename == __file__
    for words in ("0.1 %", "in order of time", "latest part", "certificate.monitor()", "same mixture"):
        assert words in str(warning.message)
    assert "\n" not in str(warning.message)


def test_class_frequencies_that_change_are_found():
    rng = np.random.default_rng(1)
    y = (rng.random(N) < np.linspace(0.1, 0.9, N)).astype(int)
    X = y[:, None] + 0.1 * rng.normal(size=(N, 2))
    with pytest.warns(OrderWarning, match=r"^The class frequencies \(p "):
        test = fit(X, y).order_test_
    assert test.classes < 1e-6
    assert test.errors > 0.01
    assert not test.sorted_by_class
    assert test.label in (0, 1)
    assert abs(test.label_shares[-1] - test.label_shares[0]) > 0.3


def test_a_shuffled_file_gives_no_warning():
    X, y, _ = changing(shuffled=True)
    assert fit(X, y).order_test_.doubt is None
    assert fit(X, y).certificate_.warnings == ()


def test_the_time_puts_a_shuffled_file_in_order():
    X, y, time = changing(shuffled=True)
    with pytest.warns(OrderWarning, match="over time") as caught:
        clf = fit(X, y, time=time)
    assert clf.order_test_.by == "time"
    assert "same mixture" not in str(caught[0].message)
    again = [
        np.datetime64("2024-01-01") + time.astype("timedelta64[D]"),
        [datetime.date(2024, 1, 1) + datetime.timedelta(int(t)) for t in time],
        pd.Series(pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(time, "D")),
        time.tolist(),
    ]
    for times in again:
        with pytest.warns(OrderWarning):
            assert fit(X, y, time=times).order_test_ == clf.order_test_


def test_rows_of_the_same_time_stay_in_their_order():
    X, y, _ = changing()
    with pytest.warns(OrderWarning):
        test = fit(X, y, time=np.zeros(N)).order_test_
    with pytest.warns(OrderWarning):
        assert test.errors == fit(X, y).order_test_.errors


def test_nothing_else_depends_on_the_time():
    X, y, time = changing(shuffled=True)
    without = fit(X, y)
    with pytest.warns(OrderWarning):
        clf = fit(X, y, time=time)
    assert (clf.certificate_.bound, clf.certificate_.evidence) == (
        without.certificate_.bound,
        without.certificate_.evidence,
    )
    assert np.array_equal(clf.predict(X), without.predict(X))


def test_rows_sorted_by_class_are_noted_not_warned_of():
    X, y = load_iris(return_X_y=True)
    for settings in ({}, {"n_folds": 3}):
        clf = fit(X, y, **settings)
        test = clf.order_test_
        assert test.sorted_by_class
        assert test.classes < 1e-6
        assert test.doubt is None
        assert "sorted by class" in test.note
        assert clf.certificate_.warnings == ()


def test_errors_that_change_within_a_class_are_found_though_the_rows_are_sorted():
    X, y, time = changing(1800)
    order = np.lexsort([time, y])
    with pytest.warns(OrderWarning, match=r"^The errors of the vote \(p "):
        test = fit(X[order], y[order]).order_test_
    assert test.sorted_by_class
    assert test.p_value == test.errors


def test_rows_that_are_nearly_sorted_by_class_are_warned_of():
    X, y = make_moons(N, noise=0.1, random_state=0)
    order = np.argsort(y, kind="stable")
    order[[100, 800]] = order[[800, 100]]
    with pytest.warns(OrderWarning, match="class frequencies"):
        assert not MajorityVoteClassifier("stumps", n_folds=2, random_state=0).fit(X[order], y[order]).order_test_.note


def test_groups_whose_rows_are_alike_do_not_warn():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 2)), 20, axis=0)
    y = np.repeat(rng.integers(2, size=60), 20)
    X += 1e-3 * rng.normal(size=X.shape)
    groups = np.repeat(np.arange(60), 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        test = fit(X, y, groups=groups, n_folds=3).order_test_
    assert test.n == 60
    with pytest.warns(OrderWarning):
        fit(X, y, n_folds=3)  # row by row the blocks of a group look like a change


def test_large_groups_that_err_more_often_do_not_look_like_the_first_ones():
    """Rows of groups in random order: a large group has its first row early, a drawn row of it anywhere."""
    rng = np.random.default_rng(0)
    sizes = np.where(np.arange(400) < 40, 40, 1)
    groups = rng.permutation(np.repeat(np.arange(400), sizes))
    y = (groups < 40).astype(int)
    test = fit(rng.normal(size=(len(y), 2)), y, groups=groups, n_folds=2).order_test_
    assert test.n == 400
    assert test.p_value > 0.01


def test_frozen_voters_one_class_and_few_examples():
    X, y = make_moons(40, noise=0.3, random_state=0)
    voter = FrozenEstimator(DummyClassifier().fit(X, y))
    assert MajorityVoteClassifier([voter], random_state=0).fit(X, y).order_test_.n == 40
    alone = MajorityVoteClassifier([voter], random_state=0).fit(X[:6], np.zeros(6, int)).order_test_
    assert (alone.classes, alone.p_value) == (1, 1)
    two = fit(X[:2], [0, 1]).order_test_
    assert (two.n, two.doubt, two.note) == (1, None, None)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (np.arange(5), "each of the 40 examples"),
        (np.full(40, np.nan), "missing"),
        (np.full(40, np.datetime64("NaT", "s")), "missing"),
        ([None] * 40, "numbers or dates"),
        (["31.12.2024"] * 40, "numbers or dates"),
        (np.array(["2024-12-31"] * 40, dtype=object), "numbers or dates"),
        ([datetime.date(2024, 1, 1), 3] * 20, "numbers or dates"),
    ],
)
def test_times_that_are_none_are_refused(time, words):
    X, y = make_moons(40, noise=0.3, random_state=0)
    with pytest.raises(ValueError, match=words):
        fit(X, y, time=time)


def test_it_is_saved_with_the_model(tmp_path):
    X, y = make_moons(100, noise=0.3, random_state=0)
    clf = fit(X, np.array(["a", "b"])[y])
    save(clf, tmp_path / "model.skops")
    assert load(tmp_path / "model.skops").order_test_ == clf.order_test_


@pytest.mark.parametrize(("n", "k"), [(50, 3), (200, 100), (_EXACT + 500, 700)])
def test_the_p_value_is_that_of_kolmogorov_and_smirnov(n, k):
    chosen = np.zeros(n, bool)
    chosen[np.random.default_rng(n).choice(n // 3 * 2, k, replace=False)] = True
    theirs = ks_2samp(np.flatnonzero(chosen), np.flatnonzero(~chosen))
    assert _largest_gap(np.flatnonzero(chosen), n) == pytest.approx(theirs.statistic, abs=1e-12)
    assert _unevenness(chosen) == pytest.approx(theirs.pvalue, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 600, 12_000])
def test_exchangeable_examples_are_called_uneven_as_often_as_is_stated(n):
    rng = np.random.default_rng(n)
    draws = draws_to_catch(0.1, 0.05)
    tests = [OrderTest.of(rng.random(n) < 0.1, rng.choice(3, n, p=[0.6, 0.3, 0.1]), np.arange(3)) for _ in range(draws)]
    p_values = np.array([test.p_value for test in tests])
    assert np.mean(p_values <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 / draws)
    assert np.mean(p_values <= 0.001) <= 0.001 + 4 * np.sqrt(0.001 / draws)


@pytest.mark.slow
def test_fits_to_exchangeable_examples_warn_as_seldom_as_is_stated():
    rng = np.random.default_rng(0)
    doubts = []
    for seed in range(400):
        X, y = rng.normal(size=(120, 2)), rng.integers(2, size=120)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OrderWarning)
            clf = MajorityVoteClassifier("stumps", n_folds=2, inner_folds=0, random_state=seed).fit(X, y)
        doubts.append(clf.order_test_.p_value)
    assert np.mean(np.array(doubts) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 / 400)
    assert np.count_nonzero(np.array(doubts) <= 0.001) <= 4
