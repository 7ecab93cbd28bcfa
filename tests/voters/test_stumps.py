import numpy as np
import pytest

from stocmv import MajorityVoteClassifier
from stocmv.solvers import LBFGS
from stocmv.voters import Stumps

X = np.array([[0.0, 10.0], [1.0, 20.0], [0.5, 50.0]])
CODES = np.array([0, 1, 0])
GRID = np.stack(np.meshgrid(np.linspace(-1, 2, 61), np.linspace(0, 60, 61)), axis=-1).reshape(-1, 2)


def fit(stumps, X=X, codes=CODES, n_classes=2, seed=0):
    return stumps.fit(X, codes, np.arange(n_classes), seed)


def columns(votes):
    """The voters' answers as a sorted list: their order is nobody's business."""
    return sorted(map(tuple, votes.T.tolist()))


def by_hand(thresholds, pairs, X=GRID):
    """Every threshold of every feature with every pair of classes."""
    return columns(
        np.column_stack(
            [
                np.where(X[:, feature] > t, above, below)
                for feature, values in enumerate(thresholds)
                for t in values
                for below, above in pairs
            ]
        )
    )


class TestThresholds:
    def test_are_spread_evenly_inside_the_range_of_each_feature(self):
        voters = fit(Stumps(3))
        assert voters.n_voters == 12
        assert columns(voters.codes(GRID)) == by_hand([[0.25, 0.5, 0.75], [20, 30, 40]], [(0, 1), (1, 0)])

    @pytest.mark.parametrize("ranges", [[[-1, 0], [1, 8]], np.array([[-1.0, 0.0], [1.0, 8.0]])], ids=["list", "array"])
    def test_may_be_spread_over_a_range_known_before(self, ranges):
        voters = fit(Stumps(1, ranges=ranges))
        assert columns(voters.codes(GRID)) == by_hand([[0.0], [4.0]], [(0, 1), (1, 0)])

    def test_with_a_known_range_do_not_look_at_the_examples(self):
        stumps = Stumps(4, ranges=[[0, 0], [1, 1]])
        np.testing.assert_array_equal(fit(stumps).codes(GRID), fit(stumps, 100 * X, 1 - CODES).codes(GRID))

    def test_of_a_constant_feature_all_answer_alike(self):
        votes = fit(Stumps(3), np.ones((3, 1))).codes(np.ones((2, 1)))
        assert columns(votes) == [(0, 0)] * 3 + [(1, 1)] * 3

    def test_both_sides_cancel(self):
        votes = fit(Stumps(5)).codes(GRID)
        np.testing.assert_array_equal(votes.sum(1), np.full(len(GRID), 10))


