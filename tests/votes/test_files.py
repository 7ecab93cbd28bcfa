import re
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stocmv import VoteMatrix
from stocmv.votes import PartitionedVotes, load_folds, save_folds
from zoo import SINGLE, problem

BITS = np.zeros((1, 3), np.uint8)
TARGETS = np.zeros(3, np.uint8)


@pytest.mark.parametrize("name", [*SINGLE, "names"])
def test_what_was_saved_is_loaded(name, tmp_path):
    theirs = VoteMatrix.from_labels([["b", "a"], ["c", "ü"]], ["a", "b"]) if name == "names" else problem(name)
    theirs.save(tmp_path / "votes.npz")
    ours = VoteMatrix.load(str(tmp_path / "votes.npz"))
    assert ours.digest() == theirs.digest()
    for part in ("n_voters", "bits", "classes", "targets", "labels", "counts"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))


@pytest.mark.parametrize("errors_only", [True, False])
def test_nothing_in_a_file_is_pickled(errors_only, tmp_path):
    votes = np.array([["a", "b"], ["c", "b"]], dtype=object)
    matrix = VoteMatrix.from_errors(votes == "a") if errors_only else VoteMatrix.from_labels(votes, votes[:, 0])
    matrix.save(tmp_path / "votes.npz")
    with np.load(tmp_path / "votes.npz", allow_pickle=False) as file:
        assert all(file[name].dtype.kind in "uifU" for name in file.files)


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_a_save_that_fails_leaves_the_old_file(error, tmp_path, monkeypatch):
    def fail(file, **arrays):
        file.write(b"half of it")
        raise error

    problem("noisy").save(tmp_path / "votes.npz")
    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(type(error)):
        problem("three_classes").save(tmp_path / "votes.npz")
    with pytest.raises(type(error)):
        problem("three_classes").save(tmp_path / "new.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["votes.npz"]
    assert VoteMatrix.load(tmp_path / "votes.npz").digest() == problem("noisy").digest()


def test_a_save_replaces_the_old_file(tmp_path):
    problem("noisy").save(tmp_path / "votes.npz")
    problem("three_classes").save(tmp_path / "votes.npz")
    assert VoteMatrix.load(tmp_path / "votes.npz").digest() == problem("three_classes").digest()
    assert [path.name for path in tmp_path.iterdir()] == ["votes.npz"]


def load_is_refused(path, reason=r"[^\n]+"):
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} is not a votes file of stocmv: {reason}$"):
        VoteMatrix.load(path)


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return Path.touch, (self.trace,)


def test_a_pickle_is_refused_and_not_run(tmp_path):
    trace = tmp_path / "trace"
    bomb = np.empty(1, object)
    bomb[0] = Bomb(trace)
    np.savez(tmp_path / "votes.npz", n_voters=3, bits=bomb)
    load_is_refused(tmp_path / "votes.npz")
    assert not trace.exists()


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"x": np.zeros(3)},
        {"n_voters": 8},
        {"bits": BITS},
        {"n_voters": 8, "bits": BITS, "more": BITS},
        {"n_voters": [8, 8], "bits": BITS},
        {"n_voters": 9, "bits": BITS},
        {"n_voters": 8, "bits": BITS.astype(int)},
        {"n_voters": 8, "bits": BITS[:, :0]},
        {"n_voters": 8, "bits": BITS[None]},
        {"n_voters": 8, "bits": BITS[0]},
        {"n_voters": 0, "bits": BITS[:0]},
        {"n_voters": -1, "bits": BITS[:0]},
        {"n_voters": 8.7, "bits": BITS},
        {"n_voters": 8, "bits": BITS, "counts": np.zeros(3)},
        {"n_voters": 8, "bits": BITS, "counts": np.ones(2)},
        {"n_voters": 8, "bits": BITS, "counts": np.array(["a", "b", "c"])},
        {"n_voters": 8, "bits": BITS, "counts": np.array([1, 2, np.nan])},
        {"n_voters": 8, "bits": BITS, "counts": np.array([1, 2, np.inf])},
        {"n_voters": 8, "bits": BITS, "counts": np.full(3, 0.5)},
        {"n_voters": 8, "bits": BITS, "classes": np.arange(2)},
        {"n_voters": 8, "bits": BITS, "targets": TARGETS},
        {"n_voters": 8, "bits": BITS, "classes": np.arange(2), "targets": TARGETS[:2]},
        {"n_voters": 8, "bits": BITS, "classes": np.arange(2), "targets": TARGETS + 2},
        {"n_voters": 8, "bits": BITS, "classes": np.arange(2), "targets": TARGETS.astype(float)},
        {"n_voters": 8, "bits": BITS, "classes": np.array([0.0, 1.0]), "targets": TARGETS},
        {"n_voters": 8, "bits": BITS, "classes": np.array([1, 1]), "targets": TARGETS},
        {"n_voters": 8, "bits": BITS, "classes": np.array(["b", "a"]), "targets": TARGETS},
        {"n_voters": 8, "bits": BITS, "classes": np.array([b"a", b"b"]), "targets": TARGETS},
        {"n_voters": 8, "bits": BITS, "labels": np.zeros((3, 8), np.uint8)},
        {
            "n_voters": 8,
            "bits": BITS,
            "classes": np.arange(3),
            "targets": TARGETS,
            "labels": np.zeros((3, 7), np.uint8),
        },
        {
            "n_voters": 8,
            "bits": BITS,
            "classes": np.arange(3),
            "targets": TARGETS,
            "labels": np.full((3, 8), 3, np.uint8),
        },
        {"n_voters": 8, "bits": BITS, "classes": np.arange(3), "targets": TARGETS},
        {
            "n_voters": 8,
            "bits": BITS,
            "classes": np.arange(3),
            "targets": TARGETS,
            "labels": np.ones((3, 8), np.uint8),
        },
    ],
    ids=lambda arrays: " ".join(arrays) or "nothing",
)
def test_a_foreign_file_is_refused(arrays, tmp_path):
    np.savez(tmp_path / "votes.npz", **arrays)
    load_is_refused(tmp_path / "votes.npz")


