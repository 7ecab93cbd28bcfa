"""What X and y may be: frames, names, labels of every kind, sparse matrices, missing values."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import VOTERS, broken, data, of_kind, plain, quick
from stocmv import Certificate
from stocmv.certificate import Judgments

X, y = data()
NAMES = ["a", "b", "c", "d"]
SOURCES = ["forest", "bagging", "adaboost", "voting", "stumps", "list", "frozen_forest"]


def pandas_frame(X, columns=None):
    return pytest.importorskip("pandas", reason="pandas is not installed").DataFrame(X, columns=columns or NAMES)


def polars_frame(X, columns=None):
    return pytest.importorskip("polars", reason="polars is not installed").DataFrame(X, schema=columns or NAMES)


every_frame = pytest.mark.parametrize("frame", [pandas_frame, polars_frame])


@every_frame
@pytest.mark.parametrize("kind", SOURCES)
class TestFrames:
    # the forest was frozen after a fit on an array, and scikit-learn says so
    pytestmark = pytest.mark.filterwarnings("ignore:X has feature names, but RandomForestClassifier was fitted without")

    def test_are_as_good_as_arrays(self, kind, frame):
        clf, theirs = of_kind(kind).fit(frame(X), y), plain(kind)
        assert list(clf.feature_names_in_) == NAMES
        assert not hasattr(theirs, "feature_names_in_")
        assert clf.certificate_ == theirs.certificate_
        np.testing.assert_array_equal(clf.predict(frame(X)), theirs.predict(X))
        np.testing.assert_array_equal(clf.predict_proba(frame(X)), theirs.predict_proba(X))

    @pytest.mark.parametrize("names", [["a", "b", "c", "x"], ["d", "c", "b", "a"]], ids=["other", "other_order"])
    def test_with_other_names_are_refused(self, kind, frame, names):
        clf = of_kind(kind).fit(frame(X), y)
        for answer in (clf.predict, clf.predict_proba, clf.predict_stochastic):
            with pytest.raises(ValueError, match="feature names"):
                answer(frame(X, names))


class TestShape:
    @pytest.mark.parametrize("kind", SOURCES)
    def test_features_are_counted(self, kind):
        clf = plain(kind)
        assert clf.n_features_in_ == 4
        for answer in (clf.predict, clf.predict_proba, clf.predict_stochastic):
            with pytest.raises(ValueError, match="X has 3 features, but MajorityVoteClassifier is expecting 4"):
                answer(X[:, :3])

    @pytest.mark.parametrize("kind", SOURCES)
    def test_lists_will_do(self, kind):
        clf = of_kind(kind).fit(X.tolist(), y.tolist())
        np.testing.assert_array_equal(clf.predict(X.tolist()), plain(kind).predict(X))

    def test_an_array_after_a_frame_is_warned_of(self):
        clf = quick().fit(pandas_frame(X), y)
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            clf.predict(X)

    @pytest.mark.parametrize("kind", SOURCES)
    def test_a_column_of_labels_is_warned_of(self, kind):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            quick(VOTERS[kind](2)).fit(X, y[:, None])

    @pytest.mark.parametrize("kind", SOURCES)
    def test_x_and_y_have_one_length(self, kind):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            quick(VOTERS[kind](2)).fit(X, y[:-1])


LABELS = {
    "strings": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], object),
    "booleans": np.array([False, True]),
    "signs": np.array([-1, 1]),
    "floats": np.array([1.0, 7.0]),
    "large": np.array([10**12, 10**15]),
}


class TestLabels:
    @pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
    @pytest.mark.parametrize("kind", ["forest", "adaboost", "stumps", "list"])
    def test_of_any_kind_come_back(self, kind, labels):
        clf, theirs = of_kind(kind).fit(X, labels[y]), plain(kind)
        np.testing.assert_array_equal(clf.classes_, labels)
        assert clf.certificate_.bound == theirs.certificate_.bound
        for answers, codes in (
            (clf.predict(X), theirs.predict(X)),
            (clf.predict_stochastic(X, 0), theirs.predict_stochastic(X, 0)),
            (clf.draw(0).predict(X), theirs.draw(0).predict(X)),
        ):
            np.testing.assert_array_equal(answers, labels[codes])
            assert answers.dtype == labels.dtype

    @pytest.mark.parametrize("name", LABELS)
    def test_of_any_kind_go_to_files_and_back(self, name, tmp_path):
        labels = LABELS[name]
        clf = quick(per_class=True, n_folds=3).fit(X, labels[y])
        clf.certificate_.to_json(tmp_path / "certificate.json")
        assert [c["label"] for c in clf.certificate_.per_class] == labels.tolist()
        clf.evidence_.save(tmp_path / "evidence.npz")
        evidence = Judgments.load(tmp_path / "evidence.npz")
        assert evidence.digest() == clf.certificate_.evidence
        assert Certificate.from_json(tmp_path / "certificate.json").verify(evidence)

    @pytest.mark.parametrize("dtype", ["str", "object", "category"])
    def test_in_a_series(self, dtype):
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        series = pandas.Series(LABELS["strings"][y], index=np.arange(len(y)) + 7).astype(dtype)
        clf = quick().fit(pandas_frame(X), series)
        assert list(clf.classes_) == ["no", "yes"]
        assert clf.score(pandas_frame(X), series) > 0.8

    @pytest.mark.parametrize("kind", ["forest", "stumps", "list"])
    def test_that_are_continuous_are_refused(self, kind):
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            quick(VOTERS[kind](2)).fit(X, y + np.linspace(0, 0.5, len(y)))

    @pytest.mark.parametrize(
        "kind", broken("list", "numpy warns of a cast before scikit-learn refuses", ["forest", "stumps", "list"])
    )
    def test_that_are_missing_are_refused(self, kind):
        with pytest.raises(ValueError, match="Input y contains NaN"):
            quick(VOTERS[kind](2)).fit(X, np.where(np.arange(len(y)) == 5, np.nan, y))

    @pytest.mark.parametrize("kind", ["forest", "stumps", "list"])
    def test_of_several_outputs_are_refused(self, kind):
        with pytest.raises(ValueError, match="y should be a 1d array"):
            quick(VOTERS[kind](2)).fit(X, np.column_stack([y, y]))


class TestSparse:
    @pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix])
    @pytest.mark.parametrize("kind", ["forest", "extra_trees", "bagging", "adaboost"])
    def test_is_as_good_as_dense(self, kind, make):
        clf, theirs = of_kind(kind).fit(make(X), y), plain(kind)
        assert clf.certificate_ == theirs.certificate_
        np.testing.assert_array_equal(clf.predict_proba(make(X)), theirs.predict_proba(X))
        np.testing.assert_array_equal(clf.draw(0).predict(sparse.csr_array(X)), theirs.draw(0).predict(X))

    @pytest.mark.parametrize("kind", ["stumps", "classifier", "voting"])
    def test_is_refused_by_voters_that_need_dense(self, kind):
        with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
            quick(VOTERS[kind](2)).fit(sparse.csr_array(X), y)

    def test_reaches_a_list_of_classifiers_that_take_it(self):
        clf = quick([LogisticRegression()]).fit(sparse.csr_array(X), y)
        assert clf.score(sparse.csr_array(X), y) > 0.8

    def test_answers_of_a_dense_fit_may_be_asked_sparse(self):
        clf = plain("forest")
        np.testing.assert_array_equal(clf.predict(sparse.csr_array(X)), clf.predict(X))


class TestMissingValues:
    HOLES = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)

    @pytest.mark.parametrize(
        "voters",
        [RandomForestClassifier(5), BaggingClassifier(n_estimators=5), [DecisionTreeClassifier()]],
        ids=["forest", "bagging", "list"],
    )
    def test_are_left_to_voters_that_know_them(self, voters):
        clf = quick(voters).fit(self.HOLES, y)
        assert clf.score(self.HOLES, y) > 0.7
        assert clf.certificate_.verify(clf.evidence_)

    @pytest.mark.parametrize("kind", ["stumps", "classifier"])
    def test_are_refused_by_the_others(self, kind):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            quick(VOTERS[kind](2)).fit(self.HOLES, y)
        with pytest.raises(ValueError, match="Input X contains NaN"):
            plain(kind).predict(self.HOLES)

    @pytest.mark.parametrize("kind", ["forest", "stumps", "list"])
    def test_infinity_is_refused(self, kind):
        with pytest.raises(ValueError, match="Input X contains infinity"):
            quick(VOTERS[kind](2)).fit(np.where(X > 1.5, np.inf, X), y)


def test_columns_of_text_reach_a_list_of_pipelines():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"colour": np.array(["red", "green", "blue"])[np.arange(len(y)) % 3], "size": y})
    clf = quick([make_pipeline(OneHotEncoder(), DecisionTreeClassifier())]).fit(frame, y)
    assert clf.score(frame, y) == 1.0
