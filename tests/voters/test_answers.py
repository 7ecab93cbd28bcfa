"""Tables of answers as voters: frames, arrays and lists, gaps, defaults, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from stocmv import MajorityVoteClassifier, VoteMatrix
from stocmv.persistence import load, save
from stocmv.voters import Answers
from zoo import silent

NAMES = np.array(["bad", "good", "ugly"])
JUDGES = ["ann", "bob", "cy", "dan", "eve", "fay", "gus"]


def panel(n=300):
    """A frame of what seven judges say in words, None where one says nothing, and the truth."""
    votes, y = silent(3, n)
    said = [[None if np.isnan(v) else str(NAMES[int(v)]) for v in row] for row in votes]
    return pd.DataFrame(said, columns=JUDGES), NAMES[y].tolist()


def fitted(X, y, voters="answers", **settings):
    return MajorityVoteClassifier(voters, random_state=0, **settings).fit(X, y)


def judged(clf):
    """Digest of the judgments without the hashes of the rows, which depend on how no answer is written."""
    return replace(clf.evidence_, row=None).digest()


@pytest.mark.parametrize("settings", [{}, {"n_folds": 3}, {"inner_folds": 0}, {"bound": "seeger"}])
def test_a_panel_is_certified_and_answers(settings):
    X, y = panel()
    clf = fitted(X, y, **settings)
    assert clf.certificate_.abstains
    assert clf.certificate_.verify(clf.evidence_)
    assert clf.score(X, y) > 0.7
    assert any("without knowing the true labels" in text for text in clf.certificate_.assumptions)
    assert len({w.tobytes() for w in (p.mean for p in clf.posterior_)}) >= 1
    assert (np.ptp(clf.posterior_[0].mean) > 0) == (settings != {"inner_folds": 0})


def test_all_ways_to_write_a_table_are_the_same():
    X, y = panel()
    arrays = [X.to_numpy(), X.to_numpy().tolist(), X.astype("category"), X.astype("string"), X.fillna(np.nan)]
    ours = fitted(X, y)
    for other in arrays:
        theirs = fitted(other, y)
        assert judged(theirs) == judged(ours)
        assert np.array_equal(theirs.predict(other), ours.predict(X))


def test_numbers_with_gaps_are_labels_too():
    votes, y = silent(3, 300)
    ours = fitted(votes, y)
    assert ours.evidence_.silent is not None
    assert fitted(pd.DataFrame(votes).astype("Int64"), y).certificate_.bound == ours.certificate_.bound
    coded = np.where(np.isnan(votes), -1, votes).astype(int)
    assert judged(fitted(coded, y, Answers(abstain=-1))) == judged(ours)


def test_columns_are_found_by_their_names():
    X, y = panel()
    clf = fitted(X, y)
    other = X[JUDGES[::-1]].assign(comment="none")
    assert np.array_equal(clf.predict(other), clf.predict(X))
    assert np.array_equal(clf.predict_proba(other), clf.predict_proba(X))
    with pytest.raises(ValueError, match="X lacks the columns 'bob', 'cy'"):
        clf.predict(X.drop(columns=["bob", "cy"]))


def test_what_looks_like_no_answer_is_refused_until_it_is_named():
    X, y = panel()
    blank = X.where(X.notna(), "")
    with pytest.raises(ValueError, match="abstain=''"):
        fitted(blank, y)
    ours = fitted(blank, y, Answers(abstain=""))
    assert judged(ours) == judged(fitted(X, y))
    assert np.array_equal(ours.predict(blank), fitted(X, y).predict(X))


def test_a_label_that_the_truth_never_has_is_a_class_if_fit_has_seen_it():
    X, y = panel()
    X.loc[3, "ann"] = "maybe"
    clf = fitted(X, y)
    assert clf.classes_.tolist() == ["bad", "good", "maybe", "ugly"]
    only = pd.DataFrame([["maybe"] * 7], columns=JUDGES)
    assert clf.predict(only).tolist() == ["maybe"]
    only.loc[0, "cy"] = "never"
    with pytest.raises(ValueError, match=r"Column 'cy' has the answer 'never' in row 1.*abstain='never'"):
        clf.predict(only)
    with pytest.raises(ValueError, match="both be strings or both be numbers"):
        fitted(X, np.unique(y, return_inverse=True)[1])


def test_an_example_that_nobody_answers():
    X, y = panel()
    nobody = X.isna().all(axis=1).to_numpy()
    assert nobody.sum() >= 2
    silent_errors = fitted(X, y, inner_folds=0)
    default = fitted(X, y, Answers(default="good"), inner_folds=0)
    assert set(default.predict(X)[nobody]) == {"good"}
    errors = np.asarray(y) != silent_errors.predict(X)
    assert silent_errors.certificate_.empirical_risk == pytest.approx(np.where(nobody, True, errors).mean(), abs=1e-12)
    errors = np.asarray(y) != default.predict(X)
    assert default.certificate_.empirical_risk == pytest.approx(errors.mean(), abs=1e-12)
    assert default.certificate_.verify(default.evidence_)
    with pytest.raises(ValueError, match="default='none' is not one of the classes"):
        fitted(X, y, Answers(default="none"))


def test_learned_weights_beat_equal_ones_where_judges_differ():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    guesses = np.where(rng.random((3000, 4)) < 0.55, y[:, None], 1 - y[:, None]).astype(float)
    expert = np.where(rng.random(3000) < 0.9, y, 1 - y).astype(float)
    expert[rng.random(3000) < 0.4] = np.nan
    X = np.column_stack([guesses, expert])
    assert fitted(X, y).certificate_.bound < fitted(X, y, inner_folds=0).certificate_.bound - 0.05


@pytest.mark.parametrize("settings", [{}, {"n_folds": 2}])
def test_a_saved_panel_answers_as_before(settings, tmp_path):
    X, y = panel()
    clf = fitted(X, y, Answers(abstain="?", default="good"), **settings)
    save(clf, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert np.array_equal(again.predict(X[JUDGES[::-1]]), clf.predict(X))
    assert again.certificate_ == clf.certificate_


def test_it_is_an_estimator():
    source = clone(Answers(abstain="?", default="a"))
    assert source.get_params() == {"abstain": "?", "default": "a"}
    assert MajorityVoteClassifier(Answers()).set_params(voters__default="b").voters.default == "b"


def test_codes_of_a_matrix_are_the_answers():
    for n_classes in (2, 3):
        votes, y = silent(n_classes)
        matrix = VoteMatrix.from_labels(votes, y, np.arange(n_classes))
        assert np.array_equal(matrix.answers(), np.where(np.isnan(votes), n_classes, votes))
    with pytest.raises(ValueError, match="only the errors"):
        VoteMatrix.from_errors([[True]]).answers()
