"""Who learns is not judged by what it learned from: a hold-out, folds, and examples that all judge."""

import warnings
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import KINDS_AND_CLASSES, VOTERS, Rules, class_scores, data, numbered, quick, spy
from stocmv import RepeatedRowsWarning
from stocmv.bounds import FoldTest, bentkus, clopper_pearson
from stocmv.learning import minimise
from stocmv.protocols import _recipe
from stocmv.protocols._choices import holdout_share
from stocmv.protocols._cut import choose_cut, random_parts
from stocmv.protocols._groups import group_ids
from stocmv.solvers import LBFGS

X, y = data()
FROZEN_TREE = DecisionTreeClassifier(max_depth=3).fit(*data(start=300))
EVEN = RandomForestClassifier(4, max_depth=2)  # an even number of trees: there are ties
SPIES = {
    "trained": spy,
    "alike": lambda: spy(exchangeable=True),
    "without labels": lambda: spy(uses_labels=False),
    "rules": lambda: spy(learns=False),
}


def parts_of(n, shares, seed=0):
    """The part of each example of a fit with this seed: it depends on the seed alone."""
    return random_parts(n, None, shares, np.random.RandomState(seed))


HELD = parts_of(120, (1 / 3, 2 / 3)) == 0
FOLDS = parts_of(120, (1 / 3,) * 3)


def fold_errors(clf, fold, X, y):
    """Whether the mean vote of a fold errs; of classes that tie the first wins."""
    scores = class_scores(clf.voters_[fold].codes(X), clf.posterior_[fold].mean, len(clf.classes_))
    return clf.classes_[(scores > scores.max(1, keepdims=True) - 1e-9).argmax(1)] != y


def drawn_losses(clf, X, y):
    """Probability that the stochastic vote errs."""
    return 1 - clf.predict_stochastic_proba(X)[np.arange(len(y)), np.searchsorted(clf.classes_, y)]


def upper(test, risks):
    """The bound of the fold test, by its formula."""
    slope, offset, scale = (np.array(test[name]) for name in ("slope", "offset", "scale"))
    shares = 1 / scale / np.sum(1 / scale)
    return min(shares @ (slope * risks + offset) + len(scale) / np.sum(1 / scale), 1.0)


