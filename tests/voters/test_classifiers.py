"""Lists of classifiers: trained for every fold, or fitted before."""

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.voters import Classifiers, Frozen, train_voters

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(90, 5)), RNG.normal(size=(40, 5))
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3)
LABELS = {
    "strings": np.array(["a", "b", "c"]),
    "objects": np.array(["a", "b", "c"], object),
    "numbers": np.array([3, 5, 8]),
    "negative": np.array([-1, 0, 1]),
}
BOTH = [GaussianNB(), KNeighborsClassifier(3)]


class TestClassifiers:
    def test_answer_what_they_predict(self):
        votes = Classifiers(BOTH).fit(X, CODES, LABELS["strings"], seed=0).codes(NEW)
        theirs = [GaussianNB().fit(X, CODES).predict(NEW), KNeighborsClassifier(3).fit(X, CODES).predict(NEW)]
        np.testing.assert_array_equal(votes, np.column_stack(theirs))

    @pytest.mark.parametrize("estimator", [GaussianNB(), LogisticRegression(), DecisionTreeClassifier(), BOTH[1]])
    def test_map_back_when_a_class_is_missing(self, estimator):
        rows = CODES != 1
        voters = train_voters(Classifiers([estimator]), X[rows], CODES[rows], LABELS["strings"], seed=0)
        votes = voters.codes(X[rows])
        assert set(np.unique(votes)) == {0, 2}
        assert np.mean(votes[:, 0] == CODES[rows]) > 0.8

    def test_of_one_class_answer_it(self):
        voters = train_voters(Classifiers([DecisionTreeClassifier()]), X, np.full(90, 2), LABELS["strings"], seed=0)
        assert np.all(voters.codes(NEW) == 2)

    @pytest.mark.parametrize(
        "estimator",
        [
            DecisionTreeClassifier(max_features=1, random_state=0),
            make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1)),
            BaggingClassifier(DecisionTreeClassifier(max_features=1), n_estimators=2),
        ],
        ids=["tree", "pipeline", "bagging"],
    )
    def test_are_repeated_with_other_seeds(self, estimator):
        source = Classifiers([estimator, GaussianNB()], n_repeats=4)
        voters = source.fit(X, CODES, LABELS["strings"], seed=7)
        votes = voters.codes(NEW)
        assert voters.n_voters == votes.shape[1] == 8
        distinct = np.unique(votes, axis=1).shape[1]
        assert distinct == 5  # four random ones, and one that has no seed
        np.testing.assert_array_equal(source.fit(X, CODES, LABELS["strings"], seed=7).codes(NEW), votes)
        assert np.any(source.fit(X, CODES, LABELS["strings"], seed=8).codes(NEW) != votes)

    def test_are_left_unfitted(self):
        bayes = GaussianNB()
        Classifiers([bayes]).fit(X, CODES, LABELS["strings"], seed=0)
        assert not hasattr(bayes, "classes_")

    @pytest.mark.parametrize(("estimators", "n_repeats"), [([], 1), (BOTH, 0)])
    def test_must_be_there(self, estimators, n_repeats):
        with pytest.raises(ValueError, match="voters must hold at least one classifier, repeated at least once"):
            Classifiers(estimators, n_repeats).fit(X, CODES, LABELS["strings"], seed=0)

    def test_are_described(self):
        assert Classifiers(BOTH).describe() == repr(BOTH)
        assert Classifiers(BOTH, n_repeats=3).describe() == f"3 x {BOTH!r}"


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
class TestFrozen:
    def votes(self, estimators, classes=None):
        source = Frozen(estimators)
        classes = source.labels() if classes is None else classes
        return source.fit(NEW, np.zeros(len(NEW), int), classes, seed=0).codes(NEW), classes

    @pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier])
    def test_ensembles_vote_by_their_members(self, labels, kind):
        ensemble = kind(n_estimators=5).fit(X, labels[CODES])
        votes, classes = self.votes([ensemble])
        theirs = np.column_stack([member.predict(NEW).astype(int) for member in ensemble.estimators_])
        np.testing.assert_array_equal(classes[votes], ensemble.classes_[theirs])
        assert votes.shape == (40, 5)

    def test_a_voting_classifier_votes_by_its_members(self, labels):
        both = [("bayes", GaussianNB()), ("line", LogisticRegression())]
        votes, classes = self.votes([VotingClassifier(both).fit(X, labels[CODES])])
        theirs = [member.fit(X, labels[CODES]).predict(NEW) for _, member in both]
        np.testing.assert_array_equal(classes[votes], np.column_stack(theirs))

    def test_classifiers_vote_as_they_predict(self, labels):
        pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, labels[CODES])
        bayes = FrozenEstimator(GaussianNB().fit(X, labels[CODES]))
        votes, classes = self.votes([pipeline, bayes])
        np.testing.assert_array_equal(classes[votes], np.column_stack([pipeline.predict(NEW), bayes.predict(NEW)]))

    def test_all_stand_side_by_side(self, labels):
        forest, bayes = RandomForestClassifier(5).fit(X, labels[CODES]), GaussianNB().fit(X, labels[CODES])
        votes, classes = self.votes([forest, bayes])
        assert votes.shape == (40, 6)
        np.testing.assert_array_equal(classes[votes[:, 5]], bayes.predict(NEW))

    def test_answers_are_codes_among_more_classes(self, labels):
        """Voters that never heard of a class keep their answers apart from it."""
        rows = CODES != 1
        forest, bayes = (e.fit(X[rows], labels[CODES[rows]]) for e in (RandomForestClassifier(5), GaussianNB()))
        votes, classes = self.votes([forest, bayes], classes=labels)
        assert set(np.unique(votes)) == {0, 2}
        np.testing.assert_array_equal(classes[votes[:, 5]], bayes.predict(NEW))

    def test_labels_are_those_of_all(self, labels):
        first, second = (GaussianNB().fit(X[k != CODES], labels[CODES[k != CODES]]) for k in (0, 2))
        np.testing.assert_array_equal(Frozen([first, second]).labels(), labels)


