import numpy as np
import pytest

from stocmv import VoteMatrix
from zoo import SEVERAL_CLASSES, SINGLE, answers, errors, problem, raw

NAMES = np.array(["ant", "bee", "cow"])


def same(a, b):
    """Whether two matrices hold the same votes: digests cover every array and the class names."""
    return a.digest() == b.digest()


@pytest.mark.parametrize("n_voters", [1, 7, 8, 9, 200])
class TestErrors:
    def dense(self, n_voters):
        return np.random.default_rng(n_voters).random((101, n_voters)) < 0.4

    def test_come_back_as_they_went_in(self, n_voters):
        theirs = self.dense(n_voters)
        ours = VoteMatrix.from_errors(theirs)
        assert (ours.n_voters, ours.n_examples, ours.n_rows) == (n_voters, 101, 101)
        assert ours.errors().dtype == bool
        np.testing.assert_array_equal(ours.errors(), theirs)
        np.testing.assert_array_equal(ours.errors(7, 50), theirs[7:50])
        np.testing.assert_array_equal(ours.errors(90), theirs[90:])

    def test_take_a_bit_each(self, n_voters):
        assert VoteMatrix.from_errors(self.dense(n_voters)).nbytes == 101 * -(-n_voters // 8)

    @pytest.mark.parametrize("dtype", [int, float, np.uint8])
    def test_may_be_zeros_and_ones(self, n_voters, dtype):
        theirs = self.dense(n_voters)
        assert same(VoteMatrix.from_errors(theirs.astype(dtype)), VoteMatrix.from_errors(theirs))

    def test_may_come_in_blocks(self, n_voters):
        theirs = self.dense(n_voters)
        assert same(
            VoteMatrix.from_blocks(iter([theirs[:13], theirs[13:14], theirs[14:]])), VoteMatrix.from_errors(theirs)
        )

    def test_are_those_of_the_labels(self, n_voters):
        votes, y = answers(101, np.full(n_voters, 0.6), 3, seed=n_voters)
        for ours in (
            VoteMatrix.from_labels(votes, y),
            VoteMatrix.from_labels(NAMES[votes], NAMES[y]),
            VoteMatrix.from_blocks([(votes[:50], y[:50]), (votes[50:], y[50:])], classes=range(3)),
        ):
            np.testing.assert_array_equal(ours.errors(), votes != y[:, None])
            np.testing.assert_array_equal(ours.bits, VoteMatrix.from_errors(votes != y[:, None]).bits)


@pytest.mark.parametrize("name", SINGLE)
def test_voter_errors_are_the_column_means(name):
    np.testing.assert_allclose(problem(name).voter_errors(), errors(name).mean(0), rtol=1e-14)


@pytest.mark.parametrize("name", SEVERAL_CLASSES)
def test_labels_come_back_as_they_went_in(name):
    votes, y = raw(name)
    ours = problem(name) if name == "many_classes" else VoteMatrix.from_labels(votes, y)
    np.testing.assert_array_equal(ours.classes[ours.labels], votes)
    np.testing.assert_array_equal(ours.classes[ours.targets], y)


@pytest.mark.parametrize(("n_classes", "dtype"), [(3, "u1"), (256, "u1"), (257, "u2"), (300, "u2"), (65537, "u4")])
def test_codes_take_as_many_bytes_as_the_classes_need(n_classes, dtype):
    top = n_classes - 1
    ours = VoteMatrix.from_labels([[0, top], [top, 0]], [top, top], classes=np.arange(n_classes))
    assert (ours.labels.dtype, ours.targets.dtype) == (dtype, dtype)
    assert ours.labels.tolist() == [[0, top], [top, 0]]
    assert ours.errors().tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(
    ("convert", "classes"),
    [
        (lambda a: a.tolist(), [0, 1, 2]),
        (lambda a: a.astype(float), [0, 1, 2]),
        (lambda a: a.astype(np.int8) - 5, [-5, -4, -3]),
        (lambda a: a.astype(object), [0, 1, 2]),
        (lambda a: a.astype(float).astype(object), [0, 1, 2]),
        (lambda a: NAMES[a], ["ant", "bee", "cow"]),
        (lambda a: NAMES[a].astype(object), ["ant", "bee", "cow"]),
        (lambda a: NAMES[a].tolist(), ["ant", "bee", "cow"]),
        pytest.param(
            lambda a: NAMES[a].astype(np.dtypes.StringDType()),
            ["ant", "bee", "cow"],
            marks=pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="needs numpy 2"),
        ),
        (lambda a: a.astype(np.float16), [0, 1, 2]),
        (lambda a: a.astype(np.uint64) + 2**62, [2**62, 2**62 + 1, 2**62 + 2]),
    ],
    ids=[
        "list",
        "float",
        "negative",
        "object",
        "object_float",
        "string",
        "object_string",
        "string_list",
        "numpy_string",
        "float16",
        "uint64",
    ],
)
def test_labels_of_every_kind_give_the_same_codes(convert, classes):
    votes, y = answers(40, np.full(5, 0.6), 3, seed=1)
    ours, theirs = VoteMatrix.from_labels(convert(votes), convert(y)), VoteMatrix.from_labels(votes, y)
    assert ours.classes.tolist() == classes
    for part in ("bits", "labels", "targets"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))


