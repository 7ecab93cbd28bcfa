import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from reproduction._methods import fit
from reproduction._voters import Forest, grow_forest, halves, stumps
from stocmv.datasets import make_moons
from stocmv.risks import Exact
from stocmv.voters import Ensemble
from stocmv.votes import VoteMatrix


def test_thresholds_rise_from_the_lowest_value_in_equal_steps():
    voters = stumps([0.0, -1.0], [10.0, 1.0], 5)
    np.testing.assert_allclose(voters.thresholds, [[0, 2, 4, 6, 8], [-1, -0.6, -0.2, 0.2, 0.6]], atol=1e-12)
    votes = voters.codes(np.array([[3.0, 0.0]]))
    assert votes.shape == (1, 20)
    np.testing.assert_array_equal(votes[0, :10], 1 - votes[0, 10:])


def test_the_paper_s_bound_on_two_moons():
    """The authors' code reaches 3.29 % after 1,000 iterations, with 16 stumps over the range of 1,000 points."""
    data = make_moons(1000, random_state=0)
    voters = stumps(data.X.min(0), data.X.max(0), 4)
    votes = VoteMatrix.from_codes(voters.codes(data.X), data.y, np.arange(2))
    assert fit([votes], Exact(), 0).certificate.stochastic_bound == pytest.approx(0.0329, abs=2e-4)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X.astype(np.float32), y.astype(np.uint8)


@pytest.fixture(scope="module")
def forest(digits):
    X, y = digits
    return grow_forest(X[:900], y[:900], 10, 5, 0, 1)


def test_whole_trees_say_what_they_always_say(forest, digits):
    X, y = digits
    votes = forest.votes(forest.ask(X[900:], y[900:], 1))
    np.testing.assert_array_equal(votes.labels, forest.voters.codes(X[900:]))


def cut(tree, x, depth):
    """What a tree says about one example if nobody may go deeper: one step after the other."""
    node = 0
    for _ in range(depth):
        if tree.children_left[node] < 0:
            break
        left = x[tree.feature[node]] <= tree.threshold[node]
        node = tree.children_left[node] if left else tree.children_right[node]
    return tree.value[node, 0].argmax()


@pytest.mark.parametrize("depth", [1, 2, 5, 50])
def test_trees_are_cut_at_a_depth(forest, digits, depth):
    X, y = digits
    votes = forest.votes(forest.ask(X[900:960], y[900:960], 1), depth)
    said = [[cut(tree.tree_, x, depth) for tree in forest.voters.ensemble.estimators_] for x in X[900:960]]
    np.testing.assert_array_equal(votes.labels, said)


@pytest.mark.parametrize("depth", [1, 3])
def test_cut_trees_are_as_strong_as_trees_that_were_bounded(digits, depth):
    X, y = digits
    train, test = slice(0, 900), slice(900, None)
    recipe = {"max_samples": 0.5, "max_features": "sqrt", "class_weight": "balanced_subsample"}
    bounded = Ensemble(RandomForestClassifier(300, max_depth=depth, **recipe))
    theirs = bounded.fit(X[train], y[train], np.arange(10), 1).codes(X[test])
    forest = grow_forest(X[train], y[train], 10, 300, 0, 1)
    ours = forest.votes(forest.ask(X[test], y[test], 1), depth).labels
    accuracies = [(votes == y[test, None]).mean(0) for votes in (ours, theirs)]
    spread = np.sqrt(sum(a.var() / len(a) for a in accuracies))
    assert abs(accuracies[0].mean() - accuracies[1].mean()) < 4 * spread


def test_a_class_that_is_missing_keeps_its_code(digits):
    X, y = digits
    seen = np.flatnonzero(y != 3)[:500]
    forest = grow_forest(X[seen], y[seen], 10, 3, 0, 1)
    labels = forest.votes(forest.ask(X, y, 1), 4).labels
    assert isinstance(forest, Forest)
    assert 3 not in labels
    assert 9 in labels


def test_halves_part_the_rows():
    first, second = halves(101, 0)
    assert sorted([*first, *second]) == list(range(101))
    assert {len(first), len(second)} == {50, 51}
