"""Files from others: damaged, forged, or holding something else."""

import os
import re
import zipfile

import numpy as np
import pytest

from reproduction.datasets import load
from tests.reproduction.datasets.conftest import TINY_X, TINY_Y

NAMES = np.array(["no", "yes"])


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.fixture
def folder(tmp_path, tiny, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("STOCMV_DATA", str(folder))
    return folder


def save(folder, **changes):
    arrays = {"X": TINY_X, "y": TINY_Y, "target_names": NAMES} | changes
    np.savez(folder / "tiny.npz", **{key: value for key, value in arrays.items() if value is not None})


def assert_refused(folder, reason):
    path = re.escape(str(folder / "tiny.npz"))
    with pytest.raises(ValueError, match=rf"^{path} does not hold the data set 'tiny': {reason}[^\n]*\.$"):
        load("tiny")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"X": None}, "it has no array X"),
        ({"X": None, "target_names": None}, "it has no array X and no array target_names"),
        ({"y": None}, "it has no array y"),
        ({"X": TINY_X[0]}, r"X is not a table of numbers but an array of type uint8 and shape \(2,\)"),
        ({"X": TINY_X[None]}, "X is not a table of numbers"),
        ({"X": TINY_X[:0], "y": TINY_Y[:0]}, "X is not a table of numbers"),
        ({"X": TINY_X.astype(str)}, "X is not a table of numbers"),
        ({"X": TINY_X * 1j}, "X is not a table of numbers"),
        ({"X": np.where(TINY_X == 9, np.nan, TINY_X)}, "X has values that are not finite"),
        ({"y": TINY_Y[:3]}, r"y has the shape \(3,\) although X has 4 rows"),
        ({"y": TINY_Y[:, None]}, r"y has the shape \(4, 1\)"),
        ({"y": TINY_Y + 1}, "y has other values than the class codes 0 to 1"),
        ({"y": TINY_Y - np.int8(1)}, "y has other values than the class codes 0 to 1"),
        ({"y": TINY_Y.astype(float)}, "y has other values than the class codes 0 to 1"),
        ({"y": NAMES[TINY_Y]}, "y has other values than the class codes 0 to 1"),
        ({"target_names": NAMES[:0]}, "y has other values than the class codes"),
        ({"target_names": np.array([0, 1])}, "target_names is not a list of text"),
        ({"target_names": np.array("no")}, "target_names is not a list of text"),
        ({"feature_names": NAMES[:1]}, "there are 1 feature_names for 2 features"),
        ({"n_train": np.array([2])}, "n_train is not a number of rows"),
        ({"n_train": np.array("2")}, "n_train is not a number of rows"),
    ],
)
def test_arrays_that_are_no_data_set(changes, reason, folder):
    save(folder, **changes)
    assert_refused(folder, reason)


@pytest.mark.parametrize("which", ["X", "y", "target_names", "feature_names", "n_train"])
def test_pickled_objects_are_refused_and_not_run(which, folder, tmp_path):
    bomb = np.empty((4, 2), object)
    bomb[:] = Bomb(str(tmp_path / "exploded"))
    save(folder, **{which: bomb})
    assert_refused(folder, "Object arrays cannot be loaded")
    assert not (tmp_path / "exploded").exists()


def test_a_file_that_unpacks_to_more_than_the_memory_is_refused(folder, monkeypatch):
    save(folder)
    monkeypatch.setattr("stocmv._memory.free_memory", lambda: 100)
    assert_refused(folder, "what it holds unpacks to 0.0 GiB, more than half of the free memory")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"text", b"\x93NUMPY\x01\x00", b"\x80\x04N."])
def test_other_files_are_refused(content, folder):
    (folder / "tiny.npz").write_bytes(content)
    assert_refused(folder, "")


def test_a_single_array_is_refused(folder):
    with open(folder / "tiny.npz", "wb") as file:
        np.save(file, TINY_X)
    assert_refused(folder, "File is not a zip file")


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9])
def test_a_truncated_file_is_refused(kept, folder):
    save(folder)
    path = folder / "tiny.npz"
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    assert_refused(folder, "")


def test_a_flipped_byte_is_noticed(folder):
    save(folder)
    path = folder / "tiny.npz"
    content = bytearray(path.read_bytes())
    content[content.index(TINY_X.tobytes())] ^= 1
    path.write_bytes(content)
    assert_refused(folder, "Bad CRC-32")


def test_a_header_that_promises_too_much(folder):
    save(folder)
    header = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little")
    header += b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 1000), }".ljust(117) + b"\n"
    with zipfile.ZipFile(folder / "tiny.npz") as old:
        rest = {name: old.read(name) for name in old.namelist() if name != "X.npy"}
    with zipfile.ZipFile(folder / "tiny.npz", "w") as new:
        for name, content in {"X.npy": header, **rest}.items():
            new.writestr(name, content)
    assert_refused(folder, "")


def test_a_known_set_may_have_another_type(folder, tiny):
    save(folder, X=TINY_X.astype(float), y=TINY_Y.astype(int))
    ours = load("tiny")
    np.testing.assert_array_equal(ours.X, TINY_X)
    assert ours.X.dtype == ours.y.dtype == np.uint8


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"X": TINY_X[:, ::-1]}, "the SHA-256 of its values is not the known one"),
        ({"y": 1 - TINY_Y}, "the SHA-256 of its values is not the known one"),
        ({"X": TINY_X + 0.5}, "it has values that the type uint8 does not hold"),
        ({"X": TINY_X[:, :1]}, r"X has the shape \(4, 1\) instead of \(4, 2\)"),
        ({"X": TINY_X[:3], "y": TINY_Y[:3]}, r"X has the shape \(3, 2\) instead of \(4, 2\)"),
        ({"y": TINY_Y * 0}, r"the classes have \(4, 0\) examples instead of \(2, 2\)"),
        ({"target_names": NAMES[::-1]}, r"target_names are \('yes', 'no'\) instead of \('no', 'yes'\)"),
        ({"n_train": np.array(2)}, "n_train is 2 instead of None"),
    ],
)
def test_a_known_name_holds_the_known_set(changes, reason, folder, tiny):
    save(folder, **changes)
    assert_refused(folder, reason)


def test_every_class_occurs_even_where_the_counts_are_not_known(folder, tiny):
    tiny(class_counts=None, arrays_sha256=None)
    save(folder, y=TINY_Y * 0)
    assert_refused(folder, "there is no example of the class yes")


@pytest.mark.parametrize(
    "header", ["{'descr': '<f8', 'shape': (((", "{'descr': ('<f8',), 'fortran_order': False, 'shape': (2,)}"]
)
def test_headers_that_numpy_stumbles_over_are_refused(header, folder):
    text = header.encode().ljust(117) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(16)
    with zipfile.ZipFile(folder / "tiny.npz", "w") as file:
        file.writestr("X.npy", content)
    assert_refused(folder, "")
