"""Each fold judges the vote that the other folds made: its voters, its weights and the constants of its test."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import VOTERS, data, numbered, quick
from protocols.splits import FOLDS, SPIES, X, y
from stocmv.bounds import FoldTest
from stocmv.solvers import LBFGS

CONSTANTS = ("slope", "offset", "scale")


def upper(test, risks):
    """The bound of the fold test, by its formula."""
    slope, offset, scale = (np.array(test[name]) for name in CONSTANTS)
    shares = 1 / scale / np.sum(1 / scale)
    return min(shares @ (slope * risks + offset) + len(scale) / np.sum(1 / scale), 1.0)


@pytest.mark.parametrize("kind", SPIES)
@pytest.mark.parametrize("n_folds", [2, 5])
def test_nothing_that_makes_the_vote_of_a_fold_sees_it(kind, n_folds):
    source = SPIES[kind]()
    clf = quick(source, n_folds=n_folds).fit(*numbered(60))
    firsts = [source.made.index(voters) for voters in clf.voters_]
    assert firsts == sorted(firsts)
    for first, stop in zip(firsts, [*firsts[1:], None], strict=True):
        final, *others = source.made[first:stop]
        judges = final.asked.pop()
        assert len(judges) == 60 / n_folds
        assert final.trained == set(range(60)) - judges
        assert not any(judges & seen for voters in (final, *others) for seen in (voters.trained, *voters.asked))
        assert all(v.trained.isdisjoint(*v.asked) for v in others)
        assert len(others) == {"trained": 3, "alike": 1}.get(kind, 0)  # inner folds; a part on which it is tried


@pytest.mark.parametrize("kind", VOTERS)
def test_constants_and_weights_of_a_fold_do_not_depend_on_its_labels(kind):
    """Labels turned around in the second fold: all that was found out without it stays as it is."""
    other = np.where(FOLDS == 1, 1 - y, y)
    settings = {"n_folds": 3, "solver": LBFGS(max_iter=2)}
    ours, theirs = (quick(VOTERS[kind](2), **settings).fit(X, target) for target in (y, other))
    for name in CONSTANTS:
        same = np.equal(ours.certificate_.fold_test[name], theirs.certificate_.fold_test[name])
        np.testing.assert_array_equal(same, [False, True, False])
    np.testing.assert_array_equal(ours.posterior_[1].mean, theirs.posterior_[1].mean)
    np.testing.assert_array_equal(ours.evidence_.folds()[1].answer, theirs.evidence_.folds()[1].answer)
    assert ours.certificate_.bound < theirs.certificate_.bound


@pytest.mark.parametrize("frozen", [True, False])
def test_constants_do_not_depend_on_them_where_nothing_else_is_learned(frozen):
    trees = [DecisionTreeClassifier(max_depth=k, random_state=0).fit(*data(start=300)) for k in (1, 2, 3)]
    voters = [FrozenEstimator(tree) for tree in trees] if frozen else trees
    clf = quick(voters, n_folds=3, inner_folds=0)
    ours, theirs = (clf.fit(X, t).certificate_.fold_test["slope"] for t in (y, np.where(FOLDS == 0, 1 - y, y)))
    assert [a == b for a, b in zip(ours, theirs, strict=True)] == [True, False, False]


@pytest.mark.parametrize("kind", ["forest", "list", "frozen_forest", "frozen_pair"])
def test_constants_of_a_class_and_of_costs_do_not_depend_on_the_fold(kind):
    """Features reversed in the second fold; its labels decide how many examples of a class there are."""
    other = np.where((FOLDS == 1)[:, None], -X, X)
    settings = {"n_folds": 3, "solver": LBFGS(max_iter=2), "per_class": True, "cost": [[0, 1], [5, 2]]}
    ours, theirs = (quick(VOTERS[kind](2), **settings).fit(each, y).certificate_ for each in (X, other))
    pairs = [*zip(ours.per_class, theirs.per_class, strict=True), (ours.cost, theirs.cost)]
    assert ours.cost["measured"] != theirs.cost["measured"]
    for mine, another in pairs:
        for name in CONSTANTS:
            assert mine["fold_test"][name][1] == another["fold_test"][name][1]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_figures_are_those_of_the_fold_test_on_the_judgments(n_classes):
    X, y = data(n_classes, noise=0.2)
    clf = quick(prior=1.0, n_folds=3, per_class=True, stochastic=True).fit(X, y)
    certificate, wrong, losses = clf.certificate_, np.empty(120, bool), np.empty(120)
    for k, part in enumerate(clf.evidence_.folds()):
        wrong[k == FOLDS], losses[k == FOLDS] = part.wrong, part.loss
    assert (certificate.n, certificate.fold_sizes) == (120, (40, 40, 40))
    scale = np.array(certificate.fold_test["scale"])
    shares = 1 / scale / np.sum(1 / scale)
    np.testing.assert_allclose(certificate.fold_shares, shares, rtol=1e-12)
    risks, drawn = (np.array([each[k == FOLDS].mean() for k in range(3)]) for each in (wrong, losses))
    assert certificate.empirical_risk == pytest.approx(shares @ risks, abs=1e-12)
    assert certificate.bound == pytest.approx(upper(certificate.fold_test, risks), rel=1e-11)
    assert certificate.stochastic_risk == pytest.approx(shares @ drawn, abs=1e-12)
    assert certificate.stochastic_bound == pytest.approx(upper(certificate.fold_test, drawn), rel=1e-11)
    for c, entry in enumerate(certificate.per_class):
        own = np.array([wrong[(k == FOLDS) & (y == c)].mean() for k in range(3)])
        assert entry["n"] == np.sum(y == c)
        assert entry["empirical_risk"] == pytest.approx(shares @ own, abs=1e-12)
        assert entry["bound"] == pytest.approx(upper(entry["fold_test"], own), rel=1e-11)
        ratio = np.array(entry["fold_test"]["scale"]) / scale  # the same shares for every class
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)


def test_of_a_class_that_some_fold_lacks_nothing_is_promised():
    """One example of a class: two folds have none of it."""
    target = np.where(np.arange(120) == 7, 2, y)
    first, *_, last = quick(per_class=True, n_folds=3).fit(X, target).certificate_.per_class
    assert first["bound"] < 1
    assert (last["n"], last["bound"], last["fold_test"]) == (1, 1.0, {})


def test_a_guess_that_is_wrong_costs_tightness_and_never_validity():
    """The constants are good for any error: those of other guesses bound the same errors, only less well."""
    good, bad = (FoldTest.choose([guess] * 3, [40] * 3, 0.05) for guess in (0.1, 0.5))
    assert good.upper([0.1] * 3) < bad.upper([0.1] * 3) < 1
