"""Sources of voters as scikit-learn estimators: parameters, copies, text, searches."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.cluster import Shared
from stocmv.cluster._training import as_shared
from stocmv.voters import Classifiers, Encoded, Ensemble, Frozen, Stumps, Transformed

X, y = make_moons(200, noise=0.2, random_state=0)
FITTED = GaussianNB().fit(X, y)
RANGES = np.array([[-2, -1.5], [3, 2]])

# how each is written, and what may be set on it from outside
SOURCES = {
    "Stumps(n_thresholds=5)": (Stumps(5), {"n_thresholds": 3, "ranges": "training", "n_pairs": 2}),
    "Ensemble(estimator=RandomForestClassifier(n_estimators=5))": (
        Ensemble(RandomForestClassifier(5)),
        {"estimator__n_estimators": 3},
    ),
    "Classifiers(estimators=[GaussianNB()])": (Classifiers([GaussianNB()]), {"n_repeats": 3}),
    "Frozen(estimators=[GaussianNB()])": (Frozen([FITTED]), {"estimators": [FrozenEstimator(FITTED)]}),
    "Transformed(source=Stumps(), transformer=StandardScaler())": (
        Transformed(StandardScaler(), Stumps()),
        {"source__n_thresholds": 3, "transformer__with_mean": False},
    ),
    "Encoded(categorical=['colour'], source=Stumps())": (
        Encoded(Stumps(), ["colour"]),
        {"encoding": "onehot", "categorical": (), "source__n_thresholds": 3},
    ),
    "Shared(source=Stumps())": (Shared(Stumps()), {"max_rows": 9, "source__n_thresholds": 3}),
}
every_source = pytest.mark.parametrize(
    ("text", "source", "settings"), [(t, *s) for t, s in SOURCES.items()], ids=SOURCES
)


@every_source
def test_text(text, source, settings):
    assert repr(source) == text


@every_source
def test_parameters_are_read_and_set(text, source, settings):
    ours = clone(source).set_params(**settings)
    assert settings.items() <= ours.get_params().items()
    assert repr(source) == text


@every_source
def test_parameters_reach_through_the_classifier(text, source, settings):
    clf = clone(MajorityVoteClassifier(source))
    clf.set_params(**{f"voters__{name}": value for name, value in settings.items()})
    assert settings.items() <= clf.voters.get_params().items()
    assert repr(source) == text


def test_an_array_of_ranges_is_copied():
    ours = clone(Stumps(ranges=RANGES))
    np.testing.assert_array_equal(ours.ranges, RANGES)
    assert ours.ranges is not RANGES


@pytest.mark.parametrize("frozen", [Frozen([FITTED]), Frozen([FrozenEstimator(FITTED)])], ids=["bare", "wrapped"])
def test_copies_of_frozen_classifiers_keep_what_they_learned(frozen):
    copy = clone(frozen)
    assert copy is not frozen
    np.testing.assert_array_equal(copy.labels(), [0, 1])
    codes = copy.fit(X, y, np.arange(2), seed=0).codes(X)
    np.testing.assert_array_equal(codes[:, 0], FITTED.predict(X))


def test_grid_search_over_the_thresholds():
    # one threshold at the middle of each range is too few for moons
    clf = MajorityVoteClassifier(Stumps(), random_state=0)
    search = GridSearchCV(clf, {"voters__n_thresholds": [1, 20]}, cv=2).fit(X, y)
    best = search.best_estimator_
    assert search.best_params_ == {"voters__n_thresholds": 20}
    assert best.voters_[0].n_voters == 2 * 20 * 2
    assert best.certificate_.verify(best.evidence_)
    assert clf.voters.n_thresholds == 10


def test_grid_search_inside_other_sources():
    source = Transformed(StandardScaler(), Ensemble(RandomForestClassifier()))
    clf = MajorityVoteClassifier(source, voting="hard", random_state=0)
    search = GridSearchCV(clf, {"voters__source__estimator__n_estimators": [1, 9]}, cv=2).fit(X, y)
    assert search.best_estimator_.voters_[0].n_voters == search.best_params_["voters__source__estimator__n_estimators"]


def test_grid_search_over_the_sources():
    sources = [Stumps(3), Classifiers([DecisionTreeClassifier(max_depth=2)], n_repeats=2)]
    search = GridSearchCV(MajorityVoteClassifier(random_state=0), {"voters": sources}, cv=2).fit(X, y)
    assert repr(search.best_params_["voters"]) in map(repr, sources)


def test_grid_search_over_the_encoding():
    frame = pd.DataFrame({"colour": np.array(["red", "green", "blue"])[np.arange(60) % 3], "size": range(60)})
    clf = MajorityVoteClassifier(Encoded(Stumps(5), ["colour"]), random_state=0)
    search = GridSearchCV(clf, {"voters__encoding": ["ordinal", "onehot"]}, cv=2).fit(frame, frame["colour"] == "green")
    assert search.best_params_ == {"voters__encoding": "onehot"}  # in the order of the alphabet green is in the middle


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Stumps(0), "n_thresholds == 0, must be >= 1"),
        (Classifiers([]), "at least one classifier"),
        (Frozen([]), "at least one fitted classifier"),
        (Frozen([GaussianNB()]), "GaussianNB instance is not fitted yet"),
    ],
    ids=repr,
)
def test_parameters_are_checked_by_the_fit(source, message):
    with pytest.raises(ValueError, match=message):
        MajorityVoteClassifier(source).fit(X, y)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Shared(Stumps(), "anywhere"), "train_on must be 'sample' or 'partitions', got 'anywhere'"),
        (Shared(Stumps(), "partitions"), "needs an ensemble of interchangeable members"),
        (Shared(Stumps(), max_rows=0), "max_rows must be at least 1, got 0"),
    ],
    ids=repr,
)
def test_what_a_cluster_refuses(source, message):
    with pytest.raises(ValueError, match=message):
        as_shared(source)
