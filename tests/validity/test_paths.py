"""Validity of whole paths: from examples through `fit` to what `predict`, `predict_stochastic` and `draw` answer.

For every kind of voters, number of classes and kind of features, 300 samples are drawn from a known distribution, a
classifier is fitted to each, and every figure that its certificate states is set against the true error of what it
speaks of. Run with ``-s`` to see the frequencies.
"""

import warnings
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from stocmv import MajorityVoteClassifier, VoteMatrix, learn
from stocmv.classifier._cut import Cut
from stocmv.engines import _plan
from stocmv.solvers import LBFGS
from stocmv.voters import Stumps
from validity.own_voters import Features, Means, MeansAndRarest, Unmet
from validity.paths import Claim, Claims, check, claims, false_too_often, run
from validity.worlds import World, continuous, copies, nine_valued, unforeseeable

pytestmark = pytest.mark.slow

DELTA = 0.1
N_CLASSES = (2, 3, 30)
WORLDS = {"continuous": continuous, "nine-valued": nine_valued}


def fit(voters: Any, examples: tuple[NDArray, NDArray], seed: int, **settings: Any) -> MajorityVoteClassifier:
    """A quick fit."""
    quick = {"delta": DELTA, "prior": 10.0, "solver": LBFGS(max_iter=3), "random_state": seed}
    return MajorityVoteClassifier(voters, **quick | settings).fit(*examples)


# Every kind of voters, number of classes and kind of features.


def small_tree(seed: int | None = None) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=3, max_features=1, random_state=seed)


def frozen_trees(world: World, rng: np.random.Generator) -> list[FrozenEstimator]:
    """Trees that were fitted on other examples."""
    return [FrozenEstimator(small_tree(seed).fit(*world.draw(60, rng))) for seed in range(3)]


KINDS = {  # number of examples, and the voters
    "one tree": (1000, lambda world, rng: small_tree()),
    "three trees": (150, lambda world, rng: RandomForestClassifier(3)),
    "forest": (150, lambda world, rng: RandomForestClassifier(5, max_depth=4)),
    "list": (150, lambda world, rng: [DecisionTreeClassifier(max_depth=2), GaussianNB(), ExtraTreeClassifier()]),
    "frozen": (200, frozen_trees),
    "stumps": (100, lambda world, rng: Stumps(2, n_pairs=3)),
    "own, learns": (120, lambda world, rng: Means()),
    "own, uses the classes": (120, lambda world, rng: MeansAndRarest()),
}


def fitted(kind: str, world: World, seed: int, **settings: Any) -> MajorityVoteClassifier:
    n, voters = KINDS[kind]
    rng = np.random.default_rng(seed)
    folds = 1 if kind == "frozen" else 2
    return fit(voters(world, rng), world.draw(n, rng), seed, **{"n_folds": folds} | settings)


def judge_kind(kind: str, features: str, n_classes: int, seed: int) -> Claims:
    world = WORLDS[features](n_classes)
    return claims(fitted(kind, world, seed, per_class=True), world, seed)


