"""Groups of rows that depend on each other: they stay together, and groups are counted."""

import warnings
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from classifier.problems import VOTERS, data, numbered, quick
from protocols.splits import GROUPS, SPIES, X, by_group, parts_of, y
from stocmv import RepeatedRowsWarning
from stocmv.bounds import FoldTest, bentkus, clopper_pearson
from stocmv.certificate import group_ids
from stocmv.protocols import Cut

NAMES = np.array([f"patient {g}" for g in range(40)])


@pytest.mark.parametrize("kind", SPIES)
@pytest.mark.parametrize("settings", [{}, {"holdout": 0.25}, {"n_folds": 3}], ids=str)
def test_groups_stay_together(kind, settings):
    source, groups = SPIES[kind](), np.arange(60) // 4
    clf = quick(source, **settings).fit(*numbered(60), groups=groups)
    judges = [voters.asked.pop() for voters in clf.voters_]
    for seen in judges:
        assert set(np.flatnonzero(np.isin(groups, [groups[i] for i in seen]))) == seen
    tried = [v for v in source.made if kind == "alike" and v not in clf.voters_]  # a guess, which nothing rests on
    for voters in (v for v in source.made if v not in tried):
        parts = [{groups[i] for i in seen} for seen in (voters.trained, *voters.asked)]
        if kind == "trained":  # not so where the voters' own examples teach the weights
            assert all(parts[0].isdisjoint(part) for part in parts[1:])
    for k, voters in enumerate(clf.voters_):
        assert voters.trained.isdisjoint(judges[k])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["forest", "list"])
def test_groups_are_what_is_counted(kind, n_classes):
    X, y = data(n_classes, noise=0.2)
    clf = quick(VOTERS[kind](n_classes), per_class=True, stochastic=True).fit(X, y, groups=GROUPS)
    held = parts_of(120, Cut.holdout(1 / 3), GROUPS) == 0
    wrong, losses = clf.predict(X[held]) != y[held], clf.evidence_.loss
    groups, certificate = GROUPS[held], clf.certificate_
    n = len(np.unique(groups))
    assert certificate.grouped
    assert (certificate.n, certificate.fold_sizes) == (n, (n,))
    assert n == round(len(np.unique(GROUPS)) / 3)
    mean = by_group(wrong, groups).mean()
    assert certificate.empirical_risk == pytest.approx(mean, abs=1e-12)
    assert mean != pytest.approx(wrong.mean(), abs=1e-6)  # large groups do not count for more
    assert certificate.bound == pytest.approx(bentkus(mean, n, 0.05), rel=1e-9)
    drawn = by_group(losses, groups).mean()
    assert certificate.stochastic_bound == pytest.approx(bentkus(drawn, n, 0.05), rel=1e-9)
    for c, entry in enumerate(certificate.per_class):
        own = by_group(wrong[y[held] == c], groups[y[held] == c])
        assert entry["n"] == len(own)
        assert entry["empirical_risk"] == pytest.approx(own.mean(), abs=1e-12)
        assert entry["bound"] == pytest.approx(bentkus(own.mean(), len(own), 0.05 / n_classes), rel=1e-9)


@pytest.mark.parametrize("kind", ["forest", "frozen_forest"])
def test_groups_are_what_is_counted_in_folds(kind):
    X, y = data(2, noise=0.2)
    clf = quick(VOTERS[kind](2), n_folds=3, per_class=True).fit(X, y, groups=NAMES[GROUPS])
    fold, certificate = parts_of(120, Cut.folds(3), NAMES[GROUPS]), clf.certificate_
    risks, sizes = [], []
    for k, part in enumerate(clf.evidence_.folds()):
        risks.append(by_group(part.wrong, GROUPS[fold == k]).mean())
        sizes.append(len(np.unique(GROUPS[fold == k])))
    assert certificate.fold_sizes == tuple(sizes)
    assert certificate.n == len(np.unique(GROUPS))
    assert certificate.bound == pytest.approx(FoldTest(**certificate.fold_test).upper(risks), rel=1e-11)
    for c, entry in enumerate(certificate.per_class):
        assert entry["n"] == len(np.unique(GROUPS[y == c]))
        assert entry["bound"] <= 1
    assert certificate.verify(clf.evidence_)


@pytest.mark.parametrize("n_folds", [None, 3])
def test_groups_are_spoken_of(n_folds):
    certificate = quick(n_folds=n_folds, per_class=True).fit(X, y, groups=NAMES[GROUPS]).certificate_
    judges = f"{certificate.n} groups that judge it"
    assert judges in certificate.statement()
    assert "of rows of new groups, averaged group by group" in certificate.statement()
    assert "The groups are independent draws from one distribution" in str(certificate)
    assert "The examples are independent draws" not in str(certificate)
    assert f"0 ({certificate.per_class[0]['n']} groups)" in str(certificate)


def test_groups_of_one_row_have_the_errors_of_the_rows():
    voters = VOTERS["frozen_forest"](2)
    alone = quick(voters).fit(X, y, groups=np.arange(120)).certificate_
    rows = quick(voters).fit(X, y).certificate_
    assert alone.n == rows.n == 120
    assert alone.empirical_risk == rows.empirical_risk
    assert alone.bound == pytest.approx(bentkus(rows.empirical_risk, 120, 0.05), rel=1e-9)
    assert alone.bound > rows.bound == clopper_pearson(round(120 * rows.empirical_risk), 120, 0.05)


