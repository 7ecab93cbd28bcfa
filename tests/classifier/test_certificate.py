"""The certificate of a fit: checked again, honest about what it assumes, from voters that did not see their judges."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import LEARNING, VOTERS, Rules, data, fold_answers, quick
from stocmv import Certificate
from stocmv.risks import RISKS
from stocmv.solvers import LBFGS
from stocmv.voters import VoterSet, VoterSource

X, y = data()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", VOTERS)
def test_holds_when_checked_again(kind, n_classes, tmp_path):
    X, y = data(n_classes)
    clf = quick(VOTERS[kind](n_classes), per_class=True, solver=LBFGS(max_iter=2)).fit(X, y)
    certificate = clf.certificate_
    verification = certificate.verify(clf.votes_)
    assert [check.what for check in verification.differences] == ["proven"] * (not certificate.proven), str(
        verification
    )
    assert certificate.n == sum(v.n_examples for v in clf.votes_) == len(y)
    assert 0 <= certificate.empirical_risk <= certificate.bound <= 1
    assert [c["label"] for c in certificate.per_class] == list(range(n_classes))
    certificate.to_json(tmp_path / "certificate.json")
    assert bool(Certificate.from_json(tmp_path / "certificate.json").verify(clf.votes_)) == certificate.proven


@pytest.mark.parametrize("risk", RISKS)
def test_holds_for_every_risk(risk):
    clf = quick(risk=risk).fit(X, y)
    assert clf.certificate_.verify(clf.votes_)
    assert clf.certificate_.risk == risk
    assert clf.certificate_.posterior == clf.posterior_[0].name == RISKS[risk].posteriors[0]


def test_does_not_hold_for_other_votes():
    clf, other = (quick(random_state=seed).fit(X, y) for seed in (0, 1))
    assert not clf.certificate_.verify(other.votes_)


def test_records_where_it_comes_from():
    forest = RandomForestClassifier(5, max_depth=3)
    clf = quick(forest, delta=0.1).fit(X, np.array(["no", "yes"])[y])
    context = clf.certificate_.context
    assert context["voters"] == repr(forest)
    assert (context["n_features"], context["classes"], context["random_state"]) == (4, ["no", "yes"], 0)
    assert {"stocmv", "python", "numpy", "scipy", "scikit-learn"} <= set(context["versions"])
    assert clf.certificate_.delta == 0.1
    assert clf.certificate_.proven


def test_the_learning_is_recorded():
    clf = quick().fit(X, y)
    assert clf.history_.steps[-1].bound == pytest.approx(clf.certificate_.bound, abs=1e-6)
    assert {"voters", "votes", "learning"} == set(clf.timings_)
    assert all(seconds >= 0 for seconds in clf.timings_.values())
    assert [p.n_voters for p in clf.prior_] == [p.n_voters for p in clf.posterior_] == [5, 5, 5]


class TestAssumptions:
    def text(self, voters):
        return " ".join(quick(voters).fit(X, y).certificate_.assumptions)

    @pytest.mark.parametrize("kind", VOTERS)
    def test_name_the_other_data_of_frozen_voters_alone(self, kind):
        text = self.text(VOTERS[kind](2))
        assert ("none of these examples" in text) == kind.startswith("frozen")
        assert ("range of the very examples that judge them" in text) == (kind == "stumps_training")

    @pytest.mark.parametrize("kind", ["forest", "stumps_known"])
    def test_are_part_of_the_statement(self, kind):
        clf = quick(VOTERS[kind](2)).fit(X, y)
        assert all(f"- {assumption}" in str(clf.certificate_) for assumption in clf.certificate_.assumptions)
        folds = "without looking at the examples of that fold"
        assert (folds in str(clf.certificate_)) == (kind == "forest")

    def test_of_own_voters_are_added(self):
        class Assuming(Rules):
            assumptions = ("The rules are older than the examples.",)

        assert "The rules are older than the examples." in self.text(Assuming())


class Spy(VoterSource):
    """Remembers the numbers of the examples, which are their only feature."""

    def __init__(self, learns=True):
        self.learns = learns
        self.trained, self.judged = [], []

    def fit(self, X, codes, classes, seed, n_jobs=None):
        self.trained.append(set(X[:, 0].astype(int)))
        np.testing.assert_array_equal(codes, X[:, 0] % 3 % 2)
        return SpyVoters(self)


class SpyVoters(VoterSet):
    n_voters = 2

    def __init__(self, spy):
        self.spy = spy

    def votes(self, X):
        self.spy.judged.append(set(X[:, 0].astype(int)))
        return np.column_stack([X[:, 0] % 2, X[:, 0] % 3 % 2]).astype(int)


class TestFolds:
    NUMBERS = np.arange(50.0)[:, None]
    LABELS = np.array(["a", "b"])[np.arange(50) % 3 % 2]

    @pytest.mark.parametrize("n_folds", [2, 3, 50])
    def test_voters_never_see_the_examples_that_judge_them(self, n_folds):
        spy = Spy()
        quick(spy, n_folds=n_folds).fit(self.NUMBERS, self.LABELS)
        assert len(spy.judged) == n_folds
        for trained, judged in zip(spy.trained, spy.judged, strict=True):
            assert not trained & judged
            assert trained | judged == set(range(50))
        assert sorted(i for judged in spy.judged for i in judged) == list(range(50))

    def test_are_drawn_at_random_without_a_look_at_the_labels(self):
        shares = []
        for seed in range(30):
            spy = Spy()
            quick(spy, n_folds=2, random_state=seed, solver=LBFGS(max_iter=0), prior=1.0).fit(self.NUMBERS, self.LABELS)
            shares.append(sum(self.LABELS[i] == "a" for i in spy.judged[0]))
        assert len(set(shares)) > 3  # stratified folds would always hold as many of a class

    def test_voters_that_do_not_learn_are_judged_by_all(self):
        spy = Spy(learns=False)
        clf = quick(spy).fit(self.NUMBERS, self.LABELS)
        assert spy.judged == [set(range(50))]
        assert clf.fold_sizes_ == (50,)
        first = np.mean(np.arange(50) % 2 != np.arange(50) % 3 % 2)
        np.testing.assert_allclose(clf.votes_[0].voter_errors(), [first, 0])

    def test_voters_that_do_not_learn_may_have_folds(self):
        clf = quick(VOTERS["frozen_forest"](2), n_folds=4).fit(X, y)
        assert clf.fold_sizes_ == (30,) * 4
        assert clf.certificate_.verify(clf.votes_)

    def test_a_voter_that_memorises_is_not_believed(self):
        """Labels drawn by coin: the nearest neighbour is right on all that it has seen, and on half of the rest."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
        clf = quick([KNeighborsClassifier(1)]).fit(X, y)
        errors = np.concatenate([v.errors() for v in clf.votes_])
        assert 0.4 < errors.mean() < 0.6
        assert clf.certificate_.bound > 0.5
        assert clf.score(X, y) > 0.6  # each example is known to two of the three folds


