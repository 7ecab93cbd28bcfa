"""Unusual data and wrong arguments: each works, or one sentence says why not."""

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import VOTERS, data, quick
from stocmv import MajorityVoteClassifier
from stocmv.solvers import LBFGS
from stocmv.voters import VoterSet, VoterSource

X, y = data()
KINDS = ["forest", "bagging", "adaboost", "stumps", "list", "networks"]
every_kind = pytest.mark.parametrize("kind", KINDS)


def fit_and_check(voters, X, y, **settings):
    clf = quick(voters, stochastic=True, **settings).fit(X, y)
    assert clf.certificate_.verify(clf.evidence_), str(clf.certificate_.verify(clf.evidence_))
    probabilities = clf.predict_proba(X)
    assert probabilities.shape == (len(X), len(clf.classes_))
    np.testing.assert_allclose(probabilities.sum(1), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[probabilities.argmax(1)])
    assert set(clf.predict_stochastic(X, 0)) | set(clf.draw(0).predict(X)) <= set(clf.classes_)
    return clf


# Gaussian naive Bayes of a single example, or of a feature without spread, divides by a variance of zero
silent_bayes = pytest.mark.filterwarnings("ignore:(divide by zero|invalid value) encountered:RuntimeWarning:sklearn")


@silent_bayes
@every_kind
class TestUnusualData:
    @pytest.mark.parametrize("n", [2, 3, 20])
    @pytest.mark.parametrize("bound", ["auto", "fold_test", "seeger"])
    def test_few_examples(self, kind, n, bound):
        clf = fit_and_check(VOTERS[kind](2), X[:n], np.arange(n) % 2, bound=bound)
        if bound == "auto":
            assert clf.certificate_.fold_sizes == (round(n / 3),)
        else:
            assert len(clf.certificate_.fold_sizes) == min(n, 3)
            assert clf.certificate_.n == n
        assert clf.certificate_.bound > 0.2

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({}, "n_samples = 1: at least 2 examples are needed"),
            ({"bound": "fold_test"}, "n_folds=1 and n_samples = 1: .* at least 2 folds are needed"),
            ({"bound": "seeger"}, "n_folds=1 and n_samples = 1: .* at least 2 folds are needed"),
        ],
        ids=["holdout", "fold_test", "seeger"],
    )
    def test_one_example(self, kind, settings, message):
        with pytest.raises(ValueError, match=message):
            quick(VOTERS[kind](2), **settings).fit(X[:1], y[:1])

    def test_no_example(self, kind):
        with pytest.raises(ValueError, match=r"0 sample|n_samples = 0"):
            quick(VOTERS[kind](2)).fit(X[:0], y[:0])

    @pytest.mark.slow
    def test_as_many_folds_as_examples(self, kind):
        clf = fit_and_check(VOTERS[kind](2), X[:12], np.arange(12) % 2, n_folds=12)
        assert clf.certificate_.fold_sizes == (1,) * 12

    def test_a_class_with_one_member(self, kind):
        """Its member is in one fold, so that the voters of this fold do not know the class."""
        labels = np.array(["a", "c"])[y]
        labels[7] = "b"
        clf = fit_and_check(VOTERS[kind](3), X, labels, solver=LBFGS(max_iter=1))
        np.testing.assert_array_equal(clf.classes_, ["a", "b", "c"])
        assert clf.score(X, labels) > 0.6

    def test_a_feature_without_spread(self, kind):
        wider = np.column_stack([X, np.ones(len(X))])
        assert fit_and_check(VOTERS[kind](2), wider, y).score(wider, y) > 0.7

    def test_no_feature_with_spread(self, kind):
        clf = fit_and_check(VOTERS[kind](2), np.ones((60, 2)), np.arange(60) % 2, bound="seeger")
        assert clf.certificate_.bound >= 0.5
        assert clf.certificate_.stochastic_bound >= 0.5

    def test_duplicated_examples(self, kind):
        fit_and_check(VOTERS[kind](2), np.repeat(X[:30], 4, axis=0), np.repeat(y[:30], 4))

    def test_one_class(self, kind):
        clf = fit_and_check(VOTERS[kind](2), X, np.full(len(y), "only"))
        assert clf.certificate_.empirical_risk < 1e-9
        np.testing.assert_array_equal(clf.predict_proba(X), np.ones((len(X), 1)))

    def test_a_hundred_classes(self, kind):
        X = np.random.default_rng(0).normal(size=(600, 2))
        clf = fit_and_check(VOTERS[kind](100), X, np.arange(600) % 100, solver=LBFGS(max_iter=1))
        assert len(clf.classes_) == 100
        assert clf.certificate_.bound > 0.9

    def test_large_numbers(self, kind):
        fit_and_check(VOTERS[kind](2), X * 1e30, y)


