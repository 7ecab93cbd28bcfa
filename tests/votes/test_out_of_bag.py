"""Votes with gaps that mean: this example does not judge this voter."""

import numpy as np
import pytest

from stocmv import VoteMatrix
from stocmv.votes import OutOfBagVotes, load_folds, save_folds
from zoo import unjudged, unjudged_problem


def dense(n_classes):
    """Errors and judges as booleans, straight from the labels."""
    votes, y = unjudged(n_classes)
    judged = ~np.isnan(votes)
    return judged & (votes != y[:, None]), judged


@pytest.mark.parametrize("n_classes", [2, 3])
def test_packs_who_errs_and_who_is_judged(n_classes):
    ours, (errors, judged) = unjudged_problem(n_classes), dense(n_classes)
    np.testing.assert_array_equal(ours.errors(), errors)
    np.testing.assert_array_equal(ours.judges(), judged)
    np.testing.assert_array_equal(ours.classes, np.arange(n_classes))
    np.testing.assert_array_equal(ours.targets, unjudged(n_classes)[1])
    assert (ours.n_voters, ours.n_examples, ours.abstains) == (9, 300, False)
    assert repr(ours) == f"OutOfBagVotes(300 examples, 9 voters, {n_classes} classes)"


@pytest.mark.parametrize("n_classes", [2, 3])
def test_counts_pairs_where_both_are_judged(n_classes):
    ours, (errors, judged) = unjudged_problem(n_classes), dense(n_classes)
    for j, k in np.ndindex(9, 9):
        common = judged[:, j] & judged[:, k]
        assert ours.pairs.judged[j, k] == common.sum()
        assert ours.pairs.wrong[j, k] == errors[common, j].sum()
        assert ours.pairs.both[j, k] == (errors[:, j] & errors[:, k]).sum()
    assert ours.fewest(1) == judged.sum(0).min()
    assert ours.fewest(2) == min((judged[:, j] & judged[:, k]).sum() for j, k in np.ndindex(9, 9))


def test_without_gaps_the_pairs_are_those_of_a_matrix():
    votes, y = unjudged(2)
    matrix = VoteMatrix.from_labels(np.nan_to_num(votes), y)
    for ours, theirs in zip(OutOfBagVotes.of_gaps(matrix).pairs, matrix.pairs, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    counted = VoteMatrix.from_labels(np.nan_to_num(votes), y, merge=True)
    assert counted.n_rows < 300
    for ours, theirs in zip(counted.pairs, matrix.pairs, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_rows_and_voters_can_be_taken():
    votes, rows, some = unjudged_problem(2), np.array([5, 2, 100]), np.array([8, 0])
    np.testing.assert_array_equal(votes.take(rows).errors(), votes.errors()[rows])
    np.testing.assert_array_equal(votes.take(rows).targets, votes.targets[rows])
    np.testing.assert_array_equal(votes.only(some).judges(), votes.judges()[:, some])
    np.testing.assert_array_equal(votes.only(some).errors(), votes.errors()[:, some])
    assert list(votes.batches(7, np.random.default_rng(0))) == [votes]
    np.testing.assert_array_equal(votes.blocs(), np.arange(9))


def test_a_file_gives_the_same_votes_and_digest(tmp_path):
    votes = unjudged_problem(3)
    votes.save(tmp_path / "one.npz")
    save_folds(tmp_path / "folds.npz", [votes])
    for again in (OutOfBagVotes.load(tmp_path / "one.npz"), *load_folds(tmp_path / "folds.npz")):
        assert isinstance(again, OutOfBagVotes)
        assert again.digest() == votes.digest()
    assert votes.digest() != votes.take(np.arange(300)[::-1]).digest()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"judged": lambda x: x & 0}, "a voter errs on an example that does not judge it"),
        ({"judged": lambda x: x[:, :-1]}, "its arrays do not fit together"),
        ({"judged": lambda x: x.astype(int)}, "its arrays do not fit together"),
        ({"bits": lambda x: x[:1]}, "its arrays do not fit together"),
        ({"targets": lambda x: x[1:]}, "its targets are not codes of its classes"),
        ({"targets": lambda x: x + 2}, "its targets are not codes of its classes"),
        ({"classes": lambda x: None}, "its arrays are not those of out-of-bag votes"),
    ],
)
def test_damaged_files_are_refused(tmp_path, changes, message):
    arrays = unjudged_problem(2)._arrays()
    for name, change in changes.items():
        arrays[name] = change(arrays[name])
    np.savez(tmp_path / "bad.npz", **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(ValueError, match=message):
        OutOfBagVotes.load(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        ([[0, None], [0, None]], "No example judges voter 1: use fewer voters, or more examples"),
        ([[0, None], [None, 1]], "No example judges both voter 0 and voter 1: use"),
    ],
)
def test_voters_without_judges_are_named(votes, message):
    with pytest.raises(ValueError, match=message):
        OutOfBagVotes.from_labels(votes, [0, 1]).fewest(2)


