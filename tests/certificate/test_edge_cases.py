"""Predictions at the edge of what makes sense: the certificate verifies, survives a file, and its words are right."""

import numpy as np
import pytest

from stocmv import certify_predictions
from stocmv.certificate import Certificate

CASES = {
    "one example, wrong": (["a"], ["b"], {"sides": 2}),
    "one example, right": (["a"], ["a"], {"sides": 2, "subgroups": ["x"]}),
    "all wrong": ([0, 1] * 20, [1, 0] * 20, {"scores": [0.9, 0.1] * 20, "calibration": True, "sides": 2}),
    "all right": ([0, 1] * 20, [0, 1] * 20, {"scores": [0.0, 1.0] * 20, "calibration": True, "sides": 2}),
    "tiny delta": ([0, 1] * 20, [0, 1] * 19 + [0, 0], {"delta": 1e-12, "sides": 2, "scores": [0.2, 0.8] * 20}),
    "large delta": ([0, 1] * 20, [0, 1] * 19 + [0, 0], {"delta": 0.5, "sides": 2, "scores": [0.2, 0.8] * 20}),
    "numbers as texts": (["1", "1.0", "01"], ["1", "1.0", "1"], {}),
    "empty text": (["", "a"], ["", ""], {}),
    "never answered, never true": ([0, 0, 1], [0, 2, 1], {"classes": [0, 1, 2, 3]}),
    "each row its group": ([0, 1, 1], [0, 1, 0], {"groups": ["p", "q", "r"], "sides": 2}),
    "one group": ([0, 1, 1], [0, 1, 0], {"groups": [7, 7.0, 7], "subgroups": ["x", "y", "y"]}),
    "constant and lonely subgroups": ([0, 1, 1], [0, 1, 0], {"subgroups": {"c": [1, 1, 1], "one": ["z", None, None]}}),
    "huge costs": ([0, 1, 1], [0, 1, 0], {"cost": [[0, 1e100], [1e-100, 0]]}),
    "negative costs": ([0, 1, 1], [0, 1, 0], {"cost": [[-5, -1], [3, -2]]}),
}


@pytest.mark.parametrize("name", CASES)
def test_it_verifies_and_survives_a_file(name, tmp_path):
    truth, said, more = CASES[name]
    ours = certify_predictions(truth, said, **more)
    assert ours.verify(), ours.verify().differences
    ours.to_json(tmp_path / "certificate.json")
    again = Certificate.from_json(tmp_path / "certificate.json")
    assert again == ours
    assert str(again) == str(ours)
    wrong = np.mean(np.asarray(truth) != np.asarray(said))
    assert ours.bound >= wrong
    if ours.interval:
        assert ours.interval["lower"] <= wrong <= ours.interval["upper"]


@pytest.mark.parametrize(
    "subgroups",
    [
        [0.0, -0.0, 1.5],
        np.array([0, 2**63, 2**64 - 1], np.uint64),
        np.array([-(2**63), 0, 2**63 - 1]),
        np.array([-128, 127, 0], np.int8),
        np.array(["2020-01-01", "NaT", "2021-01-01"], "M8[ns]"),
        [[1], [1], [1, 2]],
        np.ma.masked_array([1, 2, 3], [False, False, True]),
        np.ma.masked_array([True, False, True], [True, True, True]),
    ],
    ids=str,
)
def test_columns_of_subgroups_of_any_type(subgroups):
    if isinstance(subgroups, list) and isinstance(subgroups[0], list):
        column = np.empty(3, object)
        column[:] = subgroups
        subgroups = column
    ours = certify_predictions([0, 1, 1], [0, 1, 0], subgroups={"x": subgroups})
    assert sum(entry["n"] for entry in ours.subgroups["entries"]) == 3
    assert ours.verify(), ours.verify().differences