@pytest.mark.parametrize("content", [b"", b"PK", b"hello", b"\x93NUMPY", b"\x80\x04K\x01.", bytes(1000)], ids=repr)
def test_what_is_no_archive_is_refused(content, tmp_path):
    (tmp_path / "votes.npz").write_bytes(content)
    load_is_refused(tmp_path / "votes.npz")


def test_a_single_array_is_refused(tmp_path):
    np.save(tmp_path / "votes.npy", BITS)
    load_is_refused(tmp_path / "votes.npy")


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"votes\.npz"):
        VoteMatrix.load(tmp_path / "votes.npz")


class TestDamage:
    """A file of 90 examples in which something was cut or overwritten."""

    @pytest.fixture
    def content(self, tmp_path):
        problem("three_classes").save(tmp_path / "votes.npz")
        return (tmp_path / "votes.npz").read_bytes()

    def outcome(self, path, content):
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            try:
                ours = VoteMatrix.load(path)
            except Exception as error:
                return type(error).__name__
        return "loaded" if ours.digest() == problem("three_classes").digest() else "another matrix"

    def test_a_cut_file_is_refused(self, content, tmp_path):
        assert {self.outcome(tmp_path / "cut.npz", content[:end]) for end in range(0, len(content), 17)} == {
            "ValueError"
        }

    def test_a_flipped_byte_is_refused_or_does_not_matter(self, content, tmp_path):
        outcomes = set()
        for index in range(0, len(content), 5):
            damaged = bytearray(content)
            damaged[index] ^= 0x01
            outcomes.add(self.outcome(tmp_path / "damaged.npz", bytes(damaged)))
        assert outcomes <= {"ValueError", "loaded"}

    def test_an_overwritten_array_is_refused(self, content, tmp_path):
        """The archive is whole and its checksums are right, but one array does not fit the others."""
        matrix = problem("three_classes")
        replace(matrix, targets=matrix.targets[:-1]).save(tmp_path / "votes.npz")
        load_is_refused(tmp_path / "votes.npz", "its arrays do not fit together.")

    def test_a_refused_file_is_closed(self, content, tmp_path):
        (tmp_path / "cut.npz").write_bytes(content[:200])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(ValueError, match="not a votes file"):
                VoteMatrix.load(tmp_path / "cut.npz")
        assert not caught


def test_the_archive_is_an_ordinary_compressed_npz(tmp_path):
    problem("three_classes").save(tmp_path / "votes.npz")
    with zipfile.ZipFile(tmp_path / "votes.npz") as archive:
        assert {member.compress_type for member in archive.infolist()} == {zipfile.ZIP_DEFLATED}
        assert archive.testzip() is None


@pytest.mark.parametrize("name", ["noisy", "three_classes"])
def test_folds_in_parts_are_loaded_in_parts(name, tmp_path):
    whole = problem(name)
    parts = PartitionedVotes([whole.take(rows) for rows in np.array_split(np.arange(whole.n_rows), 12)])
    save_folds(tmp_path / "votes.npz", [whole, parts])
    first, second = load_folds(tmp_path / "votes.npz")
    assert isinstance(first, VoteMatrix)
    assert (first.digest(), second.digest()) == (whole.digest(), parts.digest())
    assert [part.digest() for part in second.parts] == [part.digest() for part in parts.parts]


@pytest.mark.parametrize("lost", ["fold_1_part_3", "fold_0"])
def test_folds_and_parts_must_be_numbered(lost, tmp_path):
    whole = problem("noisy")
    parts = PartitionedVotes([whole.take(rows) for rows in np.array_split(np.arange(whole.n_rows), 5)])
    save_folds(tmp_path / "votes.npz", [whole, parts])
    with np.load(tmp_path / "votes.npz") as arrays:
        kept = {name: arrays[name] for name in arrays.files if not name.startswith(f"{lost}_")}
    np.savez(tmp_path / "forged.npz", **kept)
    with pytest.raises(ValueError, match="not numbered from 0"):
        load_folds(tmp_path / "forged.npz")


def test_parts_of_other_voters_are_refused(tmp_path):
    one, other = problem("noisy"), problem("three_classes")
    arrays = {f"fold_0_part_{k}_{n}": a for k, v in enumerate((one, other)) for n, a in v._arrays().items()}
    np.savez(tmp_path / "forged.npz", **arrays)
    with pytest.raises(ValueError, match="Part 1 has other voters or classes"):
        load_folds(tmp_path / "forged.npz")
