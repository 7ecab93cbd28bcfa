"""The data sets that have names."""

from cli.terminal import assert_refused
from stocmv.datasets import names


def test_list(stocmv):
    for arguments in (("datasets",), ("datasets", "list")):
        answer = stocmv(*arguments)
        assert (answer.code, answer.err) == (0, "")
        assert [line.split()[0] for line in answer.out.splitlines()] == ["name", *names()]


def test_list_for_programs(stocmv):
    for arguments in (("datasets", "--json"), ("datasets", "list", "--json")):
        listed = stocmv(*arguments).content["datasets"]
        assert [entry["name"] for entry in listed] == list(names())
        assert listed[0] | {"n": 150, "n_features": 4, "n_classes": 3, "state": "built in"} == listed[0]


def test_fetch(stocmv, tmp_path, monkeypatch):
    monkeypatch.setattr("stocmv.datasets.fetch", lambda *names, progress: [tmp_path / "pendigits.npz"])
    answer = stocmv("datasets", "fetch", "iris", "pendigits")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines() == ["iris: built in", f"pendigits: {tmp_path / 'pendigits.npz'}"]
    answer = stocmv("datasets", "fetch", "iris", "pendigits", "--json")
    assert answer.content == {"fetched": {"iris": None, "pendigits": str(tmp_path / "pendigits.npz")}}


def test_fetch_what_there_is_not(stocmv):
    assert_refused(stocmv("datasets", "fetch", "irish"), "irish", "iris")
    assert_refused(stocmv("datasets", "fetch"), "NAMES")
    assert_refused(stocmv("datasets", "burn"), "burn")


def test_a_folder_of_data_sets_that_is_none(stocmv, monkeypatch):
    monkeypatch.setenv("STOCMV_DATA", "/nowhere")
    assert_refused(stocmv("datasets"), "STOCMV_DATA", "/nowhere")