@pytest.mark.parametrize(
    "voters",
    [
        RandomForestClassifier(1),
        BaggingClassifier(n_estimators=1),
        DecisionTreeClassifier(),
        [DecisionTreeClassifier()],
        [GaussianNB().fit(*data(start=300))],
        FrozenEstimator(DecisionTreeClassifier().fit(*data(start=300))),
    ],
    ids=["forest", "bagging", "classifier", "list", "fitted", "frozen"],
)
def test_one_voter(voters):
    clf = fit_and_check(voters, X, y)
    assert {p.n_voters for p in clf.posterior_} == {1}
    assert clf.certificate_.has_one_voter
    assert clf.draw(0).weights == pytest.approx([1.0])
    np.testing.assert_array_equal(clf.evidence_.scores.max(1), 1)


def test_a_fold_of_one_class_may_be_too_much_for_a_classifier():
    with pytest.raises(ValueError, match="at least 2 classes"):
        quick([LogisticRegression()]).fit(X, np.zeros(len(y), int))


class TestArguments:
    @pytest.mark.parametrize("n_folds", [0, -1, 1.5, "x", True, [3]])
    def test_n_folds_is_a_positive_number(self, n_folds):
        with pytest.raises(ValueError, match=r"n_folds must be None or a positive integer, got "):
            quick(n_folds=n_folds).fit(X, y)

    @pytest.mark.parametrize("n_folds", [1, np.int64(1)])
    def test_voters_that_learn_need_two_folds(self, n_folds):
        with pytest.raises(ValueError, match=r"n_folds=1 and n_samples = 120: .* at least 2 folds are needed"):
            quick(n_folds=n_folds).fit(X, y)

    @pytest.mark.parametrize("kind", ["forest", "stumps_known", "frozen_forest"])
    def test_there_are_no_more_folds_than_examples(self, kind):
        with pytest.raises(ValueError, match=r"n_folds=121 is more than the number of examples, n_samples = 120"):
            quick(VOTERS[kind](2), n_folds=121).fit(X, y)

    @pytest.mark.parametrize("kind", ["forest", "stumps", "stumps_known"])
    @pytest.mark.parametrize("delta", [0, 1, 1.5, -0.1, np.nan, np.inf])
    def test_delta_is_a_probability(self, kind, delta):
        with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1, got "):
            quick(VOTERS[kind](2), delta=delta).fit(X, y)

    @pytest.mark.parametrize(
        ("argument", "value", "message"),
        [
            ("risk", "nonsense", "risk must be one of 'exact', .*, got 'nonsense'"),
            ("risk", None, "risk must be one of 'exact', .*, got None"),
            ("posterior", "nonsense", "posterior must be 'auto' or one of 'dirichlet', .*, got 'nonsense'"),
            (
                "posterior",
                "logit_normal",
                "risk 'exact' is not defined for the posterior .* use 'dirichlet'",
            ),
            ("bound", "nonsense", "bound must be one of 'auto', .*'seeger', .*, got 'nonsense'"),
            ("solver", "nonsense", "solver must be one of 'auto', .*, got 'nonsense'"),
            ("prior", -1, "prior must be positive and finite, got -1"),
            ("prior", 1e8, r"prior must have Dirichlet concentrations between 1e-06 and 1e\+06, got 1e\+08"),
            ("inner_folds", 1, "inner_folds must be 0 or an integer of at least 2, got 1"),
            ("inner_folds", -2, "inner_folds must be 0 or an integer of at least 2, got -2"),
            ("inner_folds", 2.5, "inner_folds must be 0 or an integer of at least 2, got 2.5"),
            ("inner_folds", None, "inner_folds must be 0 or an integer of at least 2, got None"),
            ("prior", [1.0, 2.0], "prior must be one number or one for each of the 5 voters"),
            ("random_state", "nonsense", "'nonsense' cannot be used to seed"),
        ],
    )
    def test_names_and_values_are_explained(self, argument, value, message):
        with pytest.raises(ValueError, match=message):
            quick(**{"voting": "hard", argument: value}).fit(X, y)


