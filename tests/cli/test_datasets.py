"""The data sets that have names."""

from stocmv.datasets import list_datasets

NAMES = [known.name for known in list_datasets()]


def test_list(stocmv):
    answer = stocmv("datasets")
    assert (answer.code, answer.err) == (0, "")
    assert [line.split()[0] for line in answer.out.splitlines()] == ["name", *NAMES]


def test_list_for_programs(stocmv):
    listed = stocmv("datasets", "--json").content["datasets"]
    assert [entry["name"] for entry in listed] == NAMES
    assert listed[0] | {"n": 150, "n_features": 4, "n_classes": 3, "kind": "bundled"} == listed[0]
