"""Who judges, and who does not."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.protocols._cut import Cut


@pytest.mark.parametrize("frozen", [True, False])
def test_the_constants_of_a_fold_do_not_depend_on_its_labels(frozen):
    """Not even where nothing else is learned from the other folds."""
    X, y = make_classification(300, 5, flip_y=0.2, random_state=0)
    trees = [DecisionTreeClassifier(max_depth=k, random_state=0).fit(X[:50], y[:50]) for k in (1, 2, 3)]
    voters = [FrozenEstimator(tree) for tree in trees] if frozen else trees
    own = Cut.folds(3).parts(len(y), None, np.random.RandomState(0)) == 0
    clf = MajorityVoteClassifier(voters, n_folds=3, inner_folds=0, random_state=0)
    ours, theirs = (clf.fit(X, labels).certificate_.bound_settings for labels in (y, np.where(own, 1 - y, y)))
    assert ours["slope"][0] == theirs["slope"][0]
    assert ours["slope"][1:] != theirs["slope"][1:]
