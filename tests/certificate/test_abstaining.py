"""Certificates of votes in which some voters do not answer, and what verify makes of forged ones."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.special import betainc

from certificate.forging import content_of, folds_of, holds, reasons, sealed
from stocmv import VoteMatrix, certify, verify
from stocmv.bounds import BOUNDS
from stocmv.certificate import Expected, certify_tested
from stocmv.certificate._partition import closest_contests
from stocmv.posteriors import Categorical, Dirichlet
from stocmv.risks import RISKS, Exact
from stocmv.special import kl_inverse, log_xi
from stocmv.votes import save_folds
from zoo import answers, silent_problem

N_CLASSES = (2, 3, 10)
SIDES = np.array(list(itertools.product((0, 1, 2), repeat=7)))  # of each voter: right, wrong, or silent
SILENCE = "one that no voter answers counts as an error"


def halves(n_classes):
    votes = silent_problem(n_classes)
    return [votes.take(np.arange(30)), votes.take(np.arange(30, 60))]


def a_posterior(seed):
    return Dirichlet(1 + np.random.default_rng(seed).gamma(1.0, 1.0, 7))


@cache
def certificate(n_classes, tested, per_class=True):
    votes, posteriors = halves(n_classes), [a_posterior(seed) for seed in (0, 1)]
    if tested:
        expected = [Expected(np.full(n_classes, 3.0), np.full(n_classes, 20.0))] * 2
        return certify_tested(votes, posteriors, 0.05, expected, per_class=per_class)
    priors = [Dirichlet(np.ones(7))] * 2
    return certify(votes, posteriors, priors, Exact(), BOUNDS["seeger"], 0.05, per_class=per_class)


@pytest.mark.parametrize("tested", [True, False])
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_certificates_hold_and_say_what_silence_counts(n_classes, tested, tmp_path):
    made = certificate(n_classes, tested)
    assert made.abstains
    assert SILENCE in made.deterministic_rule
    assert made.verify(halves(n_classes))
    save_folds(tmp_path / "votes.npz", halves(n_classes))
    made.to_json(tmp_path / "certificate.json")
    assert verify.verify_files(tmp_path / "certificate.json", tmp_path / "votes.npz")


def test_rows_hold_at_30_digits():
    pytest.importorskip("flint")
    for n_classes in N_CLASSES:
        assert certificate(n_classes, True).verify(halves(n_classes), precise=0.2)


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_an_unanswered_example_is_an_error_of_the_test(n_classes):
    votes, posterior = silent_problem(n_classes).take(np.arange(2)), a_posterior(0)
    made = certify_tested([votes], [posterior], 0.05)
    assert made.empirical_risk == 1
    assert made.moments == (1.0,)


def test_a_drawn_voter_may_not_answer_and_is_refused():
    with pytest.raises(ValueError, match=r"posterior 'categorical'.*may not answer"):
        certify_tested([silent_problem(2)], [Categorical(np.ones(7))], 0.05)
    with pytest.raises(ValueError, match="risk 'half'"):
        certify([silent_problem(2)], [a_posterior(0)], [a_posterior(1)], RISKS["half"], BOUNDS["seeger"], 0.05)


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
    made = certify(votes, posteriors, priors, Exact(), BOUNDS["seeger"], 0.05, per_class=True)
    fixed = made.deterministic_vote
    least = 1.0
    for p in posteriors:
        right, wrong = fixed["scale"] * p.alpha @ (SIDES == 0).T, fixed["scale"] * p.alpha @ (SIDES == 1).T
        lost = (right > 0) & (right <= wrong * (1 + 1e-12))
        least = min(least, betainc(right[lost], wrong[lost], 0.5 + fixed["margin"]).min())
    assert fixed["coverage"] == pytest.approx(least, rel=1e-6)
    assert fixed["coverage"] <= least
    price = (fixed["kl"] + 2 * np.log(7 / 0.05) + sum(log_xi(v.n_examples) for v in votes)) / 400
    assert made.bound == pytest.approx(min(kl_inverse(fixed["empirical_risk"], price) / least, 1.0), rel=1e-5)
    assert made.verify(votes)
    own = [closest_contests(p.alpha, n_classes, v.abstains) for p, v in zip(posteriors, votes, strict=True)]
    looser = min(c.coverage(fixed["scale"], fixed["margin"]) for c in own)
    assert looser > least * 1.01
    content = content_of(made)
    content["deterministic_vote"]["coverage"] = looser
    assert "margin coverage" in reasons(sealed(content), folds_of(votes))


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
    content, votes = content_of(certificate(n_classes, True)), halves(n_classes)
    changed = [v._arrays() for v in votes]
    right = changed[0]["rights"].copy()
    right[0, 5] |= ~changed[0]["bits"][0, 5] & np.uint8(127)
    changed[0] = {**changed[0], "rights": right}
    if n_classes > 2:
        changed[0]["labels"] = np.where(changed[0]["labels"] == n_classes, votes[0].targets[:, None], votes[0].labels)
        changed[0]["rights"] = changed[0]["rights"] | ~changed[0]["bits"] & np.uint8(127)
    folds = [verify.fold_of([arrays]) for arrays in changed]
    assert folds[0].digest != folds_of(votes)[0].digest
    assert not holds(sealed(content), folds)


def test_a_certificate_must_say_what_silence_counts():
    content, folds = content_of(certificate(2, True)), folds_of(halves(2))
    content["deterministic_rule"] = content["deterministic_rule"].split(";")[0]
    assert "deterministic vote" in reasons(sealed(content), folds)


def test_a_risk_of_the_wrong_weight_is_no_way_around():
    content, folds = content_of(certificate(2, False, per_class=False)), folds_of(halves(2))
    assert "do not answer" in reasons(sealed({**content, "risk": "half"}), folds)


def test_the_closest_contest_of_all_voters_is_not_enough():
    """A forger who counts the contests as if everyone always answered has a larger coverage, and a lower bound."""
    content, folds = content_of(certificate(2, False, per_class=False)), folds_of(halves(2))
    f = content["deterministic_vote"]
    f["margin"] = 0.2
    f["coverage"] = min(
        closest_contests(np.array(p["alpha"]), 2).coverage(f["scale"], 0.2) for p in content["posteriors"]
    )
    assert "margin coverage" in reasons(sealed(content), folds)


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_no_figure_can_be_made_smaller(n_classes):
    for tested in (True, False):
        content, folds = content_of(certificate(n_classes, tested, per_class=False)), folds_of(halves(n_classes))
        for field in ("bound", "stochastic_bound"):
            assert not holds(sealed({**content, field: content[field] * 0.99}), folds)
        moments = [content["moments"][0] * 0.99]
        assert not holds(sealed({**content, "moments": moments}), folds)
