"""Whatever a file holds: a sentence, exit code 2, and nothing left behind."""

import bz2
import errno
import gzip
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from cli.hostile_data import FIELD, FILES, HEADER, ROWS, TARGETS
from cli.terminal import assert_refused
from stocmv import _memory

ONE_OF_EACH_FORMAT = ["csv: a short row", "parquet: truncated", "libsvm: text", "npz: pickled examples"]
one_of_each_format = pytest.mark.parametrize("name", ONE_OF_EACH_FORMAT)


@pytest.mark.parametrize(("write", "word"), FILES.values(), ids=FILES)
def test_certify_refuses(write, word, stocmv, here):
    data = write(here.parent)
    target = ["--target", "kind"] if data.suffix not in (".npz",) and ".libsvm" not in data.name else []
    assert_refused(stocmv("certify", data, *target, "--trees", 3), word)
    assert os.listdir(here) == []


@pytest.mark.parametrize(("write", "target", "word"), TARGETS.values(), ids=TARGETS)
def test_certify_refuses_targets(write, target, word, stocmv, here):
    data = write(here.parent)
    assert_refused(stocmv("certify", data, *(["--target", target] if target else []), "--trees", 3), word)
    assert os.listdir(here) == []


@one_of_each_format
def test_predict_refuses(name, stocmv, here, audit):
    """The reader is the one of certify: each of its errors arrives, whichever it is."""
    write, word = FILES[name]
    assert_refused(stocmv("predict", audit, write(here.parent), "--out", "answers.csv"), word)
    assert os.listdir(here) == []


@one_of_each_format
def test_certify_refuses_a_test_file_before_it_trains(name, stocmv, here, flowers, monkeypatch):
    monkeypatch.setattr("stocmv.cli._audit.MajorityVoteClassifier", None)
    assert_refused(stocmv("certify", flowers, "--target", "kind", "--test", FILES[name][0](here.parent)))
    assert os.listdir(here) == []


LITTLE = 1 << 20  # bytes of memory that are left


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(_memory, "free_memory", lambda: LITTLE)
    for user in ("tables._bytes", "tables._excel", "tables._files", "cli._audit"):
        monkeypatch.setattr(f"stocmv.{user}.free_memory", lambda: LITTLE)


@pytest.mark.parametrize("name", ["data.csv.bz2", "data.csv.gz", "data.libsvm.bz2", "data.libsvm.gz"])
def test_what_unpacks_to_more_than_the_memory(name, stocmv, here, little_memory):
    pack = bz2.compress if name.endswith("bz2") else gzip.compress
    (here.parent / name).write_bytes(pack(b"1 1:1\n" * 200_000))
    assert_refused(stocmv("certify", here.parent / name), "memory")
    assert os.listdir(here) == []


def test_npz_that_unpacks_to_more_than_the_memory(stocmv, here, little_memory):
    np.savez_compressed(here.parent / "data.npz", X=np.zeros((1_000_000, 4)), y=np.zeros(1_000_000, int))
    assert (here.parent / "data.npz").stat().st_size < LITTLE / 10
    assert_refused(stocmv("certify", here.parent / "data.npz"), "memory")


@pytest.mark.parametrize("letters", ["1,1\n", ",\n"], ids=["short numbers", "nothing"])
def test_csv_whose_values_take_more_than_the_memory(letters, stocmv, here, little_memory):
    """The text fits, the numbers do not."""
    (here.parent / "data.csv.gz").write_bytes(gzip.compress(b"a,kind\n" + letters.encode() * 100_000))
    assert_refused(stocmv("certify", here.parent / "data.csv.gz", "--target", "kind"), "data.csv.gz", "memory")


def test_words_take_more_memory_than_their_letters(stocmv, here, little_memory):
    (here.parent / "data.csv").write_text("a,kind\n" + "ab,cd\n" * 20_000)
    assert_refused(stocmv("certify", here.parent / "data.csv", "--target", "kind"), "data.csv", "memory")


def test_libsvm_whose_values_take_more_than_the_memory(stocmv, here, little_memory):
    (here.parent / "data.libsvm").write_text("1 1:1 2:1\n" * 15_000)
    assert_refused(stocmv("certify", here.parent / "data.libsvm"), "data.libsvm", "memory")


