"""Voters must answer an example alone as they do among others."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler, scale
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import quick
from stocmv.voters import VoterSet, check_alone
from stocmv.voters._base import _ALONE, _telling_rows

X, y = make_moons(200, noise=0.2, random_state=0)
ALONE = "answers an example differently alone than among all"


def ranks(X):
    return X.argsort(0).argsort(0) / len(X)


class Chance(ClassifierMixin, BaseEstimator):
    """Answers by chance, with no seed."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.random.default_rng().choice(self.classes_, len(X))


class Quota(GaussianNB):
    """Its probabilities are those of each example, but it answers yes to the most probable tenth of all."""

    def predict(self, X):
        chances = self.predict_proba(X)[:, 1]
        return self.classes_[(chances >= np.quantile(chances, 0.9)).astype(int)]


def test_answers_are_checked_beside_probabilities():
    with pytest.raises(ValueError, match=ALONE):
        quick(Quota()).fit(X, y)


@pytest.mark.parametrize("bound", ["auto", "seeger"])
@pytest.mark.parametrize(
    "voters",
    [
        make_pipeline(FunctionTransformer(scale), LogisticRegression()),
        make_pipeline(FunctionTransformer(ranks), DecisionTreeClassifier(max_depth=3)),
        [GaussianNB(), make_pipeline(FunctionTransformer(ranks), GaussianNB())],
        Chance(),
    ],
    ids=["scaled", "ranks", "one of two", "chance"],
)
def test_answers_that_depend_on_the_batch_are_refused(voters, bound):
    with pytest.raises(ValueError, match=ALONE):
        quick(voters, bound=bound).fit(X, y)


def test_the_voter_is_named():
    voters = [GaussianNB(), make_pipeline(FunctionTransformer(ranks), GaussianNB())]
    with pytest.raises(ValueError, match=r"voter 1 answers .* StandardScaler .* random_state"):
        quick(voters, inner_folds=0).fit(X, y)


def test_what_is_learned_in_fit_is_not_refused():
    quick(make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y)


@pytest.mark.parametrize("bound", ["auto", "seeger"])
def test_the_certificate_states_what_a_few_examples_cannot_show(bound):
    stated = quick(bound=bound).fit(X, y).certificate_.assumptions
    assert "A voter's answer to an example does not depend on the examples that it is asked together with." in stated


class Constant(VoterSet):
    """Answers what it knows to many examples, and the first class to a single one."""

    def __init__(self, known):
        self.known = known
        self.n_voters = known.shape[1]
        self.asked = 0

    def codes(self, X):
        self.asked += len(X) == 1
        return np.zeros((1, self.n_voters), int) if len(X) == 1 else self.known


@pytest.mark.parametrize("n_classes", [2, 5, 30])
def test_one_rare_answer_is_enough_to_notice(n_classes):
    known = np.zeros((900, 1), int)
    known[457] = n_classes - 1
    with pytest.raises(ValueError, match=ALONE):
        check_alone(Constant(known).codes, np.zeros((900, 1)), known)


@pytest.mark.parametrize(("n", "n_classes"), [(1, 2), (3, 2), (100_000, 2), (100_000, 30)])
def test_a_few_examples_are_asked(n, n_classes):
    codes = np.random.default_rng(0).integers(n_classes, size=(n, 3))
    rows = _telling_rows(codes)
    assert len(rows) == len(set(rows)) == min(n, _ALONE)
    assert set(rows) <= set(range(n))


@pytest.mark.parametrize("rows", [[["a", None], [None, None], ["b", "a"]], [[1.0, np.nan], [np.nan, np.nan]]])
def test_rows_of_answers_may_have_gaps(rows):
    table = np.tile(np.array(rows, object if None in rows[0] else float), (40, 1))
    quick("answers", inner_folds=0).fit(table, np.full(len(table), rows[0][0]))
