"""The constants of a fold's test come from the other folds."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from stocmv import MajorityVoteClassifier
from stocmv.classifier._cut import Cut

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
y = (X[:, 0] > 0).astype(int)
before = LogisticRegression().fit(rng.normal(size=(50, 2)), rng.integers(2, size=50))


@pytest.mark.parametrize("voters", [FrozenEstimator(before), RandomForestClassifier(5)], ids=["frozen", "trained"])
def test_labels_of_a_fold_do_not_change_its_constants(voters):
    fold = Cut.folds(2).parts(len(y), None, np.random.RandomState(0)) == 0
    settings = [
        MajorityVoteClassifier(voters, n_folds=2, random_state=0).fit(X, labels).certificate_.bound_settings
        for labels in (y, np.where(fold, 1 - y, y))
    ]
    for name in ("slope", "offset", "scale"):
        first, second = (each[name] for each in settings)
        assert first[0] == second[0]
    assert settings[0]["scale"][1] != settings[1]["scale"][1]
