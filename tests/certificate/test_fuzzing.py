"""Forgers who change several things at once: none gets more past the verifier than the evidence says."""

import numpy as np
import pytest

from certificate.forging import content_of
from certificate.fuzzing import MAKERS, excess, honest, refusals, statement, trial

every_kind = pytest.mark.parametrize("kind", MAKERS)
ALLOWED = {"unchanged", "refused", "holds"}


def overstated(kind, seed, count):
    answers = [trial(kind, seed, k) for k in range(count)]
    return [(k, answer) for k, answer in enumerate(answers) if answer not in ALLOWED]


@every_kind
def test_some_of_every_kind(kind):
    assert overstated(kind, 0, 6) == []
    assert [refusals(kind, 0, k) for k in range(2)] == [""] * 2


@pytest.mark.long
@every_kind
def test_many_of_every_kind(kind):
    """Of 33 kinds: more than 25,000 changed certificates, and 1,600 honest ones."""
    assert overstated(kind, 1, 1000) == []
    assert [(k, reason) for k in range(50) if (reason := refusals(kind, 1, k))] == []


@every_kind
def test_the_judge_knows_what_is_issued_and_is_not_blind(kind):
    certificate, votes = honest(kind, 2)
    content, arrays = content_of(certificate), [v._arrays() for v in votes]
    assert excess(content, arrays) == ""
    name, step = ("coverage", 1e-6) if "coverage" in content else ("bound", -1e-6)
    better = {**content, name: content[name] + step}
    assert name in excess({**better, "statement": statement(better)}, arrays)
    assert "statement" in excess({**content, "statement": content["statement"] + " "}, arrays)
    assert "assumptions" in excess({**content, "assumptions": []}, arrays)
    arrays[0] = {**arrays[0], "bits": np.zeros((0, 0), np.uint8)}
    assert "issues nothing" in excess(content, arrays)