class TestVoters:
    @pytest.mark.parametrize(
        ("voters", "error", "message"),
        [
            ("nonsense", ValueError, "voters must be 'forest', 'models', 'stumps', .*, got 'nonsense'"),
            ([], TypeError, "a list of classifiers with at least one entry"),
            ((), TypeError, "a list of classifiers with at least one entry"),
            (LinearRegression(), TypeError, "voters must be .*, got LinearRegression"),
            (RandomForestRegressor(), TypeError, "voters must be .*, got RandomForestRegressor"),
            (IsolationForest(), TypeError, "voters must be .*, got IsolationForest"),
            ([LinearRegression()], TypeError, "must be a list of classifiers"),
            ([GaussianNB(), RandomForestRegressor()], TypeError, "must be a list of classifiers"),
            (FrozenEstimator(GaussianNB()), NotFittedError, "GaussianNB instance is not fitted yet"),
            (AdaBoostClassifier(FrozenEstimator(GaussianNB().fit(X, y))), ValueError, "around something frozen"),
            (RandomForestClassifier, TypeError, "voters must be .*, got <class"),
        ],
    )  # fmt: skip
    def test_that_cannot_be_used_are_refused(self, voters, error, message):
        with pytest.raises(error, match=message):
            quick(voters).fit(X, y)

    @pytest.mark.parametrize(
        "voters", [None, 3, {"a": GaussianNB()}, [3], FrozenEstimator(LinearRegression().fit(X, y))], ids=str
    )
    def test_of_a_wrong_type_are_refused(self, voters):
        with pytest.raises(TypeError, match="voters must be"):
            MajorityVoteClassifier(voters).fit(X, y)

    @pytest.mark.parametrize(
        ("voters", "n_voters"),
        [
            (VotingClassifier([("a", RandomForestClassifier(3)), ("b", RandomForestClassifier(3))]), 2),
            (VotingClassifier([(n, make_pipeline(StandardScaler(), GaussianNB())) for n in "ab"]), 2),
            (BaggingClassifier(RandomForestClassifier(3), n_estimators=2), 2),
            (BaggingClassifier(make_pipeline(StandardScaler(), GaussianNB()), n_estimators=2), 2),
        ],
        ids=["voting_forests", "voting_pipelines", "bagging_forests", "bagging_pipelines"],
    )
    def test_members_may_be_made_of_parts(self, voters, n_voters):
        assert fit_and_check(voters, X, y).voters_[0].n_voters == n_voters

    def test_members_that_were_dropped_do_not_vote(self):
        voters = VotingClassifier([("a", GaussianNB()), ("b", "drop"), ("c", DecisionTreeClassifier())])
        assert fit_and_check(voters, X, y).voters_[0].n_voters == 2

    @pytest.mark.parametrize(
        ("answers", "message"),
        [
            (lambda X: np.zeros((len(X), 2)), "Voters must answer class codes, integers from 0 to 1"),
            (lambda X: np.full((len(X), 2), 2), "Voters must answer class codes, integers from 0 to 1"),
            (lambda X: np.full((len(X), 2), -2), "Voters must answer class codes, integers from 0 to 1"),
            (lambda X: np.zeros(len(X), int), r"Voters answered an array of shape \(\d+,\)"),
            (lambda X: np.zeros((3, 2), int), r"Voters answered an array of shape \(3, 2\) for \d+ examples"),
            (lambda X: np.zeros((len(X), 0), int), r"Voters answered an array of shape \(\d+, 0\)"),
        ],
        ids=["floats", "too_large", "negative", "flat", "too_few", "none"],
    )
    def test_of_ones_own_must_answer_codes(self, answers, message):
        class Odd(VoterSet):
            n_voters = 2

            def codes(self, X):
                return answers(X)

        class OddSource(VoterSource):
            def fit(self, X, codes, classes, seed, n_jobs=None):
                return Odd()

        with pytest.raises(ValueError, match=message):
            quick(OddSource()).fit(X, y)