class TestHoldout:
    @pytest.mark.parametrize("kind", SPIES)
    def test_nothing_that_makes_the_vote_sees_the_judges(self, kind):
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
    def test_weights_and_answers_do_not_depend_on_the_judges(self, kind):
        other = np.where(HELD, 1 - y, y)
        ours, theirs = (quick(VOTERS[kind](2)).fit(X, target) for target in (y, other))
        assert ours.certificate_.posteriors == theirs.certificate_.posteriors
        np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
        assert theirs.certificate_.empirical_risk == pytest.approx(1 - ours.certificate_.empirical_risk, abs=1e-12)

    @pytest.mark.parametrize(
        ("n", "share"), [(2, 1 / 3), (19_999, 1 / 3), (20_000, 1 / 5), (200_000, 1 / 5), (200_001, 1 / 10)]
    )
    def test_goes_by_the_number_of_examples(self, n, share):
        assert holdout_share(n) == share
        cut = choose_cut("auto", None, n, tested=True, folds_wanted=False, learns=True)
        judges = np.count_nonzero(cut.parts(n, None, np.random.RandomState(0)) == 0)
        assert judges == round(share * n)

    def test_goes_by_the_number_of_examples_in_a_fit(self):
        X = np.random.default_rng(0).normal(size=(20_000, 1))
        assert quick(Rules()).fit(X, X[:, 0] > 0).certificate_.n == 4_000
        assert quick(Rules()).fit(X[1:], X[1:, 0] > 0).certificate_.n == 6_666

    @pytest.mark.parametrize(
        ("holdout", "n"), [("auto", 40), (0.2, 24), (np.float32(0.5), 60), (0.001, 1), (0.999, 119)]
    )
    def test_has_the_share_that_is_asked_for(self, holdout, n):
        clf = quick(holdout=holdout).fit(X, y)
        assert clf.certificate_.n == clf.evidence_[0].n_examples == n

    @pytest.mark.parametrize("holdout", [1, 1.0, -0.1, 2, np.nan, np.inf, "half", True, [0.2]])
    def test_is_a_share(self, holdout):
        with pytest.raises(ValueError, match="holdout must be 'auto' or a share of the examples between 0 and 1, got"):
            quick(holdout=holdout).fit(X, y)

    @pytest.mark.parametrize("holdout", [0, 0.0, None])
    def test_of_nothing_needs_a_vote_that_learns_nothing(self, holdout):
        for kind in ("forest", "list", "stumps_known", "frozen_pair"):
            with pytest.raises(ValueError, match="leaves no examples to judge the vote"):
                quick(VOTERS[kind](2), holdout=holdout).fit(X, y)
        assert quick(VOTERS["frozen_forest"](2), holdout=holdout).fit(X, y).certificate_.n == 120
        assert quick(VOTERS["forest"](2), holdout=holdout, n_folds=3).fit(X, y).certificate_.n == 120

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"holdout": 0.2, "n_folds": 3}, "holdout=0.2 and n_folds=3: give one of them"),
            ({"holdout": 0.2, "bound": "fold_test"}, "holdout=0.2 and bound='fold_test', which is for folds"),
            ({"holdout": 0.2, "bound": "seeger"}, "holdout=0.2 needs a bound that only tests the vote"),
            ({"bound": "clopper_pearson", "n_folds": 3}, "bound='clopper_pearson' and n_folds=3: .* for a hold-out"),
        ],
    )
    def test_excludes_folds(self, settings, message):
        for voters in ("stumps", VOTERS["frozen_forest"](2)):
            with pytest.raises(ValueError, match=message):
                quick(voters, **settings).fit(X, y)

    @pytest.mark.parametrize(
        ("kind", "n_classes"),
        [*(pair for pair in KINDS_AND_CLASSES if pair[0] != "frozen_forest"), ("even", 2), ("even", 3)],
    )
    def test_has_clopper_and_pearsons_bound_on_what_predict_does(self, kind, n_classes):
        X, y = data(n_classes, noise=0.2)
        voters = EVEN if kind == "even" else VOTERS[kind](n_classes)
        clf = quick(voters, per_class=True).fit(X, y)
        wrong = clf.predict(X[HELD]) != y[HELD]
        certificate = clf.certificate_
        assert certificate.tested
        assert (certificate.n, certificate.kl, certificate.fold_sizes) == (40, 0, (40,))
        assert certificate.bound == clopper_pearson(int(wrong.sum()), 40, 0.05)
        assert certificate.empirical_risk == pytest.approx(wrong.mean(), abs=1e-12)
        losses = drawn_losses(clf, X[HELD], y[HELD])
        assert certificate.moments[0] == pytest.approx(losses.mean(), abs=1e-7)
        counted = kind == "classifier"
        theirs = clopper_pearson(int(wrong.sum()), 40, 0.05) if counted else bentkus(losses.mean(), 40, 0.05)
        assert certificate.stochastic_bound == pytest.approx(theirs, abs=1e-6)
        for k, entry in enumerate(certificate.per_class):
            own = wrong[y[HELD] == k]
            assert (entry["label"], entry["n"], entry["delta"]) == (k, len(own), 0.05 / n_classes)
            assert entry["bound"] == clopper_pearson(int(own.sum()), len(own), 0.05 / n_classes)
            assert entry["empirical_risk"] == pytest.approx(own.mean(), abs=1e-12)
            mean = losses[y[HELD] == k].mean()
            assert entry["stochastic_risk"] == pytest.approx(mean, abs=1e-7)
            if not counted:
                assert entry["stochastic_bound"] == pytest.approx(bentkus(mean, len(own), 0.05 / n_classes), abs=1e-6)

    def test_of_a_class_that_nobody_judges_promises_nothing(self):
        target = np.where(np.arange(120) == np.flatnonzero(~HELD)[0], 2, y)
        last = quick(per_class=True).fit(X, target).certificate_.per_class[2]
        assert (last["n"], last["bound"], last["stochastic_bound"]) == (0, 1.0, 1.0)

    @pytest.mark.parametrize("kind", ["forest", "list", "stumps"])
    def test_leaves_one_vote_without_a_key(self, kind):
        clf = quick(VOTERS[kind](2)).fit(X, y)
        assert len(clf.voters_) == len(clf.posterior_) == len(clf.evidence_) == 1
        assert clf.key_ is None
        assert clf.certificate_.fold_shares == (1.0,)
        assert set(clf.predict_stochastic(X, 0)) == {0, 1}
        assert clf.draw(0).voters is clf.voters_[0]
        assert clf.draw(0).score(X, y) > 0.5


