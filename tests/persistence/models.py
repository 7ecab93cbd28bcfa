"""Fitted votes of every kind, and what a refusal to load one has to look like."""

import ast
import json
import re
import zipfile
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from stocmv import MajorityVoteClassifier, risks, solvers
from stocmv.bounds import CatoniPerFold
from stocmv.persistence import load, save
from stocmv.protocols import HoldOut
from stocmv.risks import MonteCarlo
from stocmv.solvers import LBFGS
from stocmv.voters import Stumps, VoterSet, VoterSource

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
SHORT = LBFGS(max_iter=10)
TREE = "sklearn.tree._tree.Tree"


class Rules(VoterSet):
    n_voters = 2

    def codes(self, X):
        return np.column_stack([X[:, 2] > 2.5, X[:, 3] > 1]).astype(int)


class RuleSource(VoterSource):
    learns = False

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Rules()


VOTERS = {
    "stumps": lambda: "stumps",
    "stumps of known ranges": lambda: Stumps(3, ranges=np.array([[0.0] * 4, [8.0] * 4]), n_pairs=4),
    "forest": lambda: RandomForestClassifier(4),
    "extra trees": lambda: ExtraTreesClassifier(4, max_depth=3),
    "bagging": lambda: BaggingClassifier(n_estimators=3, max_features=2),
    "bagged bayes": lambda: BaggingClassifier(GaussianNB(), n_estimators=3),
    "boosting": lambda: AdaBoostClassifier(n_estimators=3),
    "one classifier": GaussianNB,
    "list": lambda: [GaussianNB(), LogisticRegression(max_iter=1000), make_pipeline(StandardScaler(), SVC())],
    "list with trees": lambda: [GaussianNB(), GradientBoostingClassifier(n_estimators=3)],
    "frozen forest": lambda: FrozenEstimator(RandomForestClassifier(4, random_state=0).fit(X[::2], Y[::2])),
    "frozen list": lambda: [
        FrozenEstimator(classifier.fit(X[::2], Y[::2]))
        for classifier in (GaussianNB(), LogisticRegression(max_iter=1000))
    ],
    "pipeline": lambda: make_pipeline(StandardScaler(), RandomForestClassifier(4)),
}
SETTINGS = {
    "folds": {"n_folds": 3},
    "equal weights": {"inner_folds": 0, "holdout": 0.5},
    "categorical": {"risk": "first_order", "bound": "catoni"},
    "logit-normal": {
        "risk": MonteCarlo(certificate_draws=50),
        "posterior": "logit_normal",
        "bound": "seeger",
        "solver": solvers.Adam(n_steps=3),
    },
    "objects": {"risk": risks.Half(), "bound": CatoniPerFold((1.0, 2.0)), "n_folds": 2, "prior": np.array([2.0, 3.0])},
    "per class": {"per_class": True, "random_state": np.random.RandomState(0)},
    "costs": {"cost": [[0, 1, 2], [1, 0, 3], [5, 1, 0]], "stochastic": True},
    "protocol": {"holdout": HoldOut(0.4)},
}


@cache
def fitted(name):
    if name in SETTINGS:
        settings = {"random_state": 0, "solver": SHORT, **SETTINGS[name]}
        return MajorityVoteClassifier([GaussianNB(), LogisticRegression(max_iter=1000)], **settings).fit(X, Y)
    if name == "drawn":
        return fitted("forest").draw(0)
    if name == "groups":
        return MajorityVoteClassifier(RandomForestClassifier(4), random_state=0).fit(X, Y, groups=np.arange(150) // 2)
    if name == "groups in folds":
        clf = MajorityVoteClassifier(RandomForestClassifier(4), n_folds=2, per_class=True, random_state=0)
        return clf.fit(X, Y, groups=[f"group {k // 2}" for k in range(150)])
    if name == "two classes":
        return MajorityVoteClassifier("stumps", random_state=0, solver=SHORT, stochastic=True).fit(X, CODES > 0)
    if name == "paid":
        voters = Stumps(3, ranges=np.array([[0.0] * 4, [8.0] * 4]), n_pairs=4)
        return MajorityVoteClassifier(voters, random_state=0, solver=SHORT, prior=1.0, bound="seeger").fit(X, Y)
    if name == "own voters":
        return MajorityVoteClassifier(RuleSource(), random_state=0, solver=SHORT).fit(X, CODES > 0)
    return MajorityVoteClassifier(VOTERS[name](), random_state=0, solver=SHORT, stochastic=True).fit(X, Y)


NAMES = [*VOTERS, *SETTINGS, "groups", "groups in folds", "drawn", "two classes", "paid"]


def types_to_trust(path):
    """The types that a refusal says may be named."""
    try:
        load(path)
    except ValueError as error:
        named = re.search(r"pass trusted=(\[.*\])\.$", str(error))
        return ast.literal_eval(named[1]) if named else []
    return []


def through_skops(model, folder):
    save(model, folder / "model.skops")
    return load(folder / "model.skops", trusted=types_to_trust(folder / "model.skops"))


def load_is_refused(path, reason=r"[^\n]+", **settings):
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} {reason}$"):
        load(path, **settings)


def load_is_damaged(path, reason=r"[^\n]+", **settings):
    load_is_refused(path, f"is not a model file of stocmv: {reason}", **settings)


def rewritten(source, target, change):
    """A copy of a model file whose schema was changed."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "schema.json":
                schema = json.loads(content)
                changed = change(schema)
                content = json.dumps(schema if changed is None else changed).encode()
            new.writestr(name, content)
