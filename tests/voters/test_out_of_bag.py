"""The members of a fitted ensemble on the examples that they have not seen."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stocmv import learn
from stocmv.voters import out_of_bag_votes

X, Y = make_moons(400, noise=0.3, random_state=0)
LABELS = np.array(["no", "yes"])[Y]
ENSEMBLES = {
    "forest": RandomForestClassifier(12, random_state=1),
    "extra trees": ExtraTreesClassifier(12, bootstrap=True, random_state=1),
    "fewer examples": RandomForestClassifier(12, max_samples=0.3, random_state=1),
    "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=3), 12, random_state=1),
    "pasting": BaggingClassifier(n_estimators=12, bootstrap=False, max_samples=0.5, random_state=1),
}


@pytest.mark.parametrize("name", ENSEMBLES)
def test_members_are_judged_where_they_have_not_been_trained(name):
    ensemble = ENSEMBLES[name].fit(X, LABELS)
    votes = out_of_bag_votes(ensemble, X, LABELS)
    judged = np.ones((400, 12), bool)
    for j, sample in enumerate(ensemble.estimators_samples_):
        judged[sample, j] = False
    np.testing.assert_array_equal(votes.judges(), judged)
    answers = np.stack([member.predict(X) for member in ensemble.estimators_], axis=1).astype(int)
    np.testing.assert_array_equal(votes.errors(), judged & (answers != Y[:, None]))
    assert votes.classes.tolist() == ["no", "yes"]


def test_the_certificate_is_of_the_weighted_vote_of_the_whole_forest():
    forest = ENSEMBLES["forest"].fit(X, LABELS)
    votes = out_of_bag_votes(forest, X, LABELS)
    learned = learn(votes, risk="first_order", random_state=0)
    assert learned.certificate.verify(votes)
    new = make_moons(2000, noise=0.3, random_state=1)
    answers = forest.classes_[np.stack([tree.predict(new[0]) for tree in forest.estimators_], axis=1).astype(int)]
    assert np.mean(learned.predict(answers) != LABELS[:2][np.argsort(Y[:2])][new[1]]) < learned.certificate.bound


@pytest.mark.parametrize(
    ("ensemble", "message"),
    [
        (ExtraTreesClassifier(3), "bootstrap=False: each member has seen all examples"),
        (RandomForestClassifier(3, class_weight="balanced"), "fitted with class_weight or sample_weight"),
        (VotingClassifier([("tree", DecisionTreeClassifier())]), "VotingClassifier, which does not say on which"),
        (RandomForestClassifier(60, max_samples=0.99999), None),
    ],
)
def test_ensembles_without_independent_judges_are_refused(ensemble, message):
    fitted = ensemble.fit(X, LABELS)
    if message is None:
        out_of_bag_votes(fitted, X, LABELS)
        return
    with pytest.raises(ValueError, match=message):
        out_of_bag_votes(fitted, X, LABELS)


def test_sample_weights_are_refused_where_they_are_known():
    forest = RandomForestClassifier(5, random_state=0).fit(X, LABELS, sample_weight=np.ones(400))
    if getattr(forest, "_sample_weight", None) is None:
        pytest.skip("this scikit-learn does not draw by weights")
    with pytest.raises(ValueError, match="class_weight or sample_weight"):
        out_of_bag_votes(forest, X, LABELS)


def test_other_examples_are_refused():
    forest = ENSEMBLES["forest"].fit(X, LABELS)
    with pytest.raises(ValueError, match="X has 300 rows, but the ensemble was fitted on 400: "):
        out_of_bag_votes(forest, X[:300], LABELS[:300])
    with pytest.raises(ValueError, match="X has 400 rows but y has 399 labels"):
        out_of_bag_votes(forest, X, LABELS[1:])
    with pytest.raises(NotFittedError):
        out_of_bag_votes(RandomForestClassifier(), X, LABELS)


@pytest.mark.parametrize("name", ENSEMBLES)
def test_copies_of_the_examples_do_not_judge(name):
    ensemble, twice = ENSEMBLES[name].fit(X, LABELS), (np.vstack([X, X]), np.tile(LABELS, 2))
    with pytest.raises(ValueError, match="X has 800 rows, but the ensemble was fitted on 400: pass all of"):
        out_of_bag_votes(ensemble, *twice)
    with pytest.raises(ValueError, match="X has 1 rows, but the ensemble was fitted on 400"):
        out_of_bag_votes(ensemble, X[:1], LABELS[:1])


@pytest.mark.parametrize("within", [lambda frozen: frozen, lambda frozen: make_pipeline(StandardScaler(), frozen)])
def test_frozen_members_are_refused(within):
    frozen = within(FrozenEstimator(DecisionTreeClassifier().fit(X, LABELS)))
    with pytest.raises(ValueError, match="members, or parts of them, that were fitted before"):
        out_of_bag_votes(BaggingClassifier(frozen, 5, random_state=0).fit(X, LABELS), X, LABELS)


class Balanced(RandomForestClassifier):
    """Draws equally many examples of each class first, as some packages do, whose places scikit-learn does not know."""

    def fit(self, X, y):
        rng = np.random.default_rng(0)
        few = [np.flatnonzero(y == label) for label in np.unique(y)]
        some = np.concatenate([rng.choice(rows, min(map(len, few)), replace=False) for rows in few])
        super().fit(X[some], y[some])
        self._n_samples = len(y)
        return self


def test_a_fit_that_draws_other_samples_is_refused():
    with pytest.raises(ValueError, match="Balanced, which has a fit of its own"):
        out_of_bag_votes(Balanced(5, random_state=0).fit(X, LABELS), X, LABELS)


def test_labels_may_be_objects():
    forest = ENSEMBLES["forest"].fit(X, LABELS.astype(object))
    votes = out_of_bag_votes(forest, X, LABELS.astype(object), unlabelled=X[:7])
    assert votes.digest() == out_of_bag_votes(ENSEMBLES["forest"].fit(X, LABELS), X, LABELS, unlabelled=X[:7]).digest()


def test_members_of_several_fits_are_refused():
    forest = RandomForestClassifier(5, max_samples=0.9, warm_start=True, random_state=0).fit(X, LABELS)
    forest.set_params(n_estimators=10, max_samples=0.1).fit(X, LABELS)
    with pytest.raises(ValueError, match="warm_start=True: its members may come from several fits"):
        out_of_bag_votes(forest, X, LABELS)


@pytest.mark.parametrize(
    ("ensemble", "labels"),
    [(RandomForestRegressor(3), Y), (RandomForestClassifier(3), np.column_stack([LABELS, LABELS]))],
)
def test_what_does_not_answer_with_one_class_is_refused(ensemble, labels):
    with pytest.raises(ValueError, match="does not answer with one class"):
        out_of_bag_votes(ensemble.fit(X, labels), X, labels)


def test_members_without_judges_are_refused():
    with pytest.raises(ValueError, match="No example judges"):
        out_of_bag_votes(RandomForestClassifier(100, random_state=0).fit(X[:12], LABELS[:12]), X[:12], LABELS[:12])
