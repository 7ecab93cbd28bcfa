"""Forgers who change several things at once: none gets more past the verifier than the evidence says."""

import numpy as np
import pytest

from certificate.forging import content_of
from certificate.fuzzing import MAKERS, arrays_of, honest, refusals, trial
from certificate.judge import excess

every_kind = pytest.mark.parametrize("kind", MAKERS)
ALLOWED = {"unchanged", "refused", "holds"}


def overstated(kind, seed, count):
    answers = [trial(kind, seed, k) for k in range(count)]
    return [(k, answer) for k, answer in enumerate(answers) if answer not in ALLOWED]


@every_kind
def test_some_of_every_kind(kind):
    assert overstated(kind, 0, 4) == []
    assert refusals(kind, 0, 0) == ""


@pytest.mark.slow
@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.long)])
@every_kind
def test_many_of_every_kind(kind, count):
    assert overstated(kind, 1, count) == []
    assert [(k, reason) for k in range(count // 20) if (reason := refusals(kind, 1, k))] == []


@every_kind
def test_the_judge_knows_what_is_issued_and_is_not_blind(kind):
    certificate, evidence = honest(kind, 2)
    content, arrays = content_of(certificate), arrays_of(evidence)
    assert excess(content, arrays) == ""
    error = content["figures"]["error"]
    better = {**content, "figures": {**content["figures"], "error": {**error, "bound": error["bound"] - 1e-6}}}
    assert "bound" in excess(better, arrays)
    assert "claims" in excess({**content, "claims": content["claims"][1:]}, arrays)
    assert excess({**content, "abstains": not content["abstains"]}, arrays)
    if isinstance(arrays, dict):
        arrays = {**arrays, "truth": np.full_like(arrays["truth"], 200)}
    else:
        arrays[0] = {**arrays[0], "bits": np.zeros((0, 0), np.uint8)}
    assert "issues nothing" in excess(content, arrays)
