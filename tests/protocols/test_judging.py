"""The evidence is what `predict` does: row by row, for a hold-out, for each fold's own rows, and where all judge."""

from functools import cache

import numpy as np
import pytest

from classifier.problems import KINDS_AND_CLASSES, VOTERS, Rules, Shared, Thresholds, data, quick
from protocols.splits import EVEN, FOLDS, GROUPS, HELD, drawn_losses, fold_answers, parts_of
from stocmv import MajorityVoteClassifier
from stocmv.certificate import Judgments, group_ids
from stocmv.checks import hash_rows
from stocmv.learning import mean_vote, mean_weights, sharpened
from stocmv.protocols import ROW_KEY, Cut
from stocmv.solvers import LBFGS
from stocmv.voters import VoterSource

EVERY_VOTE = [*KINDS_AND_CLASSES, ("even", 2), ("even", 3)]


@cache
def fitted(kind, n_classes, **settings):
    X, y = data(n_classes, noise=0.2)
    voters = EVEN if kind == "even" else VOTERS[kind](n_classes)
    return quick(voters, solver=LBFGS(max_iter=2), **settings).fit(X, y)


@pytest.mark.parametrize(("kind", "n_classes"), EVERY_VOTE)
def test_a_hold_out_records_what_predict_answers(kind, n_classes):
    X, y = data(n_classes, noise=0.2)
    clf, judges = fitted(kind, n_classes), np.ones(120, bool) if kind == "frozen_forest" else HELD
    evidence = clf.evidence_
    assert isinstance(evidence, Judgments)
    np.testing.assert_array_equal(evidence.classes[evidence.answer], clf.predict(X[judges]))
    np.testing.assert_array_equal(evidence.truth, y[judges])
    np.testing.assert_array_equal(evidence.scores.argmax(1), evidence.answer)
    np.testing.assert_allclose(evidence.scores, clf.predict_proba(X[judges]), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(evidence.row, hash_rows(X[judges], ROW_KEY))
    assert not evidence.fold.any()
    assert evidence.group is None
    assert evidence.silent is None
    assert evidence.loss is None


@pytest.mark.parametrize(("kind", "n_classes"), EVERY_VOTE)
def test_each_fold_records_what_its_own_vote_answers_on_its_own_rows(kind, n_classes):
    X, y = data(n_classes, noise=0.2)
    clf = fitted(kind, n_classes, n_folds=3, voting="hard")
    answers = np.stack([fold_answers(clf, k, X) for k in range(3)])
    for k, (part, posterior, voters) in enumerate(zip(clf.evidence_.folds(), clf.posterior_, clf.voters_, strict=True)):
        own = k == FOLDS
        np.testing.assert_array_equal(part.answer, mean_vote(posterior, voters.codes(X[own]), n_classes))
        np.testing.assert_array_equal(part.answer, answers[k, own])
        scores = mean_weights(posterior, voters.codes(X[own]), n_classes)
        np.testing.assert_allclose(part.scores, scores, rtol=0, atol=1e-15)
        assert part.scores.max() <= 1
        np.testing.assert_array_equal(part.truth, y[own])
        np.testing.assert_array_equal(part.row, hash_rows(X[own], ROW_KEY))
        agree = np.ptp(answers[:, own], axis=0) == 0  # where all folds answer alike, predict does
        np.testing.assert_array_equal(part.classes[part.answer[agree]], clf.predict(X[own][agree]))


@pytest.mark.parametrize("kind", ["forest", "list", "frozen_pair"])
def test_each_fold_records_the_probabilities_of_its_own_soft_vote(kind):
    X, _ = data(3, noise=0.2)
    clf = fitted(kind, 3, n_folds=3)
    for k, (part, posterior, voters) in enumerate(zip(clf.evidence_.folds(), clf.posterior_, clf.voters_, strict=True)):
        sums = np.einsum("j,ijk->ik", posterior.mean, voters.probabilities(X[k == FOLDS]))
        answers = voters.codes(X[k == FOLDS])[:, 0] if voters.n_voters == 1 else sums.argmax(1)
        np.testing.assert_array_equal(part.answer, answers)
        rule = clf.rules_[k]
        scores = sums if voters.n_voters == 1 else sharpened(sums, rule.linear, rule.logarithmic)
        np.testing.assert_allclose(part.scores, scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("settings", [{}, {"n_folds": 3}], ids=["hold-out", "folds"])
def test_row_hashes_find_the_rows(settings):
    """An auditor who has the examples finds the row of each judgment, in any order and among others."""
    X, y = data(3, n=150, noise=0.2)
    evidence = fitted("forest", 3, **settings).evidence_
    place = {number: i for i, number in enumerate(hash_rows(X[::-1], ROW_KEY).tolist())}
    assert len(place) == 150
    rows = np.array([149 - place[number] for number in evidence.row.tolist()])
    assert set(rows) == set(range(120) if settings else np.flatnonzero(HELD))
    np.testing.assert_array_equal(evidence.truth, y[rows])
    np.testing.assert_array_equal(evidence.fold, FOLDS[rows] if settings else 0)


@pytest.mark.parametrize("n_folds", [None, 3])
def test_groups_are_recorded_by_their_numbers(n_folds):
    X, y = data(2, noise=0.2)
    evidence = quick(n_folds=n_folds).fit(X, y, groups=GROUPS).evidence_
    part = parts_of(120, Cut.holdout(1 / 3) if n_folds is None else Cut.folds(3), GROUPS)
    rows = np.flatnonzero(part == 0) if n_folds is None else np.argsort(part, kind="stable")
    np.testing.assert_array_equal(evidence.group, group_ids(GROUPS, 120)[rows])
    for ours, judged in enumerate(evidence.folds()):
        np.testing.assert_array_equal(judged.row, hash_rows(X[part == ours], ROW_KEY))


@pytest.mark.parametrize("kind", ["forest", "list", "stumps"])
def test_the_loss_of_the_stochastic_vote_is_recorded_if_it_is_certified(kind):
    X, y = data(3, noise=0.2)
    ours, plain = fitted(kind, 3, stochastic=True), fitted(kind, 3, voting="hard")
    np.testing.assert_allclose(ours.evidence_.loss, drawn_losses(ours, X[HELD], y[HELD]), rtol=0, atol=1e-8)
    np.testing.assert_array_equal(ours.evidence_.answer, plain.evidence_.answer)
    assert ours.certificate_.bound == plain.certificate_.bound
    assert ours.certificate_.stochastic_risk == pytest.approx(ours.evidence_.loss.mean(), rel=1e-12)
    assert plain.certificate_.stochastic_bound is None
    assert plain.certificate_.stochastic_risk is None
    assert not plain.certificate_.covers_drawn


def test_one_voter_has_no_stochastic_vote():
    clf = fitted("classifier", 2, stochastic=True)
    assert clf.evidence_.loss is None
    assert clf.certificate_.stochastic_bound is None
    assert clf.certificate_.covers_drawn  # there is one vote, and it is certified
    np.testing.assert_array_equal(clf.predict_stochastic(data()[0], 0), clf.predict(data()[0]))


class Uneven(Rules):
    """Five rules for the first of the folds, and one for each of the others."""

    def __init__(self, counts):
        self.counts = counts

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Thresholds(np.linspace(-1, 1, self.counts.pop(0)))


@pytest.mark.parametrize("counts", [[5, 1, 1], [1, 5, 5], [1, 1, 1]], ids=str)
def test_folds_may_have_one_voter_or_several(counts):
    """If all have one there is no stochastic vote; otherwise the loss of one voter is 0 or 1."""
    X, y = data(noise=0.2)
    clf = quick(Uneven(Shared(counts * 2)), n_folds=3, inner_folds=0, stochastic=True).fit(X, y)
    several = 5 in counts
    assert (clf.certificate_.stochastic_bound is not None) == several
    assert clf.certificate_.has_one_voter == (not several)
    assert clf.certificate_.verify(clf.evidence_)
    assert clf.predict_stochastic(X, 0).shape == y.shape


class Contrary(Thresholds):
    """Rules whose probabilities are for the class that they do not answer."""

    def probabilities(self, X):
        return np.eye(2)[1 - self.codes(X)]


class Alone(VoterSource):
    """One voter for the first fold and five for the second."""

    counts = Shared([])

    def soft(self):
        return self

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Contrary(np.linspace(-1, 1, self.counts.pop(0)))


def test_the_loss_of_a_soft_voter_that_is_alone_in_its_fold_is_that_of_its_answers():
    """It answers itself, whatever its probabilities say."""
    X, y = data(noise=0.2)
    Alone.counts[:] = [1, 1, 5, 5]  # each fold also trains voters to estimate the error
    clf = quick(Alone(), voting="soft", n_folds=2, inner_folds=0, stochastic=True).fit(X, y)
    first = clf.evidence_.fold == 0
    np.testing.assert_array_equal(clf.evidence_.loss[first], clf.evidence_.wrong[first])


def near_ties(seed, n=400):
    """Answers of six voters whose weights, in tenths, nearly tie: 0.1 + 0.2 is not 0.3 in floating point."""
    rng = np.random.default_rng(seed)
    weights = rng.permutation([0.1, 0.2, 0.3, 0.3, 0.2, 0.1])
    return rng.integers(0, 3, (n, 6)), rng.integers(0, 3, n), weights


@pytest.mark.parametrize("n_folds", [None, 2])
@pytest.mark.parametrize("seed", range(3))
def test_near_ties_are_recorded_as_predict_answers_them(seed, n_folds):
    """Whether a row is asked alone, among others, or in another order, and whatever rounding makes of its weights."""
    X, y, weights = near_ties(seed)
    clf = MajorityVoteClassifier("answers", prior=weights, inner_folds=0, n_folds=n_folds, random_state=0).fit(X, y)
    exact = np.stack([(c == X) @ np.rint(10 * weights).astype(int) for c in range(3)], axis=1)
    ties = (exact == exact.max(1, keepdims=True)).sum(1) > 1
    assert ties.sum() > 30
    answers = clf.predict(X)
    rows = np.arange(400) if n_folds is None else np.argsort(parts_of(400, Cut.folds(2)), kind="stable")
    np.testing.assert_array_equal(clf.evidence_.answer, answers[rows])  # the folds have the same voters and weights
    np.testing.assert_array_equal(answers, exact.argmax(1))
    np.testing.assert_array_equal(clf.predict(X[::-1])[::-1], answers)
    np.testing.assert_array_equal([clf.predict(X[[i]])[0] for i in np.flatnonzero(ties)[:20]], answers[ties][:20])
    wrong = np.count_nonzero(answers != y)
    assert clf.certificate_.empirical_risk == pytest.approx(wrong / 400, abs=0.02 if n_folds else 1e-12)


def test_where_weights_are_learned_on_the_judges_the_votes_are_the_evidence():
    X, y = data(noise=0.2)
    clf = quick(bound="seeger").fit(X, y)
    assert [votes.n_examples for votes in clf.evidence_] == [40, 40, 40]
    for k, votes in enumerate(clf.evidence_):
        np.testing.assert_array_equal(votes.answers(), clf.voters_[k].codes(X[k == FOLDS]))
