import copy
from dataclasses import replace

import numpy as np
import pytest

import zoo
from stocmv import VoteMatrix, learn
from stocmv.certificate import percent
from stocmv.checks import hash_rows
from stocmv.displays import ErrorDistributionDisplay
from stocmv.protocols import ROW_KEY


@pytest.fixture(params=["noisy", "three_classes", "merged", "two_folds", "three_folds"])
def problem(request):
    votes = zoo.problem(request.param)
    return votes, learn(votes, prior=1.0, solver="lbfgs", random_state=0)


def test_mean_is_the_empirical_risk(problem):
    votes, learned = problem
    display = ErrorDistributionDisplay.from_learned(learned, votes)
    mean = np.average(display.probabilities, weights=display.counts)
    assert mean == pytest.approx(learned.certificate.empirical_risk, rel=1e-9)


def test_every_example_is_in_a_bar(problem):
    votes, learned = problem
    display = ErrorDistributionDisplay.from_learned(learned, votes, bins=7)
    assert len(display.heights_) == 7
    assert display.heights_.sum() == learned.certificate.n


@pytest.mark.parametrize("name", ["binary", "held_out"])
def test_lines_stand_at_the_figures_of_the_stochastic_vote(name, request):
    clf = request.getfixturevalue(name)
    display = ErrorDistributionDisplay.from_estimator(clf)
    mean, bound = clf.certificate_.stochastic_risk, clf.certificate_.stochastic_bound
    assert set(display.risk_line_.get_xdata()) == {mean}
    assert set(display.bound_line_.get_xdata()) == {bound}
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == [
        f"mean, {percent(mean)}",
        f"certified bound, {percent(bound)}",
    ]


def test_agrees_with_drawn_votes(many_classes):
    clf, X, _ = many_classes
    display = ErrorDistributionDisplay.from_estimator(clf)
    rows = [hash_rows(X, ROW_KEY).tolist().index(row) for row in clf.evidence_.row]
    votes = VoteMatrix.from_codes(clf.voters_[0].codes(X[rows]), clf.evidence_.truth, clf.classes_)
    draws = clf.posterior_[0].sample(2000, np.random.default_rng(0))
    wrong = np.mean([votes.class_weights(w).argmax(1) != votes.targets for w in draws], axis=0)
    np.testing.assert_allclose(display.probabilities, wrong, atol=0.06)


def changed(clf, **attributes):
    other = copy.copy(clf)
    vars(other).update(attributes)
    return other


def test_other_evidence_or_weights_are_refused(held_out, binary):
    judgments = held_out.evidence_.among(np.arange(len(held_out.evidence_)) > 0)
    for clf, evidence in ((held_out, judgments), (binary, binary.evidence_[::-1])):
        other = changed(clf, evidence_=evidence)
        with pytest.raises(ValueError, match="as their digests differ"):
            ErrorDistributionDisplay.from_estimator(other)
    other = changed(binary, posterior_=binary.posterior_[::-1])
    with pytest.raises(ValueError, match="other votes or weights"):
        ErrorDistributionDisplay.from_estimator(other)


def test_a_stochastic_vote_that_is_not_certified(held_out):
    judgments = replace(held_out.evidence_, loss=None)
    certificate = replace(held_out.certificate_, evidence=judgments.digest())
    other = changed(held_out, evidence_=judgments, certificate_=certificate)
    with pytest.raises(ValueError, match="fit with stochastic=True"):
        ErrorDistributionDisplay.from_estimator(other)


def test_a_categorical_draws_one_voter():
    votes = zoo.problem("noisy")
    learned = learn(votes, prior=1.0, solver="lbfgs", risk="first_order", random_state=0)
    display = ErrorDistributionDisplay.from_learned(learned, votes)
    np.testing.assert_allclose(display.probabilities, votes.errors() @ learned.posterior.theta)


def test_says_what_has_no_closed_form():
    votes = zoo.problem("noisy")
    learned = learn(votes, prior=1.0, solver="lbfgs", risk=zoo.risk_of("mc"), posterior="logit_normal", random_state=0)
    with pytest.raises(ValueError, match="no closed form"):
        ErrorDistributionDisplay.from_learned(learned, votes)


def test_does_not_call_certified_what_is_not_proven(unproven):
    display = ErrorDistributionDisplay.from_learned(unproven, zoo.problem("noisy"))
    assert display.bound_line_.get_label().startswith("bound (not proven)")


def test_hands_keywords_to_matplotlib(binary):
    display = ErrorDistributionDisplay.from_estimator(binary, alpha=0.5)
    assert display.bars_[0].get_alpha() == 0.5
