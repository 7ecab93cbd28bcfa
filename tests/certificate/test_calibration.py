"""How often answers are right given their score."""

import numpy as np
import pytest

from certificate.forging import content_of, holds, reasons, sealed
from decisions.scored import drawn
from stocmv.bounds import clopper_pearson
from stocmv.certificate import certify_judgments


@pytest.fixture(scope="module")
def judgments():
    return drawn(1500, np.random.default_rng(0))


@pytest.fixture(scope="module")
def certificate(judgments):
    return certify_judgments(judgments, calibration=True)


def test_bins_have_both_bounds(judgments, certificate):
    assert sum(own["n"] for own in certificate.calibration) == len(judgments)
    for own in certificate.calibration:
        assert own["lower"] < own["measured"] < own["upper"] or own["measured"] in (0, 1)
        assert own["from"] <= own["mean_score"] <= own["to"]
    last = certificate.calibration[-1]
    right = round(last["measured"] * last["n"])
    assert last["upper"] == clopper_pearson(right, last["n"], 0.05 / 20)
    assert last["lower"] == pytest.approx(1 - clopper_pearson(last["n"] - right, last["n"], 0.05 / 20))


def test_an_independent_check_agrees_and_finds_forgeries(judgments, certificate):
    content, columns = content_of(certificate), judgments.columns()
    bins = content["figures"]["calibration"]

    def forged(stated):
        return sealed({**content, "figures": {**content["figures"], "calibration": stated}})

    assert holds(forged(bins), columns), reasons(forged(bins), columns)
    changes = ({"lower": 0.99}, {"upper": 0.5}, {"n": 3}, {"measured": 1.0}, {"from": 0.0}, {"to": 0.7})
    for change in (*changes, {"mean_score": 0.5}, {"lower": bins[0]["lower"] * 1.0001}):
        assert not holds(forged([{**bins[0], **change}, *bins[1:]]), columns)
    for stated in (bins[:-1], bins[1:], [*bins, bins[-1]], bins[::-1], []):
        assert not holds(forged(stated), columns)
    unpaid = {**content, "claims": [claim for claim in content["claims"] if claim["name"] != "calibration"]}
    assert not holds(sealed(unpaid), columns)


def test_only_when_asked_for(judgments, certificate):
    plain = certify_judgments(judgments)
    assert plain.calibration == ()
    assert all(claim.name != "calibration" for claim in plain.claims)
    assert "right, by the score" in str(certificate)
    assert "about no single case" in str(certificate)


def test_scores_that_are_no_probabilities_are_named(judgments):
    from dataclasses import replace

    sharp = judgments.scores**4 / (judgments.scores**4).sum(1, keepdims=True)
    sure = certify_judgments(replace(judgments, scores=sharp), calibration=True)
    assert "too high to be probabilities" in str(sure)


def test_folds_and_groups_are_refused(judgments):
    from dataclasses import replace

    grouped = replace(judgments, group=(np.arange(len(judgments)) // 2).astype(np.uint64))
    with pytest.raises(ValueError, match="needs a hold-out without groups"):
        certify_judgments(grouped, calibration=True)
