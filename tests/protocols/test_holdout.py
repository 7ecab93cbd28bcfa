"""A hold-out judges a vote that the other examples made, and all judge where nothing is learned from them."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from classifier.problems import VOTERS, Rules, data, numbered, quick
from protocols.splits import HELD, SPIES, X, y
from stocmv.bounds import bentkus, clopper_pearson


@pytest.mark.parametrize("kind", SPIES)
def test_nothing_that_makes_the_vote_sees_the_judges(kind):
    source = SPIES[kind]()
    clf = quick(source, holdout=0.25).fit(*numbered(60))
    (final,), judges = clf.voters_, clf.voters_[0].asked[-1]
    learning = set(range(60)) - judges
    assert len(judges) == 15
    assert final.trained == learning
    inner = [voters for voters in source.made if voters is not final]
    if kind == "trained":  # its weights are learned on folds within the learning part
        assert final.asked == [judges]
        assert len(inner) == 3
        assert all(v.trained | v.asked[0] == learning and not v.trained & v.asked[0] for v in inner)
        assert sorted(i for voters in inner for i in voters.asked[0]) == sorted(learning)
        assert all(len(voters.asked) == 1 for voters in inner)
    else:
        assert final.asked == ([judges] if kind == "alike" else [learning, judges])
        assert not inner


@pytest.mark.parametrize("kind", [kind for kind in VOTERS if kind != "frozen_forest"])
def test_weights_and_answers_do_not_depend_on_the_judges(kind):
    other = np.where(HELD, 1 - y, y)
    ours, theirs = (quick(VOTERS[kind](2)).fit(X, target) for target in (y, other))
    np.testing.assert_array_equal(ours.posterior_[0].mean, theirs.posterior_[0].mean)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.evidence_.answer, theirs.evidence_.answer)
    assert theirs.certificate_.empirical_risk == pytest.approx(1 - ours.certificate_.empirical_risk, abs=1e-12)


def test_the_share_goes_by_the_number_of_examples_in_a_fit():
    X = np.random.default_rng(0).normal(size=(20_000, 1))
    assert quick(Rules()).fit(X, X[:, 0] > 0).certificate_.n == 4_000
    assert quick(Rules()).fit(X[1:], X[1:, 0] > 0).certificate_.n == 6_666


@pytest.mark.parametrize(("holdout", "n"), [("auto", 40), (0.2, 24), (np.float32(0.5), 60), (0.001, 1), (0.999, 119)])
def test_it_has_the_share_that_is_asked_for(holdout, n):
    clf = quick(holdout=holdout).fit(X, y)
    assert clf.certificate_.n == len(clf.evidence_) == n


@pytest.mark.parametrize("kind", ["forest", "list", "stumps_known", "frozen_pair"])
def test_none_needs_a_vote_that_learns_nothing(kind):
    with pytest.raises(ValueError, match="leaves no examples to judge the vote"):
        quick(VOTERS[kind](2), holdout=0).fit(X, y)
    assert quick(VOTERS["frozen_forest"](2), holdout=0).fit(X, y).certificate_.n == 120


@pytest.mark.parametrize("n_classes", [2, 3])
def test_its_figures_are_those_of_the_errors_on_the_judges(n_classes):
    X, y = data(n_classes, noise=0.2)
    clf = quick(prior=1.0, per_class=True, stochastic=True).fit(X, y)
    wrong, losses, truth = clf.predict(X[HELD]) != y[HELD], clf.evidence_.loss, y[HELD]
    certificate = clf.certificate_
    assert (certificate.n, certificate.fold_sizes, certificate.fold_shares) == (40, (40,), (1.0,))
    assert certificate.bound == clopper_pearson(int(wrong.sum()), 40, 0.05)
    assert certificate.empirical_risk == pytest.approx(wrong.mean(), abs=1e-12)
    assert certificate.stochastic_bound == pytest.approx(bentkus(losses.mean(), 40, 0.05), rel=1e-9)
    for k, entry in enumerate(certificate.per_class):
        own, mean, share = wrong[truth == k], losses[truth == k].mean(), 0.05 / n_classes
        assert (entry["label"], entry["n"]) == (k, len(own))
        assert entry["bound"] == clopper_pearson(int(own.sum()), len(own), share)
        assert entry["empirical_risk"] == pytest.approx(own.mean(), abs=1e-12)
        assert entry["stochastic_risk"] == pytest.approx(mean, rel=1e-12)
        assert entry["stochastic_bound"] == pytest.approx(bentkus(mean, len(own), share), rel=1e-9)
    assert {claim.name: claim.delta for claim in certificate.claims}["classes"] == 0.05 / n_classes


def test_of_a_class_that_nobody_judges_nothing_is_promised():
    target = np.where(np.arange(120) == np.flatnonzero(~HELD)[0], 2, y)
    last = quick(per_class=True, stochastic=True).fit(X, target).certificate_.per_class[2]
    assert (last["n"], last["bound"], last["stochastic_bound"]) == (0, 1.0, 1.0)


@pytest.mark.parametrize("kind", ["forest", "list", "stumps"])
def test_it_leaves_one_vote_without_a_key(kind):
    clf = quick(VOTERS[kind](2), stochastic=True).fit(X, y)
    assert len(clf.voters_) == len(clf.posterior_) == clf.evidence_.n_folds == 1
    assert clf.key_ is None
    assert set(clf.predict_stochastic(X, 0)) == {0, 1}
    assert clf.draw(0).voters is clf.voters_[0]
    assert clf.draw(0).score(X, y) > 0.5


ALL_JUDGE = {
    "a frozen forest": (VOTERS["frozen_forest"], {}),
    "one frozen classifier": (lambda k: FrozenEstimator(GaussianNB().fit(*data(k, start=300))), {}),
    "rules of equal weight": (lambda k: Rules(), {"inner_folds": 0}),
    "stumps with known ranges, of equal weight": (VOTERS["stumps_known"], {"inner_folds": 0}),
    "frozen classifiers of equal weight": (VOTERS["frozen_pair"], {"inner_folds": 0}),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ALL_JUDGE)
def test_all_judge_where_nothing_is_learned(kind, n_classes):
    X, y = data(n_classes, noise=0.2)
    make, settings = ALL_JUDGE[kind]
    clf = quick(make(n_classes), **settings).fit(X, y)
    assert clf.certificate_.fold_sizes == (120,)
    np.testing.assert_array_equal(clf.evidence_.answer, clf.predict(X))
    assert clf.certificate_.bound == clopper_pearson(int(np.sum(clf.predict(X) != y)), 120, 0.05)
    assert clf.certificate_.context["weights"] == "equal"


@pytest.mark.parametrize("kind", ALL_JUDGE)
def test_not_all_judge_if_a_hold_out_or_folds_are_asked_for(kind):
    make, settings = ALL_JUDGE[kind]
    assert quick(make(2), holdout=0.25, **settings).fit(X, y).certificate_.fold_sizes == (30,)
    assert quick(make(2), n_folds=2, **settings).fit(X, y).certificate_.fold_sizes == (60, 60)


@pytest.mark.parametrize("kind", ["frozen_pair", "stumps_known", "rules"])
def test_not_all_judge_if_weights_are_learned(kind):
    clf = quick(Rules() if kind == "rules" else VOTERS[kind](2)).fit(X, y)
    assert clf.certificate_.fold_sizes == (40,)
