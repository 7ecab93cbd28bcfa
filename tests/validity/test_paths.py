"""Validity of whole paths: from examples through `fit` to what `predict`, `predict_stochastic` and `draw` answer.

For every kind of voters, way to judge them, number of classes and kind of features, samples are drawn from a known
distribution, a classifier is fitted to each, and every figure that its certificate states is set against the truth of
what it speaks of: errors, classes, precision, F1, costs, and votes that answer only when they are sure. Where a bound
is first met here, there are so many samples that failing twice as often as it may is noticed; where another test has
tried it, so many that voters who have seen their judges are. Run with ``-s`` to see the frequencies.
"""

import warnings
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier, VoteMatrix, learn
from stocmv.bounds import clopper_pearson
from stocmv.certificate import Guess, Judgments, certify_judgments
from stocmv.cluster import _plan
from stocmv.protocols import Cut
from stocmv.solvers import LBFGS
from stocmv.voters import Stumps
from validity.own_voters import Checksum, Copied, Features, Means, MeansAndRarest, Memory, Most, Parity, Unmet
from validity.paths import (
    LEAK,
    Claim,
    Claims,
    by_figure,
    check,
    claims,
    false_too_often,
    report,
    run,
    selective_claims,
    subgroups_of,
    worst,
)
from validity.worlds import STANDARD_ERRORS, World, cells, continuous, copies, nine_valued, unforeseeable
from zoo import table

pytestmark = pytest.mark.slow

DELTA = 0.1
LOOSE = 0.2  # a bound that fails twice as often as it may is caught with the fewest draws
STRICT = 0.05  # voters that have seen their judges are
N_CLASSES = (2, 3, 30)
WORLDS = {"continuous": continuous, "nine-valued": nine_valued}


def fit(
    voters: Any, examples: tuple[NDArray, ...], seed: int, subgroups: Any = None, **settings: Any
) -> MajorityVoteClassifier:
    """A quick fit to examples, the groups of their rows where there are any, and the subgroups by their features."""
    quick = {"delta": STRICT, "prior": 10.0, "solver": LBFGS(max_iter=3), "stochastic": True, "random_state": seed}
    return MajorityVoteClassifier(voters, **quick | settings).fit(
        *examples, subgroups=None if subgroups is None else subgroups(examples[0])
    )


# Every kind of voters, way to judge them, number of classes and kind of features.


def small_tree(seed: int | None = None) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=3, max_features=1, random_state=seed)


def different(world: World, rng: np.random.Generator) -> list[BaseEstimator]:
    """Classifiers of different kinds, one of which memorises its examples."""
    return [DecisionTreeClassifier(max_depth=2), GaussianNB(), KNeighborsClassifier(1)]


def frozen_trees(world: World, rng: np.random.Generator) -> list[FrozenEstimator]:
    """Trees that were fitted on other examples."""
    return [FrozenEstimator(small_tree(seed).fit(*world.draw(60, rng))) for seed in range(3)]


def frozen_forest(world: World, rng: np.random.Generator) -> FrozenEstimator:
    return FrozenEstimator(RandomForestClassifier(3, random_state=0).fit(*world.draw(60, rng)))


KINDS = {  # number of examples, and the voters
    "one tree": (600, lambda world, rng: small_tree()),
    "forest": (150, lambda world, rng: RandomForestClassifier(5, max_depth=4)),
    "list": (150, different),
    "stumps": (120, lambda world, rng: Stumps(2, n_pairs=3)),
    "frozen list": (150, frozen_trees),
    "one frozen": (100, lambda world, rng: frozen_trees(world, rng)[0]),
    "frozen forest": (100, frozen_forest),
    "own, learns": (120, lambda world, rng: Means()),
    "own, uses the classes": (120, lambda world, rng: MeansAndRarest()),
}
FOLDS = ({"n_folds": 2}, {"n_folds": 3}, {"n_folds": 5})
PAID = ({"bound": "seeger", "n_folds": 2},)  # the examples that judge teach the weights
HARD = {"stochastic": False, "voting": "hard"}


def fitted(kind: str, world: World, seed: int, **settings: Any) -> MajorityVoteClassifier:
    n, voters = KINDS[kind]
    rng = np.random.default_rng(seed)
    return fit(voters(world, rng), world.draw(n, rng), seed, **settings)


Variant = tuple[str, str, int, dict[str, Any]]  # voters, features, number of classes, settings


