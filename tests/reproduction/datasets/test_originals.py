"""Every public set, written back into its publisher's format, fetched from a server on this machine, and compared."""

from dataclasses import replace

import numpy as np
import pytest

from reproduction.datasets import load
from reproduction.datasets._registry import PUBLIC, arrays_sha256
from tests.reproduction.datasets.originals import WRITERS

WHOLE = ["haberman", "tictactoe", "mushrooms", "svmguide1", "phishing", "adult", "codrna", "pendigits", "shuttle"]
HEADS = {"mnist": (300, 100), "fashion-mnist": (300, 100)}


def publish(site, known, data):
    for file, content in zip(known.files, WRITERS[known.name](data), strict=True):
        site.files[f"/{file.host}/{file.path}"] = content


def assert_fetched(name, data):
    ours = load(name)
    np.testing.assert_array_equal(ours.X, data["X"])
    np.testing.assert_array_equal(ours.y, data["y"])
    assert ours.X.dtype == data["X"].dtype
    assert ours.y.dtype == data["y"].dtype
    assert ours.target_names == tuple(data["target_names"].tolist())
    assert PUBLIC[name].n_train == data.get("n_train")
    assert ours.feature_names == (tuple(data["feature_names"].tolist()) if "feature_names" in data else None)


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_set_is_the_shared_one(name, shared, site):
    theirs = shared(name)
    publish(site, PUBLIC[name], theirs)
    assert_fetched(name, theirs)
    assert_fetched(name, theirs)
    assert len(site.requests) == len(PUBLIC[name].files)


@pytest.mark.parametrize("name", HEADS)
def test_the_first_rows_of_a_large_set_are_the_shared_ones(name, shared, site, monkeypatch):
    train, test = HEADS[name]
    theirs = shared(name)
    rows = np.r_[:train, theirs["n_train"] : theirs["n_train"] + test]
    head = theirs | {"X": theirs["X"][rows], "y": theirs["y"][rows], "n_train": train}
    head["labels"] = [theirs["labels"][row] for row in rows]
    known = know(head, PUBLIC[name])
    if name == "fashion-mnist":
        known = replace(known, files=tuple(replace(file, sha256=None) for file in known.files))
    monkeypatch.setitem(PUBLIC, name, known)
    publish(site, known, head)
    assert_fetched(name, head)


def test_rows_of_protein(shared, site, monkeypatch):
    theirs = shared("partial-protein-val") | {"n_train": 2000}
    known = replace(know(theirs, PUBLIC["protein"]), arrays_sha256=None)
    monkeypatch.setitem(PUBLIC, "protein", known)
    publish(site, known, theirs)
    ours = load("protein")
    np.testing.assert_array_equal(np.rint(ours.X * 100), theirs["X"])
    np.testing.assert_allclose(ours.X, theirs["X"] * theirs["scale"], rtol=1e-15)
    np.testing.assert_array_equal(ours.y, theirs["y"])


def test_rows_of_sensorless(shared, site, monkeypatch):
    theirs = shared("partial-sensorless-2200")
    known = know(theirs, PUBLIC["sensorless"])
    monkeypatch.setitem(PUBLIC, "sensorless", known)
    publish(site, known, theirs)
    assert_fetched("sensorless", theirs)


def know(data, known):
    return replace(
        known,
        n=len(data["X"]),
        n_train=data.get("n_train"),
        class_counts=tuple(np.bincount(data["y"]).tolist()),
        arrays_sha256=arrays_sha256(data["X"], data["y"]),
    )


@pytest.mark.parametrize("name", [*WHOLE, *HEADS])
def test_the_registry_knows_the_shared_arrays(name, shared):
    theirs = shared(name)
    PUBLIC[name].check(theirs["X"], theirs["y"])
    assert theirs["X"].dtype == PUBLIC[name].dtype


@pytest.mark.parametrize("name", ["partial-protein-val", "partial-sensorless-2200", "partial-sensorless-3features"])
def test_a_partial_file_is_not_the_full_set(name, shared, monkeypatch, tmp_path):
    theirs = shared(name)
    full = name.split("-")[1]
    kept = {key: theirs[key] for key in ("X", "y", "target_names")}
    monkeypatch.setenv("STOCMV_DATA", str(tmp_path))
    np.savez(tmp_path / f"{full}.npz", **kept)
    with pytest.raises(ValueError, match=rf"{full}.npz does not hold the data set '{full}': X has the shape"):
        load(full)