class TestExpectedErrors:
    @pytest.mark.parametrize("ensemble", [RandomForestClassifier(25), BaggingClassifier(n_estimators=25)])
    def test_out_of_bag_are_near_those_of_the_folds(self, ensemble):
        X, y = data(3, n=600, noise=0.2)
        clf = quick(ensemble, prior=50.0, n_folds=2, solver=LBFGS(max_iter=0)).fit(X, y)
        theirs = [v.row_mean(self.mean_vote_errs(v)) for v in clf.votes_]
        # what is expected of a fold was found on the others: near in the mean, less so one by one
        assert np.mean(clf.expected_errors_) == pytest.approx(np.mean(theirs), abs=0.05)
        np.testing.assert_allclose(clf.expected_errors_, theirs, rtol=0, atol=0.15)

    @staticmethod
    def mean_vote_errs(votes):
        scores = votes.class_weights(np.ones(votes.n_voters))
        return (scores.argmax(1) != votes.targets).astype(float)

    @pytest.mark.parametrize("kind", [k for k in VOTERS if k not in ("forest", "bagging")])
    def test_are_unknown_without_a_bag(self, kind):
        assert set(quick(VOTERS[kind](2), solver=LBFGS(max_iter=0)).fit(X, y).expected_errors_) == {None}

    def test_choose_the_constants_from_the_other_folds(self):
        clf = quick().fit(X, y)
        constants = clf.certificate_.bound_settings["c"]
        np.testing.assert_array_equal(np.argsort(constants), np.argsort(clf.expected_errors_)[::-1])


