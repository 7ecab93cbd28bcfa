"""What was saved is loaded."""

import io
import pickle
import re
import zipfile

import joblib
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree._tree import Tree

from persistence.models import (
    CODES,
    NAMES,
    SHORT,
    TREE,
    Rules,
    RuleSource,
    X,
    Y,
    fitted,
    load_is_refused,
    through_skops,
)
from stocmv import MajorityVoteClassifier, posteriors, risks, solvers
from stocmv.bounds import BOUNDS
from stocmv.persistence import TRUSTED, load, save, trusted_types


def through_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def through_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", [through_skops, through_pickle, through_joblib])
def test_what_was_saved_is_loaded(name, way, tmp_path):
    theirs = fitted(name)
    ours = way(theirs, tmp_path)
    assert type(ours) is type(theirs)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if hasattr(theirs, "predict_proba"):
        np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    if isinstance(theirs, MajorityVoteClassifier):
        assert ours.certificate_ == theirs.certificate_
        assert ours.certificate_.to_json() == theirs.certificate_.to_json()
        assert ours.certificate_.verify(theirs.evidence_)
        assert ours.history_.steps == theirs.history_.steps
    if getattr(theirs, "stochastic", False):
        np.testing.assert_array_equal(ours.predict_stochastic(X, 0), theirs.predict_stochastic(X, 0))
        np.testing.assert_array_equal(ours.draw(0).predict(X), theirs.draw(0).predict(X))


@pytest.mark.parametrize("labels", [CODES, CODES > 0, Y.astype(object), CODES.astype(np.int8), CODES / 2 + 1])
def test_labels_keep_their_type(labels, tmp_path):
    labels = labels if labels.dtype.kind != "f" else labels * 2
    theirs = MajorityVoteClassifier("stumps", solver=SHORT, random_state=0).fit(X, labels)
    ours = through_skops(theirs, tmp_path)
    assert ours.classes_.dtype == theirs.classes_.dtype
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_names_of_features(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    theirs = MajorityVoteClassifier([GaussianNB()], random_state=0).fit(frame, Y)
    ours = through_skops(theirs, tmp_path)
    assert ours.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(ours.predict(frame), theirs.predict(frame))


@pytest.mark.parametrize("kinds", [posteriors.POSTERIORS, risks.RISKS, BOUNDS, solvers.SOLVERS])
def test_every_part_is_trusted(kinds):
    for kind in kinds.values():
        kind = kind if isinstance(kind, type) else type(kind)
        assert f"{kind.__module__}.{kind.__name__}" in TRUSTED


def test_only_our_types_and_trees_are_trusted():
    assert trusted_types() == TRUSTED
    assert len(set(TRUSTED)) == len(TRUSTED)
    assert [name for name in TRUSTED if not name.startswith("stocmv.")] == [TREE]


def test_nothing_in_a_file_is_pickled(tmp_path):
    save(fitted("forest"), tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as file:
        for name in file.namelist():
            if name.endswith(".npy"):
                np.load(io.BytesIO(file.read(name)), allow_pickle=False)
            else:
                assert name == "schema.json" or len(file.read(name)) == 16  # the key of the folds


def test_trees_need_no_word(tmp_path):
    save(fitted("forest"), tmp_path / "model.skops")
    for trusted in ((), TREE, Tree, [Tree], (TREE,), {TREE}):
        assert load(tmp_path / "model.skops", trusted=trusted).certificate_ == fitted("forest").certificate_


def test_own_voters_must_be_trusted_by_name(tmp_path):
    save(fitted("own voters"), tmp_path / "model.skops")
    module = RuleSource.__module__
    named = f"{module}.RuleSource, {module}.Rules"
    load_is_refused(tmp_path / "model.skops", f"needs types that are not trusted: {re.escape(named)}; .*")
    load_is_refused(tmp_path / "model.skops", f".*: {re.escape(module)}.Rules; .*", trusted=[RuleSource])
    ours = load(tmp_path / "model.skops", trusted=[Rules, RuleSource])
    np.testing.assert_array_equal(ours.predict(X), fitted("own voters").predict(X))


def test_evidence_that_cannot_be_saved_is_not_in_the_way(tmp_path):
    model = pickle.loads(pickle.dumps(fitted("forest")))
    model.evidence_ = [lambda: "votes on a cluster"]
    np.testing.assert_array_equal(through_skops(model, tmp_path).predict(X), model.predict(X))