def test_no_gpu_is_needed():
    with pytest.raises(ValueError, match="leave out device"):
        unjudged_problem(2).to("cuda")
    assert unjudged_problem(2).to("cpu") is unjudged_problem(2)


class TestUnlabelled:
    ANSWERS = np.random.default_rng(4).integers(0, 2, (77, 9))

    def votes(self):
        return OutOfBagVotes.from_labels(*unjudged(2), unlabelled=self.ANSWERS)

    def test_they_show_how_often_two_voters_disagree(self):
        ours, labelled = self.votes(), unjudged_problem(2)
        np.testing.assert_array_equal(ours.unlabelled_answers(), self.ANSWERS == 1)
        for name in ("judged", "wrong", "both"):
            np.testing.assert_array_equal(getattr(ours.pairs, name), getattr(labelled.pairs, name))
        for j, k in np.ndindex(9, 9):
            more = (self.ANSWERS[:, j] != self.ANSWERS[:, k]).sum()
            assert ours.pairs.differ[j, k] == labelled.pairs.differ[j, k] + more
            assert ours.pairs.compared[j, k] == labelled.pairs.judged[j, k] + 77
        assert [ours.fewest(1), ours.fewest(2)] == [labelled.fewest(1), labelled.fewest(2)]
        assert ours.fewest(2, labelled=False) == labelled.fewest(2) + 77
        assert repr(ours) == "OutOfBagVotes(300 examples and 77 unlabelled, 9 voters, 2 classes)"
        some = np.array([4, 2])
        np.testing.assert_array_equal(ours.only(some).unlabelled_answers(), self.ANSWERS[:, some] == 1)

    def test_a_file_has_them(self, tmp_path):
        self.votes().save(tmp_path / "votes.npz")
        again = OutOfBagVotes.load(tmp_path / "votes.npz")
        assert again.digest() == self.votes().digest() != unjudged_problem(2).digest()
        np.testing.assert_array_equal(again.unlabelled_answers(), self.ANSWERS == 1)
        np.savez(tmp_path / "bad.npz", **{**self.votes()._arrays(), "unlabelled": np.zeros((1, 5), np.uint8)})
        with pytest.raises(ValueError, match="its unlabelled examples do not fit its voters"):
            OutOfBagVotes.load(tmp_path / "bad.npz")

    @pytest.mark.parametrize(
        ("answers", "message"),
        [
            (np.zeros((5, 8)), r"unlabelled must have a row for each example and 9 columns, got \(5, 8\)"),
            (np.full((5, 9), np.nan), "unlabelled has gaps: every voter must answer every unlabelled example"),
            (np.full((5, 9), 2), "2"),
        ],
    )
    def test_answers_that_do_not_fit_are_refused(self, answers, message):
        with pytest.raises(ValueError, match=message):
            unjudged_problem(2).with_unlabelled(answers)

    def test_two_classes_are_needed(self):
        with pytest.raises(ValueError, match="unlabelled needs votes made from labels of two classes"):
            unjudged_problem(3).with_unlabelled(self.ANSWERS)
