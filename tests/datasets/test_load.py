"""Which file a name leads to."""

import subprocess
import sys

import numpy as np
import pytest

import stocmv.datasets
from datasets.conftest import TINY_X, TINY_Y
from stocmv.datasets import cache_dir, fetch, list_datasets, load, names
from stocmv.datasets._registry import PUBLIC


@pytest.fixture
def folders(tmp_path, tiny):
    """Folders that hold the tiny set, by name."""

    def make(name, path=None):
        folder = path or tmp_path / name
        folder.mkdir(exist_ok=True)
        np.savez(folder / "tiny.npz", X=TINY_X, y=TINY_Y, target_names=np.array(["no", "yes"]))
        return folder

    return make


def test_the_order_of_the_search(folders, served, monkeypatch, cache):
    assert load("tiny").source == f"{served.url}/uci/tiny/tiny.data"
    environment = folders("environment")
    monkeypatch.setenv("STOCMV_DATA", str(environment))
    assert load("tiny").source == str(environment / "tiny.npz")
    given = folders("given")
    assert load("tiny", data_dir=given).source == str(given / "tiny.npz")
    assert load("tiny", data_dir=cache.parent).source == str(environment / "tiny.npz")


def test_a_set_in_a_folder_needs_no_pooch(folders, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.delenv("STOCMV_CACHE")
    np.testing.assert_array_equal(load("tiny", data_dir=folders("given")).X, TINY_X)
    assert state("tiny") == ("to fetch", None)


def state(name, **given):
    (row,) = [row for row in list_datasets(**given) if row.name == name]
    return row.state, row.path


def test_the_list_says_where_a_set_is(folders, served, monkeypatch, cache):
    assert state("tiny") == ("to fetch", None)
    fetch("tiny")
    assert state("tiny") == ("cached", str(cache / "tiny.npz"))
    given = folders("given")
    assert state("tiny", data_dir=given) == ("local", str(given / "tiny.npz"))
    monkeypatch.setenv("STOCMV_DATA", str(given))
    assert state("tiny") == ("local", str(given / "tiny.npz"))
    assert state("iris") == ("built in", None)


def test_the_list_has_every_name_and_the_right_sizes():
    rows = list_datasets()
    assert tuple(row.name for row in rows) == names()
    assert len(rows) == 4 + 2 + 13
    for row in rows:
        if row.kind != "public":
            ours = load(row.name)
            assert (row.n, row.n_features, row.n_classes) == (*ours.X.shape, len(ours.target_names))
        else:
            known = PUBLIC[row.name]
            assert (row.n, row.n_features, row.n_classes) == (known.n, known.n_features, len(known.target_names))
            assert known.class_counts is None or sum(known.class_counts) == known.n
            assert known.n_train is None or known.n_train < known.n


@pytest.mark.parametrize("get", [load, fetch])
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mnsit", "did you mean 'mnist'"),
        ("Fashion_MNIST", "did you mean 'fashion-mnist'"),
        ("HABERMAN", "did you mean 'haberman'"),
        ("qqqq", "the names are iris, wine"),
        ("../tiny", "."),
        ("", "the names are"),
        (7, "the names are"),
    ],
)
def test_an_unknown_name(get, name, hint):
    with pytest.raises(ValueError, match=f"^There is no data set named {name!r}: {hint}"):
        get(name)


def test_an_unknown_name_stops_fetch_before_anything_is_fetched(served):
    with pytest.raises(ValueError, match="no data set named 'tinny': did you mean 'tiny'"):
        fetch("tiny", "tinny")
    assert served.requests == []


def test_a_name_leads_nowhere_else(folders, tmp_path):
    inner = folders("outer") / "inner"
    inner.mkdir()
    with pytest.raises(ValueError, match="There is no data set"):
        load("../tiny", data_dir=inner)


@pytest.mark.parametrize("call", [lambda path: load("tiny", data_dir=path), lambda path: list_datasets(data_dir=path)])
def test_a_folder_that_does_not_exist(call, tiny, tmp_path):
    path = tmp_path / "nowhere"
    with pytest.raises(NotADirectoryError, match=f"^data_dir has to name a folder that exists, got '{path}'.$"):
        call(path)


def test_an_environment_that_does_not_exist(tiny, monkeypatch):
    monkeypatch.setenv("STOCMV_DATA", "nowhere")
    with pytest.raises(NotADirectoryError, match="environment variable STOCMV_DATA has to name a folder"):
        load("tiny")
    assert load("iris").X.shape == (150, 4)


def test_the_cache_of_the_user(monkeypatch):
    pooch = pytest.importorskip("pooch")
    monkeypatch.delenv("STOCMV_CACHE")
    assert pooch.os_cache("stocmv") in cache_dir().parents


def test_importing_the_room_needs_no_extra():
    program = "import sys, stocmv.datasets; assert not {'pooch', 'requests'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_public_names_are_documented():
    for name in stocmv.datasets.__all__:
        assert getattr(stocmv.datasets, name).__doc__
