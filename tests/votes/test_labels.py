"""Labels that are refused, each with a sentence that names what is wrong."""

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest

from stocmv import VoteMatrix
from stocmv.votes import exact_labels

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
        ([[math.inf, 1.0]], [1.0], f"votes {MISSING} or infinite"),
        ([[1, 2]], [math.nan], f"y {MISSING}"),
        ([[1, 2]], [None], f"y {MISSING}"),
        ([["1", "2"]], [1], "votes and y must both be strings or both be numbers"),
        ([[1, 2]], ["1"], "votes and y must both be strings or both be numbers"),
        ([["a", 1]], ["a"], MIXED),
        (objects([["1", 1]]), ["1"], MIXED),
        ([[1e19, 1e19]], [1e19], "too large"),
        ([[2.0**53, 1.0]], [1.0], "votes has the label 9007199254740992.0, too large for float64 to be exact"),
        (np.array([[2048, 1]], np.float16), [1], "votes has the label 2048.0, too large for float16 to be exact"),
        ([[2.0**60, 2**60 + 1]], [1], "too large for float64 to be exact: use integers or strings"),
        ([[2**63, -1]], [-1], "votes has the label 9223372036854775808, which is too large for 64 bits: use strings"),
        (np.array([[2**63 + 1]], np.uint64), [1], "votes has the label 9223372036854775809, which is too large"),
        (objects([[2**70, 2**71]]), [1], "votes has the label 1180591620717411303424, which is too large"),
        ([[1, 2]], [1, "1"], "y mixes numbers and strings: class labels must all be of one kind"),
        ([[True, 2]], [1], "votes mixes booleans and numbers: class labels must all be of one kind"),
        ([["a", "a\0"]], ["a"], "votes has a label that ends with a null character"),
        (
            np.array([[b"a", b"b"]]),
            ["a"],
            r"votes has labels of type \|S1: class labels must be integers, booleans or",
        ),
        ([[1, 2]], [b"a"], "y has a label of type bytes: class labels must be integers, booleans or strings"),
        (np.array([["2020-01-01"]], "M8[D]"), [1], r"votes has labels of type datetime64\[D\]: class labels must be"),
        (np.array([[5]], "m8[s]"), [1], r"votes has labels of type timedelta64\[s\]: class labels must be"),
        (objects([[np.timedelta64(5, "s")]]), [1], "votes has a label of type timedelta64"),
        ([[datetime.date(2020, 1, 1)]], [1], "votes has a label of type date: class labels must be"),
        ([[Decimal(1)]], [1], "votes has a label of type Decimal: class labels must be"),
        (np.zeros((1, 2), "i4, i4"), [1], "votes has labels of type"),
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
def test_missing_values_of_a_data_frame_are_no_answers(dtype):
    pandas = pytest.importorskip("pandas")
    votes = pandas.DataFrame({"a": ["1", None], "b": ["1", "2"]}).astype(dtype)
    matrix = VoteMatrix.from_labels(votes, [1, 2] if dtype in ("Int64", "float") else ["1", "2"])
    assert matrix.right_column_sums(np.ones(2)).tolist() == [1, 2]
    assert matrix.column_sums(np.ones(2)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([2**60, 2**60 + 1], [2**60, 2**60 + 1]),
        ([2**60, 2**60 + 1, 5.0], [2**60, 2**60 + 1, 5]),
        (np.array([2**60, 2**60 + 1], np.uint64), [2**60, 2**60 + 1]),
        (objects([2**62, -(2**62) - 1]), [2**62, -(2**62) - 1]),
        ([0.5, math.inf], [0.5, math.inf]),
        ([True, False], [True, False]),
        (["1", "01"], ["1", "01"]),
        ([[1], [2]], [[1], [2]]),
    ],
    ids=str,
)
def test_exact_labels_keep_every_label_apart(given, expected):
    """Fractional and infinite ones too: scikit-learn has its own words for them."""
    ours = exact_labels(given, "y")
    assert ours.tolist() == expected
    assert ours.dtype.kind != "O"


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "int64", "object"])
def test_large_integers_of_a_data_frame_stay_apart(dtype):
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series([2**60, 2**60 + 1], dtype=dtype)
    assert exact_labels(labels, "y").tolist() == [2**60, 2**60 + 1]
    frame = pandas.DataFrame({"one": labels, "other": labels.astype(object)})
    assert VoteMatrix.from_labels(frame, labels).classes.tolist() == [2**60, 2**60 + 1]


def test_strings_that_came_as_objects_stay_objects():
    assert exact_labels(objects(["a", "bb"]), "y").dtype == object
    assert exact_labels(["a", "bb"], "y").dtype == "U2"


@pytest.mark.parametrize("value", [None, 3], ids=str)
def test_what_has_no_dimensions_is_left_to_the_caller(value):
    assert exact_labels(value, "y") is value


class TestCodes:
    votes, targets = np.array([[0, 1], [1, 1]]), np.array([0, 1])

    @pytest.mark.parametrize(
        ("classes", "message"),
        [
            (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), r"classes has labels of type datetime64\[D\]"),
            (np.array([b"a", b"b"]), r"classes has labels of type \|S1"),
            (objects([2**70, 2**71]), "classes has the label 1180591620717411303424, which is too large"),
            (objects([1, "1"]), "classes mixes numbers and strings"),
            (np.array([1, 1]), "classes must be sorted, each label once: use numpy.unique"),
            (np.array(["b", "a"]), "classes must be sorted, each label once: use numpy.unique"),
        ],
    )
    def test_classes_that_are_no_labels_are_refused(self, classes, message):
        with pytest.raises(ValueError, match=message):
            VoteMatrix.from_codes(self.votes, self.targets, classes)

    def test_targets_beyond_the_classes_are_refused(self):
        with pytest.raises(ValueError, match="targets must be class codes, integers from 0 to 1"):
            VoteMatrix.from_codes(self.votes, np.array([0, 256]), np.array([3, 4]))

    @pytest.mark.parametrize("classes", [[3.0, 4.0], [3, 4], objects([3, 4]), np.array([3, 4], np.float16)])
    def test_are_what_labels_are(self, classes):
        ours = VoteMatrix.from_codes(self.votes, self.targets, np.asarray(classes))
        assert ours.digest() == VoteMatrix.from_labels([[3, 4], [4, 4]], [3, 4]).digest()
