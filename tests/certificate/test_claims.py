"""How delta is split among the claims of a certificate."""

import math
from dataclasses import replace

import pytest

from certificate.forging import changed, content_of, evidence_for, holds, reasons, recomputed, sealed
from certificate.fuzzing import arrays_of
from certificate.judge import excess
from certificate.made import EVERY, ONE_OF_EACH, PAID, folds, judged, made, paid, selective
from stocmv import Certificate
from stocmv.certificate import Claim, share

one_of_each = pytest.mark.parametrize("which", ONE_OF_EACH.values(), ids=ONE_OF_EACH)


def shares(ours):
    return {(claim.name, claim.pays_for): claim.among for claim in ours.claims}


@pytest.mark.parametrize("which", EVERY)
def test_the_shares_of_a_claim_add_up_to_delta(which):
    ours = made(which)[0]
    names = dict.fromkeys(claim.name for claim in ours.claims)
    totals = {name: math.fsum(c.total for c in ours.claims if c.name == name) for name in names}
    if which.startswith("selective"):  # error and coverage hold at once
        totals = {"both": sum(totals.values())}
    for name, total in totals.items():
        # the stochastic vote leaves what pays for the votes that predict counts
        left = 0.05 if "logit-normal" in which and name == "stochastic vote" else 0.0
        assert total == pytest.approx(ours.delta * (1 - left), rel=1e-12)


def test_every_claim_is_listed_with_those_that_share_it():
    assert shares(paid("noisy", alternatives=1)) == {
        ("predict", "bound"): {"margins": 7},
        ("stochastic vote", "bound"): {},
        ("baseline", "bound"): {},
    }
    assert shares(paid("three_classes", alternatives=3, per_class=True)) == {
        ("predict", "bound"): {"parts for priors": 3, "margins": 7},
        ("stochastic vote", "bound"): {"parts for priors": 3},
        ("baseline", "bound"): {"parts for priors": 3},
        ("classes", "bound"): {"parts for priors": 3, "classes": 3, "margins": 7},
        ("classes, stochastic vote", "bound"): {"parts for priors": 3, "classes": 3},
    }
    assert shares(paid("noisy", "c_bound", "categorical", alternatives=1))["predict", "bound"] == {"means": 2}
    drawn = {"parts for priors": 2, "folds": 3, "posteriors": 2}
    assert shares(paid(**PAID["logit-normal, folds"])) == {
        ("predict", "bound"): {"parts for priors": 2},
        ("predict", "draws"): drawn,
        ("predict", "votes drawn once"): {"parts for priors": 2},
        ("stochastic vote", "bound"): {"parts for priors": 2},
        ("stochastic vote", "draws"): drawn,
        ("baseline", "bound"): {"parts for priors": 2},
    }
    assert shares(paid("one_voter", alternatives=2)).keys() == {("predict", "bound"), ("baseline", "bound")}


def test_what_is_only_tested_shares_delta_among_classes():
    assert not any(claim.is_shared for claim in judged("hold-out, bare").claims)
    assert shares(judged("folds, stochastic")) == {
        ("predict", "bound"): {},
        ("stochastic vote", "bound"): {},
        ("baseline", "bound"): {},
        ("classes", "bound"): {"classes": 2},
        ("classes, stochastic vote", "bound"): {"classes": 2},
        ("precision", "bound"): {"classes": 2},
        ("precision", "shares of the folds"): {"classes": 2, "folds": 2, "sides": 2},
        ("cost", "bound"): {},
        ("cost of one answer", "bound"): {"answers": 2},
    }
    precise = {(c.name, c.pays_for): c.delta for c in judged("folds, stochastic").claims}
    assert precise["precision", "bound"] == pytest.approx(0.9 * 0.05 / 2)
    assert precise["precision", "shares of the folds"] == pytest.approx(0.1 * 0.05 / 8)