class TestFrozenSource:
    def test_does_not_learn_and_says_what_it_assumes(self):
        source = Frozen([GaussianNB().fit(X, CODES)])
        assert not source.learns
        assert "other data" in source.assumptions[0]
        assert source.describe() == "frozen [GaussianNB()]"

    def test_is_never_fitted_again(self):
        bayes = GaussianNB().fit(X, CODES)
        before = bayes.theta_.copy()
        Frozen([bayes]).fit(NEW, np.zeros(40, int), np.arange(3), seed=0)
        np.testing.assert_array_equal(bayes.theta_, before)

    def test_answers_do_not_change_if_the_nodes_of_the_original_are(self):
        forest = RandomForestClassifier(5, random_state=0).fit(X, CODES)
        voters = train_voters(Frozen([forest]), NEW, np.zeros(40, int), np.arange(3), seed=0)
        before = voters.codes(NEW)
        for tree in forest.estimators_:
            tree.tree_.value[:] = np.roll(tree.tree_.value, 1, axis=2)
        np.testing.assert_array_equal(voters.codes(NEW), before)

    def test_answers_do_not_change_if_the_original_is_fitted_again(self):
        forest = RandomForestClassifier(5, random_state=0).fit(X, CODES)
        voters = train_voters(Frozen([forest]), NEW, np.zeros(40, int), np.arange(3), seed=0)
        before = voters.codes(NEW)
        forest.estimators_[0].fit(X, (CODES + 1) % 3)
        forest.set_params(n_estimators=7, warm_start=True).fit(X, CODES)
        np.testing.assert_array_equal(voters.codes(NEW), before)

    def test_needs_fitted_classifiers(self):
        with pytest.raises(NotFittedError, match="GaussianNB instance is not fitted yet"):
            Frozen([GaussianNB()]).fit(NEW, np.zeros(40, int), np.arange(3), seed=0)
        with pytest.raises(ValueError, match="at least one fitted classifier"):
            Frozen([]).fit(NEW, np.zeros(40, int), np.arange(3), seed=0)

    def test_members_of_one_ensemble_are_alike(self):
        forest = RandomForestClassifier(5).fit(X, CODES)
        assert Frozen([forest]).exchangeable
        assert not Frozen([forest, GaussianNB().fit(X, CODES)]).exchangeable
        assert not Frozen(
            [VotingClassifier([("a", GaussianNB()), ("b", DecisionTreeClassifier())]).fit(X, CODES)]
        ).exchangeable
        assert not Frozen([AdaBoostClassifier(n_estimators=3).fit(X, CODES)]).exchangeable
        assert Frozen([GaussianNB().fit(X, CODES)]).exchangeable  # one voter has nothing to be weighted against


