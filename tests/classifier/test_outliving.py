"""Each way in which an object can outlive, or leave, what it was certified for; docs/pitfalls.md has the table."""

import copy
import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stocmv import MajorityVoteClassifier

X, y = make_moons(400, noise=0.2, random_state=0)
NEW, _ = make_moons(80, noise=0.4, random_state=1)
NOISE = np.random.default_rng(0).integers(2, size=len(y))


class Failing(ClassifierMixin, BaseEstimator):
    """A classifier whose training ends in an error."""

    def __init__(self, error):
        self.error = error

    def fit(self, X, y):
        raise self.error


@cache
def original():
    return MajorityVoteClassifier(RandomForestClassifier(8), n_folds=2, prior=1.0, stochastic=True, random_state=0).fit(
        X, y
    )


@pytest.fixture
def clf():
    return copy.deepcopy(original())


def swap_parts(clf):
    other = clone(clf).fit(X, NOISE)
    clf.voters_, clf.posterior_, clf.key_, clf.evidence_ = other.voters_, other.posterior_, b"another", other.evidence_
    clf.certificate_, clf.classes_ = other.certificate_, clf.classes_[::-1]


def edit_in_place(clf):
    for posterior in clf.posterior_:
        posterior.alpha[:] = np.arange(1, len(posterior.alpha) + 1)
    clf.classes_[:] = clf.classes_[::-1].copy()
    clf.voters_.reverse()


def fail(clf):
    with pytest.raises(RuntimeError):
        clf.set_params(voters=[Failing(RuntimeError("no"))]).fit(X, NOISE)


CHANGES = {
    "refit": lambda clf: clf.fit(X, NOISE),
    "failed refit": fail,
    "set_params": lambda clf: clf.set_params(voters="answers", n_folds=None, delta=0.5),
    "set_params of the voters": lambda clf: clf.set_params(voters__n_estimators=1),
    "other attributes": swap_parts,
    "attributes edited in place": edit_in_place,
}


def selective_vote(clf):
    sure = clf.selective(max_error=0.15, unanswered=-1)
    return lambda: (sure.predict(NEW), sure.answers(NEW), sure.certificate_, sure.classes_)


def drawn_vote(clf):
    drawn = clf.draw(0)
    return lambda: (drawn.predict(NEW), drawn.classes_)


def copied(how):
    def of(clf):
        other = how(clf)
        return lambda: (other.predict(NEW), other.predict_proba(NEW), other.certificate_)

    return of


def monitors(clf):
    made = [clf.certificate_.monitor(), clf.selective(max_error=0.15).certificate_.monitor()]
    return lambda: [monitor.to_json() for monitor in made]


def displayed(clf):
    pytest.importorskip("matplotlib").use("agg")
    from stocmv.displays import CertificateDisplay, ErrorDistributionDisplay, PosteriorDisplay, SelectiveDisplay, pyplot

    kinds = (CertificateDisplay, ErrorDistributionDisplay, PosteriorDisplay, SelectiveDisplay)
    certificate, errors, posterior, selective = (kind.from_estimator(clf) for kind in kinds)
    pyplot().close("all")
    return lambda: (certificate.certificate, errors.probabilities, posterior.means, selective.points)


HANDED_OUT = {
    "selective vote": selective_vote,
    "drawn vote": drawn_vote,
    "deep copy": copied(copy.deepcopy),
    "pickle": copied(lambda clf: pickle.loads(pickle.dumps(clf))),
    "monitor": monitors,
    "displays": displayed,
}


