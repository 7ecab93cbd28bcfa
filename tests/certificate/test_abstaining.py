"""Certificates of votes in which some voters do not answer, and what verify makes of forged ones."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betainc

from certificate.forging import changed, content_of, evidence_for, holds, reasons, sealed
from certificate.made import certified, judged, judgments, made, table_of, verified, with_gaps
from stocmv import VoteMatrix, certify, verify
from stocmv.bounds import BOUNDS
from stocmv.certificate._partition import closest_contests
from stocmv.posteriors import Dirichlet
from stocmv.risks import RISKS, Exact
from stocmv.special import kl_inverse, log_xi
from zoo import answers, silent_problem

N_CLASSES = (2, 3, 10)
SIDES = np.array(list(itertools.product((0, 1, 2), repeat=7)))  # of each voter: right, wrong, or silent
SILENCE = "one that no voter answers counts as an error"


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_certificates_hold_and_say_what_silence_counts(n_classes):
    certificate, votes = with_gaps(n_classes)
    assert certificate.abstains
    assert SILENCE in certificate.rule
    assert certificate.verify(votes)
    assert certificate.verify(votes, precise=0.2)


def test_an_unanswered_example_is_an_error_of_the_test_and_an_answer_of_predict():
    table = replace(judgments(n_classes=2, wrong=0.0), silent=np.ones(90, bool))
    ours = certified(table, per_class=True)
    assert ours.empirical_risk == ours.bound == 1
    assert SILENCE in ours.rule
    assert [entry["measured"] for entry in ours.precisions] == [1.0, 1.0]  # they are right, after all
    assert ours.verify(table), ours.verify(table)


def test_silence_is_said_exactly_where_the_table_has_it():
    certificate, table = judged("hold-out, silent"), table_of("hold-out, silent")
    assert certificate.abstains
    assert verified("tested: hold-out, silent")
    content = content_of(certificate)
    assert "abstains" in reasons(sealed({**content, "abstains": False}), table.columns())
    loud = replace(table, silent=None)
    assert "evidence" in reasons(sealed(content), loud.columns())
    forged = {**content, "evidence": loud.digest(), "abstains": True}
    assert "abstains" in reasons(sealed(forged), loud.columns())


def test_a_risk_that_depends_on_the_wrong_weight_is_refused():
    one = Dirichlet(np.ones(7))
    with pytest.raises(ValueError, match="risk 'half'"):
        certify([silent_problem(2)], [one], [one], RISKS["half"], BOUNDS["seeger"], 0.05)
    certificate, votes = with_gaps(2)
    reason = reasons(sealed({**content_of(certificate), "risk": "half"}), evidence_for(votes))
    assert "the risk 'half' is not defined where voters are silent" in reason


def half_silent(n_classes):
    """Two folds: in the first some voters do not answer, in the second all of them always did."""
    loud = VoteMatrix.from_labels(*answers(200, np.linspace(0.8, 0.97, 7), n_classes, seed=1), np.arange(n_classes))
    return [silent_problem(n_classes, 200), loud]


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_voters_of_a_fold_without_gaps_may_abstain_on_new_examples(n_classes):
    """Then two light voters of that fold may decide alone, however many answered its judges."""
    votes = half_silent(n_classes)
    posteriors = [Dirichlet(np.full(7, 6.0)), Dirichlet(np.geomspace(1, 20, 7))]
    priors = [Dirichlet(np.ones(7))] * 2
    ours = certify(votes, posteriors, priors, Exact(), BOUNDS["seeger"], 0.05, per_class=True)
    fixed = ours.deterministic_vote
    least = 1.0
    for p in posteriors:
        right, wrong = fixed["scale"] * p.alpha @ (SIDES == 0).T, fixed["scale"] * p.alpha @ (SIDES == 1).T
        lost = (right > 0) & (right <= wrong * (1 + 1e-12))
        least = min(least, betainc(right[lost], wrong[lost], 0.5 + fixed["margin"]).min())
    assert fixed["coverage"] == pytest.approx(least, rel=1e-6)
    assert fixed["coverage"] <= least
    price = (fixed["kl"] + 2 * np.log(7 / 0.05) + sum(log_xi(v.n_examples) for v in votes)) / 400
    assert ours.bound == pytest.approx(min(kl_inverse(fixed["empirical_risk"], price) / least, 1.0), rel=1e-5)
    assert ours.verify(votes)
    own = [closest_contests(p.alpha, n_classes, v.abstains) for p, v in zip(posteriors, votes, strict=True)]
    looser = min(c.coverage(fixed["scale"], fixed["margin"]) for c in own)
    assert looser > least * 1.01
    forged = changed(content_of(ours), ("figures", "deterministic_vote", "coverage"), lambda x: looser)
    assert "figures.deterministic_vote.coverage" in reasons(sealed(forged), evidence_for(votes))


@pytest.mark.parametrize("margin", [0.0, 0.04, 0.2])
@pytest.mark.parametrize("n_voters", [2, 5, 14])
def test_no_lost_contest_is_closer_than_the_ones_that_count(n_voters, margin):
    """Drawn weights of voters of whom any may be silent, in any contest that mean weights lose."""
    rng = np.random.default_rng(n_voters)
    weights = rng.gamma(1.0, 2.0, n_voters) + 0.1
    least = closest_contests(weights, 3, abstains=True).coverage(1.0, margin)
    assert least <= closest_contests(weights, 3).coverage(1.0, margin) + 1e-8
    assert least == pytest.approx(verify.coverage(weights, 3, margin, abstains=True), rel=1e-6)
    for _ in range(300):
        side = rng.integers(0, 3, n_voters)
        right, wrong = weights[side == 0].sum(), weights[side == 1].sum()
        if 0 < right <= wrong:
            draws = rng.beta(right, wrong, 400) <= 0.5 + margin
            assert draws.mean() > least - 5 * np.sqrt(0.25 / 400)


# Forgeries: the file of votes, and what the certificate says of it.


def part(n_classes=3, **changes):
    return {**silent_problem(n_classes)._arrays(), **changes}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (lambda p: {"rights": p["rights"] | p["bits"]}, "both wrong and right"),
        (lambda p: {"rights": p["rights"] | np.uint8(128)}, "number of voters"),
        (lambda p: {"rights": p["rights"][:, 1:]}, "number of voters"),
        (lambda p: {"rights": p["rights"].astype(np.uint16)}, "number of voters"),
        (lambda p: {"rights": np.zeros_like(p["rights"])}, "contradict"),
        (lambda p: {"labels": np.where(p["labels"] == 3, 2, p["labels"]).astype(np.uint8)}, "contradict"),
        (lambda p: {"labels": np.where(p["labels"] == 3, 4, p["labels"]).astype(np.uint8)}, "codes of its classes"),
    ],
)
def test_votes_that_contradict_themselves_are_refused(changes, reason):
    with pytest.raises(verify.Refused, match=reason):
        verify.fold_of([part(**changes(part()))])


def test_labels_of_nobody_need_the_plane_of_those_who_are_right():
    arrays = part()
    del arrays["rights"]
    with pytest.raises(verify.Refused, match="codes of its classes"):
        verify.fold_of([arrays])


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_other_gaps_have_another_digest(n_classes):
    """A forger who lets a voter that is wrong be silent, or one that is silent be right, has other votes."""
    certificate, votes = with_gaps(n_classes)
    doctored = [dict(v._arrays()) for v in votes]
    right = doctored[0]["rights"].copy()
    right[0, 5] |= ~doctored[0]["bits"][0, 5] & np.uint8(127)
    doctored[0]["rights"] = right
    if n_classes > 2:
        doctored[0]["labels"] = np.where(doctored[0]["labels"] == n_classes, votes[0].targets[:, None], votes[0].labels)
        doctored[0]["rights"] = doctored[0]["rights"] | ~doctored[0]["bits"] & np.uint8(127)
    folds = [verify.fold_of([arrays]) for arrays in doctored]
    assert folds[0].digest != evidence_for(votes)[0].digest
    assert not holds(sealed(content_of(certificate)), folds)


def test_the_closest_contest_of_all_voters_is_not_enough():
    """A forger who counts the contests as if everyone always answered has a larger coverage, and a lower bound."""
    certificate, votes = made("PAC-Bayes: silent, two classes")
    content = content_of(certificate)
    f = content["figures"]["deterministic_vote"]
    f["margin"] = 0.2
    f["coverage"] = min(
        closest_contests(np.array(p["alpha"]), 2).coverage(f["scale"], 0.2) for p in content["posteriors"]
    )
    assert "figures.deterministic_vote.coverage" in reasons(sealed(content), evidence_for(votes))