def test_a_selective_vote_shares_delta_among_folds_and_thresholds():
    error, coverage = selective("folds, by error").claims
    assert (error.delta, coverage.delta) == (pytest.approx(0.9 * 0.3 / 3), pytest.approx(0.1 * 0.3 / 3 / 60))
    error, coverage = selective("folds, by coverage").claims
    assert (error.delta, coverage.delta) == (pytest.approx(0.9 * 0.3 / 3 / 14), pytest.approx(0.1 * 0.3 / 3 / 14))


def test_shares_are_told_in_one_line_where_there_are_any():
    told = [line for line in str(paid("noisy", alternatives=1)).splitlines() if line.startswith("Shares of delta")]
    assert told == ["Shares of delta = 0.05: predict 0.00714 for each of 7 margins."]
    assert "Shares of delta" not in str(judged("hold-out, bare"))


@one_of_each
def test_come_back_from_the_file(which, tmp_path):
    ours = made(which)[0]
    ours.to_json(tmp_path / "certificate.json")
    assert Certificate.from_json(tmp_path / "certificate.json").claims == ours.claims


FORGED = {
    "a larger share": lambda claims: [{**claims[0], "delta": claims[0]["delta"] * 1.5}, *claims[1:]],
    "a smaller share": lambda claims: [{**claims[0], "delta": claims[0]["delta"] / 2}, *claims[1:]],
    "among more": lambda claims: [{**claims[0], "among": {**claims[0]["among"], "priors": 2}}, *claims[1:]],
    "among others": lambda claims: [{**claims[0], "among": {"luck": 7}}, *claims[1:]],
    "for something else": lambda claims: [{**claims[0], "pays_for": "nothing"}, *claims[1:]],
    "of another name": lambda claims: [{**claims[0], "name": "anything"}, *claims[1:]],
    "one left out": lambda claims: claims[1:],
    "all left out": lambda claims: [],
    "one made up": lambda claims: [*claims, {"name": "speed", "delta": 0.05, "pays_for": "bound", "among": {}}],
    "one twice": lambda claims: [*claims, claims[-1]],
    "another order": lambda claims: claims[::-1],
}


@pytest.mark.parametrize("forgery", FORGED)
@one_of_each
def test_no_other_shares_hold(which, forgery):
    certificate, evidence = made(which)
    forged = changed(content_of(certificate), ("claims",), FORGED[forgery])
    assert "claims" in reasons(sealed(forged), evidence_for(evidence))


def test_a_forger_who_computes_all_again_pays_for_every_prior():
    content, votes = content_of(made("PAC-Bayes: two folds")[0]), folds("two_folds")
    forged = recomputed({**content, "alternatives": 30}, evidence_for(votes))
    assert forged["claims"][0]["among"] == {"parts for priors": 30, "margins": 7}
    assert forged["figures"]["error"]["bound"] > content["figures"]["error"]["bound"]
    assert holds(sealed(forged), evidence_for(votes))
    assert not excess(forged, arrays_of(votes))


def test_a_forger_who_computes_all_again_at_another_delta_has_another_certificate():
    certificate, table = made("tested: hold-out")
    forged = recomputed({**content_of(certificate), "delta": 0.1}, table.columns())
    assert forged["figures"]["error"]["bound"] < certificate.bound
    assert holds(sealed(forged), table.columns())
    assert not excess(forged, table.columns())


def test_shares_beyond_delta_are_named():
    ours = paid("noisy", alternatives=1)
    forged = replace(ours, claims=(replace(ours.claims[0], delta=0.05), *ours.claims[1:]))
    told = [str(check) for check in forged.verify(folds("noisy")).differences]
    assert any(line.startswith("NO  claims.0: {'name': 'predict', 'delta': 0.05") for line in told)


def test_a_share_is_an_equal_part():
    assert share(0.06, parts=3, classes=2) == pytest.approx(0.01, rel=1e-14)
    assert Claim("predict", 0.01, among={"parts for priors": 3, "classes": 2}).total == pytest.approx(0.06, rel=1e-14)