class TestRanges:
    @pytest.mark.parametrize(
        ("ranges", "learns"),
        [("other_folds", True), ("training", False), ([[-3, -3], [3, 3]], False)],
        ids=["other_folds", "training", "known"],
    )
    def test_decide_who_judges(self, ranges, learns):
        """All examples, where neither thresholds nor weights are learned from those that do not judge."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        stumps = Stumps(2, ranges=ranges)
        assert stumps.learns == learns
        settings = [{}, {"inner_folds": 0}, {"bound": "seeger"}]
        sizes = [(20,), (20,), (20, 20, 20)] if learns else [(20,), (60,), (60,)]
        for setting, expected in zip(settings, sizes, strict=True):
            clf = MajorityVoteClassifier(stumps, random_state=0, solver="lbfgs", **setting).fit(X, X[:, 0] > 0)
            assert clf.certificate_.fold_sizes == expected
            assert any("shortcut" in a for a in clf.certificate_.assumptions) == (ranges == "training")

    def test_of_all_examples_and_of_the_other_folds_differ(self):
        """A fold with the first or the last example does not know how far the range goes."""
        X = np.linspace(0, 1, 40)[:, None]
        settings = {"random_state": 0, "solver": LBFGS(max_iter=0)}
        whole = MajorityVoteClassifier(Stumps(1, ranges="training"), bound="seeger", **settings).fit(X, X[:, 0] > 0.5)
        folds = MajorityVoteClassifier(Stumps(1), n_folds=20, **settings).fit(X, X[:, 0] > 0.5)
        assert self.cut(whole.voters_[0]) == pytest.approx(0.5, abs=1e-3)
        assert len({self.cut(voters) for voters in folds.voters_}) in (2, 3)

    @staticmethod
    def cut(voters):
        """Where the first voter changes its mind."""
        line = np.linspace(0, 1, 2001)[:, None]
        return line[np.flatnonzero(np.diff(voters.codes(line)[:, 0].astype(int)))[0], 0]

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"n_thresholds": 0}, "n_thresholds == 0, must be >= 1"),
            ({"n_pairs": 0}, "n_pairs == 0, must be >= 1"),
            (
                {"ranges": "nonsense"},
                "ranges must be 'other_folds', 'training' or an array .*, got 'nonsense'",
            ),
        ],
    )
    def test_and_numbers_are_checked(self, settings, message):
        with pytest.raises(ValueError, match=message):
            fit(Stumps(**settings))

    @pytest.mark.parametrize("ranges", [[0, 1], [[0], [1]], [[0, 0], [1, np.nan]], np.zeros((3, 2))])
    def test_that_do_not_fit_the_features_are_refused(self, ranges):
        with pytest.raises(ValueError, match="ranges must have two finite rows of 2 features"):
            fit(Stumps(ranges=ranges))


class TestPairs:
    @pytest.mark.parametrize(("n_classes", "n_pairs", "expected"), [(2, 1, 2), (3, 10, 6), (4, 5, 5), (5, 10, 10)])
    def test_are_distinct_and_ordered(self, n_classes, n_pairs, expected):
        voters = fit(Stumps(1, n_pairs=n_pairs), X[:, :1], n_classes=n_classes)
        votes = voters.codes(np.array([[0.0], [1.0]]))
        pairs = set(columns(votes))
        assert len(pairs) == voters.n_voters == expected
        assert all(below != above for below, above in pairs)
        assert np.all((votes >= 0) & (votes < n_classes))

    def test_are_the_same_for_every_threshold(self):
        voters = fit(Stumps(3, n_pairs=4), n_classes=5)
        ends = voters.codes(np.array([[-9.0, -9.0], [99.0, 99.0]]))
        pairs = sorted(set(columns(ends)))
        assert columns(voters.codes(GRID)) == by_hand([[0.25, 0.5, 0.75], [20, 30, 40]], pairs)

    def test_are_drawn_by_the_seed(self):
        first, second, other = (fit(Stumps(1, n_pairs=5), n_classes=10, seed=seed).codes(GRID) for seed in (1, 1, 2))
        np.testing.assert_array_equal(first, second)
        assert columns(first) != columns(other)

    def test_of_one_class_are_that_class(self):
        votes = fit(Stumps(2), codes=np.zeros(3, int), n_classes=1).codes(GRID)
        assert votes.shape[1] > 0
        assert not votes.any()

    def test_codes_of_many_classes_fit(self):
        voters = fit(Stumps(1, n_pairs=50), n_classes=300)
        votes = voters.codes(GRID)
        assert votes.max() > 255
        assert columns(votes) == by_hand([[0.5], [30]], voters.pairs.tolist())

    @pytest.mark.parametrize("rows", [1, 2, 1000])
    def test_block_by_block(self, rows, monkeypatch):
        voters = fit(Stumps(3, n_pairs=4), n_classes=5)
        whole = voters.codes(GRID)
        monkeypatch.setattr("stocmv.voters._stumps._BLOCK", rows)
        np.testing.assert_array_equal(voters.codes(GRID), whole)


def test_description_names_where_the_ranges_come_from():
    assert Stumps(7).describe() == "stumps, 7 thresholds per feature, ranges: other_folds"
    assert "given" in Stumps(ranges=[[0], [1]]).describe()
