"""The publishers' formats, on text that can be read at a glance."""

import bz2
import gzip
import lzma

import numpy as np
import pytest

from reproduction.datasets._readers import CommaSeparated, Idx, Libsvm, RescaledLibsvm
from tests.reproduction.datasets.originals import idx, libsvm, rescaled


@pytest.fixture
def written(tmp_path):
    def write(*contents):
        paths = [tmp_path / f"part{k}" for k in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        return paths

    return write


def test_numbers_separated_by_commas(written):
    X, y = CommaSeparated()(written(b"30,64,1,1\n 31, 59,2,2\r\n\n"), 3, ("1", "2"), "uint8")
    np.testing.assert_array_equal(X, [[30, 64, 1], [31, 59, 2]])
    np.testing.assert_array_equal(y, [0, 1])
    assert X.dtype == y.dtype == np.uint8


def test_categories_are_numbered_as_they_appear(written):
    text = b"p,x,s\ne,b,?\ne,x,a\np,a,s\n"
    X, y = CommaSeparated(label_first=True, categories=True)(written(text), 2, ("e", "p"), "uint8")
    np.testing.assert_array_equal(X, [[0, 0], [1, 1], [0, 2], [2, 0]])
    np.testing.assert_array_equal(y, [1, 0, 0, 1])


def test_libsvm_text_in_two_parts(written):
    paths = written(b"-1 1:0.5 3:-2e-1 \n+1 \n", b"1  2:7\n")
    X, y = Libsvm()(paths, 4, ("-1", "+1"), "float64")
    np.testing.assert_array_equal(X, [[0.5, 0, -0.2, 0], [0, 0, 0, 0], [0, 7, 0, 0]])
    np.testing.assert_array_equal(y, [0, 1, 1])


@pytest.mark.parametrize("step", [1 / 255, 0.18257, 1.0])
def test_multiples_of_a_step(step, written):
    theirs = np.arange(256).reshape(16, 16)
    text = libsvm(theirs, ["0"] * 16, lambda value: f"{value * step:g}")
    X, _ = Libsvm(step=step)(written(text), 16, ("0",), "uint8")
    np.testing.assert_array_equal(X, theirs)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_compression_is_recognised_by_content(pack, written):
    X, _ = Libsvm()(written(pack(b"1 1:3\n")), 1, ("1",), "uint8")
    np.testing.assert_array_equal(X, [[3]])


@pytest.mark.parametrize("ranges", [(-1.0, 1.0), (0.0, 1.0), (-3.0, 8.0)])
@pytest.mark.parametrize("alike", [True, False])
def test_a_rescaling_is_undone(ranges, alike, written):
    rng = np.random.default_rng(0)
    parts = [rng.integers(-20000, 20000, (50, 3)), rng.integers(-26000, 15000, (40, 3))]
    lows, highs = [part.min(axis=0) for part in parts], [part.max(axis=0) for part in parts]
    files = []
    for k, part in enumerate(parts):
        j = 0 if alike else k
        files.append(libsvm(rescaled(part, lows[j], highs[j], *ranges), ["2"] * len(part), lambda v: f"{v:g}"))
    reader = RescaledLibsvm(tuple(tuple(low.tolist()) for low in lows), tuple(tuple(high.tolist()) for high in highs))
    X, y = reader(written(*files), 3, ("1", "2"), "int16")
    np.testing.assert_array_equal(X, np.concatenate(parts))
    assert set(y) == {1}


def test_idx_files(written):
    images, labels = np.arange(12).reshape(3, 2, 2), np.array([9, 0, 1])
    paths = written(idx(images), idx(labels), idx(images[:1]), idx(labels[:1]))
    X, y = Idx()(paths, 4, tuple("0123456789"), "uint8")
    np.testing.assert_array_equal(X, np.concatenate([images, images[:1]]).reshape(4, 4))
    np.testing.assert_array_equal(y, [9, 0, 1, 9])


@pytest.mark.parametrize(
    ("reader", "content", "reason"),
    [
        (CommaSeparated(), b"<html>\nnot found\n", "1 values instead of 3"),
        (CommaSeparated(), b"1,2,3\n1,2\n", "2 values instead of 3"),
        (CommaSeparated(), b"1,2,4\n", "unknown label, 4"),
        (CommaSeparated(), b"1,300,3\n", "type uint8 does not hold"),
        (CommaSeparated(), b"1,0.5,3\n", "type uint8 does not hold"),
        (CommaSeparated(), b"1,nan,3\n", "type uint8 does not hold"),
        (CommaSeparated(), b"1,x,3\n", "could not convert"),
        (Libsvm(), b"3 3:1\n", "n_features"),
        (Libsvm(), b"3 0:1\n", "Invalid index"),
        (Libsvm(), b"4 1:1\n", "unknown label, 4"),
        (Libsvm(), b"3 1:x\n", "could not convert"),
        (Libsvm(), b"<html>\n", "could not convert"),
        (Libsvm(step=0.5), b"3 1:0.7\n", "not multiples of 0.5"),
        (RescaledLibsvm(((0, 0),), ((3, 3),)), b"3 1:1 2:0\n3 1:0.5 2:1\n3 1:0 2:1\n", "not rescaled integers"),
        (RescaledLibsvm(((0, 0),), ((3, 3),)), b"3 1:1\n3 1:0\n", "feature 2 has one value"),
        (CommaSeparated(), b"\n", "it has no rows"),
        (Idx(), b"<html>", "does not begin like an idx file"),
        (Idx(), b"\0\0\x08\x01\0\0\0\x05abc", "3 bytes of data instead of 5"),
    ],
)
def test_other_content_is_refused(reader, content, reason, written):
    with pytest.raises(ValueError, match=reason):
        reader(written(content), 2, ("3",), "uint8")
