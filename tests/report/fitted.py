"""The votes that the tests of the page show, fitted once each."""

from functools import cache

import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from stocmv import MajorityVoteClassifier, report
from stocmv.solvers import Auto
from unproven import Guess

HOSTILE = "<script>alert(1)</script>"
TROUBLE = ('"><img src=x onerror=alert(2)> & $\\frac{', HOSTILE)  # markup, and half a formula
HASHES = {"model.skops": "0a" * 32, "evidence.npz": "1b" * 32, "certificate.json": "2c" * 32}


@cache
def moons():
    X, y = make_moons(150, noise=0.25, random_state=0)
    return X, y


@cache
def binary():
    """Two classes with names that no page should trust, three folds, a certificate for each class and both votes."""
    X, y = moons()
    settings = {"n_folds": 3, "per_class": True, "stochastic": True, "random_state": 0}
    return MajorityVoteClassifier(RandomForestClassifier(12), **settings).fit(X, np.array(TROUBLE)[y])


@cache
def paid():
    """Weights learned on the examples that judge, and paid for: three folds, a certificate for each class."""
    X, y = moons()
    forest = RandomForestClassifier(12)
    return MajorityVoteClassifier(forest, bound="catoni_per_fold", n_folds=3, per_class=True, random_state=0).fit(X, y)


@cache
def grouped():
    """Rows that belong to groups; some of the groups only judge."""
    X, y = moons()
    clf = MajorityVoteClassifier(RandomForestClassifier(12), per_class=True, cost=[[0, 1], [5, 0]], random_state=0)
    return clf.fit(X, y, groups=np.arange(150) // 3)


@cache
def digits():
    """Ten classes, numbers as names; some examples only judge."""
    X, y = load_digits(return_X_y=True)
    return MajorityVoteClassifier(RandomForestClassifier(15), per_class=True, random_state=0).fit(X[:500], y[:500])


@cache
def unproven():
    X, y = moons()
    return MajorityVoteClassifier(RandomForestClassifier(8), bound=Guess(), n_folds=2, random_state=0).fit(X, y)


@cache
def weighted():
    """A categorical posterior: both bounds are on the weighted vote, which is what `predict` does."""
    X, y = moons()
    clf = MajorityVoteClassifier(RandomForestClassifier(8), risk="second_order", bound="seeger", random_state=0)
    return clf.fit(X, y)


@cache
def drawn_normal():
    """A posterior for which the error of each example has no closed form."""
    X, y = moons()
    settings = {"risk": "mc", "posterior": "logit_normal", "bound": "seeger", "solver": "lbfgs", "n_folds": 2}
    return MajorityVoteClassifier(RandomForestClassifier(5), **settings, random_state=0).fit(X, y)


@cache
def frozen():
    """Voters that were trained before; their weights are learned on some examples, in many short stages."""
    X, y = moons()
    voters = [FrozenEstimator(LogisticRegression(C=c).fit(X[:50], y[:50])) for c in (0.01, 1.0, 100.0)]
    return MajorityVoteClassifier(voters, voting="hard", prior=1.0, solver=Auto(), random_state=0).fit(X[50:], y[50:])


FITS = {f.__name__: f for f in (binary, paid, grouped, digits, unproven, weighted, drawn_normal, frozen)}


def n_rows(certificate):
    """All rows that made the vote or judged it."""
    protocol = certificate.protocol
    return protocol["judging"] + protocol["learning"] * (protocol["name"] == "holdout")


def summary(clf, **changes):
    known = {
        "name": f"{HOSTILE}.csv",
        "n_rows": n_rows(clf.certificate_),
        "n_features": clf.n_features_in_,
        "class_counts": {str(label): 10 + k for k, label in enumerate(clf.classes_)},
        "feature_kinds": {"numeric": clf.n_features_in_},
        "missing_values": 0,
        "duplicate_rows": 0,
        "columns": {"target": ("label",), "numbers": (HOSTILE, "a" * 80), "left out": ("empty",)},
        "findings": (
            (f"The column {HOSTILE!r} alone is right on 99.8 % of 600 rows.", f"Leave it out with --drop {'a' * 80}."),
            ("2 classes have fewer than 20 examples: 'a' (3), 'b' (12).", "Collect more."),
        ),
    }
    return report.DataSummary(**{**known, **changes})


@cache
def page(name):
    """The page of one of the votes, with everything that a page may show."""
    clf = FITS[name]()
    drawn = 0.075 if clf.certificate_.has_stochastic_vote else None
    extra = {"hashes": HASHES, "test": report.TestErrors(40, 0.05, drawn, f"{HOSTILE}.parquet")}
    if name == "binary":
        extra["selective"] = clf.selective(min_coverage=0.5).certificate_
    return report.render(clf, data=summary(clf), **extra)