class TestFolds:
    def test_are_three_where_the_fold_test_is_asked_for(self):
        assert quick(bound="fold_test").fit(X, y).certificate_.fold_sizes == (40, 40, 40)
        assert quick(VOTERS["frozen_forest"](2), bound="fold_test").fit(X, y).certificate_.fold_sizes == (40, 40, 40)
        assert quick(bound="fold_test", n_folds=2).fit(X, y).certificate_.fold_sizes == (60, 60)

    @pytest.mark.parametrize("kind", SPIES)
    @pytest.mark.parametrize("n_folds", [2, 5])
    def test_nothing_that_makes_the_vote_of_a_fold_sees_it(self, kind, n_folds):
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
    def test_constants_and_weights_of_a_fold_do_not_depend_on_it(self, kind):
        """Labels turned around in the second fold: all that was found out without it stays as it is."""
        other = np.where(FOLDS == 1, 1 - y, y)
        settings = {"n_folds": 3, "solver": LBFGS(max_iter=2)}
        ours, theirs = (quick(VOTERS[kind](2), **settings).fit(X, target).certificate_ for target in (y, other))
        for name in ("slope", "offset", "scale"):
            same = np.equal(ours.bound_settings[name], theirs.bound_settings[name])
            np.testing.assert_array_equal(same, [False, True, False])
        assert ours.posteriors[1] == theirs.posteriors[1]
        assert ours.bound < theirs.bound

    @pytest.mark.parametrize("kind", ["forest", "list", "frozen_forest", "frozen_pair"])
    def test_constants_of_a_class_do_not_depend_on_the_fold(self, kind):
        """Features reversed in the second fold; its labels decide how many examples of a class there are."""
        other = np.where((FOLDS == 1)[:, None], -X, X)
        settings = {"n_folds": 3, "solver": LBFGS(max_iter=2), "per_class": True}
        ours, theirs = (quick(VOTERS[kind](2), **settings).fit(each, y).certificate_ for each in (X, other))
        for mine, another in zip(ours.per_class, theirs.per_class, strict=True):
            assert mine["empirical_risk"] != another["empirical_risk"]
            for name in ("slope", "offset", "scale"):
                assert mine["bound_settings"][name][1] == another["bound_settings"][name][1]

    @pytest.mark.parametrize(("kind", "n_classes"), [*KINDS_AND_CLASSES, ("even", 2), ("even", 3)])
    def test_have_the_bound_of_the_fold_test_on_what_predict_does(self, kind, n_classes):
        X, y = data(n_classes, noise=0.2)
        voters = EVEN if kind == "even" else VOTERS[kind](n_classes)
        clf = quick(voters, n_folds=3, per_class=True, solver=LBFGS(max_iter=2)).fit(X, y)
        certificate, wrong = clf.certificate_, np.empty(120, bool)
        for k in range(3):
            wrong[k == FOLDS] = fold_errors(clf, k, X[k == FOLDS], y[k == FOLDS])
        assert (certificate.n, certificate.kl, certificate.fold_sizes) == (120, 0, (40, 40, 40))
        scale = np.array(certificate.bound_settings["scale"])
        shares = 1 / scale / np.sum(1 / scale)
        np.testing.assert_allclose(certificate.fold_shares, shares, rtol=1e-12)
        risks = np.array([wrong[k == FOLDS].mean() for k in range(3)])
        assert certificate.empirical_risk == pytest.approx(shares @ risks, abs=1e-12)
        assert certificate.bound == pytest.approx(upper(certificate.bound_settings, risks), rel=1e-11)
        for c, entry in enumerate(certificate.per_class):
            own = np.array([wrong[(k == FOLDS) & (y == c)].mean() for k in range(3)])
            assert (entry["n"], entry["delta"]) == (np.sum(y == c), 0.05 / n_classes)
            assert entry["empirical_risk"] == pytest.approx(shares @ own, abs=1e-12)
            assert entry["bound"] == pytest.approx(upper(entry["bound_settings"], own), rel=1e-11)
            ratio = np.array(entry["bound_settings"]["scale"]) / scale  # the same shares for every class
            np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)

    def test_bound_the_stochastic_vote_with_the_same_constants(self):
        X, y = data(noise=0.2)
        clf = quick(prior=1.0, n_folds=3).fit(X, y)
        risks = []
        for k in range(3):
            alone = quick(prior=1.0, n_folds=3).fit(X, y)
            alone.voters_, alone.posterior_, alone.evidence_ = [alone.voters_[k]], [alone.posterior_[k]], [alone.evidence_[k]]
            object.__setattr__(alone.certificate_, "fold_shares", (1.0,))
            risks.append(drawn_losses(alone, X[k == FOLDS], y[k == FOLDS]).mean())
        certificate = clf.certificate_
        assert certificate.moments[0] == pytest.approx(np.dot(certificate.fold_shares, risks), abs=1e-7)
        theirs = upper(certificate.bound_settings, np.array(risks))
        assert certificate.stochastic_bound == pytest.approx(theirs, abs=1e-6)

    def test_without_a_class_promise_nothing_about_it(self):
        """One example of a class: two folds have none of it."""
        target = np.where(np.arange(120) == 7, 2, y)
        first, *_, last = quick(per_class=True, n_folds=3).fit(X, target).certificate_.per_class
        assert first["bound"] < 1
        assert (last["n"], last["bound"], last["stochastic_bound"], last["bound_settings"]) == (1, 1.0, 1.0, {})


