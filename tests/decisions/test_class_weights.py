"""Weights for the scores of classes: what is answered, what is promised, what is refused."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from certificate.forging import content_of, holds, sealed
from decisions.scored import table
from stocmv import MajorityVoteClassifier
from stocmv.bounds import clopper_pearson
from stocmv.certificate import certify_judgments
from stocmv.checks import hash_rows
from stocmv.decisions import ClassWeightVote, certify_class_weights
from stocmv.decisions._class_weights import heaviest_class
from stocmv.protocols import ROW_KEY
from validity.trials import draws_to_catch, most_violations

X, CODES = make_classification(1500, 8, n_informative=5, n_classes=3, weights=[0.6, 0.3], random_state=0)
y, NEW, OLD = np.array(["a", "b", "c"])[CODES], slice(1200, None), slice(1200)
WEIGHTS = {"c": 3, "a": 0.5}


@pytest.fixture(scope="module", params=["soft", "hard", "groups"])
def fitted(request):
    voters = RandomForestClassifier(15, max_depth=4) if request.param == "hard" else LogisticRegression()
    groups = np.arange(1200) // 2 if request.param == "groups" else None
    voting = "hard" if request.param == "hard" else "auto"
    clf = MajorityVoteClassifier(voters, voting=voting, cost=1 - np.eye(3), random_state=0)
    return clf.fit(X[OLD], y[OLD], groups=groups)


def test_answers_the_largest_weighted_score(fitted):
    vote = fitted.class_weights(WEIGHTS)
    assert isinstance(vote, ClassWeightVote)
    assert vote.class_weights_ == {"a": 0.5, "b": 1.0, "c": 3.0}
    weighed = fitted.predict_proba(X[NEW]) * [0.5, 1, 3]
    clear = np.ptp(np.sort(weighed, axis=1)[:, 1:], axis=1) > 1e-6
    said = vote.predict(X[NEW])
    assert said[clear].tolist() == fitted.classes_[weighed.argmax(1)][clear].tolist()
    assert (said == "c").sum() > (fitted.predict(X[NEW]) == "c").sum()
    assert [vote.predict(row[None])[0] for row in X[NEW][:20]] == said[:20].tolist()


def test_certifies_what_it_answers(fitted):
    vote = fitted.class_weights(WEIGHTS, delta=0.1)
    ours, judges = vote.certificate_, vote.evidence_
    wrong, rare = judges.wrong, judges.truth == 2
    assert ours.verify(), ours.verify().differences
    assert [entry["label"] for entry in ours.per_class] == ["a", "b", "c"]
    assert ours.grouped == judges.grouped == fitted.certificate_.grouped
    assert ours.cost_bound is not None
    if not judges.grouped:
        assert ours.bound == pytest.approx(clopper_pearson(int(wrong.sum()), len(wrong), 0.1), rel=1e-9)
        lost = clopper_pearson(int((wrong & rare).sum()), int(rare.sum()), 0.1 / 3)
        assert ours.per_class[2]["bound"] == pytest.approx(lost, rel=1e-9)
    assert any("'a': 0.5, 'b': 1, 'c': 3, were fixed before" in each for each in ours.assumptions)
    assert ours.context["class_weights"] == {"a": 0.5, "b": 1.0, "c": 3.0}


def test_the_judges_are_answered_as_new_examples_are(fitted):
    """Each judging row is found by its answer: asked again, the vote says of all rows what the evidence says."""
    vote = fitted.class_weights(WEIGHTS)
    rows = dict(zip(vote.evidence_.row.tolist(), vote.evidence_.answer, strict=True))
    assert len(rows) > 300
    hashes, said = hash_rows(X[OLD], ROW_KEY).tolist(), vote.predict(X[OLD])
    asked = [i for i, own in enumerate(hashes) if own in rows]
    assert len(asked) == len(rows)
    assert all(said[i] == fitted.classes_[rows[hashes[i]]] for i in asked)


def test_equal_weights_change_nothing(fitted):
    vote = fitted.class_weights({})
    assert vote.predict(X[NEW]).tolist() == fitted.predict(X[NEW]).tolist()
    assert vote.certificate_.bound == pytest.approx(fitted.certificate_.bound, rel=1e-12)
    assert fitted.class_weights(dict.fromkeys("abc", 7.0)).certificate_.bound == vote.certificate_.bound


def test_a_weight_of_any_size_weighs():
    scores = np.array([[0.5, 0.5 - 1e-12, 1e-12], [0.5, 0.5, 0.0]])
    assert heaviest_class(scores, {"a": 1.0, "b": 1.0, "c": 1e15}).tolist() == [2, 0]
    assert heaviest_class(scores, {"a": 1e-15, "b": 1.0, "c": 1.0}).tolist() == [1, 1]


def test_outlives_the_classifier(fitted):
    clf = copy.deepcopy(fitted)
    vote = clf.class_weights(WEIGHTS)
    said = vote.predict(X[NEW]).tolist()
    clf.fit(X[:300], y[:300])
    assert vote.predict(X[NEW]).tolist() == said
    again = pickle.loads(pickle.dumps(vote))
    assert again.predict(X[NEW]).tolist() == said
    assert again.certificate_.verify(again.evidence_)


def test_a_forged_answer_is_noticed(fitted):
    vote = fitted.class_weights(WEIGHTS)
    content, evidence = content_of(vote.certificate_), vote.evidence_.columns()
    assert holds(sealed(content), evidence)
    assert not holds(sealed(content), fitted.evidence_.columns())


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 1, 3], "class_weights must be a dict such as {'c': 3}"),
        ({"d": 2}, "names the class 'd', which is not one of"),
        ({"a": 0}, "must be a number above 0, got 0 for 'a'"),
        ({"a": np.inf}, "must be a number above 0, got inf"),
        ({"a": "many"}, "must be a number above 0, got 'many'"),
        ({"a": True}, "must be a number above 0, got True"),
    ],
)
def test_weights_that_are_none_are_refused(fitted, weights, words):
    with pytest.raises(ValueError, match=words):
        fitted.class_weights(weights)


def test_needs_one_vote_that_always_answers():
    clf = MajorityVoteClassifier(LogisticRegression(), n_folds=2, random_state=0).fit(X[OLD], y[OLD])
    with pytest.raises(ValueError, match="needs the scores of one vote that always answers: use a hold-out"):
        clf.class_weights({"a": 2})


@pytest.mark.slow
def test_its_bounds_fail_no_more_often_than_promised():
    """Scores are uniform, and are the chance of "yes": their density is 2 s given "yes", 2 (1 - s) given "no"."""
    delta, weights = 0.2, {"no": 1, "yes": 4}
    bar = 1 / 5  # "yes" where 4 s >= 1 - s
    draws = draws_to_catch(2 * delta, delta)
    missed = {"yes": bar**2, "no": (1 - bar) ** 2}
    error = (missed["yes"] + missed["no"]) / 2
    false = {"error": 0, "classes": 0}
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        score = rng.random(120)
        judged = table(np.column_stack([1 - score, score]), rng.random(120) < score)
        found = certify_class_weights(judged, certify_judgments(judged), weights, delta=delta)[1]
        false["error"] += found.bound < error
        false["classes"] += any(entry["bound"] < missed[entry["label"]] for entry in found.per_class)
    assert max(false.values()) <= most_violations(draws, delta)
    assert false["error"] > 0.05 * draws  # it can fail: the bound is not merely large
