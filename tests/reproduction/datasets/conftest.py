import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reproduction.datasets import _download
from reproduction.datasets._readers import CommaSeparated
from reproduction.datasets._registry import HOSTS, PUBLIC, PublicSet, SourceFile, arrays_sha256
from tests.reproduction.datasets.localhost import serving

DATA = os.environ.get("STOCMV_DATA")


@pytest.fixture(autouse=True)
def no_folders_of_this_machine(monkeypatch, tmp_path):
    monkeypatch.delenv("STOCMV_DATA", raising=False)
    monkeypatch.setenv("STOCMV_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def waits(monkeypatch):
    """The seconds that were waited for, without waiting."""
    seconds = []
    monkeypatch.setattr(_download.time, "sleep", seconds.append)
    return seconds


@pytest.fixture
def site(monkeypatch, waits):
    pytest.importorskip("pooch", reason="fetching needs pooch, of the extra paper")
    with serving() as site:
        for host in HOSTS:
            monkeypatch.setitem(HOSTS, host, f"{site.url}/{host}")
        yield site


@pytest.fixture
def shared():
    """The arrays of a file in $STOCMV_DATA."""

    def read(name):
        if not DATA:
            pytest.skip("STOCMV_DATA does not name the folder with the data sets")
        path = Path(DATA) / f"{name}.npz"
        if not path.is_file():
            pytest.skip(f"STOCMV_DATA has no file {name}.npz")
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        arrays["labels"] = arrays["target_names"][arrays["y"]].tolist()
        if "n_train" in arrays:
            arrays["n_train"] = int(arrays["n_train"])
        return arrays

    return read


TINY_X = np.array([[3, 1], [2, 7], [0, 5], [9, 9]], np.uint8)
TINY_Y = np.array([0, 1, 1, 0], np.uint8)
TINY_TEXT = b"3,1,no\n2,7,yes\n0,5,yes\n9,9,no\n"


@pytest.fixture
def tiny(monkeypatch):
    """A public set that is small enough to be read at a glance; a function to change what is known of it."""
    known = PublicSet(
        name="tiny",
        files=(SourceFile("uci", "tiny/tiny.data"),),
        read=CommaSeparated(),
        n=4,
        n_features=2,
        target_names=("no", "yes"),
        class_counts=(2, 2),
        dtype="uint8",
        licence="none needed",
        arrays_sha256=arrays_sha256(TINY_X, TINY_Y),
    )

    def change(**changes):
        monkeypatch.setitem(PUBLIC, "tiny", replace(known, **changes))

    change()
    return change


@pytest.fixture
def served(site, tiny):
    """The site, with the tiny set on it."""
    site.files["/uci/tiny/tiny.data"] = TINY_TEXT
    return site