ALL_JUDGE = {
    "a frozen forest": (VOTERS["frozen_forest"], {}),
    "one frozen classifier": (lambda k: FrozenEstimator(GaussianNB().fit(*data(k, start=300))), {}),
    "rules of equal weight": (lambda k: Rules(), {"inner_folds": 0}),
    "stumps with known ranges, of equal weight": (VOTERS["stumps_known"], {"inner_folds": 0}),
    "frozen classifiers of equal weight": (VOTERS["frozen_pair"], {"inner_folds": 0}),
}


class TestAllJudge:
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("kind", ALL_JUDGE)
    def test_where_nothing_is_learned(self, kind, n_classes):
        X, y = data(n_classes, noise=0.2)
        make, settings = ALL_JUDGE[kind]
        clf = quick(make(n_classes), **settings).fit(X, y)
        assert clf.certificate_.fold_sizes == (120,)
        wrong = int(np.sum(clf.predict(X) != y))
        assert clf.certificate_.bound == clopper_pearson(wrong, 120, 0.05)
        assert clf.certificate_.context["weights"] == "equal"

    @pytest.mark.parametrize("kind", ALL_JUDGE)
    def test_unless_a_hold_out_or_folds_are_asked_for(self, kind):
        make, settings = ALL_JUDGE[kind]
        assert quick(make(2), holdout=0.25, **settings).fit(X, y).certificate_.fold_sizes == (30,)
        assert quick(make(2), n_folds=2, **settings).fit(X, y).certificate_.fold_sizes == (60, 60)

    @pytest.mark.parametrize("kind", ["frozen_pair", "stumps_known", "rules"])
    def test_not_where_weights_are_learned(self, kind):
        clf = quick(Rules() if kind == "rules" else VOTERS[kind](2)).fit(X, y)
        assert clf.certificate_.fold_sizes == (40,)


ALIKE = ("forest", "extra_trees", "bagging", "classifier", "repeated", "frozen_forest", "networks")


