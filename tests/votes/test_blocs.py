import numpy as np
import pytest

from stocmv import VoteMatrix
from stocmv.votes import PartitionedVotes


def nearly_equal(n_classes, abstains=False, seed=0):
    """Voters that answer as the first one does, but for one example each, or for none."""
    rng = np.random.default_rng(seed)
    answers = np.repeat(rng.integers(0, n_classes, (3000, 1)), 60, axis=1)
    other = rng.choice([-1, *rng.integers(0, 3000, 12)], 60)
    for voter, row in enumerate(other):
        if row >= 0:
            answers[row, voter] = n_classes if abstains else (answers[row, voter] + 1) % n_classes
    y = rng.integers(0, n_classes, 3000)
    return VoteMatrix.from_labels(answers, y, classes=np.arange(n_classes), abstain=n_classes if abstains else None)


@pytest.mark.parametrize("abstains", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_voters_are_of_one_bloc_if_they_answer_all_examples_alike(n_classes, abstains):
    votes = nearly_equal(n_classes, abstains)
    answers = votes.answers()
    alike = (answers[:, :, None] == answers[:, None, :]).all(0)
    blocs = votes.blocs()
    assert np.array_equal(blocs[:, None] == blocs, alike)
    assert 1 < blocs.max() + 1 < 60
    assert blocs[0] == 0
    assert np.all(np.diff(np.unique(blocs, return_index=True)[1]) > 0)  # numbered as they occur


def test_the_blocs_of_parts_are_those_of_the_whole():
    votes = nearly_equal(2)
    parts = PartitionedVotes([votes.take(rows) for rows in np.array_split(np.arange(votes.n_rows), 7)])
    assert np.array_equal(parts.blocs(), votes.blocs())
    some = np.array([5, 17, 2])
    assert parts.only(some).whole().digest() == votes.only(some).digest()


def test_errors_are_enough():
    assert np.array_equal(nearly_equal(2).errors_only().blocs(), nearly_equal(2).blocs())


@pytest.mark.parametrize("abstains", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_votes_of_some_voters(n_classes, abstains):
    votes, some = nearly_equal(n_classes, abstains), np.array([40, 3, 59])
    none = n_classes if abstains else None
    theirs = VoteMatrix.from_labels(votes.answers()[:, some], votes.targets, np.arange(n_classes), abstain=none)
    assert np.array_equal(votes.only(some).answers(), theirs.answers())
    assert np.array_equal(votes.only(some).errors(), theirs.errors())
