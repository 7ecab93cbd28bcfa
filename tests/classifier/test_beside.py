"""What `fit` takes beside examples and labels: subgroups, weights for training; and the error from both sides."""

import inspect

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import VOTERS, Shared, data, quick
from stocmv import certify_predictions
from stocmv.voters import Encoded, Ensemble

X, y = data(n=300)
SITE = np.array(["north", "south", "west"])[np.arange(300) % 3]
OLD = np.arange(300) % 2 == 0


class TestSubgroups:
    def test_are_those_of_the_judging_examples(self):
        """Cut with the examples: the same figures as for the answers of the fitted vote to its judges."""
        numbered = np.column_stack([X, np.arange(300)])
        given = {"site": SITE, "old": OLD}
        clf = quick(per_class=True).fit(numbered, y, subgroups=given)
        rows = [k for k in range(300) if row_of(clf, numbered, k) in set(clf.evidence_.row.tolist())]
        assert len(rows) == clf.certificate_.n == 100
        alone = certify_predictions(
            y[rows], clf.predict(numbered[rows]), subgroups={name: values[rows] for name, values in given.items()}
        )
        assert clf.certificate_.subgroups == alone.subgroups
        assert clf.certificate_.verify(clf.evidence_)
        assert "The subgroups were defined before" in str(clf.certificate_)

    def test_without_judges_are_left_out(self):
        """Nothing is known about a subgroup that only trained."""
        judges = quick().fit(X, y, subgroups=np.arange(300)).certificate_.subgroups["entries"]
        only = np.where(np.isin(np.arange(300), [int(own["value"]) for own in judges]), "judge", "teacher")
        clf = quick().fit(X, y, subgroups=only)
        assert [own["value"] for own in clf.certificate_.subgroups["entries"]] == ["judge"]
        assert clf.certificate_.verify(clf.evidence_)

    def test_of_groups(self):
        clf = quick().fit(X, y, np.arange(300) // 3, subgroups={"site": SITE})
        assert [own["n"] for own in clf.certificate_.subgroups["entries"]] == [clf.certificate_.n] * 3
        assert clf.certificate_.verify(clf.evidence_)

    def test_of_frozen_voters_that_all_examples_judge(self):
        clf = quick(VOTERS["frozen_forest"](2)).fit(X, y, subgroups={"site": SITE})
        assert [own["n"] for own in clf.certificate_.subgroups["entries"]] == [100, 100, 100]

    @pytest.mark.parametrize(
        ("settings", "given", "message"),
        [
            ({"n_folds": 2}, SITE, "subgroups need a hold-out: .* Leave out n_folds"),
            ({"bound": "seeger"}, SITE, "subgroups need a vote that is only tested, not bound='seeger'"),
            ({}, SITE[1:], r"a value for each of the 300 examples, got the shape \(299,\)"),
        ],
    )
    def test_are_refused_before_anything_is_trained(self, settings, given, message):
        voter = Recorder(Shared())
        with pytest.raises(ValueError, match=message):
            quick([voter], **settings).fit(X, y, subgroups=given)
        assert not voter.seen

    @pytest.mark.parametrize("name", ["subgroups", "sample_weight"])
    def test_are_refused_on_a_cluster(self, name):
        dask = pytest.importorskip("dask.array")
        with pytest.raises(ValueError, match=f"{name} needs examples in memory"):
            quick().fit(dask.from_array(X), dask.from_array(y), **{name: np.ones(300)})


def row_of(clf, X, k):
    from stocmv.checks import hash_rows
    from stocmv.protocols import ROW_KEY

    return int(hash_rows(X[[k]], ROW_KEY)[0])


class TestBothSides:
    def test_of_a_holdout(self):
        certificate = quick(sides=2).fit(X, y).certificate_
        assert 0 < certificate.interval["lower"] < certificate.empirical_risk < certificate.bound
        assert certificate.bound < certificate.interval["upper"]

    def test_are_refused(self):
        with pytest.raises(ValueError, match="sides=2 needs a hold-out"):
            quick(sides=2, n_folds=2).fit(X, y)
        with pytest.raises(ValueError, match="sides=2 needs a vote that is only tested"):
            quick(sides=2, bound="seeger").fit(X, y)
        with pytest.raises(ValueError, match="sides must be 1 or 2, got 3"):
            quick(sides=3).fit(X, y)


@pytest.mark.parametrize("settings", [{}, {"n_folds": 2}])
def test_another_prevalence(settings):
    """A bound where the classes are otherwise distributed, also with folds."""
    certificate = quick(per_class=True, **settings).fit(X, y).certificate_
    first, second = (entry["bound"] for entry in certificate.per_class)
    assert certificate.at_prevalence({0: 0.9, 1: 0.1}) == pytest.approx(0.9 * first + 0.1 * second)
    with pytest.raises(ValueError, match="certify with per_class=True"):
        quick(**settings).fit(X, y).certificate_.at_prevalence({0: 1.0})


class Recorder(ClassifierMixin, BaseEstimator):
    """Notes the numbers of the examples that train it, which are their last feature, and their weights."""

    def __init__(self, seen):
        self.seen = seen

    def fit(self, X, y, sample_weight=None):
        self.seen.append((np.asarray(X)[:, -1], sample_weight))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.zeros(len(X), int)]