class TestWeights:
    @pytest.mark.parametrize("n_folds", [None, 2])
    @pytest.mark.parametrize("kind", VOTERS)
    def test_are_equal_for_alike_voters_and_learned_for_others(self, kind, n_folds):
        clf = quick(VOTERS[kind](2), n_folds=n_folds).fit(*data(noise=0.2))
        for posterior in clf.posterior_:
            assert (np.ptp(posterior.mean) < 1e-12) == (kind in ALIKE)
        assert clf.certificate_.context["weights"].split()[0] == ("equal" if kind in ALIKE else "learned")

    @pytest.mark.parametrize("kind", VOTERS)
    def test_are_equal_without_inner_folds(self, kind):
        clf = quick(VOTERS[kind](2), inner_folds=0).fit(X, y)
        assert np.ptp(clf.posterior_[0].alpha) == 0
        assert clf.certificate_.context["weights"] == "equal"

    def test_are_equal_where_the_inner_folds_have_other_numbers_of_voters(self):
        """Boosting stops early where a stage makes no error."""
        X = np.linspace(-1, 1, 60)[:, None]
        odd = np.flatnonzero(parts_of(60, (1 / 3, 2 / 3)) == 1)[5]  # one of those that train, left of the middle
        target = np.where(np.arange(60) == odd, 1, X[:, 0] > 0).astype(int)
        clf = quick(AdaBoostClassifier(n_estimators=3)).fit(X, target)
        assert clf.voters_[0].n_voters == 3
        assert np.ptp(clf.posterior_[0].alpha) == 0
        assert clf.certificate_.context["weights"] == "equal"

    @pytest.mark.parametrize(("n", "tried"), [(600, 540), (9000, 6000)])
    @pytest.mark.parametrize("grouped", [False, True])
    def test_mind_the_kl_as_much_as_a_third_of_some_examples_shows_to_be_best(self, monkeypatch, n, tried, grouped):
        X = np.random.default_rng(0).normal(size=(n, 3))
        y = (X.sum(1) > 0).astype(int)
        groups, asked = np.arange(n) // 3 if grouped else None, []
        monkeypatch.setattr(_recipe, "minimise", lambda *args, **kw: asked.append((args, kw)) or minimise(*args, **kw))
        quick("stumps", solver=LBFGS(max_iter=20), holdout=0.1).fit(X, y, groups=groups)
        sizes = [args[0][0].n_examples for args, _ in asked]
        weights = [settings["kl_weight"] for _, settings in asked]
        assert weights[:-1] == list(_recipe.KL_WEIGHTS)
        assert weights[-1] in weights[:-1]
        assert sizes[-1] == 0.9 * n
        assert all(size == pytest.approx(tried * 2 / 3, rel=0.1 if grouped else 1e-3) for size in sizes[:-1])

    @pytest.mark.parametrize("inner_folds", [2, 5])
    def test_are_learned_from_so_many_folds(self, inner_folds):
        source = spy()
        quick(source, inner_folds=inner_folds).fit(*numbered(60))
        assert [len(voters.trained) for voters in source.made] == [40] + [40 - 40 // inner_folds] * inner_folds

    @pytest.mark.parametrize("as_ensemble", [False, True])
    @pytest.mark.parametrize("frozen", [False, True])
    def test_prefer_a_good_voter(self, frozen, as_ensemble):
        (X, y), (X_old, y_old) = data(n=300), data(n=300, start=300)
        voters = [DummyClassifier(strategy="constant", constant=0) for _ in range(4)] + [GaussianNB()]
        if frozen:
            voters = [FrozenEstimator(voter.fit(X_old, y_old)) for voter in voters]
        if as_ensemble:
            voters = VotingClassifier([(str(k), voter) for k, voter in enumerate(voters)])
        settings = {"solver": LBFGS(max_iter=100)}
        learned = quick(voters, **settings).fit(X, y)
        assert learned.posterior_[0].mean[-1] > 0.5
        assert learned.certificate_.bound < quick(voters, inner_folds=0, **settings).fit(X, y).certificate_.bound

    def test_are_not_given_for_memory(self):
        """The nearest neighbour is always right on its own examples, but the labels are noisy."""
        X, y = data(n=600, noise=0.4)
        clf = quick([KNeighborsClassifier(1), LogisticRegression()], solver=LBFGS(max_iter=100)).fit(X, y)
        memory, line = clf.posterior_[0].mean
        assert line > 0.8 > memory

    def test_are_the_same_for_a_list_and_an_ensemble_that_is_frozen(self):
        voters = [
            FrozenEstimator(c.fit(*data(start=300)))
            for c in (GaussianNB(), LogisticRegression(), KNeighborsClassifier())
        ]
        named = [(str(k), voter) for k, voter in enumerate(voters)]
        for settings in ({}, {"n_folds": 3}):
            ours, theirs = (quick(v, **settings).fit(X, y).certificate_ for v in (VotingClassifier(named), voters))
            assert ours == theirs


GROUPS = np.sort(np.random.default_rng(0).integers(0, 40, 120))  # of one to eight rows
NAMES = np.array([f"patient {g}" for g in range(40)])


def by_group(losses, groups):
    """The mean loss of each group."""
    return np.array([losses[groups == g].mean() for g in np.unique(groups)])


def group_parts(groups, shares):
    return random_parts(len(groups), group_ids(groups, len(groups)), shares, np.random.RandomState(0))


class TestGroups:
    @pytest.mark.parametrize("kind", SPIES)
    @pytest.mark.parametrize("settings", [{}, {"holdout": 0.25}, {"n_folds": 3}], ids=str)
    def test_stay_together(self, kind, settings):
        source, groups = SPIES[kind](), np.arange(60) // 4
        clf = quick(source, **settings).fit(*numbered(60), groups=groups)
        judges = [voters.asked.pop() for voters in clf.voters_]
        for seen in judges:
            assert set(np.flatnonzero(np.isin(groups, [groups[i] for i in seen]))) == seen
        tried = [v for v in source.made if kind == "alike" and v not in clf.voters_]  # a guess, which nothing rests on
        for voters in (v for v in source.made if v not in tried):
            parts = [{groups[i] for i in seen} for seen in (voters.trained, *voters.asked)]
            if kind == "trained":  # not so where the voters' own examples teach the weights
                assert all(parts[0].isdisjoint(part) for part in parts[1:])
        for k, voters in enumerate(clf.voters_):
            assert voters.trained.isdisjoint(judges[k])

    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("kind", ["forest", "list", "stumps", "frozen_pair"])
    def test_are_what_is_counted(self, kind, n_classes):
        X, y = data(n_classes, noise=0.2)
        clf = quick(VOTERS[kind](n_classes), per_class=True).fit(X, y, groups=GROUPS)
        held = group_parts(GROUPS, (1 / 3, 2 / 3)) == 0
        wrong, losses = clf.predict(X[held]) != y[held], drawn_losses(clf, X[held], y[held])
        groups, certificate = GROUPS[held], clf.certificate_
        n = len(np.unique(groups))
        assert certificate.grouped
        assert (certificate.n, certificate.fold_sizes) == (n, (n,))
        assert n == round(len(np.unique(GROUPS)) / 3)
        mean = by_group(wrong, groups).mean()
        assert certificate.empirical_risk == pytest.approx(mean, abs=1e-12)
        assert mean != pytest.approx(wrong.mean(), abs=1e-6)  # large groups do not count for more
        assert certificate.bound == pytest.approx(bentkus(mean, n, 0.05), rel=1e-9)
        drawn = by_group(losses, groups).mean()
        assert certificate.stochastic_bound == pytest.approx(bentkus(drawn, n, 0.05), abs=1e-6)
        for c, entry in enumerate(certificate.per_class):
            own = by_group(wrong[y[held] == c], groups[y[held] == c])
            assert entry["n"] == len(own)
            assert entry["empirical_risk"] == pytest.approx(own.mean(), abs=1e-12)
            assert entry["bound"] == pytest.approx(bentkus(own.mean(), len(own), 0.05 / n_classes), rel=1e-9)

    @pytest.mark.parametrize("kind", ["forest", "list", "frozen_forest"])
    def test_are_what_is_counted_in_folds(self, kind):
        X, y = data(3, noise=0.2)
        clf = quick(VOTERS[kind](3), n_folds=3, per_class=True).fit(X, y, groups=NAMES[GROUPS])
        fold, certificate = group_parts(NAMES[GROUPS], (1 / 3,) * 3), clf.certificate_
        risks, sizes = [], []
        for k in range(3):
            wrong = fold_errors(clf, k, X[fold == k], y[fold == k])
            risks.append(by_group(wrong, GROUPS[fold == k]).mean())
            sizes.append(len(np.unique(GROUPS[fold == k])))
        assert certificate.fold_sizes == tuple(sizes)
        assert certificate.n == len(np.unique(GROUPS))
        assert certificate.bound == pytest.approx(upper(certificate.bound_settings, np.array(risks)), rel=1e-11)
        for c, entry in enumerate(certificate.per_class):
            assert entry["n"] == len(np.unique(GROUPS[y == c]))
            assert entry["bound"] <= 1
        assert certificate.verify(clf.evidence_)

    @pytest.mark.parametrize("n_folds", [None, 3])
    def test_are_spoken_of(self, n_folds):
        certificate = quick(n_folds=n_folds, per_class=True).fit(X, y, groups=NAMES[GROUPS]).certificate_
        judges = f"{certificate.n} groups that judge it"
        assert judges in certificate.statement()
        assert "of rows of new groups, averaged group by group" in certificate.statement()
        assert "The groups are independent draws from one distribution" in str(certificate)
        assert "The examples are independent draws" not in str(certificate)
        assert "class 0 (" in str(certificate)
        assert f"({certificate.per_class[0]['n']} groups)" in str(certificate)

    def test_of_one_row_have_the_errors_of_the_rows(self):
        voters = VOTERS["frozen_forest"](2)
        alone = quick(voters).fit(X, y, groups=np.arange(120)).certificate_
        rows = quick(voters).fit(X, y).certificate_
        assert alone.n == rows.n == 120
        assert alone.empirical_risk == rows.empirical_risk
        assert alone.bound == pytest.approx(bentkus(rows.empirical_risk, 120, 0.05), rel=1e-9)
        assert alone.bound > rows.bound == clopper_pearson(round(120 * rows.empirical_risk), 120, 0.05)
        assert alone.stochastic_bound == rows.stochastic_bound

    @pytest.mark.parametrize(
        "groups",
        [
            NAMES[GROUPS],
            NAMES[GROUPS].astype(object),
            GROUPS.tolist(),
            GROUPS.astype(float) / 3,
            2**60 + GROUPS,
            np.datetime64("2026-01-01") + GROUPS,
        ],
        ids=["strings", "objects", "list", "floats", "large", "dates"],
    )
    def test_may_be_named_in_any_way(self, groups):
        ids = group_ids(groups, 120)
        assert len(np.unique(ids)) == len(np.unique(np.column_stack([ids, GROUPS]), axis=0)) == len(np.unique(GROUPS))
        assert quick().fit(X, y, groups=groups).certificate_.n == round(len(np.unique(GROUPS)) / 3)

    def test_have_the_same_number_wherever_they_are_met(self):
        np.testing.assert_array_equal(group_ids(NAMES[GROUPS], 120)[50:60], group_ids(NAMES[GROUPS[50:60]], 10))

    @pytest.mark.parametrize(
        "alike",
        [
            [7, 7.0, np.int8(7), np.uint64(7), np.float32(7), Decimal(7), Fraction(7), "7", "7.0", b"7", "7.000"],
            [1, True, np.True_, 1.0, "1"],
            [0, False, -0.0, "0", "0.0"],
            [2**64 - 1, np.uint64(2**64 - 1), str(2**64 - 1)],
            [0.5, "0.5", Decimal("0.5"), Fraction(1, 2), np.float32(0.5)],
            [date(2026, 1, 1), datetime(2026, 1, 1), np.datetime64("2026-01-01", "ns"), "2026-01-01"],
        ],
        ids=["7", "1", "0", "large", "a half", "a day"],
    )
    def test_are_one_if_they_are_equal_whatever_their_types(self, alike):
        together = group_ids(alike, len(alike))
        alone = [group_ids(np.array([name]), 1)[0] for name in alike]
        assert set(together) == set(alone) == {together[0]}

    @pytest.mark.parametrize("names", [["7", "07", "7a", "7.1", "7.10", 8, -7], [2**53, 2**53 + 1, "a"], [0.1, 0.2]])
    def test_are_several_if_they_differ(self, names):
        assert len(set(group_ids(names, len(names)))) == len(names)

    def test_of_mixed_types_do_not_both_teach_and_judge(self):
        """Each example occurs twice, once in a group named 1 and once in 1.0: a voter knows them by heart, or none."""
        rng = np.random.default_rng(0)
        X, y = np.repeat(rng.normal(size=(300, 4)), 2, axis=0), np.repeat(rng.integers(2, size=300), 2)
        X += 1e-6 * rng.normal(size=X.shape)
        groups = [i // 2 if i % 2 else float(i // 2) for i in range(600)]
        for given in (groups, [*map(str, groups)], np.array([*groups[:-1], "last"], object)):
            clf = quick([KNeighborsClassifier(1)]).fit(X, y, groups=given)
            assert clf.certificate_.bound > 0.5  # nothing can be learned

    def test_may_come_as_a_series(self):
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        theirs = quick().fit(X, y, groups=NAMES[GROUPS]).certificate_
        for dtype in ("str", "object", "category"):
            series = pandas.Series(NAMES[GROUPS], index=np.arange(120) + 7).astype(dtype)
            assert quick().fit(X, y, groups=series).certificate_ == theirs
        missing = pandas.Series(NAMES[GROUPS], dtype="string").where(np.arange(120) != 5)
        with pytest.raises(ValueError, match="groups has examples without a group"):
            quick().fit(X, y, groups=missing)

    @pytest.mark.parametrize("missing", [None, np.nan, np.datetime64("NaT")], ids=str)
    def test_are_not_missing(self, missing):
        groups = [missing if i == 5 else g for i, g in enumerate(GROUPS.tolist())]
        if isinstance(missing, np.datetime64):
            groups = np.where(np.arange(120) == 5, missing, np.datetime64("2026-01-01") + GROUPS)
        with pytest.raises(ValueError, match="groups has examples without a group: give every example a group"):
            quick().fit(X, y, groups=groups)

    @pytest.mark.parametrize("groups", [GROUPS[:-1], GROUPS[:, None], np.append(GROUPS, 0), 3], ids=np.shape)
    def test_are_one_for_each_example(self, groups):
        with pytest.raises(ValueError, match="groups must name the group of each of the 120 examples, got shape"):
            quick().fit(X, y, groups=groups)

    @pytest.mark.parametrize("bound", ["seeger", "catoni_per_fold"])
    def test_are_refused_by_bounds_that_pay_for_learning(self, bound):
        with pytest.raises(ValueError, match=f"groups need a vote that is only tested, not bound='{bound}'"):
            quick(bound=bound).fit(X, y, groups=GROUPS)

    def test_must_be_two_at_least(self):
        with pytest.raises(ValueError, match="at least 2"):
            quick().fit(X, y, groups=np.zeros(120))
        with pytest.raises(ValueError, match="n_folds=3 is more than"):
            quick(n_folds=3).fit(X, y, groups=np.arange(120) % 2)

    def test_of_copies_do_not_warn_but_copies_in_several_do(self):
        twice, target = np.repeat(X, 3, axis=0), np.repeat(y, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert quick().fit(twice, target, groups=np.repeat(np.arange(120), 3)).certificate_.warnings == ()
        with pytest.warns(RepeatedRowsWarning, match="240 of the 360 rows repeat another row"):
            quick().fit(twice, target, groups=np.arange(360))

    def test_leave_no_plain_hold_out_to_compare_with(self):
        assert quick().fit(X, y).plain_errors_ is not None
        assert quick().fit(X, y, groups=GROUPS).plain_errors_ is None


class TestBaseline:
    @pytest.mark.parametrize("n_classes", [2, 3, 4])
    @pytest.mark.parametrize("settings", [{}, {"n_folds": 3}, {"bound": "seeger"}], ids=["holdout", "folds", "seeger"])
    def test_always_answers_the_most_frequent_class(self, n_classes, settings):
        X, y = data(n_classes)
        labels = np.array(["a", "b", "c", "d"])[:n_classes]
        judges = y if settings else y[HELD]
        counts = np.bincount(judges, minlength=n_classes)
        baseline = quick(**settings).fit(X, labels[y]).certificate_.baseline
        assert baseline["label"] == labels[counts.argmax()]
        wrong = len(judges) - counts.max()
        assert baseline["empirical_risk"] == pytest.approx(wrong / len(judges), abs=1e-12)
        # which class it is, the judges say: an answer with an error of p may fail with probability delta (1 - p)
        level = 0.05 * (1 - baseline["bound"])
        assert binom.cdf(wrong, len(judges), baseline["bound"]) == pytest.approx(level, rel=1e-6)

    def test_counts_groups_where_there_are_groups(self):
        X, y = data(3)
        certificate = quick().fit(X, y, groups=GROUPS).certificate_
        held = group_parts(GROUPS, (1 / 3, 2 / 3)) == 0
        shares = [by_group(y[held] == c, GROUPS[held]).mean() for c in range(3)]
        assert certificate.baseline["label"] == np.argmax(shares)
        assert certificate.baseline["empirical_risk"] == pytest.approx(1 - max(shares), abs=1e-12)
        bound = certificate.baseline["bound"]
        theirs = bentkus(1 - max(shares), certificate.n, 0.05 * (1 - bound))
        assert bound == pytest.approx(theirs, rel=1e-6)

    @pytest.mark.parametrize("n_folds", [None, 3])
    def test_that_is_as_good_is_said_to_be(self, n_folds):
        """The nearest neighbour's answer, where no feature tells anything and nine of ten labels are the same."""
        rng = np.random.default_rng(0)
        noise = np.where(rng.random(300) < 0.1, "rare", "usual")
        clf = quick(KNeighborsClassifier(1), n_folds=n_folds).fit(rng.normal(size=(300, 3)), noise)
        certificate = clf.certificate_
        assert certificate.baseline["bound"] < certificate.bound
        said = "The bound on predict is no better than that of always answering 'usual', at most"
        assert said in certificate.statement()
        assert said in str(certificate).splitlines()[0]
        assert not certificate.beats_baseline

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_is_not_mentioned_in_the_statement_where_it_is_beaten(self, n_classes):
        certificate = quick().fit(*data(n_classes)).certificate_
        assert certificate.bound < certificate.baseline["bound"]
        assert "no better" not in certificate.statement()
        assert f"always answering {certificate.baseline['label']}" in str(certificate)


def test_a_guess_that_is_wrong_costs_tightness_and_never_validity():
    """The constants are good for any error: those of other guesses bound the same errors, only less well."""
    good, bad = (FoldTest.choose([guess] * 3, [40] * 3, 0.05) for guess in (0.1, 0.5))
    assert good.upper([0.1] * 3) < bad.upper([0.1] * 3) < 1
