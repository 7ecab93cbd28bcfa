"""The votes of several folds in one file."""

import zipfile

import numpy as np
import pytest

from stocmv import VoteMatrix
from stocmv.votes import load_folds, save_folds
from zoo import FOLDED, SINGLE, folds, problem

NAMES = ("n_voters", "bits", "classes", "targets", "labels", "counts")


@pytest.mark.parametrize("name", [*SINGLE, *FOLDED])
def test_what_was_saved_is_loaded(name, tmp_path):
    theirs = folds(name)
    save_folds(tmp_path / "votes.npz", theirs)
    ours = load_folds(tmp_path / "votes.npz")
    assert [votes.digest() for votes in ours] == [votes.digest() for votes in theirs]
    for one, other in zip(ours, theirs, strict=True):
        for part in NAMES:
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))


def test_ten_folds_keep_their_order(tmp_path):
    theirs = [VoteMatrix.from_errors(np.eye(12, k + 1, dtype=bool)) for k in range(12)]
    save_folds(tmp_path / "votes.npz", theirs)
    assert [votes.n_voters for votes in load_folds(tmp_path / "votes.npz")] == list(range(1, 13))


def test_the_file_of_one_matrix(tmp_path):
    problem("noisy").save(tmp_path / "votes.npz")
    (votes,) = load_folds(tmp_path / "votes.npz")
    assert votes.digest() == problem("noisy").digest()


def test_nothing_but_the_arrays_of_the_folds_is_written(tmp_path):
    save_folds(tmp_path / "votes.npz", folds("two_folds"))
    with zipfile.ZipFile(tmp_path / "votes.npz") as packed:
        assert {name.removesuffix(".npy") for name in packed.namelist()} == {
            f"fold_{k}_{part}" for k in (0, 1) for part in NAMES
        }
    with np.load(tmp_path / "votes.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype.kind in "uifU" for name in arrays.files)


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    save_folds(tmp_path / "votes.npz", folds("two_folds"))
    before = (tmp_path / "votes.npz").read_bytes()

    def fail(file, **arrays):
        file.write(b"half of it")
        raise OSError("the disk is full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="the disk is full"):
        save_folds(tmp_path / "votes.npz", folds("three_folds"))
    assert (tmp_path / "votes.npz").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["votes.npz"]


def _arrays(name="two_folds"):
    return {f"fold_{k}_{part}": value for k, v in enumerate(folds(name)) for part, value in v._arrays().items()}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (dict.clear, "not numbered from 0"),
        (
            lambda arrays: [arrays.pop(name) for name in list(arrays) if name.startswith("fold_0")],
            "not numbered from 0",
        ),
        (lambda arrays: arrays.update(fold_3_bits=arrays["fold_0_bits"]), "not numbered from 0"),
        (lambda arrays: arrays.update(more=np.zeros(1)), "'more'"),
        (lambda arrays: arrays.update(fold_00_bits=arrays["fold_0_bits"]), "'fold_00_bits'"),
        (lambda arrays: arrays.update({"fold_٣_bits": arrays["fold_0_bits"]}), "fold_"),
        (lambda arrays: arrays.update(fold_0_more=np.zeros(1)), "more"),
        (lambda arrays: arrays.pop("fold_1_n_voters"), "n_voters"),
        (lambda arrays: arrays.pop("fold_1_bits"), "bits"),
        (lambda arrays: arrays.update(fold_1_targets=arrays["fold_1_targets"][1:]), "do not fit together"),
        (lambda arrays: arrays.update(fold_1_labels=arrays["fold_1_labels"] + 9), "beyond its classes"),
        (lambda arrays: arrays["fold_1_bits"].__ixor__(1), "contradict"),
    ],
)
def test_files_that_are_refused(change, reason, tmp_path):
    arrays = {name: np.array(part) for name, part in _arrays().items()}
    change(arrays)
    np.savez(tmp_path / "votes.npz", **arrays)
    with pytest.raises(ValueError, match=r"votes\.npz is not a votes file of stocmv") as error:
        load_folds(tmp_path / "votes.npz")
    assert reason in str(error.value)