@pytest.mark.parametrize(
    "groups",
    [
        NAMES[GROUPS],
        NAMES[GROUPS].astype(object),
        GROUPS.tolist(),
        GROUPS.astype(float) / 3,
        2**60 + GROUPS,
        np.datetime64("2026-01-01") + GROUPS,
    ],
    ids=["strings", "objects", "list", "floats", "large", "dates"],
)
def test_groups_may_be_named_in_any_way(groups):
    ids = group_ids(groups, 120)
    assert len(np.unique(ids)) == len(np.unique(np.column_stack([ids, GROUPS]), axis=0)) == len(np.unique(GROUPS))
    assert quick().fit(X, y, groups=groups).certificate_.n == round(len(np.unique(GROUPS)) / 3)


def test_groups_have_the_same_number_wherever_they_are_met():
    np.testing.assert_array_equal(group_ids(NAMES[GROUPS], 120)[50:60], group_ids(NAMES[GROUPS[50:60]], 10))


@pytest.mark.parametrize(
    "alike",
    [
        [7, 7.0, np.int8(7), np.uint64(7), np.float32(7), Decimal(7), Fraction(7), "7", "7.0", b"7", "7.000"],
        [1, True, np.True_, 1.0, "1"],
        [0, False, -0.0, "0", "0.0"],
        [2**64 - 1, np.uint64(2**64 - 1), str(2**64 - 1)],
        [0.5, "0.5", Decimal("0.5"), Fraction(1, 2), np.float32(0.5)],
        [date(2026, 1, 1), datetime(2026, 1, 1), np.datetime64("2026-01-01", "ns"), "2026-01-01"],
    ],
    ids=["7", "1", "0", "large", "a half", "a day"],
)
def test_groups_are_one_if_they_are_equal_whatever_their_types(alike):
    together = group_ids(alike, len(alike))
    alone = [group_ids(np.array([name]), 1)[0] for name in alike]
    assert set(together) == set(alone) == {together[0]}


@pytest.mark.parametrize("names", [["7", "07", "7a", "7.1", "7.10", 8, -7], [2**53, 2**53 + 1, "a"], [0.1, 0.2]])
def test_groups_are_several_if_they_differ(names):
    assert len(set(group_ids(names, len(names)))) == len(names)


def test_groups_of_mixed_types_do_not_both_teach_and_judge():
    """Each example occurs twice, once in a group named 1 and once in 1.0: a voter has memorised both, or neither."""
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(300, 4)), 2, axis=0), np.repeat(rng.integers(2, size=300), 2)
    X += 1e-6 * rng.normal(size=X.shape)
    groups = [i // 2 if i % 2 else float(i // 2) for i in range(600)]
    for given in (groups, [*map(str, groups)], np.array([*groups[:-1], "last"], object)):
        clf = quick([KNeighborsClassifier(1)]).fit(X, y, groups=given)
        assert clf.certificate_.bound > 0.5  # nothing can be learned


def test_groups_may_come_as_a_series():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    theirs = quick().fit(X, y, groups=NAMES[GROUPS]).certificate_
    for dtype in ("str", "object", "category"):
        series = pandas.Series(NAMES[GROUPS], index=np.arange(120) + 7).astype(dtype)
        assert quick().fit(X, y, groups=series).certificate_ == theirs
    missing = pandas.Series(NAMES[GROUPS], dtype="string").where(np.arange(120) != 5)
    with pytest.raises(ValueError, match="groups has examples without a group"):
        quick().fit(X, y, groups=missing)


@pytest.mark.parametrize("missing", [None, np.nan, np.datetime64("NaT", "s")], ids=str)
def test_groups_are_not_missing(missing):
    groups = [missing if i == 5 else g for i, g in enumerate(GROUPS.tolist())]
    if isinstance(missing, np.datetime64):
        groups = np.where(np.arange(120) == 5, missing, np.datetime64("2026-01-01") + GROUPS)
    with pytest.raises(ValueError, match="groups has examples without a group: give every example a group"):
        quick().fit(X, y, groups=groups)


@pytest.mark.parametrize("groups", [GROUPS[:-1], GROUPS[:, None], np.append(GROUPS, 0), 3], ids=np.shape)
def test_groups_are_one_for_each_example(groups):
    with pytest.raises(ValueError, match="groups must name the group of each of the 120 examples, got shape"):
        quick().fit(X, y, groups=groups)


def test_groups_must_be_two_at_least():
    with pytest.raises(ValueError, match="at least 2"):
        quick().fit(X, y, groups=np.zeros(120))
    with pytest.raises(ValueError, match="n_folds=3 is more than"):
        quick(n_folds=3).fit(X, y, groups=np.arange(120) % 2)


def test_groups_of_copies_do_not_warn_but_copies_in_several_do():
    twice, target = np.repeat(X, 3, axis=0), np.repeat(y, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert quick(voting="hard").fit(twice, target, groups=np.repeat(np.arange(120), 3)).certificate_.warnings == ()
    with pytest.warns(RepeatedRowsWarning, match="240 of the 360 rows repeat another row"):
        quick(voting="hard").fit(twice, target, groups=np.arange(360))