@pytest.mark.parametrize("dtype", ["i1", ">i4", "u1", "u8", "f4", object])
def test_the_type_of_whole_numbers_changes_nothing(dtype):
    votes, y = answers(40, np.full(5, 0.6), 3, seed=1)
    assert same(VoteMatrix.from_labels(votes.astype(dtype), y.astype(dtype)), VoteMatrix.from_labels(votes, y))


def test_booleans_are_two_classes():
    votes, y = answers(40, np.full(5, 0.6), seed=1)
    ours, theirs = VoteMatrix.from_labels(votes == 1, y == 1), VoteMatrix.from_labels(votes, y)
    assert ours.classes.tolist() == [False, True]
    np.testing.assert_array_equal(ours.bits, theirs.bits)


@pytest.mark.parametrize("dtype", ["int64", "Int64", "category", "string", "object"])
def test_labels_may_be_a_data_frame(dtype):
    pandas = pytest.importorskip("pandas")
    votes, y = answers(40, np.full(5, 0.6), 3, seed=1)
    ours = VoteMatrix.from_labels(pandas.DataFrame(votes).astype(dtype), pandas.Series(y).astype(dtype))
    assert [int(c) for c in ours.classes] == [0, 1, 2]
    np.testing.assert_array_equal(ours.errors(), votes != y[:, None])


def test_classes_may_be_given_in_any_order_and_more_than_occur():
    votes, y = answers(40, np.full(5, 0.6), 3, seed=1)
    ours = VoteMatrix.from_labels(NAMES[votes], NAMES[y], classes=["dog", "cow", "ant", "bee", "ant"])
    assert ours.classes.tolist() == ["ant", "bee", "cow", "dog"]
    np.testing.assert_array_equal(ours.labels, votes)


def test_two_classes_keep_no_labels_and_a_third_that_never_occurs_keeps_them():
    votes, y = raw("noisy")
    assert VoteMatrix.from_labels(votes, y).labels is None
    np.testing.assert_array_equal(VoteMatrix.from_labels(votes, y, classes=[0, 1, 2]).labels, votes)


def test_more_rows_than_are_unpacked_at_a_time():
    votes, y = answers((1 << 16) + 77, np.array([0.5, 0.6, 0.7]), 3, seed=0)
    np.testing.assert_array_equal(VoteMatrix.from_labels(votes, y).labels, votes)
    np.testing.assert_array_equal(VoteMatrix.from_errors(votes != y[:, None]).errors(), votes != y[:, None])


class TestTake:
    @pytest.mark.parametrize("rows", [[3, 1, 1, 30], np.arange(40) % 3 == 0, [-1], slice(5, 20)], ids=str)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_is_the_matrix_of_these_rows(self, rows, n_classes):
        votes, y = answers(40, np.full(9, 0.6), n_classes, seed=1)
        rows = np.arange(40)[rows]
        classes = range(n_classes)
        theirs = VoteMatrix.from_labels(votes[rows], y[rows], classes)
        assert same(VoteMatrix.from_labels(votes, y, classes).take(rows), theirs)

    def test_keeps_the_counts_of_merged_rows(self):
        merged = problem("merged")
        ours = merged.take([4, 2])
        assert ours.n_examples == merged.counts[4] + merged.counts[2]
        np.testing.assert_array_equal(ours.labels, merged.labels[[4, 2]])


class TestMerge:
    def test_is_the_same_asked_for_early_or_late(self):
        votes, y = raw("merged")
        late = VoteMatrix.from_labels(votes, y).merged()
        assert same(VoteMatrix.from_labels(votes, y, merge=True), late)
        assert same(late.merged(), late)
        assert late.n_rows < late.n_examples == 150
        assert late.n_rows == len(np.unique(np.column_stack([votes, y]), axis=0))

    def test_restores_the_examples_when_rows_are_repeated(self):
        votes, y = raw("merged")
        ours = problem("merged")
        repeated = np.repeat(np.column_stack([ours.labels, ours.targets]), ours.counts.astype(int), axis=0)
        theirs = np.column_stack([votes, y])
        np.testing.assert_array_equal(repeated[np.lexsort(repeated.T)], theirs[np.lexsort(theirs.T)])

    def test_tells_apart_rows_with_equal_errors(self):
        # the same voters err, but towards other classes or from another truth
        ours = VoteMatrix.from_labels([[0, 1], [0, 2], [0, 1], [1, 0]], [0, 0, 0, 1], classes=[0, 1, 2], merge=True)
        assert ours.counts.tolist() == [2, 1, 1]

    def test_counts_codes_beyond_one_byte(self):
        # 1 and 257 agree in their low byte
        ours = VoteMatrix.from_labels([[1], [257], [1]], [2, 2, 2], classes=np.arange(300), merge=True)
        assert ours.labels.tolist() == [[1], [257]]
        assert ours.counts.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("noisy", "VoteMatrix(120 examples, 12 voters, 2 classes)"),
        ("many_classes", "VoteMatrix(60 examples, 9 voters, 300 classes)"),
    ],
)
def test_says_what_it_is(name, text):
    assert repr(problem(name)) == text
