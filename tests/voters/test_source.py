"""From what a user writes to a source of voters, and sources of one's own."""

import threading

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_moons
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import RandomNetworks, Rules, Shared
from stocmv import MajorityVoteClassifier
from stocmv.bounds import FoldTest
from stocmv.solvers import LBFGS
from stocmv.voters import Classifiers, Ensemble, Frozen, Stumps, Transformed, VoterSet, VoterSource, as_source
from stocmv.voters._encoded import Readable

X, y = make_moons(200, noise=0.2, random_state=0)
FITTED = DecisionTreeClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("voters", "kind"),
    [
        ("forest", Readable),
        ("stumps", Stumps),
        (RandomForestClassifier(), Ensemble),
        (ExtraTreesClassifier(), Ensemble),
        (BaggingClassifier(), Ensemble),
        (AdaBoostClassifier(), Ensemble),
        (VotingClassifier([("bayes", GaussianNB())]), Ensemble),
        (make_pipeline(StandardScaler(), RandomForestClassifier()), Transformed),
        (make_pipeline(StandardScaler(), VotingClassifier([("bayes", GaussianNB())])), Transformed),
        (make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), RandomForestClassifier())), Transformed),
        (make_pipeline(StandardScaler(), GaussianNB()), Classifiers),
        (GradientBoostingClassifier(), Classifiers),
        (GaussianNB(), Classifiers),
        (FITTED, Classifiers),
        (HistGradientBoostingClassifier(), Classifiers),
        (StackingClassifier([("bayes", GaussianNB())]), Classifiers),
        ([GaussianNB(), DecisionTreeClassifier()], Classifiers),
        ((GaussianNB(), DecisionTreeClassifier()), Classifiers),
        ([("bayes", GaussianNB())], Classifiers),
        ([FITTED], Classifiers),
        ([("tree", FITTED)], Classifiers),
        (FrozenEstimator(FITTED), Frozen),
        ([("tree", FrozenEstimator(FITTED))], Frozen),
        ([FrozenEstimator(FITTED), FITTED], Classifiers),
        (VotingClassifier([("tree", FrozenEstimator(FITTED))]), Frozen),
        (VotingClassifier([("tree", FrozenEstimator(FITTED)), ("bayes", GaussianNB())]), Classifiers),
        (BaggingClassifier(FrozenEstimator(FITTED)), Frozen),
        (CalibratedClassifierCV(FrozenEstimator(FITTED)), Classifiers),
        (make_pipeline(StandardScaler(), FrozenEstimator(FITTED)), Classifiers),
        (make_pipeline(FrozenEstimator(StandardScaler().fit(X)), RandomForestClassifier()), Transformed),
    ],
)
def test_what_a_user_writes_becomes_a_source(voters, kind):
    assert type(as_source(voters)) is kind


def test_a_source_stands_for_itself():
    source = Rules()
    assert as_source(source) is source


def test_a_forest_is_of_a_hundred_trees():
    assert as_source("forest").fit(X, y, np.arange(2), seed=0).n_voters == 100


@pytest.mark.parametrize("kind", [VoterSet, VoterSource])
def test_the_two_methods_must_be_written(kind):
    with pytest.raises(TypeError, match="abstract"):
        kind()


class Telling(RandomNetworks):
    """Networks that claim to have been wrong on so many of their own examples, fold by fold."""

    def __init__(self, wrong):
        self.wrong = wrong

    def fit(self, X, codes, classes, seed, n_jobs=None):
        voters = super().fit(X, codes, classes, seed, n_jobs)
        voters.truth = codes
        return voters

    def out_of_bag(self, voters, X):
        wrong = self.wrong.pop(0)
        return None if wrong is None else np.where(np.arange(len(X)) < wrong, 1 - voters.truth, voters.truth)


