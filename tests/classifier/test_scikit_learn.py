"""The tools of scikit-learn: copies, files, pipelines, searches, and parameters of the voters."""

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from classifier.problems import VOTERS, data, plain, quick
from stocmv import MajorityVoteClassifier

X, y = data()


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict_stochastic(X, 1), theirs.predict_stochastic(X, 1))
    assert ours.certificate_ == theirs.certificate_


class TestCopies:
    @pytest.mark.parametrize("kind", VOTERS)
    def test_clone_is_not_fitted_and_fits_the_same(self, kind):
        clf = plain(kind)
        copy = clone(clf)
        with pytest.raises(NotFittedError):
            check_is_fitted(copy)
        assert_same(copy.fit(X, y), clf)

    @pytest.mark.parametrize("kind", VOTERS)
    def test_pickle_keeps_everything(self, kind):
        clf = plain(kind)
        copy = pickle.loads(pickle.dumps(clf))
        assert_same(copy, clf)
        assert bool(copy.certificate_.verify(copy.evidence_)) == clf.certificate_.proven
        assert copy.key_ == clf.key_

    def test_joblib_keeps_everything(self, tmp_path):
        clf = quick(stochastic=True).fit(X, y)
        joblib.dump(clf, tmp_path / "clf.joblib", compress=1)
        assert_same(joblib.load(tmp_path / "clf.joblib"), clf)

    def test_a_drawn_vote_can_be_copied(self):
        drawn = quick(stochastic=True).fit(X, y).draw(0)
        for copy in (clone(drawn), pickle.loads(pickle.dumps(drawn))):
            np.testing.assert_array_equal(copy.predict(X), drawn.predict(X))

    def test_fitting_leaves_the_parameters_alone(self):
        forest = RandomForestClassifier(5)
        clf = quick(forest, n_jobs=2).fit(X, y)
        assert clf.voters is forest
        assert not hasattr(forest, "estimators_")
        assert (forest.random_state, forest.n_jobs) == (None, None)


class TestParameters:
    def test_reach_into_an_estimator(self):
        clf = quick(BaggingClassifier(GaussianNB(), 5), voting="hard")
        assert clf.get_params()["voters__n_estimators"] == 5
        assert "voters__n_estimators" not in clf.get_params(deep=False)
        clf.set_params(voters__n_estimators=3, voters__estimator__var_smoothing=1e-3, delta=0.1)
        assert clf.fit(X, y).voters_[0].n_voters == 3
        assert clf.certificate_.delta == 0.1

    def test_say_who_judges(self):
        clf = quick(holdout=0.25, inner_folds=2)
        assert {name: clf.get_params()[name] for name in ("holdout", "n_folds", "inner_folds")} == {
            "holdout": 0.25,
            "n_folds": None,
            "inner_folds": 2,
        }
        assert clone(clf).get_params()["holdout"] == 0.25
        assert clf.fit(X, y).certificate_.fold_sizes == (30,)
        assert clf.set_params(holdout="auto", n_folds=4).fit(X, y).certificate_.fold_sizes == (30,) * 4

    def test_of_nobody_are_refused(self):
        with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
            quick().set_params(nonsense=1)

    def test_are_shown_when_they_differ_from_the_defaults(self):
        assert repr(MajorityVoteClassifier("stumps", delta=0.1)) == "MajorityVoteClassifier(delta=0.1, voters='stumps')"


class TestTools:
    def test_pipeline(self):
        pipe = make_pipeline(StandardScaler(), quick()).fit(X, y)
        assert pipe.score(X, y) > 0.8
        np.testing.assert_array_equal(pipe.classes_, [0, 1])
        assert pipe.predict_proba(X).shape == (len(X), 2)

    def test_set_output_hands_names_through_a_pipeline(self):
        pytest.importorskip("pandas", reason="set_output needs pandas")
        pipe = make_pipeline(StandardScaler(), quick()).set_output(transform="pandas").fit(X, y)
        assert list(pipe[-1].feature_names_in_) == ["x0", "x1", "x2", "x3"]
        plain = make_pipeline(StandardScaler(), quick()).fit(X, y)
        np.testing.assert_array_equal(pipe.predict(X), plain.predict(X))

    def test_grid_search(self):
        grid = {"delta": [0.05, 0.1], "n_folds": [2, 3], "voters__n_estimators": [1, 4]}
        search = GridSearchCV(quick(voting="hard"), grid, cv=2).fit(X, y)
        best = search.best_estimator_
        assert len(search.cv_results_["params"]) == 8
        assert best.certificate_.delta == search.best_params_["delta"]
        assert len(best.certificate_.fold_sizes) == search.best_params_["n_folds"]
        assert best.voters_[0].n_voters == search.best_params_["voters__n_estimators"]
        assert best.certificate_.verify(best.evidence_)

    def test_grid_search_over_the_share_held_out(self):
        search = GridSearchCV(quick(), {"holdout": ["auto", 0.25, 0.5], "inner_folds": [0, 2]}, cv=2).fit(X, y)
        best = search.best_estimator_
        assert len(search.cv_results_["params"]) == 6
        assert np.all(np.isfinite(search.cv_results_["mean_test_score"]))
        sizes = {"auto": 40, 0.25: 30, 0.5: 60}
        assert best.certificate_.n == sizes[search.best_params_["holdout"]]

    @pytest.mark.parametrize("kind", ["forest", "stumps", "list", "frozen_forest"])
    def test_cross_val_score(self, kind):
        assert np.all(cross_val_score(quick(VOTERS[kind](2)), X, y, cv=2) > 0.6)

    def test_frozen_ones_stay_frozen_in_a_cross_validation(self):
        clf = clone(quick(VOTERS["frozen_forest"](2))).fit(X, y)
        assert clf.certificate_.fold_sizes == (len(X),)


class TestFitParameters:
    def test_groups_reach_the_fit_through_a_pipeline(self):
        pipe = make_pipeline(StandardScaler(), quick())
        pipe.fit(X, y, majorityvoteclassifier__groups=np.arange(len(y)) // 2)
        assert pipe[-1].certificate_.grouped

    def test_bagging_of_votes(self):
        assert BaggingClassifier(quick(), n_estimators=2, random_state=0).fit(X, y).score(X, y) > 0.7