def judge_kind(variant: Variant, seed: int, **settings: Any) -> Claims:
    kind, features, n_classes, protocol = variant
    world = WORLDS[features](n_classes)
    return claims(fitted(kind, world, seed, **protocol, **settings), world, seed)


def judge_everything(variant: Variant, seed: int) -> Claims:
    """All figures that a vote which is only tested can have."""
    kind, features, n_classes, protocol = variant
    world = WORLDS[features](n_classes)
    also = {"per_class": True, "cost": costs(n_classes), "subgroups": None if "n_folds" in protocol else subgroups_of}
    clf = fitted(kind, world, seed, delta=LOOSE, **also, **protocol)
    return claims(clf, world, seed) | sure_claims(clf, world)


def sure_claims(clf: MajorityVoteClassifier, world: World) -> Claims:
    return selective_claims(clf, world, max_error=0.3) | selective_claims(clf, world, min_coverage=0.6)


def costs(n_classes: int) -> dict[int, dict[int, float]]:
    """Of each answer given the truth: of two classes one is ten times as bad to miss; some right answers cost, too."""
    if n_classes == 2:
        return {0: {0: 0.0, 1: 1.0}, 1: {0: 10.0, 1: 2.0}}
    matrix = np.random.default_rng(n_classes).integers(2, 10, (n_classes, n_classes)) / 2
    np.fill_diagonal(matrix, np.arange(n_classes) % 3 / 2)
    return {truth: dict(enumerate(row)) for truth, row in enumerate(matrix.tolist())}


def kind_of(variant: Variant) -> str:
    return variant[0]


def test_every_figure_of_a_holdout() -> None:
    """A part judges; all examples, where nothing is learned from them. One of the forests has default settings."""
    kinds = {"one tree": {}, "forest": {"prior": "auto"}, "list": {}, "frozen forest": {}}
    variants = [(kind, *each, kinds[kind]) for kind, *each in product(kinds, WORLDS, N_CLASSES)]
    check("hold-out", judge_everything, LOOSE, variants, rate=2 * LOOSE, by=lambda _: "")


def test_every_figure_of_folds() -> None:
    variants = list(product(["one tree", "forest", "frozen forest"], WORLDS, (2, 3), FOLDS[:2]))
    check("folds", judge_everything, LOOSE, variants, rate=2 * LOOSE, by=lambda _: "")


def test_holdout_of_every_kind_of_voters() -> None:
    """None of them has seen its judges."""
    variants = list(product(KINDS, WORLDS, N_CLASSES, [HARD]))
    check("hold-out", judge_kind, STRICT, variants, by=kind_of)


def test_folds_of_every_kind_of_voters() -> None:
    """Neither the voters of a fold nor their weights have seen it."""
    kinds, two, three = ["one tree", "forest", "list", "stumps", "frozen list"], *FOLDS[:2]
    in_turn = [("continuous", 2, two), ("continuous", 3, three), ("nine-valued", 2, three), ("nine-valued", 3, two)]
    variants = [(kind, *each, HARD | folds) for kind, (*each, folds) in product(kinds, in_turn)]
    check("folds", judge_kind, STRICT, variants, by=kind_of)


def test_soft_votes() -> None:
    """Sums of probabilities, of models whose own answers `predict` gives and of voters with learned weights."""
    kinds, holdout, two, three = ["forest", "list", "frozen list"], {}, *FOLDS[:2]
    in_turn = [
        ("continuous", 2, two),
        ("continuous", 3, holdout),
        ("nine-valued", 2, holdout),
        ("nine-valued", 3, three),
    ]
    variants = [(kind, *each) for kind, each in product(kinds, in_turn)]
    check("soft", partial(judge_kind, stochastic=False), STRICT, variants, by=kind_of)


def test_weights_that_are_paid_for() -> None:
    kinds = ["forest", "list", "own, uses the classes"]
    check("PAC-Bayes", judge_kind, STRICT, list(product(kinds, WORLDS, N_CLASSES, PAID)), by=kind_of)


