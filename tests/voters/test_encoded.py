"""Voters on data frames with columns of categories."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from stocmv import MajorityVoteClassifier
from stocmv.persistence import load, save
from stocmv.voters import Encoded, Ensemble, Stumps, VoterSet, VoterSource

CLASSES = np.array([0, 1])
both = pytest.mark.parametrize("encoding", ["ordinal", "onehot"])


class Seen(VoterSet):
    """One voter that remembers the numbers it is shown."""

    n_voters = 1

    def __init__(self, trained_on):
        self.trained_on = trained_on
        self.judged = []

    def codes(self, X):
        self.judged.append(X)
        return np.zeros((len(X), 1), np.uint8)


class Seeing(VoterSource):
    allow_nan = True

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Seen(X)


def frame(n=150, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"colour": rng.choice(["red", "green", "blue"], n), "size": rng.random(n), "shape": rng.choice(["x", "y"], n)}
    )


def test_ordinal_numbers_are_those_of_scikit_learn():
    X = frame()
    voters = Encoded(Seeing(), ["colour", "shape"]).fit(X, None, CLASSES, 0)
    theirs = np.column_stack([OrdinalEncoder().fit_transform(X[["colour", "shape"]]), X["size"]])
    np.testing.assert_array_equal(voters.voters.trained_on, theirs)
    np.testing.assert_array_equal(voters.transformed(X), theirs)


def test_one_hot_numbers_are_those_of_scikit_learn():
    X = frame()
    voters = Encoded(Seeing(), ["colour", "shape"], "onehot").fit(X, None, CLASSES, 0)
    theirs = np.column_stack([OneHotEncoder(sparse_output=False).fit_transform(X[["colour", "shape"]]), X["size"]])
    np.testing.assert_array_equal(voters.voters.trained_on, theirs)
    assert theirs.shape[1] == 3 + 2 + 1


def test_categories_are_learned_from_the_training_examples_of_each_fold():
    X = frame().assign(colour="red")
    X.loc[7, "colour"] = "seen once"
    clf = MajorityVoteClassifier(Encoded(Seeing(), ["colour", "shape"]), n_folds=3, random_state=0)
    clf.fit(X, np.arange(len(X)) % 2)
    known = [list(voters.transformer.named_transformers_["categories"].categories_[0]) for voters in clf.voters_]
    assert sorted(map(len, known)) == [1, 2, 2]
    judged = [voters.voters.judged[0] for voters in clf.voters_]
    assert [int((numbers[:, 0] == -1).sum()) for numbers in judged] == [int(len(k) == 1) for k in known]


@both
def test_a_category_that_was_never_seen(encoding):
    X = frame()
    voters = Encoded(Seeing(), ["colour", "shape"], encoding).fit(X, None, CLASSES, 0)
    (row,) = voters.transformed(pd.DataFrame({"colour": ["infrared"], "size": [0.5], "shape": ["x"]}))
    assert row.tolist() == ([-1.0, 0.0, 0.5] if encoding == "ordinal" else [0.0, 0.0, 0.0, 1.0, 0.0, 0.5])


def test_missing_categories():
    X = frame()
    X["colour"] = X["colour"].astype(object).where(X.index % 5 > 0, np.nan)
    ordinal = Encoded(Seeing(), ["colour", "shape"]).fit(X, None, CLASSES, 0).voters.trained_on
    np.testing.assert_array_equal(np.isnan(ordinal[:, 0]), X["colour"].isna())
    onehot = Encoded(Seeing(), ["colour", "shape"], "onehot").fit(X, None, CLASSES, 0).voters.trained_on
    assert onehot.shape[1] == 4 + 2 + 1
    np.testing.assert_array_equal(onehot[:, 3], X["colour"].isna())


def test_voters_that_cannot_handle_missing_values():
    X = frame()
    X.loc[3, "size"] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        MajorityVoteClassifier(Encoded(Stumps(), ["colour", "shape"])).fit(X, X["shape"])


def test_infinite_values():
    X = frame()
    X.loc[3, "size"] = np.inf
    with pytest.raises(ValueError, match="contains infinity"):
        MajorityVoteClassifier(Encoded(Seeing(), ["colour", "shape"])).fit(X, X["shape"])


@both
@pytest.mark.parametrize("source", [Ensemble(RandomForestClassifier(8)), Stumps(4)], ids=["forest", "stumps"])
def test_a_certificate_that_holds(source, encoding):
    X = frame()
    y = (X["colour"] == "red").to_numpy()
    clf = MajorityVoteClassifier(Encoded(source, ["colour", "shape"], encoding), prior=1.0, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.9
    assert clf.certificate_.verify(clf.evidence_)
    assert any(text.startswith("Which columns hold categories") for text in clf.certificate_.assumptions)
    assert clf.certificate_.context["voters"].endswith(f"2 columns of categories encoded ({encoding})")


def test_without_categories_it_changes_nothing():
    X = frame()[["size"]].assign(more=frame(seed=1)["size"])
    y = X["size"] > 0.5
    forest = Ensemble(RandomForestClassifier(8))
    ours = MajorityVoteClassifier(Encoded(forest, []), random_state=0).fit(X, y)
    theirs = MajorityVoteClassifier(forest, random_state=0).fit(X.to_numpy(), y)
    assert ours.certificate_.bound == theirs.certificate_.bound
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X.to_numpy()))


@both
def test_saved_and_loaded(encoding, tmp_path):
    X = frame()
    X["colour"] = X["colour"].astype(object).where(X.index % 5 > 0, np.nan)
    voters = Encoded(Ensemble(RandomForestClassifier(5)), ["colour", "shape"], encoding)
    clf = MajorityVoteClassifier(voters, random_state=0).fit(X, X["shape"].to_numpy(str))
    save(clf, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    new = frame(seed=1).assign(colour="infrared")
    for rows in (X, new):
        np.testing.assert_array_equal(again.predict_proba(rows), clf.predict_proba(rows))


def test_polars():
    polars = pytest.importorskip("polars")
    X = frame()
    y = (X["colour"] == "red").to_numpy()
    clf = MajorityVoteClassifier(Encoded(Ensemble(RandomForestClassifier(5)), ["colour", "shape"]), random_state=0)
    ours = clf.fit(polars.DataFrame(X.to_dict("list")), y).certificate_.bound
    assert ours == clf.fit(X, y).certificate_.bound


def test_traits_of_the_source():
    forest, stumps = Ensemble(RandomForestClassifier(5)), Stumps(ranges="training")
    for source in (forest, stumps):
        ours = Encoded(source, ["colour"])
        assert ours.learns
        assert (ours.exchangeable, ours.allow_nan, ours.default_prior) == (
            source.exchangeable,
            source.allow_nan,
            source.default_prior,
        )
        assert set(source.assumptions) < set(ours.assumptions)


def test_the_answers_of_a_forest_out_of_the_bag():
    X = frame()
    codes = (X["colour"] == "red").to_numpy().astype(np.uint8)
    ours = Encoded(Ensemble(RandomForestClassifier(20)), ["colour", "shape"])
    voters = ours.fit(X, codes, CLASSES, 0)
    theirs = ours.source.out_of_bag(voters.voters, voters.transformed(X))
    assert np.mean(theirs == codes) > 0.9
    np.testing.assert_array_equal(ours.out_of_bag(voters, X), theirs)
    assert ours.out_of_bag(voters.voters, X) is None


def test_what_is_refused():
    with pytest.raises(ValueError, match="encoding must be 'ordinal' or 'onehot', got 'hash'"):
        Encoded(Stumps(), ["colour"], "hash").fit(frame(), None, CLASSES, 0)
    with pytest.raises(ValueError, match=r"'color', which X does not have \(did you mean 'colour'\?\)"):
        MajorityVoteClassifier(Encoded(Stumps(), ["color"])).fit(frame(), frame()["shape"])
    with pytest.raises(ValueError, match="only supported for dataframes"):
        MajorityVoteClassifier(Encoded(Stumps(), ["colour"])).fit(frame().to_numpy(), frame()["shape"])
