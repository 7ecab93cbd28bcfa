"""Which file a name leads to."""

import subprocess
import sys

import numpy as np
import pytest

import stocmv.datasets
from reproduction.datasets import PUBLIC, cache_dir, fetch, known_sets, load
from tests.reproduction.datasets.conftest import TINY_X, TINY_Y


@pytest.fixture
def folder(tmp_path, tiny):
    """A folder that holds the tiny set."""
    path = tmp_path / "given"
    path.mkdir()
    np.savez(path / "tiny.npz", X=TINY_X, y=TINY_Y, target_names=np.array(["no", "yes"]))
    return path


def test_the_order_of_the_search(folder, served, monkeypatch):
    assert load("tiny").source == f"{served.url}/uci/tiny/tiny.data"
    monkeypatch.setenv("STOCMV_DATA", str(folder))
    assert load("tiny").source == str(folder / "tiny.npz")
    monkeypatch.setenv("STOCMV_DATA", str(folder.parent))
    assert load("tiny").source == f"{served.url}/uci/tiny/tiny.data"
    assert len(served.requests) == 1


def test_a_set_in_a_folder_needs_no_pooch(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.delenv("STOCMV_CACHE")
    assert known_sets()["tiny"].state == "to fetch"
    monkeypatch.setenv("STOCMV_DATA", str(folder))
    np.testing.assert_array_equal(load("tiny").X, TINY_X)


def test_the_list_says_where_a_set_is(folder, served, monkeypatch):
    assert known_sets()["tiny"].state == "to fetch"
    assert not known_sets()["tiny"].at_hand
    fetch("tiny")
    assert known_sets()["tiny"].state == "cached"
    monkeypatch.setenv("STOCMV_DATA", str(folder))
    assert known_sets()["tiny"].state == "local"
    assert known_sets()["iris"].state == "built in"
    assert known_sets()["iris"].at_hand


def test_the_list_has_every_name_and_the_right_sizes():
    known = known_sets()
    assert list(known) == [row.name for row in stocmv.datasets.list_datasets()] + list(PUBLIC)
    assert len(PUBLIC) == 13
    for name, public in PUBLIC.items():
        row = known[name]
        assert (row.n, row.n_features, row.n_classes) == (public.n, public.n_features, len(public.target_names))
        assert public.class_counts is None or sum(public.class_counts) == public.n
        assert public.n_train is None or public.n_train < public.n


def test_sets_that_stocmv_brings_along():
    assert load("iris").X.shape == (150, 4)
    with pytest.raises(ValueError, match="There is no data set named 'qqqq'"):
        load("qqqq")


def test_an_environment_that_does_not_exist(tiny, monkeypatch):
    monkeypatch.setenv("STOCMV_DATA", "nowhere")
    for call in (lambda: load("tiny"), known_sets):
        with pytest.raises(NotADirectoryError, match="environment variable STOCMV_DATA must name a folder"):
            call()
    assert load("iris").X.shape == (150, 4)


def test_the_cache_of_the_user(monkeypatch):
    pooch = pytest.importorskip("pooch")
    monkeypatch.delenv("STOCMV_CACHE")
    assert pooch.os_cache("stocmv") in cache_dir().parents


def test_importing_the_room_needs_no_extra():
    program = "import sys, reproduction.datasets; assert not {'pooch', 'requests'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
