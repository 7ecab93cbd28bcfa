"""A hash of an example's features: the same values, the same number; different ones, independent numbers."""

import hashlib
import struct
from decimal import Decimal

import numpy as np
import pytest
from scipy import sparse

from stocmv.checks import hash_rows

RNG = np.random.default_rng(0)
X = np.where(RNG.random((200, 6)) < 0.6, RNG.normal(size=(200, 6)), 0.0)
KEYS = [key.to_bytes(4, "little") for key in range(4000)]


def forms():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    return {
        "columns first": np.asfortranarray(X),
        "list": X.tolist(),
        "csr": sparse.csr_array(X),
        "coo": sparse.coo_matrix(X),
        "frame": pd.DataFrame(X),
        "same names": pd.DataFrame(X, columns=["a"] * 6),
        "polars": pl.DataFrame(X),
        "zeros with a sign": np.where(X == 0, -0.0, X),
    }


def words(value):
    """A number as a double, a text as its digest: two words of 32 bits."""
    text = isinstance(value, str)
    return struct.unpack(
        "<2I", hashlib.blake2b(value.encode(), digest_size=8).digest() if text else struct.pack("<d", value)
    )


def by_the_formula(row, key):
    halves = []
    for half in (b"\0", b"\1"):
        seed = int.from_bytes(hashlib.blake2b(key + half, digest_size=16).digest(), "little")
        offset, *factors = np.random.default_rng(seed).integers(2**64, size=1 + 2 * len(row), dtype=np.uint64).tolist()
        products = (a * x for a, x in zip(factors, (word for value in row for word in words(value)), strict=True))
        halves.append((offset + sum(products)) % 2**64 >> 32)
    return halves[0] << 32 | halves[1]


def test_is_the_formula_of_the_theory_page():
    """Saved models rely on it: it decides which fold answers a new example."""
    texts = np.array([["a", 1.5, "b"], ["", -0.25, "é"], ["a", 0.0, "a"]], object)
    assert hash_rows(texts, b"key").tolist() == [by_the_formula(row, b"key") for row in texts.tolist()]
    assert hash_rows(X, b"other").tolist() == [by_the_formula(row, b"other") for row in X.tolist()]


@pytest.mark.parametrize("form", forms())
def test_is_the_same_whatever_holds_the_values(form):
    np.testing.assert_array_equal(hash_rows(forms()[form], b"key"), hash_rows(X, b"key"))


def test_is_the_same_among_others_and_alone():
    alone = [hash_rows(row[None], b"key")[0] for row in X[:20]]
    np.testing.assert_array_equal(alone, hash_rows(X, b"key")[:20])


def test_sees_every_value():
    """Each value counts, and so does its place."""
    ours = hash_rows(X, b"key")
    assert len(np.unique(ours)) == len(ours)
    for column in range(6):
        other = X.copy()
        other[:, column] += 1e-9
        assert np.all(hash_rows(other, b"key") != ours)
    assert np.all((hash_rows(X[:, ::-1], b"key") != ours) | (X[:, ::-1] == X).all(1))


def test_takes_strings_categories_dates_and_missing_values():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "text": ["a", "b", "a", None],
            "category": pd.Categorical(["x", "y", "x", "y"]),
            "date": pd.to_datetime(["2020-01-01", "2021-01-01", "2020-01-01", "2020-01-01"]),
            "count": pd.array([1, 2, 1, None], dtype="Int64"),
            "number": [1.0, np.nan, 1.0, np.nan],
        }
    )
    first, second, third, fourth = hash_rows(frame, b"key")
    assert first == third
    assert len({first, second, fourth}) == 3
    assert hash_rows(frame.iloc[[3]], b"key")[0] == fourth


def test_takes_texts_and_mixed_lists():
    assert len(set(hash_rows(["good", "bad", "good"], b"key"))) == 2
    assert len(set(hash_rows([["a", 1], ["a", 2], ["a", 1]], b"key"))) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "pair", [X[:2], [[1.0, 2.0], [2.0, 1.0]], [[0.0], [1.0]], [["a"], ["b"]]], ids=["rows", "order", "one", "texts"]
)
def test_of_two_examples_are_uniform_and_independent_over_the_keys(pair):
    """What the spread of `predict` over the keys rests on."""
    drawn = np.array([hash_rows(pair, key) for key in KEYS]) / 2.0**64
    table = np.histogram2d(*drawn.T, bins=4, range=[[0, 1], [0, 1]])[0]
    expected = len(KEYS) / 16
    assert ((table - expected) ** 2 / expected).sum() < 44  # chi-squared with 15 degrees of freedom: 0.01 %


def batches():
    pd = pytest.importorskip("pandas")
    return {
        "texts, some of them numbers": ["12", "good", "7.5", "12", "bad"],
        "rows of several lengths": [["a", "b"], ["a"], ["a", "b"], ["c", "d"]],
        "rows of numbers and words": [[1, "a"], [1, 2], [1.0, 2.0]],
        "dictionaries": [{"a": 1, "b": 2}, {"c": 1}, {"b": 2, "a": 1}],
        "booleans with a gap": pd.DataFrame({"x": pd.array([True, None, False, True], dtype="boolean")}),
        "integers with a gap": pd.DataFrame({"x": pd.array([1, None, 3, 1], dtype="Int64")}),
        "objects": np.array([[1, "a"], [None, "b"], [np.nan, "b"]], object),
        "equal values of several kinds": np.array([[1], [Decimal(1)], [True], ["1"], [1.0], [0.0], [-0.0]], object),
        "one moment in several zones": np.array(
            [[pd.Timestamp("2020-01-01", tz="UTC")], [pd.Timestamp("2020-01-01 01:00", tz="Europe/Berlin")]], object
        ),
        "dates": pd.DataFrame({"x": pd.to_datetime(["2020-01-01", None, "2021-05-05"])}),
    }


@pytest.mark.parametrize("name", batches())
def test_does_not_depend_on_the_company(name):
    X = batches()[name]
    whole = hash_rows(X, b"key")
    rows = [X.iloc[[i]] if hasattr(X, "iloc") else X[i : i + 1] for i in range(len(X))]
    assert [hash_rows(row, b"key")[0] for row in rows] == whole.tolist()


def test_equal_values_in_other_containers_are_equal():
    pd = pytest.importorskip("pandas")
    ours = hash_rows(pd.DataFrame({"x": [1, 2]}), b"key")
    np.testing.assert_array_equal(hash_rows(pd.DataFrame({"x": [1, 2]}, dtype=object), b"key"), ours)
    dicts = hash_rows(batches()["dictionaries"], b"key")
    assert dicts[0] == dicts[2] != dicts[1]
    us, ns = (pd.DataFrame({"x": pd.to_datetime(["2020-01-01"]).as_unit(unit)}) for unit in ("us", "ns"))
    assert hash_rows(us, b"key") == hash_rows(ns, b"key")
    assert len(set(hash_rows(np.array([[None], [np.nan], [float("nan")]], object), b"key"))) == 1


@pytest.mark.parametrize("empty", [X[:0], np.empty((0, 3), object), sparse.csr_array((0, 3)), []], ids=str)
def test_no_rows_have_no_numbers(empty):
    assert hash_rows(empty, b"key").shape == (0,)
