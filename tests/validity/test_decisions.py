"""Recall, precision and mean cost hold, each at its confidence, for samples from a known distribution."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from validity.paths import Claim, Claims, by_figure, fold_answers, report, run, shares
from validity.trials import draws_to_catch, most_violations
from validity.worlds import STANDARD_ERRORS, World, nine_valued

pytestmark = pytest.mark.slow

DELTA = 0.2
N_DRAWS = draws_to_catch(2 * DELTA, DELTA) + 10  # in some of them a class is missing
COSTS = {2: np.array([[0.0, 1.0], [10.0, 2.0]]), 3: np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 1.5], [3.0, 0.5, 0.0]])}
PROTOCOLS: dict[str, dict[str, Any]] = {"frozen": {}, "hold-out": {}, "three folds": {"n_folds": 3}}
N_CLASSES = {"frozen": (2, 3), "hold-out": (2, 3), "three folds": (2,)}  # of folds and classes, constants take time


def voters(protocol: str, world: World, rng: np.random.Generator) -> Any:
    """Trees that err in different ways, so that the folds' votes differ; frozen ones saw other examples."""
    trees = [
        DecisionTreeClassifier(max_depth=2, max_features=1, random_state=int(seed)) for seed in rng.integers(99, size=3)
    ]
    return [FrozenEstimator(tree.fit(*world.draw(25, rng))) for tree in trees] if protocol == "frozen" else trees


def fitted(protocol: str, world: World, examples: tuple, seed: int, rng: np.random.Generator) -> MajorityVoteClassifier:
    settings = {"per_class": True, "cost": COSTS[world.p_y.shape[1]], "delta": DELTA, "inner_folds": 0}
    clf = MajorityVoteClassifier(voters(protocol, world, rng), random_state=seed, **settings, **PROTOCOLS[protocol])
    return clf.fit(*examples)


def worst(claims: list[Claim]) -> Claim:
    """Of claims that hold all at once."""
    return max(claims, key=lambda claim: claim.truth - claim.bound)


def judge(variant: tuple[str, int], seed: int) -> Claims:
    protocol, n_classes = variant
    world, rng = nine_valued(n_classes), np.random.default_rng(seed)
    examples = world.draw(100, rng)
    if len(np.unique(examples[1])) < n_classes:
        return {}
    clf = fitted(protocol, world, examples, seed, rng)
    answers = np.tensordot(shares(clf), world.answers(fold_answers(clf, world.points)), axes=1)
    joint = np.einsum("x,xt,xa->ta", world.weights, world.p_y, answers)  # truth, answer
    with np.errstate(invalid="ignore"):
        wrong = 1 - joint.diagonal() / joint.sum(0)  # of an answer that is never given, nothing is claimed
    certificate = clf.certificate_
    return {
        "recall": worst(
            [Claim(t, 1 - r) for t, r in zip(world.errors(answers).by_class, certificate.recall, strict=True)]
        ),
        "precision": worst([Claim(np.nan_to_num(w), 1 - p) for w, p in zip(wrong, certificate.precision, strict=True)]),
        "cost": Claim(float((joint * COSTS[n_classes]).sum()), certificate.cost_bound),
    }


@cache
def crowd(n_classes: int) -> tuple[NDArray, NDArray, NDArray]:
    return nine_valued(n_classes).draw_groups(4000, np.random.default_rng(0))


def judge_groups(n_classes: int, seed: int) -> Claims:
    """Frozen voters and groups, judged on many further groups, which are given the benefit of a few standard errors."""
    world, rng = nine_valued(n_classes), np.random.default_rng(seed)
    examples = world.draw_groups(60, rng)
    if len(np.unique(examples[1])) < n_classes:
        return {}
    certificate = (clf := fitted("frozen", world, examples, seed, rng)).certificate_
    X, y, group = crowd(n_classes)
    answers = clf.predict(X)
    paid = np.bincount(group, COSTS[n_classes][y, answers]) / np.bincount(group)

    def wrong_among(label: int) -> float:
        rows = answers == label
        sizes = np.bincount(group[rows], minlength=group.max() + 1)
        means = np.bincount(group[rows], y[rows] != label, len(sizes))[sizes > 0] / sizes[sizes > 0]
        return lowered(means) if len(means) > 1 else 0.0

    return {
        "precision of groups": worst([Claim(wrong_among(c), 1 - p) for c, p in enumerate(certificate.precision)]),
        "cost of groups": Claim(lowered(paid), certificate.cost_bound),
    }


def lowered(values: NDArray) -> float:
    return float(values.mean() - STANDARD_ERRORS * values.std() / np.sqrt(len(values)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_hold_on_new_examples(protocol):
    assert_hold(protocol, run(judge, [(protocol, n_classes) for n_classes in N_CLASSES[protocol]], N_DRAWS))


def test_hold_on_new_groups():
    assert_hold("groups", run(judge_groups, [2, 3], N_DRAWS))


def assert_hold(row, found):
    report(row, found, DELTA)
    for name, tried in by_figure(found).items():
        assert len(tried) >= draws_to_catch(2 * DELTA, DELTA)
        assert sum(claim.is_false for claim in tried) <= min(most_violations(len(tried), DELTA), DELTA * len(tried)), (
            name
        )
        limit = 1 if "cost" not in name else 10
        assert np.mean([claim.bound < limit for claim in tried]) >= 0.5, f"{name}: most bounds say nothing"
