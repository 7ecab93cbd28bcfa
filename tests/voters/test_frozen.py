"""What stays fitted inside what will be fitted."""

import functools

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import quick
from stocmv.voters import Ensemble, Transformed, as_source
from stocmv.voters._frozen import FROZEN_PARTS, frozen_parts

X, y = make_moons(120, noise=0.2, random_state=0)
SELECTOR = SelectKBest(k=1).fit(X, y)
UNFITTED = StandardScaler()


class Holder:
    """An object that is no estimator, around one."""

    def __init__(self, held):
        self.held = held

    def __call__(self, X):
        return self.held.transform(X)

    def transform(self, X):
        return self.held.transform(X)


HOLDER = Holder(SELECTOR)


def closure(selector):
    return lambda X: selector.transform(X)


def uses_a_global(X):
    return SELECTOR.transform(X)


def uses_a_function(X):
    return uses_a_global(X)


def uses_a_holder(X):
    return [HOLDER.transform(row) for row in X]


def with_default(X, selector=SELECTOR):
    return selector.transform(X)


def with_keyword(X, *, selector=SELECTOR):
    return selector.transform(X)


@functools.wraps(uses_a_global)
def wrapped(X):
    return wrapped.__wrapped__(X)


FUNCTIONS = {
    "method": SELECTOR.transform,
    "method of a pipeline": make_pipeline(SELECTOR).transform,
    "partial": functools.partial(with_keyword, selector=SELECTOR),
    "partial of a method": functools.partial(SELECTOR.transform),
    "closure": closure(SELECTOR),
    "closure around a method": closure(Holder(SELECTOR)),
    "lambda": lambda X: SELECTOR.transform(X),
    "global variable": uses_a_global,
    "in another function": uses_a_function,
    "in an object": uses_a_holder,
    "default": with_default,
    "keyword": with_keyword,
    "wrapped": wrapped,
    "callable object": Holder(SELECTOR),
    "method of an object": Holder([{"selector": SELECTOR}]).transform,
}
PLACES = {
    "func": lambda function: FunctionTransformer(function),
    "inverse_func": lambda function: FunctionTransformer(inverse_func=function),
    "kw_args": lambda function: FunctionTransformer(with_keyword, kw_args={"other": [function]}),
    "union": lambda function: make_union(StandardScaler(), FunctionTransformer(function)),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_hold_what_they_refer_to(name, place):
    parts = list(frozen_parts(PLACES[place](FUNCTIONS[name])))
    assert SELECTOR in [part[0] if isinstance(part, Pipeline) else part for part in parts]


@pytest.mark.parametrize(
    "value",
    [
        FunctionTransformer(np.log1p),
        FunctionTransformer(lambda X: StandardScaler().fit_transform(X)),
        FunctionTransformer(UNFITTED.transform),
        FunctionTransformer(StandardScaler.transform),
        make_pipeline(SELECTOR, RandomForestClassifier().fit(X, y)),  # cloned, and fitted again
        [{"selector": SELECTOR}],
        None,
    ],
    ids=["ufunc", "lambda", "method of an unfitted one", "plain function", "pipeline", "list", "None"],
)
def test_what_is_fitted_anew_is_not_frozen(value):
    assert not any(frozen_parts(value))


def test_what_refers_to_itself_ends():
    loop, frozen = [], FrozenEstimator(SELECTOR)
    loop.append(loop)
    assert list(frozen_parts([loop, frozen])) == [frozen]


@pytest.mark.parametrize(
    ("voters", "kind"),
    [
        (make_pipeline(FunctionTransformer(SELECTOR.transform), RandomForestClassifier(3)), Transformed),
        (BaggingClassifier(make_pipeline(FunctionTransformer(SELECTOR.transform), DecisionTreeClassifier())), Ensemble),
    ],
    ids=["pipeline", "bagging"],
)
def test_the_certificate_says_what_is_frozen(voters, kind):
    assert type(as_source(voters)) is kind
    assert FROZEN_PARTS in quick(voters).fit(X, y).certificate_.assumptions


@pytest.mark.parametrize("wrap", [FrozenEstimator, lambda scaler: FunctionTransformer(scaler.transform)])
def test_fitting_a_frozen_part_again_does_not_change_the_vote(wrap):
    scaler = StandardScaler().fit(X)
    clf = quick(make_pipeline(wrap(scaler), RandomForestClassifier(3))).fit(X, y)
    before = clf.predict(X)
    scaler.fit(100 * X + 7)
    np.testing.assert_array_equal(clf.predict(X), before)
