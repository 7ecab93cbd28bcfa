"""`Learned.predict`: the deterministic vote on what voters answer to new examples."""

import numpy as np
import pytest

import dense
from stocmv import VoteMatrix, learn
from zoo import answers, silent, silent_problem


@pytest.fixture(scope="module", params=[2, 3])
def learned(request):
    return learn(silent_problem(request.param, 300), prior=1.0, random_state=0)


def test_the_heaviest_class_of_those_that_answer_wins(learned):
    n_classes = len(learned.classes)
    votes, y = silent(n_classes, 300)
    each = dense.class_weights(votes, n_classes, learned.posterior.mean)
    spoken = each.sum(1) > 0
    shares = each[spoken] / each[spoken].sum(1, keepdims=True)
    np.testing.assert_allclose(learned.predict_proba(votes)[spoken], shares)
    assert np.array_equal(learned.predict(votes)[spoken], each.argmax(1)[spoken])
    assert np.array_equal(learned.predict(votes), learned.classes[learned.predict_proba(votes).argmax(1)])
    matrix = VoteMatrix.from_labels(votes, y, learned.classes)
    assert np.array_equal(learned.predict(matrix), learned.predict(votes))
    coded = np.where(np.isnan(votes), -9, votes).astype(int)
    assert np.array_equal(learned.predict(coded, abstain=-9), learned.predict(votes))


def test_nobody_answers(learned):
    assert learned.predict(np.full((1, 7), np.nan)) == learned.classes[:1]
    np.testing.assert_allclose(learned.predict_proba(np.full((1, 7), np.nan)), 1 / len(learned.classes))


def test_what_is_refused(learned):
    with pytest.raises(ValueError, match="votes has 2 columns for 7 voters"):
        learned.predict([[0, 1]])
    with pytest.raises(ValueError, match="not in classes"):
        learned.predict([[9] * 7])
    with pytest.raises(ValueError, match="the same classes"):
        learned.predict(VoteMatrix.from_labels([[5] * 7, [6] * 7], [5, 6]))


def test_folds_errors_and_gaps_that_were_never_seen():
    votes, y = answers(60, np.full(3, 0.7))
    full = VoteMatrix.from_labels(votes, y)
    with pytest.raises(ValueError, match="2 folds"):
        learn([full, full], prior=1.0, random_state=0).predict(votes)
    with pytest.raises(ValueError, match="made from labels"):
        learn(full.errors_only(), prior=1.0, random_state=0).predict(votes)
    with pytest.raises(ValueError, match="does not cover that"):
        learn(full, prior=1.0, random_state=0).predict([[0, None, 1]])