class TestSampleWeight:
    @pytest.mark.parametrize(
        ("settings", "times"),
        [
            ({}, 1 + 3),
            ({"n_folds": 2}, 2 * (1 + 3)),
            ({"n_folds": 2, "inner_folds": 0}, 2 * 2),
            ({"bound": "seeger"}, 3),
        ],
    )
    def test_is_cut_with_the_examples(self, settings, times):
        """In every training: for the vote, for the weights of the voters, for what to expect of a fold."""
        voter, numbered = Recorder(Shared()), np.column_stack([X, np.arange(300)])
        clf = quick([voter, GaussianNB()], **settings).fit(numbered, y, sample_weight=1000.0 + np.arange(300))
        assert len(voter.seen) == times
        for numbers, weights in voter.seen:
            np.testing.assert_array_equal(weights, 1000 + numbers)
        assert any("sample_weight" in assumption for assumption in clf.certificate_.assumptions)

    def test_weighs_no_judges(self):
        """A classifier that ignores its examples has the same certificate whatever they weigh."""
        plain, heavy = (quick([Recorder([])]).fit(X, y, sample_weight=w) for w in (None, 1.0 + 99 * y))
        assert heavy.certificate_.figures == plain.certificate_.figures
        assert not any("sample_weight" in assumption for assumption in plain.certificate_.assumptions)

    @pytest.mark.parametrize(
        "voters",
        [
            *(VOTERS[kind](2) for kind in ("forest", "bagging", "adaboost", "voting")),
            make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3)),
            make_pipeline(StandardScaler(), BaggingClassifier(n_estimators=3)),
            [make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), GaussianNB())), GaussianNB()],
        ],
    )
    @pytest.mark.parametrize("voting", ["hard", "auto"])
    def test_reaches_every_kind_of_voters(self, voters, voting):
        """Of examples with both labels, the heavy ones are learned."""
        both, labels = np.hstack([X, X + 1e-6]).reshape(-1, 4), np.column_stack([y, 1 - y]).ravel()
        for right, heavy in ((True, [1.0, 1e-6]), (False, [1e-6, 1.0])):
            clf = quick(voters, voting=voting, inner_folds=0).fit(both, labels, sample_weight=np.tile(heavy, len(y)))
            assert ((clf.predict(X) == y).mean() > 0.55) == right
            assert ((clf.predict(X) == y).mean() < 0.45) != right

    def test_reaches_models_and_encoded_voters(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X, columns=list("abcd")).assign(site=SITE)
        weights = np.where(y == 1, 1.0, 1e-9)
        for voters in ("models", Encoded(Ensemble(VOTERS["forest"](2)), ["site"])):
            clf = quick(voters, inner_folds=0).fit(frame, y, sample_weight=weights)
            assert (clf.predict(frame) == 1).mean() > 0.9

    @pytest.mark.parametrize(
        ("voters", "message"),
        [
            (
                [GaussianNB(), KNeighborsClassifier()],
                "cannot be used to train KNeighborsClassifier, whose fit does not",
            ),
            (make_pipeline(StandardScaler(), KNeighborsClassifier()), "to train KNeighborsClassifier"),
            (VOTERS["networks"](2), "to train RandomNetworks"),
            ("stumps", "to train Stumps"),
            (VOTERS["frozen_forest"](2), "for training the voters, and these are not trained"),
        ],
    )
    def test_is_refused_where_it_cannot_be_used(self, voters, message):
        with pytest.raises(ValueError, match=message):
            quick(voters).fit(X, y, sample_weight=np.ones(300))

    def test_a_voting_classifier_names_its_member(self):
        voters = VotingClassifier([("bayes", GaussianNB()), ("neighbours", KNeighborsClassifier())])
        with pytest.raises(TypeError, match="KNeighborsClassifier does not support sample weights"):
            quick(voters).fit(X, y, sample_weight=np.ones(300))

    @pytest.mark.parametrize("given", [np.ones(299), -np.ones(300), np.full(300, np.nan), np.ones((300, 2))])
    def test_refuses_what_are_no_weights(self, given):
        with pytest.raises(ValueError, match=r"[Ss]ample|[Ww]eight"):
            quick().fit(X, y, sample_weight=given)

    def test_is_routed_by_scikit_learn(self):
        """In a cross-validation that hands it on, and to the last step of a pipeline that asks for it."""
        with config_context(enable_metadata_routing=True):
            asks = LogisticRegression().set_fit_request(sample_weight=True)
            scales = StandardScaler().set_fit_request(sample_weight=False)
            clf = quick(make_pipeline(scales, asks)).set_fit_request(sample_weight=True)
            clf.set_score_request(sample_weight=False)
            weights = {"sample_weight": np.where(y == 1, 1.0, 1e-9)}
            found = cross_validate(clf, X, y, cv=2, params=weights, return_estimator=True)
        assert all((own.predict(X) == 1).mean() > 0.9 for own in found["estimator"])

    def test_is_named_in_the_signature(self):
        """Where scikit-learn and others look for it."""
        assert inspect.signature(quick().fit).parameters["sample_weight"].kind is inspect.Parameter.KEYWORD_ONLY
