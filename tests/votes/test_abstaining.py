"""Voters that do not answer: how votes with gaps are read, packed, cut, joined and saved."""

import numpy as np
import pytest

import dense
from stocmv import VoteMatrix
from stocmv.votes import PartitionedVotes, load_folds, save_folds
from zoo import silent, silent_problem

N_CLASSES = (2, 3, 10)


def as_objects(votes, names):
    return [[None if np.isnan(v) else names[int(v)] for v in row] for row in votes]


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_a_voter_is_wrong_right_or_neither(n_classes):
    (votes, y), matrix = silent(n_classes), silent_problem(n_classes)
    weights = np.arange(1.0, 8.0)
    assert matrix.abstains
    assert np.array_equal(matrix.errors(), ~np.isnan(votes) & (votes != y[:, None]))
    np.testing.assert_allclose(matrix.wrong_weights(weights), matrix.errors() @ weights)
    np.testing.assert_allclose(matrix.right_weights(weights), (votes == y[:, None]) @ weights)
    np.testing.assert_allclose(matrix.right_column_sums(np.ones(len(y))), (votes == y[:, None]).sum(0))
    if n_classes > 2:
        theirs = dense.class_weights(votes, n_classes, weights)
        np.testing.assert_allclose(matrix.class_weights(weights), theirs)
        values = np.random.default_rng(0).random(theirs.shape)
        sums = sum(values[:, [k]] * (votes == k) for k in range(n_classes)).sum(0)
        np.testing.assert_allclose(matrix.class_column_sums(values), sums)


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_every_way_to_say_nothing_gives_the_same_votes(n_classes):
    votes, y = silent(n_classes)
    names = [f"class {k}" for k in range(n_classes)]
    labels = [names[k] for k in y]
    masked = np.ma.masked_invalid(votes)
    same = [
        VoteMatrix.from_labels(masked, y, np.arange(n_classes)),
        VoteMatrix.from_labels(np.where(np.isnan(votes), -1, votes).astype(int), y, np.arange(n_classes), abstain=-1),
        VoteMatrix.from_labels(as_objects(votes, range(n_classes)), y, np.arange(n_classes)),
        VoteMatrix.from_codes(np.where(np.isnan(votes), -1, votes).astype(int), y, np.arange(n_classes)),
        VoteMatrix.from_blocks([(votes[:9], y[:9]), (votes[9:], y[9:])], classes=np.arange(n_classes)),
    ]
    assert {m.digest() for m in same} == {silent_problem(n_classes).digest()}
    spoken = as_objects(votes, names)
    blank = [["" if label is None else label for label in row] for row in spoken]
    ours = VoteMatrix.from_labels(np.array(blank), labels, names, abstain="")
    assert VoteMatrix.from_labels(spoken, labels, names).digest() == ours.digest()


@pytest.mark.parametrize(("votes", "y", "label"), [([["a", ""]], ["a"], "''"), ([[1, -1]], [1], "-1")])
def test_what_looks_like_no_answer_is_never_silently_a_class(votes, y, label):
    with pytest.raises(ValueError, match=f"votes has the label {label}.*abstain={label}.*classes"):
        VoteMatrix.from_labels(votes, y)
    value = votes[0][1]
    assert VoteMatrix.from_labels(votes, y, abstain=value).abstains
    assert not VoteMatrix.from_labels(votes, y, classes=[*y, value]).abstains
    assert not VoteMatrix.from_labels([votes[0], votes[0]], [*y, value]).abstains
    with pytest.raises(ValueError, match=f"not in classes; pass abstain={label}"):
        VoteMatrix.from_labels(votes, y, classes=y)


def test_a_class_cannot_mean_no_answer_and_the_truth_cannot_be_missing():
    with pytest.raises(ValueError, match="abstain=1 occurs in y"):
        VoteMatrix.from_labels([[0, 1]], [1], abstain=1)
    with pytest.raises(ValueError, match="y has missing"):
        VoteMatrix.from_labels([[0.0, 1.0]], [np.nan])


def test_full_votes_have_no_second_plane():
    votes, y = silent(3)
    full = np.where(np.isnan(votes), 0, votes)
    assert VoteMatrix.from_labels(full, y).rights is None
    assert VoteMatrix.from_labels(full.astype(int), y, abstain=-1).rights is None


