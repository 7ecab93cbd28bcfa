"""Who judges in a fit with a given seed, and what each fold's vote does on its own."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from classifier.problems import class_scores, data, spy
from stocmv.certificate import group_ids
from stocmv.protocols import Cut

X, y = data()
GROUPS = np.sort(np.random.default_rng(0).integers(0, 40, 120))  # of one to eight rows
EVEN = RandomForestClassifier(4, max_depth=2)  # an even number of trees: there are ties
SPIES = {
    "trained": spy,
    "alike": lambda: spy(exchangeable=True),
    "without labels": lambda: spy(uses_labels=False),
    "rules": lambda: spy(learns=False),
}


def parts_of(n, cut, groups=None):
    """The part of each example of a fit with the seed 0: it depends on the seed alone."""
    ids = None if groups is None else group_ids(groups, n)
    return cut.parts(n, ids, np.random.RandomState(0))


HELD = parts_of(120, Cut.holdout(1 / 3)) == 0
FOLDS = parts_of(120, Cut.folds(3))


def fold_answers(clf, fold, X):
    """Codes that the mean vote of a fold answers, from the voters' answers; of classes that tie the first wins."""
    scores = class_scores(clf.voters_[fold].codes(X), clf.posterior_[fold].mean, len(clf.classes_))
    return (scores > scores.max(1, keepdims=True) - 1e-9).argmax(1)


def drawn_losses(clf, X, y):
    """Probability that the stochastic vote errs."""
    return 1 - clf.predict_stochastic_proba(X)[np.arange(len(y)), np.searchsorted(clf.classes_, y)]


def by_group(losses, groups):
    """The mean loss of each group."""
    return np.array([losses[groups == g].mean() for g in np.unique(groups)])