class TestOwn:
    """Sources of one's own, from the fit to the certificate."""

    def fit(self, source, y=y, **settings):
        settings = {"random_state": 0, "solver": LBFGS(max_iter=20)} | settings
        return MajorityVoteClassifier(source, **settings).fit(X[: len(y)], y)

    @pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["in", "out"])], ids=["numbers", "strings"])
    @pytest.mark.parametrize("n_classes", [2, 4])
    @pytest.mark.parametrize("n_folds", [None, 3])
    def test_networks_that_learn(self, labels, n_classes, n_folds):
        target = labels[y] if n_classes == 2 else np.array(["a", "b", "c", "d"])[y + 2 * (X[:, 0] > 0.5)]
        clf = self.fit(RandomNetworks(), target, n_folds=n_folds)
        assert len(clf.voters_) == (n_folds or 1)
        assert clf.certificate_.verify(clf.evidence_)
        assert clf.score(X, target) > 0.8
        assert clf.certificate_.context["voters"] == "RandomNetworks"

    @pytest.mark.parametrize(("inner_folds", "judges"), [(3, 67), (0, 200)])
    def test_rules_that_do_not(self, inner_folds, judges):
        """A third of the examples judges rules whose weights the others teach, and all judge equal weights."""
        clf = self.fit(Rules(), inner_folds=inner_folds)
        assert clf.certificate_.fold_sizes == (judges,)
        assert clf.certificate_.verify(clf.evidence_)
        assert set(clf.predict(X)) <= {0, 1}
        assert "chosen without looking at the examples that judge them" in str(clf.certificate_)

    def test_are_given_codes_classes_and_another_seed_for_each_fold(self):
        calls = []

        class Recording(RandomNetworks):
            def fit(self, X, codes, classes, seed, n_jobs=None):
                calls.append((codes, classes, seed, n_jobs))
                return super().fit(X, codes, classes, seed, n_jobs)

        self.fit(Recording(), np.array(["in", "out"])[y], n_jobs=1, bound="seeger")
        assert len(calls) == len({seed for _, _, seed, _ in calls}) == 3
        for codes, classes, seed, n_jobs in calls:
            assert set(codes) == {0, 1}
            np.testing.assert_array_equal(classes, ["in", "out"])
            assert 0 <= seed < 2**31
            assert n_jobs == 1

    def test_may_check_the_input_themselves(self):
        """Texts are examples, too."""

        class Words(VoterSet):
            n_voters = 2

            def codes(self, X):
                return np.array([["good" in text, "bad" not in text] for text in X[:, 0]]).astype(int)

        class WordSource(VoterSource):
            learns, checks_input = False, True

            def fit(self, X, codes, classes, seed, n_jobs=None):
                return Words()

        texts = np.array([["a good day"], ["a bad day"]] * 50)
        clf = MajorityVoteClassifier(WordSource(), random_state=0, solver="lbfgs").fit(texts, [1, 0] * 50)
        assert clf.score(texts, [1, 0] * 50) == 1.0
        assert clf.certificate_.bound < 0.2

    def test_may_tell_what_error_to_expect(self):
        """The constants of a fold are those that suit what its voters say of the other folds."""
        clf = self.fit(Telling(Shared([10, 20, 30])), y[:192], n_folds=3)
        guesses = [(wrong + 1) / (128 + 2) for wrong in (10, 20, 30)]
        assert clf.certificate_.fold_test == FoldTest.choose(guesses, (64, 64, 64), 0.05).settings()
        assert len(set(clf.certificate_.fold_test["slope"])) == 3

    @pytest.mark.parametrize("bound", ["fold_test", "catoni_per_fold"])
    def test_that_cannot_tell_in_one_fold_do_not_change_the_kind_of_bound(self, bound):
        """Which bound it is must not depend on the examples, some of which judge."""
        clf = self.fit(Telling(Shared([25, None, 25])), y[:192], bound=bound)
        if bound == "catoni_per_fold":
            settings = clf.certificate_.bound_settings
            assert settings["name"] == bound
            assert len(set(settings["c"])) == 1  # a guess of 0.2, which is 26 / 130, takes its place
        else:
            slope = clf.certificate_.fold_test["slope"]
            assert slope[0] == slope[2]  # networks trained on a part are tried on the rest
        assert clf.certificate_.verify(clf.evidence_)

    def test_know_the_classes_of_the_other_folds_only(self):
        """A class of one example: whichever fold judges it, its voters have never heard of it."""
        calls = []

        class Recording(RandomNetworks):
            def fit(self, X, codes, classes, seed, n_jobs=None):
                calls.append((codes, classes))
                return super().fit(X, codes, classes, seed, n_jobs)

        target = np.where(np.arange(200) == 17, "once", np.array(["in", "out"])[y])
        clf = self.fit(Recording(), target, bound="seeger")
        assert sorted(len(classes) for _, classes in calls) == [2, 3, 3]
        assert all(set(codes) == set(range(len(classes))) for codes, classes in calls)
        once = list(clf.classes_).index("once")
        judge = [len(classes) for _, classes in calls].index(2)
        assert once not in clf.voters_[judge].codes(X)
        assert clf.evidence_[judge].take(clf.evidence_[judge].targets == once).errors().all()

    def test_may_bring_a_grid_of_priors(self):
        class Gridded(RandomNetworks):
            default_prior = (0.5, 1.0, 2.0, 4.0)

        assert self.fit(Gridded(), bound="seeger").certificate_.alternatives == 4
        claims = self.fit(Gridded()).certificate_.claims
        assert not any("parts for priors" in claim.among for claim in claims)  # the judges choose nothing


