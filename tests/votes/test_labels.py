"""Labels that are refused, each with a sentence that names what is wrong."""

import math

import numpy as np
import pytest

from stocmv import VoteMatrix

MISSING = "has missing"
FRACTIONAL = "has fractional values: class labels must be integers, booleans or strings"
MIXED = "strings"
UNSEEN = r"{} has the label (np\.\w+\()?{}\)?, which is not in classes"


def objects(rows):
    return np.array(rows, dtype=object)


@pytest.mark.parametrize(
    ("votes", "y", "message"),
    [
        ([[0.5, 1.0]], [1.0], f"votes {FRACTIONAL}"),
        ([[1, 2]], [1.5], f"y {FRACTIONAL}"),
        ([[1j, 1]], [1], f"votes {FRACTIONAL}"),
        (objects([[0.5, 1]]), [1], FRACTIONAL),
        ([[math.nan, 1.0]], [1.0], f"votes {MISSING}"),
        ([[math.inf, 1.0]], [1.0], f"votes {MISSING} or infinite"),
        ([[1, 2]], [math.nan], f"y {MISSING}"),
        (objects([["a", math.nan]]), ["a"], f"votes {MISSING}"),
        ([[None, 1]], [1], f"votes {MISSING}"),
        ([[1, 2]], [None], f"y {MISSING}"),
        ([["1", "2"]], [1], "votes and y must both be strings or both be numbers"),
        ([[1, 2]], ["1"], "votes and y must both be strings or both be numbers"),
        ([["a", 1]], ["a"], MIXED),
        (objects([["1", 1]]), ["1"], MIXED),
        ([["a", math.nan]], ["a"], MISSING),
        (np.ma.masked_array([[1, 2]], [[False, True]]), [1], MISSING),
        ([[1e19, 1e19]], [1e19], "too large"),
        ([1, 2], [1, 2], r"votes must have 2 dimensions, got an array of shape \(2,\)"),
        ([[1, 2]], [[1]], r"y must have 1 dimension, got an array of shape \(1, 1\)"),
        ([[1, 2]], 1, r"y must have 1 dimension, got an array of shape \(\)"),
        ([[1, 2], [1, 1]], [1], "votes has 2 rows but y has 1 labels: they must be the same examples"),
        ([[1, 2]], [1, 2], "votes has 1 rows but y has 2 labels: they must be the same examples"),
        (np.empty((0, 3), int), [], "no examples"),
        (np.empty((3, 0), int), [0, 1, 2], "There are no voters: votes needs at least one column"),
    ],
)
def test_bad_labels_are_refused(votes, y, message):
    with pytest.raises(ValueError, match=message):
        VoteMatrix.from_labels(votes, y)


@pytest.mark.parametrize(
    ("votes", "y", "classes", "message"),
    [
        ([[0, 1]], [0], [0, 2], UNSEEN.format("votes", "1")),
        ([[0, 3]], [0], [0, 2], UNSEEN.format("votes", "3")),
        ([[0, -1]], [0], [0, 2], UNSEEN.format("votes", "-1")),
        ([[0, 0]], [1], [0, 2], UNSEEN.format("y", "1")),
        ([["a", "bb"]], ["a"], ["a", "b"], UNSEEN.format("votes", "'bb'")),
        ([[0, 1]], [0], ["0", "1"], "votes and classes must both be strings or both be numbers"),
        ([[0, 1]], [0], [], "classes is empty: name at least one class"),
        ([[0, 1]], [0], [0, 1, math.nan], f"classes {MISSING}"),
        ([[0, 1]], [0], [0, 1, 2.5], f"classes {FRACTIONAL}"),
        ([[0, 1]], [0], [[0, 1]], "classes must have 1 dimension"),
    ],
)
def test_classes_that_do_not_fit_are_refused(votes, y, classes, message):
    with pytest.raises(ValueError, match=message):
        VoteMatrix.from_labels(votes, y, classes)


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ([True, False], r"errors must have 2 dimensions, got an array of shape \(2,\)"),
        ([[0, 2]], "errors must be booleans, true where the voter errs; for class labels use from_labels"),
        ([[0.0, math.nan]], "errors must be booleans"),
        ([["a", "b"]], "errors must be booleans"),
        ([[None, True]], "errors must be booleans"),
        (np.empty((0, 3), bool), "There are no examples: votes needs at least one row"),
        (np.empty((3, 0), bool), "There are no voters: votes needs at least one column"),
    ],
)
def test_bad_errors_are_refused(errors, message):
    with pytest.raises(ValueError, match=message):
        VoteMatrix.from_errors(errors)


@pytest.mark.parametrize(
    ("blocks", "classes", "message"),
    [
        ([], None, "There are no examples"),
        ([np.ones((2, 3), bool), np.ones((2, 4), bool)], None, r"different numbers of voters: \[3, 4\]"),
        ([([[0, 1]], [0, 1])], [0, 1], "A block has 1 rows of votes but 2 labels in y"),
        ([([[0, 1]], [0]), ([[0, 2]], [0])], [0, 1], UNSEEN.format("votes", "2")),
    ],
)
def test_bad_blocks_are_refused(blocks, classes, message):
    with pytest.raises(ValueError, match=message):
        VoteMatrix.from_blocks(blocks, classes=classes)


def test_kernels_of_labels_say_that_they_need_them():
    votes = VoteMatrix.from_errors([[True, False]])
    with pytest.raises(ValueError, match="needs labels: make the VoteMatrix with from_labels"):
        votes.argmax_error_sum(np.ones(2))
    with pytest.raises(ValueError, match="class_weights needs more than two classes"):
        votes.class_weights(np.ones(2))
    with pytest.raises(ValueError, match="class_column_sums needs more than two classes"):
        votes.class_column_sums(np.ones((1, 2)))


@pytest.mark.parametrize(
    "dtype",
    [
        "Int64",
        "string",
        "category",
        "float",
    ],
)
def test_missing_values_of_a_data_frame_are_refused(dtype):
    pandas = pytest.importorskip("pandas")
    votes = pandas.DataFrame({"a": ["1", None], "b": ["1", "2"]}).astype(dtype)
    with pytest.raises(ValueError, match=f"votes {MISSING}"):
        VoteMatrix.from_labels(votes, [1, 2] if dtype in ("Int64", "float") else ["1", "2"])