def judge_groups(delta: float, settings: dict[str, Any], variant: tuple[str, int], seed: int) -> Claims:
    kind, n_classes = variant
    world, rng = nine_valued(n_classes), np.random.default_rng(seed)
    voters, examples = KINDS[kind][1](world, rng), world.draw_groups(60, rng)
    # an attribute of the rows of a group would tell large groups, which are easy, from small ones
    first = None if settings else lambda X: {"first": subgroups_of(X)["first"]}
    also = {"per_class": True, "cost": costs(n_classes), "subgroups": first}
    clf = fit(voters, examples, seed, delta=delta, **HARD, **also, **settings)
    found = claims(clf, world, seed)
    return found | ({} if settings else {"precision of groups": group_precision(clf, n_classes)})


@cache
def crowd(n_classes: int) -> tuple[NDArray, NDArray, NDArray]:
    """Many further groups."""
    return nine_valued(n_classes).draw_groups(4000, np.random.default_rng(0))


def group_precision(clf: MajorityVoteClassifier, n_classes: int) -> Claim:
    """The share of a group's answers that is wrong, on many further groups; lowered by a few standard errors."""
    X, y, group = crowd(n_classes)
    answers = clf.predict(X)

    def wrong_among(label: int) -> float:
        rows = answers == label
        sizes = np.bincount(group[rows], minlength=group.max() + 1)
        means = np.bincount(group[rows], y[rows] != label, len(sizes))[sizes > 0] / sizes[sizes > 0]
        return float(means.mean() - STANDARD_ERRORS * means.std() / np.sqrt(len(means))) if len(means) > 1 else 0.0

    return worst([Claim(wrong_among(int(e["label"])), 1 - e["bound"]) for e in clf.certificate_.precisions])


def test_groups() -> None:
    """What is promised is the mean over groups, some of which have twelve times the rows of others."""
    kinds = ("forest", "frozen forest")
    for settings, n_classes, delta, rate in (({}, 3, LOOSE, 2 * LOOSE), (FOLDS[0], 3, STRICT, LEAK)):
        variants = [(kind, n_classes) for kind in kinds]
        judge = partial(judge_groups, delta, settings)
        check(f"groups, {settings}", judge, delta, variants, rate=rate, by=lambda _: "")


RISKS = {
    "half": {},
    "first_order": {"posterior": "categorical"},
    "second_order": {"posterior": "categorical"},
    "binomial": {"posterior": "categorical"},
    "c_bound": {"posterior": "categorical"},
    "cctnd": {"posterior": "categorical"},
    "ccpbb": {"posterior": "categorical"},
    "ccpbskl": {"posterior": "categorical"},
    "disagreement": {"posterior": "categorical"},
}


def judge_risk(variant: tuple[str, str, int], seed: int) -> Claims:
    risk, features, n_classes = variant
    world = WORLDS[features](n_classes)
    return claims(fitted("forest", world, seed, risk=risk, **PAID[0], **RISKS[risk]), world, seed)


def test_every_risk() -> None:
    check("risks", judge_risk, STRICT, list(product(RISKS, WORLDS, N_CLASSES)), by=kind_of)


# Where a promise is hard to keep.


def judge_one_tree(_: str, seed: int) -> Claims:
    """Each of three folds has one tree, which may have missed the one feature of four that tells."""
    world = continuous(2, n_features=4)
    examples = world.draw(3000, np.random.default_rng(seed))
    return claims(fit(small_tree(), examples, seed, delta=LOOSE, n_folds=3), world, seed)


def test_few_voters_that_disagree() -> None:
    """`predict` keeps its bound with the key that it has, not only on average over the keys."""
    check("one tree, 3,000 rows", judge_one_tree, LOOSE, rate=2.5 * LOOSE)


def judge_copies(risk: str, _: str, seed: int) -> Claims:
    world = copies(32, 0.15)
    examples = world.draw(20_000, np.random.default_rng(seed))
    return claims(fit(Features(), examples, seed, risk=risk, posterior="categorical", bound="seeger"), world, seed)


@pytest.mark.parametrize("risk", [risk for risk in RISKS if RISKS[risk]])
def test_single_voters_that_err_more_than_their_vote(risk: str) -> None:
    """What is proven for the weighted vote is not said of a drawn voter."""
    check(f"copies of the label, {risk}", partial(judge_copies, risk), STRICT)