class Hoarding(VoterSource):
    """Keeps all rows that it was ever given; its voters recall their labels, and flip a coin for others."""

    def __init__(self, start=()):
        self.start = start
        self.rows = {}

    def fit(self, X, codes, classes, seed, n_jobs=None):
        self.rows |= dict(zip(map(bytes, X), codes, strict=True))
        self.start += (len(X),) if isinstance(self.start, tuple) else [len(X)]
        return Recalling(self.rows)


class Recalling(VoterSet):
    n_voters = 1

    def __init__(self, rows):
        self.rows = rows

    def codes(self, X):
        return np.array([[self.rows.get(bytes(row), int(row[0] > 0))] for row in X])


class TestState:
    """What a source remembers of one fit must not reach another."""

    @pytest.mark.parametrize("settings", [{"n_folds": 3}, {"bound": "seeger"}, {"inner_folds": 0}], ids=str)
    def test_noise_stays_noise(self, settings):
        coins = np.random.default_rng(0).integers(2, size=len(X))
        clf = MajorityVoteClassifier(Hoarding(), random_state=0, **settings).fit(X, coins)
        assert clf.certificate_.empirical_risk > 0.35
        assert all(len(voters.rows) < len(X) for voters in clf.voters_)

    @pytest.mark.parametrize("start", [(), []])
    def test_the_object_of_the_user_is_never_changed(self, start):
        source = Hoarding(start)
        before = dict(vars(source))
        MajorityVoteClassifier(source, random_state=0).fit(X, y)
        assert vars(source) == before == {"start": type(start)(), "rows": {}}

    def test_a_source_that_cannot_be_copied_is_told_what_to_do(self):
        class Connected(RandomNetworks):
            def __init__(self, client):
                self.client = client

        with pytest.raises(TypeError, match=r"voters is a Connected that cannot be copied, .* in fit\."):
            MajorityVoteClassifier(Connected(threading.Lock())).fit(X, y)


MEMBERS = [("a", GaussianNB()), ("b", DecisionTreeClassifier(max_depth=2))]


class TestSoftVotes:
    """A VotingClassifier keeps its own way to vote: as one voter if it is soft, else its members with its weights."""

    @pytest.mark.parametrize(
        "voters",
        [
            VotingClassifier(MEMBERS, voting="soft", weights=[5, 1]),
            make_pipeline(StandardScaler(), VotingClassifier(MEMBERS, voting="soft")),
            VotingClassifier(MEMBERS, weights=[5, 1]),
            Ensemble(VotingClassifier(MEMBERS, voting="soft")),
            FrozenEstimator(make_pipeline(StandardScaler(), VotingClassifier(MEMBERS, voting="soft")).fit(X, y)),
            [FrozenEstimator(VotingClassifier(MEMBERS, voting="soft").fit(X, y))],
        ],
        ids=["soft", "pipeline", "weights", "source", "frozen", "list"],
    )
    def test_are_what_a_voting_classifier_asks_for(self, voters):
        clf = MajorityVoteClassifier(voters, random_state=0).fit(X, y)
        soft = "soft" in clf.certificate_.context["voters"]
        assert (clf.certificate_.voting, clf.voters_[0].n_voters) == (("soft", 1) if soft else ("hard", 2))
        if not soft:
            np.testing.assert_allclose(clf.posterior_[0].mean, [5 / 6, 1 / 6], rtol=1e-12)
        assert clf.certificate_.verify(clf.evidence_)

    @pytest.mark.parametrize(
        "voters",
        [
            VotingClassifier(MEMBERS),
            [VotingClassifier(MEMBERS, voting="soft"), GaussianNB()],
            make_pipeline(StandardScaler(), FrozenEstimator(VotingClassifier(MEMBERS, voting="soft").fit(X, y))),
        ],
        ids=["hard", "one voter of several", "frozen step"],
    )
    def test_need_no_word_where_they_are_given(self, voters):
        MajorityVoteClassifier(voters, random_state=0).fit(X, y)