class Broken(GaussianNB):
    """Fails when it is trained, or when it is asked."""

    def __init__(self, fails_at="fit"):
        super().__init__()
        self.fails_at = fails_at

    def fit(self, X, y):
        if self.fails_at == "fit":
            raise KeyError("lost")
        return super().fit(X, y)

    def predict(self, X):
        raise ValueError("no answer")


@pytest.mark.parametrize(
    ("fails_at", "kind", "said"), [("fit", KeyError, "lost"), ("predict", ValueError, "no answer")]
)
def test_an_error_names_the_classifier_that_failed(fails_at, kind, said):
    voters = [GaussianNB(), DecisionTreeClassifier(), Broken(fails_at)]
    with pytest.raises(kind, match=rf"voters\[2\] \(Broken\): {said}"):
        MajorityVoteClassifier(voters, voting="hard", random_state=0).fit(X, CODES)
    with pytest.raises(kind, match=f"^'?{said}"):  # there is no doubt which one it is
        MajorityVoteClassifier(voters[2], random_state=0).fit(X, CODES)


class Backwards(GaussianNB):
    """Its classes are in descending order."""

    def fit(self, X, y):
        super().fit(X, y)
        self.theta_, self.var_, self.class_prior_ = self.theta_[::-1], self.var_[::-1], self.class_prior_[::-1]
        self.classes_ = self.classes_[::-1]
        return self


class Unsure(GaussianNB):
    """Answers "?" where it is not sure."""

    def predict(self, X):
        return np.where(self.predict_proba(X).max(1) > 0.6, super().predict(X), "?")


class Column(GaussianNB):
    """Gives its answers as a column."""

    def predict(self, X):
        return super().predict(X)[:, None]


def test_probabilities_are_those_of_the_classes_in_any_order():
    ours = Classifiers([Backwards()]).fit(X, CODES, LABELS["strings"], seed=0)
    theirs = GaussianNB().fit(X, CODES)
    np.testing.assert_allclose(ours.probabilities(NEW)[:, 0], theirs.predict_proba(NEW), rtol=1e-12)
    np.testing.assert_array_equal(ours.codes(NEW)[:, 0], theirs.predict(NEW))


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_an_answer_that_is_no_class_is_refused(voting):
    names = LABELS["strings"][CODES]
    with pytest.raises(ValueError, match="predict answers '\\?', which is none of the 3 classes"):
        MajorityVoteClassifier(Unsure(), voting=voting, random_state=0).fit(X, names)


@pytest.mark.parametrize("frozen", [False, True])
def test_answers_may_be_a_column(frozen):
    voters = FrozenEstimator(Column().fit(X, CODES)) if frozen else Column()
    clf = MajorityVoteClassifier(voters, random_state=0).fit(X, CODES)
    np.testing.assert_array_equal(clf.predict(NEW), clf.voters_[0].classifiers[0].predict(NEW)[:, 0])


def test_what_is_no_classifier_is_named():
    with pytest.raises(TypeError, match=r"voters\[1\] is StandardScaler\(\)"):
        MajorityVoteClassifier([GaussianNB(), StandardScaler()]).fit(X, CODES)