def frozen(*classifiers):
    return [FrozenEstimator(classifier) for classifier in classifiers]


class TestFrozenLabels:
    """Voters that were trained before, on labels that differ from those at hand."""

    def test_may_include_some_that_do_not_occur(self):
        clf = fit_and_check(frozen(DecisionTreeClassifier().fit(*data(3, start=300))), X, y)
        np.testing.assert_array_equal(clf.classes_, [0, 1, 2])

    def test_may_lack_some_that_occur(self):
        X, y = data(3)
        clf = fit_and_check(frozen(DecisionTreeClassifier().fit(*data(start=300))), X, y)
        np.testing.assert_array_equal(clf.classes_, [0, 1, 2])
        assert not np.any(clf.predict(X) == 2)
        assert clf.certificate_.empirical_risk >= np.mean(y == 2)

    def test_may_differ_among_the_voters(self):
        X, y = data(3)
        voters = [GaussianNB().fit(X[y != k], y[y != k]) for k in range(3)]
        clf = fit_and_check(frozen(*voters), X, y)
        errors = (clf.voters_[0].codes(X) != y[:, None]).mean(0)
        assert clf.certificate_.empirical_risk < min(errors)

    @pytest.mark.parametrize(("given", "known"), [(bool, int), (float, int), (int, float)])
    def test_of_equal_value_are_the_same(self, given, known):
        clf = fit_and_check(frozen(GaussianNB().fit(X, y.astype(known))), X, y.astype(given))
        assert len(clf.classes_) == 2
        assert clf.score(X, y) > 0.8

    @pytest.mark.parametrize(("given", "known"), [(str, int), (int, str)])
    def test_of_another_kind_are_refused(self, given, known):
        with pytest.raises(ValueError, match="strings"):
            quick(frozen(GaussianNB().fit(X, y.astype(known)))).fit(X, y.astype(given))

    @pytest.mark.parametrize("labels", [[0, 1, 2], [1, 2, 3], [-1, 0, 1], ["a", "b", "c"]], ids=str)
    def test_of_a_boosted_ensemble_are_its_members_labels(self, labels):
        (X, y), labels = data(3), np.array(labels)
        boosted = AdaBoostClassifier(n_estimators=4).fit(X, labels[y])
        clf = fit_and_check(frozen(boosted), X, labels[y], inner_folds=0)  # all examples judge
        theirs = [np.mean(member.predict(X) != labels[y]) for member in boosted.estimators_]
        np.testing.assert_allclose((clf.classes_[clf.voters_[0].codes(X)] != labels[y][:, None]).mean(0), theirs)

    def test_one_against_the_rest_is_one_voter(self):
        X, y = data(3)
        voters = OneVsRestClassifier(LogisticRegression()).fit(X, y)
        clf = fit_and_check(frozen(voters), X, y)
        assert clf.certificate_.empirical_risk == pytest.approx(np.mean(voters.predict(X) != y), abs=1e-6)

    @pytest.mark.parametrize("ensemble", [BaggingClassifier(n_estimators=3), AdaBoostClassifier(n_estimators=3)])
    def test_ensembles_may_be_asked_with_frames(self, ensemble):
        frame = pytest.importorskip("pandas").DataFrame(X, columns=list("abcd"))
        fit_and_check(frozen(ensemble.fit(frame, y)), frame, y)
