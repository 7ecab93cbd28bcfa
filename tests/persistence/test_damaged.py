"""Files that are damaged or of another kind, and saves that fail."""

import json
import pickle
import re
import sys
import zipfile

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from persistence.models import X, Y, fitted, load_is_damaged, rewritten
from stocmv import MajorityVoteClassifier
from stocmv.persistence import load, save


def test_a_truncated_file_is_refused(tmp_path):
    save(fitted("two classes"), tmp_path / "model.skops")
    content = (tmp_path / "model.skops").read_bytes()
    for size in [*range(0, len(content), len(content) // 25), len(content) - 1]:
        (tmp_path / "damaged.skops").write_bytes(content[:size])
        load_is_damaged(tmp_path / "damaged.skops")


def refused_or_whole(path):
    """Whatever was damaged: a file is refused with a sentence, or a model comes out."""
    try:
        outcome = load(path)
    except ValueError as error:
        outcome = str(error)
    refusal = rf"{re.escape(str(path))} (is not a model file of stocmv|needs types that are not trusted): [^\n]+"
    assert isinstance(outcome, MajorityVoteClassifier) or re.fullmatch(refusal, outcome)


def test_a_file_with_wrong_bytes_is_refused(tmp_path):
    save(fitted("two classes"), tmp_path / "model.skops")
    content = (tmp_path / "model.skops").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        (tmp_path / "damaged.skops").write_bytes(damaged)
        refused_or_whole(tmp_path / "damaged.skops")


def nodes(value):
    """Every container in a schema, with each of its keys."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in pairs:
        yield value, key
        yield from nodes(part)


@pytest.mark.parametrize("garbage", [None, -1, "x", [], {}])
def test_a_file_with_a_wrong_schema_is_refused(garbage, tmp_path):
    save(fitted("two classes"), tmp_path / "model.skops")
    rng = np.random.default_rng(0)

    def spoil(schema):
        places = list(nodes(schema))
        container, key = places[rng.integers(len(places))]
        container[key] = garbage

    for _ in range(25):
        rewritten(tmp_path / "model.skops", tmp_path / "damaged.skops", spoil)
        refused_or_whole(tmp_path / "damaged.skops")


@pytest.mark.parametrize("schema", [[], {}, None, {"protocol": 10**6}, "deep"])
def test_a_foreign_schema_is_refused(schema, tmp_path):
    content = json.dumps(schema) if schema != "deep" else "[" * 100_000 + "]" * 100_000
    with zipfile.ZipFile(tmp_path / "foreign.skops", "w") as file:
        file.writestr("schema.json", content)
    load_is_damaged(tmp_path / "foreign.skops")


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"a,b\n1,2\n", pickle.dumps({}), b"PK\x05\x06" + b"\0" * 18])
def test_foreign_files_are_refused(content, tmp_path):
    (tmp_path / "foreign.skops").write_bytes(content)
    load_is_damaged(tmp_path / "foreign.skops")


def test_other_models_are_refused(tmp_path):
    skops = pytest.importorskip("skops.io")
    skops.dump(GaussianNB().fit(X, Y), tmp_path / "foreign.skops")
    load_is_damaged(tmp_path / "foreign.skops", "it holds a GaussianNB.")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "model.skops")


# Saving


def test_what_cannot_be_saved_is_refused(tmp_path):
    with pytest.raises(TypeError, match="save takes a MajorityVoteClassifier or a DrawnVote, got"):
        save(GaussianNB().fit(X, Y), tmp_path / "model.skops")
    with pytest.raises(NotFittedError):
        save(MajorityVoteClassifier(), tmp_path / "model.skops")
    model = pickle.loads(pickle.dumps(fitted("two classes")))
    model.verbose = np.array([(1, None)], dtype=[("number", int), ("object", object)])
    with pytest.raises(ValueError, match=r"^This MajorityVoteClassifier cannot be saved: [^\n]+$"):
        save(model, tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_a_save_that_fails_leaves_the_old_file(error, tmp_path, monkeypatch):
    def fail(handle):
        raise error

    save(fitted("two classes"), tmp_path / "model.skops")
    monkeypatch.setattr("os.fsync", fail)
    for name in ("model.skops", "new.skops"):
        with pytest.raises(type(error)):
            save(fitted("stumps"), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]
    assert load(str(tmp_path / "model.skops")).certificate_ == fitted("two classes").certificate_


def test_without_skops(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for call in (lambda: save(fitted("two classes"), tmp_path / "model.skops"), lambda: load(tmp_path / "model.skops")):
        with pytest.raises(ImportError, match=r"needs skops: pip install 'stocmv\[cli\]'"):
            call()
