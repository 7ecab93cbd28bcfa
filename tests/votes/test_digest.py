from dataclasses import replace

import numpy as np
import pytest

from stocmv import VoteMatrix
from zoo import SEVERAL_CLASSES, SINGLE, problem, raw


def flipped(array, index, bit=1):
    changed = array.copy()
    changed.view(np.uint8).reshape(-1)[index] ^= bit
    return changed


@pytest.mark.parametrize("name", SINGLE)
def test_is_the_same_for_the_same_votes(name):
    votes = problem(name)
    same = VoteMatrix.from_labels(*raw(name), votes.classes, merge=name == "merged")
    assert votes.digest() == same.digest()
    assert len(votes.digest()) == 64


def test_no_two_problems_share_one():
    assert len({problem(name).digest() for name in SINGLE}) == len(SINGLE)


@pytest.mark.parametrize(
    ("name", "part"),
    [("merged", "counts"), ("noisy", "bits"), ("noisy", "targets")]
    + [(name, part) for name in SEVERAL_CLASSES for part in ("bits", "targets", "labels")],
)
def test_changes_with_every_byte(name, part):
    votes = problem(name)
    array = getattr(votes, part)
    digests = {replace(votes, **{part: flipped(array, index)}).digest() for index in range(array.nbytes)}
    assert len(digests) == array.nbytes
    assert votes.digest() not in digests


@pytest.mark.parametrize(
    "change",
    [
        {"classes": np.array([0, 1, 3])},
        {"classes": np.array(["0", "1", "2"])},
        {"classes": None},
        {"n_voters": 7},
        {"labels": None},
        {"targets": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_changes_with_every_name_and_every_part(change):
    votes = problem("three_classes")
    assert replace(votes, **change).digest() != votes.digest()