def fit_unmet(size: tuple[int, int, int], seed: int, **settings: Any) -> tuple[MajorityVoteClassifier, World]:
    n_cells, n_each, n = size
    world = unforeseeable(n_cells, n_each)
    examples = world.draw(n, np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes is greater")
        return fit(Unmet(n_cells, n_each), examples, seed, **settings), world


def judge_unmet(size: tuple[int, int, int], settings: dict[str, Any], seed: int) -> Claims:
    return claims(*fit_unmet(size, seed, **settings), seed)


@pytest.mark.parametrize("size", [(10, 3, 30), (60, 5, 80)], ids=["30 classes", "300 classes"])
def test_voters_learn_nothing_from_the_classes_that_there_are(size: tuple[int, int, int]) -> None:
    check(f"unmet classes of {size[0] * size[1]}", partial(judge_unmet, size), STRICT, [{}, {"n_folds": 2}])


def judge_baseline(size: tuple[int, int], seed: int) -> Claims:
    """From a table of judgments: the answers have no influence."""
    n_classes, n = size
    codes = np.random.default_rng(seed).integers(n_classes, size=n)
    classes, truth = np.unique(codes, return_inverse=True)
    baseline = certify_judgments(table(truth, truth, len(classes)), LOOSE).baseline
    return {"baseline": Claim(1 - 1 / n_classes, baseline["bound"])}


def test_the_most_frequent_of_unknown_classes() -> None:
    """Of most of the classes that there are, one or no example was met."""
    sizes = [(8, 6), (8, 30), (1000, 9)]
    check("most frequent class", judge_baseline, LOOSE, sizes, rate=2 * LOOSE, telling=0.1)


# Folds that depend on each other as much as they can, and few examples.

DEPENDENT = {  # the learner, where it learns, and numbers of examples and folds
    "memory": (Memory(5), cells(5, noise=0.5), [(2, 2), (3, 3), (7, 2), (20, 5), (60, 2), (60, 3), (60, 5)]),
    "parity": (Parity(1), cells(1, noise=1.0), [(2, 2), (3, 3), (5, 5), (21, 3), (60, 2)]),
    "most": (Most(1), cells(1, noise=1.0), [(10, 2), (60, 2), (60, 3), (60, 5), (400, 2)]),
    "checksum": (Checksum(11), cells(11), [(2, 2), (3, 3), (5, 5)]),
    "copied": (Copied(20), cells(20), [(4, 2), (20, 2), (60, 2), (60, 3), (60, 5)]),
}


def judge_dependent(learner: str, size: tuple[int, int], seed: int) -> Claims:
    """From a table of judgments, as `fit` makes it: one voter in each fold, taught by the others."""
    return {"folds": dependent_claim(learner, size, seed)[0]}


def dependent_claim(learner: str, size: tuple[int, int], seed: int) -> tuple[Claim, Judgments]:
    source, world, _ = DEPENDENT[learner]
    n, n_folds = size
    rng = np.random.RandomState(seed)
    X, y = world.draw(n, np.random.default_rng(seed))
    part, parts, errors = Cut.folds(n_folds).parts(n, None, rng), [], []
    for k in range(n_folds):
        voters = source.fit(X[part != k], y[part != k], np.arange(2), 0)
        parts.append(table(y[part == k], voters.codes(X[part == k])[:, 0]))
        errors.append(world.errors(world.answers(voters.codes(world.points)[:, 0])).overall)
    judged = Judgments.joined(parts, as_folds=True)
    guess = Guess(np.full(2, n / 8), np.full(2, n / 2))  # whatever it is, the bound holds
    certificate = certify_judgments(judged, LOOSE, guesses=[guess] * n_folds)
    return Claim(float(np.dot(certificate.fold_shares, errors)), certificate.bound), judged


@pytest.mark.parametrize("learner", DEPENDENT)
def test_folds_that_depend_on_each_other(learner: str) -> None:
    sizes = DEPENDENT[learner][2]
    # with a checksum the bound is below 1 only where no fold errs, and there it is false: that happens in 1 of 11 cases
    telling = 0.05 if learner == "checksum" else 0.2
    check(learner, partial(judge_dependent, learner), LOOSE, sizes, rate=2 * LOOSE, telling=telling)


@pytest.mark.parametrize("learner", ["memory", "most"])
def test_a_fit_makes_the_same_table(learner: str) -> None:
    source, world, _ = DEPENDENT[learner]
    judged = dependent_claim(learner, (60, 3), seed=5)[1]
    clf = fit(source, world.draw(60, np.random.default_rng(5)), 5, n_folds=3)
    for name in ("truth", "answer", "fold"):
        np.testing.assert_array_equal(getattr(judged, name), getattr(clf.evidence_, name))


def judge_few(variant: tuple[int, dict[str, Any]], seed: int) -> Claims:
    n, settings = variant
    world, rng = nine_valued(2), np.random.default_rng(seed)
    return claims(fit(RandomForestClassifier(3), world.draw(n, rng), seed, **settings), world, seed)


def test_few_examples() -> None:
    variants = list(product((2, 5, 13, 40), ({}, {"n_folds": 2})))
    check("few examples", judge_few, STRICT, variants, by=lambda variant: str(variant[1]))


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
    clf = fit(FROZEN_INSIDE[shape](*examples), examples, seed)
    is_conditional = any("none of these examples" in a.lower() for a in clf.certificate_.assumptions)
    return {} if is_conditional else claims(clf, world, seed)


def test_frozen_parts_inside_other_classifiers() -> None:
    check("frozen inside", judge_frozen_inside, STRICT, list(FROZEN_INSIDE))


def judge_fitted(shape: str, seed: int) -> Claims:
    world = continuous(**FLIPS)
    examples = world.draw(80, np.random.default_rng(seed))
    return claims(fit(FITTED[shape](*examples), examples, seed), world, seed)


def test_lists_of_classifiers_that_were_fitted_on_the_same_examples() -> None:
    """They are trained anew, each fold's without its examples."""
    check("fitted list", judge_fitted, STRICT, list(FITTED))


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
    learned = learn(
        [VoteMatrix.from_errors(e[:, None]) for e in errors], prior=1.0, delta=STRICT, solver=LBFGS(max_iter=1)
    )
    return {"bound": Claim(2 / 3, learned.certificate.bound)}


def test_the_layout_of_the_rows_says_nothing_of_their_folds() -> None:
    check("layouts", judge_layout, STRICT, list(LAYOUTS))


# What is wrong is noticed, by the same counts and the same limits.


def without_price(figures: Any) -> Any:
    """The figures with each bound replaced by what was measured."""
    if isinstance(figures, list):
        return [without_price(entry) for entry in figures]
    if not isinstance(figures, dict):
        return figures
    unpaid = {name: without_price(value) for name, value in figures.items()}
    pairs = (("bound", "empirical_risk"), ("stochastic_bound", "stochastic_risk"), ("bound", "measured"))
    return unpaid | {bound: figures[risk] for bound, risk in pairs if {bound, risk} <= set(figures)}


def judge_unpaid(_: str, seed: int) -> Claims:
    """A certificate that states what was measured."""
    world = nine_valued(2)
    clf = fitted("forest", world, seed, per_class=True, cost=costs(2))
    clf.certificate_ = replace(clf.certificate_, figures=without_price(clf.certificate_.figures))
    return claims(clf, world, seed)


def test_bounds_without_their_price_are_caught() -> None:
    found = run(judge_unpaid, [""], n_draws=60)
    report("without their price", found, STRICT)
    assert set(false_too_often(found, STRICT)) == set(by_figure(found))


def judge_pooled(n: int, seed: int) -> Claims:
    """The errors of all folds, one example in each, as if they were those of one vote on independent examples."""
    claim, judged = dependent_claim("parity", (n, n), seed)
    return {"folds added up": Claim(claim.truth, clopper_pearson(int(judged.wrong.sum()), n, LOOSE))}


def test_folds_added_up_as_if_they_were_independent_are_caught() -> None:
    """The voters of all folds are right on their examples, or all are wrong."""
    found = run(judge_pooled, [5], n_draws=93)
    report("parity, folds added up", found, LOOSE)
    assert false_too_often(found, LOOSE) == ["folds added up"]


def judge_ungrouped(settings: dict[str, Any], seed: int) -> Claims:
    """Rows of groups, as if they were independent."""
    world, rng = continuous(2), np.random.default_rng(seed)
    rows, labels, _ = world.draw_groups(90, rng)
    return claims(fit(RandomForestClassifier(5), (rows, labels), seed, **settings), world, seed)


def test_groups_that_are_not_told_are_caught() -> None:
    for settings in ({}, {"n_folds": 3}):
        found = run(judge_ungrouped, [settings], n_draws=40)
        report(f"groups that are not told, {settings}", found, STRICT)
        assert {"predict, bound", "predict_stochastic, stochastic_bound"} <= set(false_too_often(found, STRICT))
