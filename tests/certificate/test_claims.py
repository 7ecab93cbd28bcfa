"""How delta is split among the claims of a certificate."""

import math
from dataclasses import replace

import numpy as np
import pytest

from certificate.forging import changed, content_of, folds_of, is_issued, reasons, recomputed, sealed
from certificate.made import certificate, judging
from stocmv import Certificate, VoteMatrix, verify
from stocmv.certificate import Claim, certify_tested, share
from stocmv.posteriors import Dirichlet

PAID = {
    "margins": {"name": "noisy", "alternatives": 1},
    "priors and classes": {"name": "three_classes", "alternatives": 3, "per_class": True},
    "two folds": {"name": "two_folds", "alternatives": 3},
    "two means": {"name": "noisy", "risk": "c_bound", "kind": "categorical", "alternatives": 1},
    "draws": {"name": "two_folds", "risk": "mc", "kind": "logit_normal", "alternatives": 2},
    "one voter": {"name": "one_voter", "alternatives": 2},
}
every_paid = pytest.mark.parametrize("name", PAID)


def shares(ours):
    return {(claim.name, claim.pays_for): claim.among for claim in ours.claims}


def only_tested(per_class=False, name="three_classes"):
    return certificate(name, bound="test", per_class=per_class)


@every_paid
def test_the_shares_of_a_claim_add_up_to_delta(name):
    ours = certificate(**PAID[name])
    for claimed in {claim.name for claim in ours.claims}:
        # the stochastic vote leaves what pays for the votes that predict counts
        left = 0.05 if name == "draws" and claimed == "stochastic vote" else 0.0
        total = math.fsum(c.total for c in ours.claims if c.name == claimed)
        assert total == pytest.approx(ours.delta * (1 - left), rel=1e-12)


def test_every_claim_is_listed_with_those_that_share_it():
    assert shares(certificate(**PAID["margins"])) == {
        ("predict", "bound"): {"margins": 7},
        ("stochastic vote", "bound"): {},
        ("baseline", "bound"): {},
    }
    assert shares(certificate(**PAID["priors and classes"])) == {
        ("predict", "bound"): {"parts for priors": 3, "margins": 7},
        ("stochastic vote", "bound"): {"parts for priors": 3},
        ("baseline", "bound"): {"parts for priors": 3},
        ("classes", "bound"): {"parts for priors": 3, "classes": 3, "margins": 7},
        ("classes, stochastic vote", "bound"): {"parts for priors": 3, "classes": 3},
    }
    assert shares(certificate(**PAID["two means"]))["predict", "bound"] == {"means": 2}
    drawn = {"parts for priors": 2, "folds": 2, "posteriors": 2}
    assert shares(certificate(**PAID["draws"])) == {
        ("predict", "bound"): {"parts for priors": 2},
        ("predict", "draws"): drawn,
        ("predict", "votes drawn once"): {"parts for priors": 2},
        ("stochastic vote", "bound"): {"parts for priors": 2},
        ("stochastic vote", "draws"): drawn,
        ("baseline", "bound"): {"parts for priors": 2},
    }
    assert shares(certificate(**PAID["one voter"])).keys() == {("predict", "bound"), ("baseline", "bound")}


@pytest.mark.parametrize("name", ["three_classes", "two_folds"])
def test_what_is_only_tested_shares_delta_among_classes(name):
    assert not any(claim.is_shared for claim in only_tested(name=name).claims)
    ours = only_tested(per_class=True, name=name)
    assert [str(claim) for claim in ours.claims if claim.is_shared and claim.name != "precision"] == [
        "classes 0.0167 for each of 3 classes",
        "classes, stochastic vote 0.0167 for each of 3 classes",
    ]
    assert {entry["delta"] for entry in ours.per_class} == {share(0.05, classes=3)}


def test_shares_are_told_in_one_line_where_there_are_any():
    told = [line for line in str(certificate(**PAID["margins"])).splitlines() if line.startswith("Shares of delta")]
    assert told == ["Shares of delta = 0.05: predict 0.00714 for each of 7 margins."]
    assert "Shares of delta" not in str(only_tested())


def test_come_back_from_the_file(tmp_path):
    ours = certificate(**PAID["draws"])
    ours.to_json(tmp_path / "certificate.json")
    assert Certificate.from_json(tmp_path / "certificate.json").claims == ours.claims


FORGED = {
    "a larger share": lambda claims: [{**claims[0], "delta": claims[0]["delta"] * 1.5}, *claims[1:]],
    "a smaller share": lambda claims: [{**claims[0], "delta": claims[0]["delta"] / 2}, *claims[1:]],
    "among fewer": lambda claims: [{**claims[0], "among": {}}, *claims[1:]],
    "among others": lambda claims: [{**claims[0], "among": {"classes": 7}}, *claims[1:]],
    "for something else": lambda claims: [{**claims[0], "pays_for": "nothing"}, *claims[1:]],
    "counts that are only words": lambda claims: [
        {**claims[0], "pays_for": verify._title(claims[0]).removeprefix("predict, "), "among": {}},
        *claims[1:],
    ],
    "one left out": lambda claims: claims[1:],
    "all left out": lambda claims: [],
    "one made up": lambda claims: [*claims, {"name": "speed", "delta": 0.05, "pays_for": "bound", "among": {}}],
    "one twice": lambda claims: [*claims, claims[-1]],
    "another order": lambda claims: claims[::-1],
}


@pytest.mark.parametrize("forgery", FORGED)
@pytest.mark.parametrize("name", ["margins", "draws"])
def test_no_other_shares_hold(name, forgery):
    content, votes = content_of(certificate(**PAID[name])), judging(PAID[name]["name"])
    forged = changed(content, ("claims",), FORGED[forgery])
    assert "claims" in (why := reasons(sealed(forged), folds_of(votes))) or "delta" in why


def test_a_forger_who_computes_all_again_pays_for_every_prior():
    setting = PAID["two folds"]
    content, votes = content_of(certificate(**setting)), judging(setting["name"])
    forged = recomputed({**content, "alternatives": 30}, folds_of(votes))
    assert forged["claims"][0]["among"] == {"parts for priors": 30, "margins": 7}
    assert is_issued(forged, votes)
    assert not reasons(sealed(forged), folds_of(votes))


def test_shares_beyond_delta_are_named():
    ours = certificate(**PAID["margins"])
    forged = replace(ours, claims=(replace(ours.claims[0], delta=0.05), *ours.claims[1:]))
    told = [str(check) for check in forged.verify(judging("noisy")).differences]
    assert any(line.startswith("NO  all of delta for predict: 0.05 (0.35") for line in told)


def test_a_share_is_an_equal_part():
    assert share(0.06, parts=3, classes=2) == pytest.approx(0.01, rel=1e-14)
    assert Claim("predict", 0.01, among={"parts for priors": 3, "classes": 2}).total == pytest.approx(0.06, rel=1e-14)


def test_a_test_needs_labels():
    errors = VoteMatrix.from_errors(np.random.default_rng(0).random((60, 3)) < 0.3)
    with pytest.raises(ValueError, match="need votes made from labels"):
        certify_tested([errors], [Dirichlet(np.ones(3))], 0.05)