class TestBound:
    @pytest.mark.parametrize(
        ("voters", "settings", "name"),
        [
            (RandomForestClassifier(5), {}, "catoni_per_fold"),
            (RandomForestClassifier(5), {"risk": "mc"}, "catoni_per_fold"),
            (ExtraTreesClassifier(5, bootstrap=True), {}, "catoni_per_fold"),
            (BaggingClassifier(n_estimators=5), {}, "catoni_per_fold"),
            (RandomForestClassifier(5), {"risk": "first_order"}, "seeger"),
            (RandomForestClassifier(5, bootstrap=False), {}, "seeger"),
            (ExtraTreesClassifier(5), {}, "seeger"),
            (BaggingClassifier(n_estimators=5, bootstrap=False), {}, "seeger"),
            (RandomForestClassifier(5), {"bound": "catoni"}, "catoni"),
            (RandomForestClassifier(5), {"bound": "mcallester"}, "mcallester"),
            ("stumps", {"risk": "half"}, "seeger"),
        ],
    )
    def test_auto_is_catoni_for_each_fold_where_there_is_a_bag(self, voters, settings, name):
        clf = quick(voters, solver=LBFGS(max_iter=0), **settings).fit(X, y)
        assert clf.certificate_.bound_settings["name"] == name

    @pytest.mark.parametrize(("n", "name"), [(100, "seeger"), (600, "catoni")])
    @pytest.mark.parametrize("voters", [Rules(), "stumps"], ids=["rules", "stumps"])
    def test_auto_is_the_cheaper_otherwise(self, n, name, voters):
        clf = quick(voters, n_folds=2, solver=LBFGS(max_iter=0)).fit(*data(n=n))
        assert clf.certificate_.bound_settings["name"] == name


class TestPrior:
    @pytest.mark.parametrize(("kind", "tried"), [("forest", 1), ("stumps", 2), ("list", 3), ("frozen_forest", 1)])
    def test_grid_is_recorded(self, kind, tried):
        assert quick(VOTERS[kind](2)).fit(X, y).certificate_.alternatives == tried
        assert quick(VOTERS[kind](2), prior=1.0).fit(X, y).certificate_.alternatives == 1

    @pytest.mark.parametrize("voters", ["stumps", [GaussianNB(), LogisticRegression(), DecisionTreeClassifier()]])
    def test_grid_is_paid_for(self, voters):
        settings = {"bound": "seeger", "solver": LBFGS(max_iter=200)}
        grid = quick(voters, **settings).fit(X, y).certificate_
        chosen = grid.priors[0]["alpha"][0]
        alone = quick(voters, prior=chosen, **settings).fit(X, y).certificate_
        assert alone.priors == grid.priors
        assert alone.bound < grid.bound
        # what is paid is the same as with a smaller delta from the start
        stricter = quick(voters, prior=chosen, delta=0.05 / grid.alternatives, **settings).fit(X, y).certificate_
        assert grid.bound == pytest.approx(stricter.bound, abs=1e-9)

    def test_grid_is_for_a_dirichlet_alone(self):
        assert quick("stumps", risk="first_order").fit(X, y).certificate_.alternatives == 1

    def test_may_be_given_for_each_voter(self):
        weights = [1.0, 2.0, 3.0, 4.0, 5.0]
        assert quick(prior=weights).fit(X, y).certificate_.priors == ({"alpha": weights},) * 3


@pytest.mark.parametrize("kind", LEARNING)
def test_errors_are_near_those_on_new_examples(kind):
    """Not a proof, but a mistake in the bookkeeping of folds or classes would be seen."""
    X, y = data(3, n=300)
    clf = quick(VOTERS[kind](3), solver=LBFGS(max_iter=3)).fit(X, y)
    X_new, y_new = data(3, n=300, start=300)
    theirs = (clf.classes_[fold_answers(clf, X_new)] != y_new).mean()
    drawn = (clf.predict_stochastic(X_new, 0) != y_new).mean()
    assert abs(drawn - clf.certificate_.empirical_risk) < 0.1
    assert (clf.predict(X_new) != y_new).mean() == pytest.approx(theirs, abs=0.05)
    assert drawn < clf.certificate_.bound
    assert theirs < clf.certificate_.deterministic_bound
