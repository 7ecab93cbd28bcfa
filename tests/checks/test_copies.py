"""Rows that are copies of others: said loudly where they are, and not where chance explains them."""

import re
import warnings

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import quick
from stocmv import MajorityVoteClassifier, RepeatedRowsWarning
from stocmv.checks import Fingerprints, doubt_of_copies
from stocmv.checks._copies import excess_of_copies
from stocmv.classifier._answering_folds import assigned_folds

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 3))
y = (X[:, 0] + 0.5 * RNG.normal(size=600) > 0).astype(int)


def again(rows):
    return X[rows], y[rows]


COPIED = {
    "three times": np.repeat(np.arange(600), 3),
    "twice": np.tile(np.arange(600), 2),
    "half of them twice": np.append(np.arange(600), np.arange(300)),
    "with replacement": RNG.integers(600, size=600),
    "a rare class": np.append(np.arange(600), RNG.choice(60, 400)),
}


def draws(kind, seed):
    """Independent draws that repeat."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(200, 4000))
    return {
        "nine values": lambda: rng.integers(3, size=(n, 2)).astype(float),
        "rounded": lambda: rng.normal(size=(n, 2)).round(1),
        "one rounded": lambda: rng.normal(size=(n, 1)).round(2),
        "geometric": lambda: rng.geometric(0.02, size=(n, 1)).astype(float),
        "heavy tail": lambda: rng.zipf(1.7, size=(n, 2)).astype(float),
        "evenly": lambda: rng.integers(n // 3, size=(n, 1)).astype(float),
        "bits": lambda: (rng.random((n, 12)) < 0.2).astype(float),
        "no repeats": lambda: rng.normal(size=(n, 3)),
        "zeros at times": lambda: np.where(rng.random((n, 1)) < 0.15, 0.0, rng.normal(size=(n, 3))),
    }[kind]()


KINDS = [
    "nine values",
    "rounded",
    "one rounded",
    "geometric",
    "heavy tail",
    "evenly",
    "bits",
    "no repeats",
    "zeros at times",
]


@pytest.mark.parametrize("how", COPIED)
def test_copies_are_found(how):
    X, y = again(COPIED[how])
    fingerprints = Fingerprints.of(X, y)
    assert doubt_of_copies(fingerprints, X) is not None
    assert fingerprints.repeated == len(X) - len(np.unique(COPIED[how]))


@pytest.mark.parametrize("kind", KINDS)
def test_chance_is_not_called_a_copy(kind):
    found = 0
    for seed in range(40):
        X = draws(kind, seed)
        y = np.random.default_rng(seed).integers(2, size=len(X))
        found += doubt_of_copies(Fingerprints.of(X, y), X) is not None
    assert found == 0


def test_frames_and_sparse_rows_are_looked_at():
    pd = pytest.importorskip("pandas")
    X, y = again(COPIED["with replacement"])
    frame = pd.DataFrame(X, columns=["a", "a", "b"]).assign(word="same")
    assert doubt_of_copies(Fingerprints.of(frame, y), frame) is not None
    table = pytest.importorskip("polars").DataFrame(X)
    assert doubt_of_copies(Fingerprints.of(table, y), table) is not None


def test_what_chance_may_explain_is_not_said_to_be_unexplained():
    """Rows drawn with replacement from a list are independent draws from that list."""
    X, y = again(COPIED["with replacement"])
    assert "independent draws do not explain" not in doubt_of_copies(Fingerprints.of(X, y), X)
    X, y = again(COPIED["twice"])
    assert "independent draws do not explain" in doubt_of_copies(Fingerprints.of(X, y), X)


def test_the_excess_is_none_without_repeats():
    assert excess_of_copies(np.array([0, 500])) == 0


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.1, 0.9)])
def test_fingerprints_of_partitions_keep_all_copies_of_what_they_keep(shares):
    X, y = again(COPIED["three times"])
    order = RNG.permutation(len(X))
    cut = int(shares[0] * len(X))
    parts = [Fingerprints.of(X[rows], y[rows]).at_most(300) for rows in (order[:cut], order[cut:])]
    joined = Fingerprints.joined(parts)
    assert joined.n_rows == len(X)
    assert np.all(np.unique(joined.examples, return_counts=True)[1] == 3)
    assert excess_of_copies(joined.occurrences) > 4
    assert joined.repeated == pytest.approx(1200, rel=0.25)
    assert joined.same_features == pytest.approx(Fingerprints.of(X, y).same_features, rel=0.25)


def test_two_examples_have_the_same_features_as_often_as_drawn():
    X = RNG.integers(3, size=(5000, 2))
    assert Fingerprints.of(X, X[:, 0]).same_features == pytest.approx(1 / 9, rel=0.05)


class TestFit:
    def test_warns_and_says_so_in_the_certificate(self):
        """The case of the issue: three copies of each row, and a certificate far below the truth."""
        X, y = again(COPIED["three times"])
        with pytest.warns(RepeatedRowsWarning, match="1,200 of the 1,800 rows repeat another row"):
            clf = quick().fit(X, y)
        (warning,) = clf.certificate_.warnings
        assert "remove the copies" in warning
        assert f"WARNING: {warning}" in str(clf.certificate_)
        assert warning in clf.certificate_._repr_html_()

    def test_says_nothing_otherwise(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert quick().fit(X, y).certificate_.warnings == ()


def drawn_groups(n_groups, seed=0):
    """Single rows with one of three features in half of the groups, and ten rows with features of their own."""
    rng = np.random.default_rng(seed)
    sizes = np.where(rng.random(n_groups) < 0.5, 1, 10)
    groups = np.repeat(np.arange(n_groups), sizes)
    X = np.where(sizes[groups] == 1, rng.integers(3, size=len(groups)), 10 + rng.permutation(len(groups)))
    return X[:, None].astype(float), groups


def test_rows_of_groups_coincide_as_often_as_the_risk_weights_them():
    """Two drawn groups both have a single row with probability a quarter, and then a third of these pairs agree."""
    X, groups = drawn_groups(2000)
    y = np.random.default_rng(1).integers(2, size=len(groups))
    found = Fingerprints.of(X, y, groups)
    assert found.same_features == pytest.approx(3 * (0.5 / 3) ** 2, rel=0.05)
    assert Fingerprints.of(X, y).same_features < 0.1 * found.same_features  # what counting rows would say
    parts = np.arange(len(groups)) % 4
    joined = Fingerprints.joined([Fingerprints.of(X[parts == k], y[parts == k], groups[parts == k]) for k in range(4)])
    assert joined.same_features == pytest.approx(found.same_features, rel=1e-9)


def test_pairs_of_groups_are_counted_by_their_shares():
    rng = np.random.default_rng(0)
    X, y, groups = rng.integers(4, size=(90, 1)), rng.integers(2, size=90), rng.integers(12, size=90)
    shares = np.array([[np.mean(X[groups == g] == value) for value in range(4)] for g in range(12)])
    pairs = [shares[g] @ shares[h] for g in range(12) for h in range(12) if g != h]
    assert Fingerprints.of(X, y, groups).same_features == pytest.approx(np.mean(pairs), rel=1e-12)


def test_groups_that_never_coincide_are_as_many_draws_as_there_are_groups():
    X, groups = np.arange(300.0)[:, None], np.arange(300) // 30
    assert Fingerprints.of(X, np.zeros(300, int), groups).may_coincide == pytest.approx((4.74 / 10) ** 2)


def test_the_deviation_over_the_key_that_is_stated_is_not_below_the_actual_one():
    """Two folds that disagree everywhere, one of them wrong: the error is the share that the key gives to that one."""
    X, groups = drawn_groups(300)
    y = np.arange(len(groups)) % 2
    clf = MajorityVoteClassifier([DecisionTreeClassifier(max_depth=2)], n_folds=2, random_state=0)
    said = clf.fit(X, y, groups=groups).certificate_.assumptions[-1]
    stated = float(re.search(r"standard deviation of at most about ([\d.]+) %", said)[1]) / 100
    population, members = drawn_groups(20_000, seed=1)
    sizes = np.bincount(members)[members]
    errors = [
        np.average(assigned_folds(population, np.array([0.5, 0.5]), seed.to_bytes(16, "big")), weights=1 / sizes)
        for seed in range(60)
    ]
    assert np.std(errors) * 0.8 < stated < np.std(errors) * 1.4