def test_votes_of_nobody_at_all():
    matrix = VoteMatrix.from_labels([[None, None]] * 3, ["a", "b", "a"])
    assert matrix.vote_errors(np.array([0.5, 0.5])).all()
    assert VoteMatrix.from_labels(np.full((3, 2), np.nan), [0, 1, 2]).vote_errors(np.array([0.5, 0.5])).all()


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_rows_that_are_cut_joined_and_merged_keep_their_gaps(n_classes):
    matrix, full = silent_problem(n_classes), VoteMatrix.from_labels(*[a[:12] for a in _full(n_classes)])
    cut = [matrix.take(np.arange(20)), matrix.take(np.arange(20, 60))]
    assert VoteMatrix.joined(cut).digest() == matrix.digest()
    weights = np.arange(1.0, 8.0)
    both = VoteMatrix.joined([full, matrix])
    theirs = np.concatenate([full.right_weights(weights), matrix.right_weights(weights)])
    np.testing.assert_allclose(both.right_weights(weights), theirs)
    assert PartitionedVotes([full, matrix]).abstains
    assert not PartitionedVotes([full, full]).abstains
    merged = VoteMatrix.joined([matrix, matrix]).merged()
    assert merged.n_rows <= matrix.n_rows
    assert merged.counts.sum() == 2 * matrix.n_rows
    ours, theirs = (m.row_mean(m.vote_errors(weights / weights.sum())) for m in (merged, matrix))
    assert ours == pytest.approx(theirs, abs=1e-12)


def _full(n_classes):
    """Answers of all voters, in whose first rows every class occurs."""
    votes, y = silent(n_classes)
    y = np.concatenate([np.arange(n_classes), y[n_classes:]])
    return np.where(np.isnan(votes), 0, votes).astype(int), y


def test_a_row_is_not_merged_with_one_that_answers_less():
    assert VoteMatrix.from_labels([[0, 0], [0, None], [0, None]], [0, 0, 0], classes=[0, 1], merge=True).n_rows == 2


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_files(n_classes, tmp_path):
    matrix = silent_problem(n_classes)
    matrix.save(tmp_path / "votes.npz")
    assert VoteMatrix.load(tmp_path / "votes.npz").digest() == matrix.digest()
    parts = PartitionedVotes([matrix.take(np.arange(20)), VoteMatrix.from_labels(*_full(n_classes))])
    save_folds(tmp_path / "folds.npz", [matrix, parts])
    assert [v.digest() for v in load_folds(tmp_path / "folds.npz")] == [matrix.digest(), parts.digest()]


def _both(arrays):
    arrays["rights"] = arrays["rights"] | arrays["bits"]


def _spoken(arrays):
    arrays["labels"] = np.where(arrays["labels"] == 3, 0, arrays["labels"]).astype(np.uint8)


def _unknown(arrays):
    arrays["labels"] = np.where(arrays["labels"] == 3, 4, arrays["labels"]).astype(np.uint8)


@pytest.mark.parametrize(
    ("damage", "reason"), [(_both, "both wrong and right"), (_spoken, "contradict"), (_unknown, "beyond its classes")]
)
def test_files_that_contradict_themselves_are_refused(damage, reason, tmp_path):
    arrays = silent_problem(3)._arrays()
    damage(arrays)
    np.savez_compressed(tmp_path / "votes.npz", **arrays)
    with pytest.raises(ValueError, match=reason):
        VoteMatrix.load(tmp_path / "votes.npz")


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_the_vote_goes_by_the_share_of_those_that_answer(n_classes):
    votes, y = silent(n_classes)
    weights = np.array([1, 2, 4, 8, 16, 32, 64]) / 127
    each = dense.class_weights(votes, n_classes, weights)
    theirs = (each.argmax(1) != y) | (each.max(1) == 0)
    assert np.array_equal(silent_problem(n_classes).vote_errors(weights), theirs)


def test_a_light_voter_that_alone_answers_decides():
    weights = np.array([1e-13, 1 - 1e-13])
    for classes in ([0, 1], [0, 1, 2]):
        matrix = VoteMatrix.from_labels([[1, np.nan], [0, np.nan]], [1, 1], classes)
        assert matrix.vote_errors(weights).tolist() == [False, True]