def assert_same(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_equal(one, other)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("handed_out", HANDED_OUT)
def test_what_is_handed_out_stays_what_it_was_certified_for(clf, handed_out, change):
    state = HANDED_OUT[handed_out](clf)
    before = copy.deepcopy(state())
    CHANGES[change](clf)
    assert_same(before, state())


@pytest.mark.parametrize("change", ["refit", "failed refit", "set_params", "other attributes"])
def test_a_shallow_copy_is_a_vote_of_its_own(clf, change):
    state = copied(copy.copy)(clf)
    before = state()
    CHANGES[change](clf)
    assert_same(before, state())


@pytest.mark.parametrize("change", ["set_params", "set_params of the voters"])
def test_new_parameters_change_nothing_before_the_next_fit(clf, change):
    before = clf.predict(NEW), clf.draw(0).predict(NEW), clf.certificate_
    CHANGES[change](clf)
    assert_same(before, (clf.predict(NEW), clf.draw(0).predict(NEW), clf.certificate_))


def voter_raises(clf, monkeypatch):
    return clf.set_params(voters=[Failing(RuntimeError("no"))]), X, {}


def interrupted_training(clf, monkeypatch):
    return clf.set_params(voters=[Failing(KeyboardInterrupt())]), X, {}


def interrupted_at_the_end(clf, monkeypatch):
    def stop(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("stocmv.checks.OrderTest.of", stop)
    return clf, X, {}


def warning_as_error(clf, monkeypatch):
    return clf, X, {"time": X[:, 0]}  # classes change over time, and warnings are errors in all tests


def bad_argument(clf, monkeypatch):
    return clf, X, {"sample_weight": -np.ones(len(y))}


def on_a_cluster(clf, monkeypatch):
    dask = pytest.importorskip("dask.array")
    return clf, dask.from_array(X), {"time": y}


FAILURES = (voter_raises, interrupted_training, interrupted_at_the_end, warning_as_error, bad_argument, on_a_cluster)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_fit_that_fails_leaves_nothing_of_the_one_before(clf, failure, monkeypatch):
    fitted = {name for name in vars(clf) if name.endswith("_")}
    assert {"certificate_", "voters_", "posterior_", "evidence_", "classes_", "n_features_in_", "timings_"} <= fitted
    clf, examples, settings = failure(clf, monkeypatch)
    with pytest.raises((Exception, KeyboardInterrupt)):
        clf.fit(examples, y, **settings)
    assert set(vars(clf)) == set(clf.get_params(deep=False))
    with pytest.raises(NotFittedError):
        clf.predict(X)
    assert not hasattr(clf, "certificate_")


def test_names_of_columns_do_not_outlive_their_fit(clf):
    pandas = pytest.importorskip("pandas")
    clf.fit(pandas.DataFrame(X, columns=["a", "b"]), y)
    assert not hasattr(clf.fit(X, y), "feature_names_in_")


def test_a_clone_has_no_certificate(clf):
    assert set(vars(clone(clf))) == set(clf.get_params(deep=False))
    with pytest.raises(TypeError):
        clone(clf.selective(max_error=0.15))


@pytest.mark.parametrize("name", ["certificate_", "classes_"])
def test_the_certificate_of_a_selective_vote_cannot_be_replaced(clf, name):
    with pytest.raises(AttributeError):
        setattr(clf.selective(max_error=0.15), name, None)


def test_what_answers_differently_has_no_certificate(clf):
    """A threshold outside, and a pipeline: only the vote inside has one, about what it is given."""
    outer = FixedThresholdClassifier(clf, threshold=0.1).fit(X, y)
    pipe = make_pipeline(StandardScaler(), clf).fit(X, y)
    assert not any(hasattr(wrapper, "certificate_") for wrapper in (outer, pipe, pipe[:1]))
    assert pipe[-1].certificate_.verify(pipe[-1].evidence_)


def edit_evidence(clf):
    clf.evidence_.answer[0] = 1 - clf.evidence_.answer[0]


MIXED = {  # each makes the evidence another than the certificate was computed from
    "evidence of another fit": lambda clf: setattr(clf, "evidence_", noisy().evidence_),
    "certificate of another fit": lambda clf: setattr(clf, "certificate_", noisy().certificate_),
    "evidence edited in place": edit_evidence,
    "votes instead of judgments": lambda clf: setattr(clf, "evidence_", paid().evidence_),
    "certificate of the other kind": lambda clf: setattr(clf, "certificate_", paid().certificate_),
}


@pytest.mark.parametrize("how", MIXED)
def test_nothing_is_certified_from_parts_of_different_fits(clf, how):
    pytest.importorskip("matplotlib").use("agg")
    from stocmv.displays import ErrorDistributionDisplay, SelectiveDisplay

    MIXED[how](clf)
    for certifies in (
        lambda: clf.selective(max_error=0.3),
        lambda: clf.selective(min_coverage=0.5),
        lambda: SelectiveDisplay.from_estimator(clf),
        lambda: ErrorDistributionDisplay.from_estimator(clf),
    ):
        with pytest.raises(
            ValueError, match=r"is not what certificate_ is about|were learned on them|about other votes"
        ):
            certifies()


@pytest.mark.parametrize("how", [how for how in MIXED if "fit" in how or "place" in how])
def test_the_certificate_does_not_hold_for_them_either(clf, how):
    assert clf.certificate_.verify(clf.evidence_)
    MIXED[how](clf)
    assert not clf.certificate_.verify(clf.evidence_)


def test_a_figure_that_is_edited_does_not_hold(clf):
    clf.certificate_.figures["error"]["bound"] *= 0.99
    assert not clf.certificate_.verify(clf.evidence_)


def test_other_weights_are_noticed_where_the_certificate_knows_them():
    pytest.importorskip("matplotlib").use("agg")
    from stocmv.displays import ErrorDistributionDisplay

    clf = copy.deepcopy(paid())
    edit_in_place(clf)
    with pytest.raises(ValueError, match="about other votes or weights than these"):
        ErrorDistributionDisplay.from_estimator(clf)


@cache
def noisy():
    return clone(original()).fit(X, NOISE)


@cache
def paid():
    return clone(original()).set_params(bound="seeger").fit(X, y)