@pytest.mark.parametrize("features", WORLDS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_voters(kind: str, features: str) -> None:
    check(f"{kind}, {features}", partial(judge_kind, kind, features), DELTA, N_CLASSES)


RISKS = {
    "half": {},
    "first_order": {"posterior": "categorical"},
    "second_order": {"posterior": "categorical"},
    "binomial": {"posterior": "categorical"},
    "c_bound": {"posterior": "categorical"},
}


def judge_risk(risk: str, setting: tuple[str, int], seed: int) -> Claims:
    features, n_classes = setting
    world = WORLDS[features](n_classes)
    return claims(fitted("three trees", world, seed, risk=risk, **RISKS[risk]), world, seed)


@pytest.mark.parametrize("risk", RISKS)
def test_every_risk(risk: str) -> None:
    settings = [(features, n_classes) for features in WORLDS for n_classes in N_CLASSES]
    check(f"three trees, {risk}", partial(judge_risk, risk), DELTA, settings)


# Where a promise is hard to keep.


def judge_one_tree(_: str, seed: int) -> Claims:
    """Each of three folds has one tree, which may have missed the one feature of four that tells."""
    world = continuous(2, n_features=4)
    return claims(fit(small_tree(), world.draw(3000, np.random.default_rng(seed)), seed, delta=0.05), world, seed)


def test_few_voters_that_disagree() -> None:
    """`predict` keeps its bound with the key that it has, not only on average over the keys."""
    check("one tree, 3,000 rows", judge_one_tree, 0.05)


def judge_copies(risk: str, _: str, seed: int) -> Claims:
    world = copies(32, 0.15)
    examples = world.draw(20_000, np.random.default_rng(seed))
    return claims(fit(Features(), examples, seed, risk=risk, posterior="categorical"), world, seed)


@pytest.mark.parametrize("risk", [risk for risk in RISKS if RISKS[risk]])
def test_single_voters_that_err_more_than_their_vote(risk: str) -> None:
    """What is proven for the weighted vote is not said of a drawn voter."""
    check(f"copies of the label, {risk}", partial(judge_copies, risk), DELTA)


def judge_unmet(size: tuple[int, int, int], seed: int) -> Claims:
    n_cells, n_each, n = size
    world = unforeseeable(n_cells, n_each)
    examples = world.draw(n, np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes is greater")
        clf = fit(Unmet(n_cells, n_each), examples, seed, n_folds=2)
    return claims(clf, world, seed)


@pytest.mark.parametrize("size", [(10, 3, 30), (60, 5, 80)], ids=["30 classes", "300 classes"])
def test_voters_learn_nothing_from_the_classes_that_there_are(size: tuple[int, int, int]) -> None:
    check(f"unmet classes of {size[0] * size[1]}", judge_unmet, DELTA, [size])


# Voters that have seen the examples before: full trees, and labels that are coin flips.


def full_tree(X: NDArray, y: NDArray) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(random_state=0).fit(X, y)


def frozen_pipeline(X: NDArray, y: NDArray) -> BaseEstimator:
    return make_pipeline(FunctionTransformer(), FrozenEstimator(full_tree(X, y)))


FROZEN_INSIDE = {
    "voting": lambda X, y: VotingClassifier([("tree", FrozenEstimator(full_tree(X, y))), ("bayes", GaussianNB())]),
    "bagging": lambda X, y: BaggingClassifier(FrozenEstimator(full_tree(X, y)), n_estimators=2),
    "pipeline": frozen_pipeline,
    "voting pipelines": lambda X, y: VotingClassifier([("one", frozen_pipeline(X, y))]),
}
FITTED = {
    "trees": lambda X, y: [full_tree(X, y)] * 2,
    "pairs": lambda X, y: [("tree", full_tree(X, y)), ("bayes", GaussianNB().fit(X, y))],
    "forest": lambda X, y: [RandomForestClassifier(3, bootstrap=False).fit(X, y)],
}
FLIPS = {"n_classes": 2, "noise": 1.0}


def judge_frozen_inside(shape: str, seed: int) -> Claims:
    """What is said under a stated assumption that does not hold is no claim."""
    world = continuous(**FLIPS)
    examples = world.draw(80, np.random.default_rng(seed))
    clf = fit(FROZEN_INSIDE[shape](*examples), examples, seed, n_folds=2)
    is_conditional = any("none of these examples" in a.lower() for a in clf.certificate_.assumptions)
    return {} if is_conditional else claims(clf, world, seed)


def test_frozen_parts_inside_other_classifiers() -> None:
    check("frozen inside", judge_frozen_inside, DELTA, list(FROZEN_INSIDE))


def judge_fitted(shape: str, seed: int) -> Claims:
    world = continuous(**FLIPS)
    examples = world.draw(80, np.random.default_rng(seed))
    return claims(fit(FITTED[shape](*examples), examples, seed), world, seed)


def test_lists_of_classifiers_that_were_fitted_on_the_same_examples() -> None:
    """They are trained anew, each fold's without its examples."""
    check("fitted list", judge_fitted, DELTA, list(FITTED))


# Folds on a cluster, where the user lays out the rows.


def in_turn(labels: NDArray) -> tuple[NDArray, list[int]]:
    """An order of the rows, and the sizes of their partitions: one row each, the classes taking turns."""
    rank = np.array([np.sum(labels[:i] == label) for i, label in enumerate(labels)])
    return np.lexsort((labels, rank)), [1] * len(labels)


def by_class(labels: NDArray) -> tuple[NDArray, list[int]]:
    """One partition for each class."""
    return np.argsort(labels, kind="stable"), np.bincount(labels).tolist()


LAYOUTS = {"one row each, classes in turn": (1, in_turn), "one partition per class": (100, by_class)}


def planned_folds(sizes: list[int], classes: NDArray, seed: int) -> list[NDArray]:
    """The rows of each of three folds, as a cluster draws them for more rows than are listed."""
    rng = np.random.RandomState(seed)
    with patch.object(_plan, "LISTED", 0):
        parts = _plan.plan(sizes, None, classes, Cut.folds(3), rng)
    starts = np.cumsum([0, *sizes[:-1]])
    return [np.concatenate([s + p.judges(k) for s, p in zip(starts, parts, strict=True)]) for k in range(3)]


def judge_layout(layout: str, seed: int) -> Claims:
    """Three classes are equally likely in every cell; a fold's voter says the one that it met least."""
    n_cells, lay_out = LAYOUTS[layout]
    y = unforeseeable(n_cells, 3).draw(90, np.random.default_rng(seed))[1]
    order, sizes = lay_out(y)
    third = y[order] % 3
    folds = planned_folds(sizes, np.arange(3 * n_cells), seed)
    errors = [third[fold] != np.bincount(np.delete(third, fold), minlength=3).argmin() for fold in folds]
    learned = learn([VoteMatrix.from_errors(e[:, None]) for e in errors], delta=DELTA, solver=LBFGS(max_iter=1))
    return {"bound": Claim(2 / 3, learned.certificate.bound)}


def test_the_layout_of_the_rows_says_nothing_of_their_folds() -> None:
    check("layouts", judge_layout, DELTA, list(LAYOUTS))


# What is wrong is noticed, by the same counts and the same limits.


def judge_unpaid(_: str, seed: int) -> Claims:
    """A certificate that states what was measured."""
    world = nine_valued(2)
    clf = fitted("one tree", world, seed)
    measured = clf.certificate_.empirical_risk
    clf.certificate_ = replace(clf.certificate_, bound=measured, deterministic_bound=measured)
    return claims(clf, world, seed)


def test_bounds_without_their_price_are_caught() -> None:
    found = run(judge_unpaid, n_draws=60)
    assert {"predict, deterministic_bound", "predict_stochastic, bound"} <= set(false_too_often(found, DELTA))