def test_npz_of_bytes_that_become_floats(stocmv, here, little_memory):
    np.savez_compressed(here.parent / "data.npz", X=np.zeros((20_000, 4), np.int8), y=np.arange(20_000) % 2)
    assert_refused(stocmv("certify", here.parent / "data.npz"), "data.npz", "memory")


PACKED = {
    "one number, many times": {"a": pa.array(np.zeros(1_000_000)), "kind": pa.array(np.zeros(1_000_000))},
    "one long word, many times": {
        "a": pa.array(["x" * 10_000] * 1000).dictionary_encode(),
        "kind": pa.array([1] * 1000),
    },
    "lists": {"a": pa.array([[0] * 1000] * 1000), "kind": pa.array([1] * 1000)},
}


@pytest.mark.parametrize("name", PACKED)
def test_parquet_that_says_little_of_itself(name, stocmv, here, little_memory):
    """Each value is there once, with how often it is repeated."""
    parquet.write_table(pa.table(PACKED[name]), here.parent / "data.parquet")
    assert (here.parent / "data.parquet").stat().st_size < LITTLE / 10
    answer = stocmv("certify", here.parent / "data.parquet", "--target", "kind")
    assert_refused(answer, "data.parquet", "holds list" if name == "lists" else "memory")


def test_parquet_that_unpacks_to_more_than_the_memory(stocmv, here, little_memory):
    frame = pd.DataFrame({"a": np.arange(1_000_000) % 1000, "kind": np.arange(1_000_000) % 2})
    frame.to_parquet(here.parent / "data.parquet")
    assert_refused(stocmv("certify", here.parent / "data.parquet", "--target", "kind"), "memory")


def test_one_hot_columns_that_do_not_fit_into_the_memory(stocmv, here, little_memory):
    data = here.parent / "data.csv"
    data.write_text("word,kind\n" + "".join(f"w{i},{i % 2}\n" for i in range(1000)))
    assert_refused(
        stocmv("certify", data, "--target", "kind", "--categories", "onehot"), "1,000", "--categories ordinal"
    )
    assert stocmv("certify", data, "--target", "kind", "--trees", 2).code == 0


def test_a_folder_as_data(stocmv, here):
    (here / "folder").mkdir()
    assert_refused(stocmv("certify", "folder", "--target", "kind"), "'folder' is a folder")
    assert os.listdir(here) == ["folder"]


def test_no_such_file(stocmv, here):
    assert_refused(stocmv("certify", "nowhere.csv", "--target", "kind"), "nowhere.csv")


def test_a_file_that_may_not_be_read(stocmv, here, monkeypatch):
    (here / "data.csv").write_text(HEADER + ROWS)
    (here / "data.csv").chmod(0)
    if os.access(here / "data.csv", os.R_OK):  # as root
        monkeypatch.setattr("pathlib.Path.read_bytes", _forbidden)
    assert_refused(stocmv("certify", "data.csv", "--target", "kind"), "Permission denied", "data.csv")


def _forbidden(path):
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def test_a_category_of_10_megabytes_is_one_like_any_other(stocmv, here):
    data = here.parent / "data.csv"
    data.write_text("word,kind\n" + "a,x\nb,y\n" * 30 + f"{FIELD},x\n")
    assert stocmv("certify", data, "--target", "kind", "--trees", 2, "--out", "audit").code == 0


@pytest.mark.slow
def test_ten_thousand_columns(stocmv, here):
    data = here.parent / "wide.csv"
    values = np.random.default_rng(0).integers(0, 9, (60, 10_000))
    lines = [",".join(map(str, row)) for row in values]
    names = ",".join(f"c{i}" for i in range(10_000))
    data.write_text(f"{names},kind\n" + "".join(f"{line},{i % 2}\n" for i, line in enumerate(lines)))
    answer = stocmv("certify", data, "--target", "kind", "--trees", 3, "--out", "audit", "--json")
    assert answer.code == 0
    assert answer.content["n"] == 20
    assert stocmv("verify", "audit/certificate.json", "audit/evidence.npz").code == 0
    assert len(stocmv("predict", "audit", data).out.splitlines()) == 61
