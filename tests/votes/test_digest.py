import hashlib
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
        {"classes": np.array([0.0, 1.0, 2.0])},
        {"classes": np.array([0, 1, 2], np.uint64)},
        {"classes": np.array([[0, 1, 2]])},
        {"labels": None},
        {"targets": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_changes_with_every_name_and_every_part(change):
    votes = problem("three_classes")
    assert replace(votes, **change).digest() != votes.digest()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"classes": np.array([0, 1])}, {"classes": np.array([False, True])}),
        ({"classes": np.array([0, 1])}, {"classes": np.array([0.0, 5e-324])}),  # the same bytes
        ({"classes": np.array(["[1]"])}, {"classes": np.array([1])}),
        ({"targets": np.zeros(2, np.uint16)}, {"targets": np.zeros(4, np.uint8)}),
        ({"labels": np.zeros((2, 3), np.uint8)}, {"labels": np.zeros((3, 2), np.uint8)}),
        ({"counts": np.array([1.0])}, {"counts": np.array([1.0]).view(np.int64)}),
        ({"bits": np.zeros((1, 4), np.uint8)}, {"bits": np.zeros((2, 2), np.uint8)}),
        ({"targets": np.zeros(2, np.uint8)}, {"labels": np.zeros(2, np.uint8)}),
    ],
    ids=str,
)
def test_binds_the_type_and_the_shape_of_every_part(ours, theirs):
    bits = np.zeros((1, 4), np.uint8)
    assert VoteMatrix(**{"n_voters": 3, "bits": bits} | ours).digest() != (
        VoteMatrix(**{"n_voters": 3, "bits": bits} | theirs).digest()
    )


def test_does_not_depend_on_the_order_of_bytes_nor_on_the_room_for_text():
    votes = problem("three_classes")
    names = np.array(["a", "b", "c"])
    assert replace(votes, classes=names).digest() == replace(votes, classes=names.astype("<U9")).digest()
    assert replace(votes, classes=np.arange(3, dtype=">i8")).digest() == votes.digest()


def test_can_be_taken_without_this_package():
    """As the docstring says, written down once more."""
    votes = VoteMatrix.from_labels([["b", "ü"], ["c", "b"]], ["b", "c"])
    text = b'stocmv votes 2;n_voters=2;classes:str:(3,);["b", "c", "\\u00fc"]bits:|u1:(1, 2);\x02\x02'
    text += b"targets:|u1:(2,);\x00\x01labels:|u1:(2, 2);\x00\x02\x01\x00counts:<f8:(0,);"
    assert votes.digest() == hashlib.sha256(text).hexdigest()
    text = b"stocmv votes 2;n_voters=2;classes:none;bits:|u1:(1, 1);\x01targets:none;labels:none;counts:<f8:(0,);"
    assert VoteMatrix.from_errors([[True, False]]).digest() == hashlib.sha256(text).hexdigest()
