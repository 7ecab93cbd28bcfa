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
