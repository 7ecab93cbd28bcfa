"""What a forger may try with the certificate of votes that are judged out of bag."""

import numpy as np
import pytest

from certificate.forging import changed, content_of, evidence_for, holds, reasons, recomputed, sealed
from certificate.made import made
from stocmv import certify, verify
from stocmv.bounds import BOUNDS
from stocmv.posteriors import Categorical
from stocmv.risks import RISKS
from zoo import unjudged, unjudged_problem

RISK_NAMES = ("first_order", "second_order", "c_bound", "cctnd", "ccpbb", "ccpbskl", "disagreement")


ANSWERS = [np.random.default_rng(3).integers(0, 2, (500, 9))]


def certified(risk):
    votes, one = unjudged_problem(2, 3000), Categorical(np.ones(9))
    return content_of(certify([votes], [one], [one], RISKS[risk], BOUNDS["seeger"], 0.05)), evidence_for([votes])


@pytest.mark.parametrize("risk", RISK_NAMES)
@pytest.mark.parametrize("place", verify.FEWEST)
def test_more_judges_than_there_are_do_not_hold(risk, place):
    content, evidence = certified(risk)
    assert holds(sealed(content), evidence)
    forged = changed(content, ("figures", "error", "fewest", place), lambda x: x + 1)
    assert f"figures.error.fewest.{place}" in reasons(sealed(forged), evidence)


@pytest.mark.parametrize("risk", RISK_NAMES)
def test_the_bound_for_all_examples_does_not_hold(risk):
    content, evidence = certified(risk)
    cheaper = changed(content, ("figures", "error", "stochastic_bound"), lambda x: x * 0.99)
    cheaper = changed(cheaper, ("figures", "error", "bound"), lambda x: x * 0.99)
    assert "figures.error.stochastic_bound" in reasons(sealed(cheaper), evidence)


def test_it_cannot_be_passed_off_as_one_of_whole_votes():
    content, evidence = certified("first_order")
    error = {name: value for name, value in content["figures"]["error"].items() if name != "fewest"}
    forged = {**content, "figures": {**content["figures"], "error": error}}
    assert "the fewest judges are stated exactly of out-of-bag votes" in reasons(sealed(forged), evidence)
    whole, votes = made("PAC-Bayes: first order")
    forged = changed(
        content_of(whole), ("figures", "error"), lambda e: {**e, "fewest": dict.fromkeys(verify.FEWEST, 10)}
    )
    assert "the fewest judges are stated exactly of out-of-bag votes" in reasons(sealed(forged), evidence_for(votes))


@pytest.mark.parametrize("risk", ["exact", "half", "binomial", "mc"])
def test_other_risks_do_not_hold(risk):
    content, evidence = certified("first_order")
    settings = {"binomial": {"n_draws": 3}}.get(risk, {})
    forged = {**content, "risk": risk, "risk_settings": settings}
    assert not holds(sealed(recomputed(forged, evidence)), evidence)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda a: {**a, "judged": a["judged"] & 0}, "a voter errs on an example that does not judge it"),
        (lambda a: {**a, "judged": a["judged"][:, :-1]}, "its errors do not fit its number of voters"),
        (lambda a: {**a, "judged": a["judged"] | 128}, "its errors do not fit its number of voters"),
        (lambda a: {**a, "n_voters": np.asarray(0)}, "its number of voters is not a positive integer"),
        (lambda a: {**a, "rights": a["bits"]}, "its arrays are not those of out-of-bag votes"),
        (lambda a: {**a, "unlabelled": a["judged"][:1]}, "its unlabelled examples do not fit two classes"),
        (lambda a: {**a, "unlabelled": a["judged"] | 128}, "its unlabelled examples do not fit two classes"),
        (lambda a: {**a, "targets": a["targets"] + 7}, "its targets are not codes of its classes"),
    ],
)
def test_arrays_that_contradict_themselves_are_refused(change, reason):
    with pytest.raises(verify.Refused, match=reason):
        verify.fold_of([change(unjudged_problem(2)._arrays())])


def test_the_verifier_counts_judges_as_the_package_does():
    votes, (said, _) = unjudged_problem(2), unjudged(2)
    fold = verify.fold_of([votes._arrays()])
    np.testing.assert_array_equal(fold.judges(slice(0, 300)), ~np.isnan(said))
    assert fold.digest == votes.digest()
    assert verify._fewest(fold) == ([votes.fewest(1)], [votes.fewest(2)], [votes.fewest(2)])


@pytest.mark.parametrize("risk", ["c_bound", "ccpbskl", "disagreement"])
def test_the_verifier_counts_disagreements_on_unlabelled_examples(risk):
    votes, one = unjudged_problem(2, 3000).with_unlabelled(*ANSWERS), Categorical(np.ones(9))
    content = content_of(certify([votes], [one], [one], RISKS[risk], BOUNDS["seeger"], 0.05))
    evidence = evidence_for([votes])
    assert holds(sealed(content), evidence)
    assert not holds(sealed(content), evidence_for([unjudged_problem(2, 3000)]))
    fewer = evidence_for([unjudged_problem(2, 3000).with_unlabelled(ANSWERS[0][:-1])])
    forged = {**content, "evidence": [fewer[0].digest]}
    assert "figures.error.fewest.compared" in reasons(sealed(forged), fewer)
    better = changed(content, ("figures", "error", "moments", 1), lambda x: x * 1.01)
    assert "figures.error.moments.1" in reasons(sealed(better), evidence)
