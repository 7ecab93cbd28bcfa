"""Nothing that the examples of a fold judge depends on them: exchange them for others, and it stays what it was."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.protocols._cut import Cut
from stocmv.solvers import LBFGS
from stocmv.voters import Stumps
from validity.own_voters import Means, MeansAndRarest
from validity.worlds import continuous

WORLD = continuous(2)
N = 90
POINTS = np.random.default_rng(5).random((200, 3))
BEFORE = WORLD.draw(60, np.random.default_rng(6))


def frozen(model: Any) -> FrozenEstimator:
    return FrozenEstimator(model.fit(*BEFORE))


VOTERS = {
    "forest": RandomForestClassifier(3, random_state=0),
    "list": [DecisionTreeClassifier(max_depth=2), GaussianNB(), KNeighborsClassifier(1)],
    "stumps": Stumps(2),
    "frozen list": [frozen(DecisionTreeClassifier(max_depth=d, random_state=0)) for d in (1, 2, 3)],
    "frozen forest": frozen(RandomForestClassifier(3, random_state=0)),
    "own": Means(),
    "own, uses the classes": MeansAndRarest(),
}
CUTS = {"hold-out": ({}, Cut.holdout(1 / 3)), "folds": ({"n_folds": 3}, Cut.folds(3))}


def exchanged(part: NDArray, fold: int) -> tuple[NDArray, NDArray]:
    """The examples, but those of one part are others, some of them of a class that sorts before all that there were."""
    X, y = (values.copy() for values in WORLD.draw(N, np.random.default_rng(0)))
    judges = np.flatnonzero(part == fold)
    X[judges], y[judges] = WORLD.draw(len(judges), np.random.default_rng(1))
    y[judges[::2]] = -1
    return X, y


def made(clf: MajorityVoteClassifier, fold: int) -> list[NDArray]:
    """All that was made for a part: the answers of its voters, their weights, and the constants of its test."""
    constants = [clf.certificate_.fold_test.get(name, [0.0] * 3)[fold] for name in ("slope", "offset", "scale")]
    answers = clf.classes_[clf.voters_[fold].codes(POINTS)]
    return [answers, clf.posterior_[fold].alpha, np.array(constants)]


@pytest.mark.parametrize("protocol", CUTS)
@pytest.mark.parametrize("voters", VOTERS)
def test_what_a_part_judges_is_made_without_it(voters: str, protocol: str) -> None:
    settings, cut = CUTS[protocol]
    part = cut.parts(N, None, np.random.RandomState(3))
    clf = MajorityVoteClassifier(VOTERS[voters], solver=LBFGS(max_iter=5), random_state=3, **settings)
    before = clf.fit(*WORLD.draw(N, np.random.default_rng(0)))
    kept = [made(before, fold) for fold in range(len(clf.voters_))]
    bound = clf.certificate_.bound
    for fold, own in enumerate(kept):
        clf.fit(*exchanged(part, fold))
        for ours, theirs in zip(own, made(clf, fold), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert clf.certificate_.bound != bound  # the exchanged examples do judge
