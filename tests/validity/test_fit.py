"""The promise of the whole `fit`: forests as voters, everything on "auto", the sample drawn many times.

The examples come from a finite domain with known probabilities, so that the true error of the fitted vote is a finite
sum.
"""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier
from stocmv.learning import mean_vote, win_probabilities
from validity.trials import draws_to_catch, most_violations

pytestmark = pytest.mark.slow

DELTA = 0.2
N_DRAWS = draws_to_catch(2 * DELTA, DELTA)
POINTS = np.stack(np.meshgrid(np.arange(8.0), np.arange(5.0)), axis=-1).reshape(-1, 2)  # 40 points on a grid


def class_probabilities(n_classes: int) -> np.ndarray:
    """P(y | x): bands across the grid, with noise that no voter can learn away."""
    band = (POINTS.sum(1) / 12 * n_classes).astype(int).clip(0, n_classes - 1)
    return 0.25 / n_classes + 0.75 * (band[:, None] == np.arange(n_classes))


def true_errors(clf: MajorityVoteClassifier, p_y: np.ndarray) -> dict[str, np.ndarray]:
    """Errors of the drawn and of the fixed vote: over all examples, then given each class."""
    n_classes = p_y.shape[1]
    shares = clf.certificate_.fold_shares
    codes = [voters.codes(POINTS) for voters in clf.voters_]
    drawn = np.tensordot(
        shares, [win_probabilities(p, c, n_classes) for p, c in zip(clf.posterior_, codes, strict=True)], axes=1
    )
    fixed = np.tensordot(
        shares,
        [np.eye(n_classes)[mean_vote(p, c, n_classes)] for p, c in zip(clf.posterior_, codes, strict=True)],
        axes=1,
    )
    joint = p_y / len(POINTS)
    return {
        name: np.append((joint * (1 - right)).sum(), (joint * (1 - right)).sum(0) / joint.sum(0))
        for name, right in (("drawn", drawn), ("fixed", fixed))
    }


def violated(seed: int, n: int, n_classes: int, n_folds: int | None) -> np.ndarray:
    """Whether each promise of one fit is broken: drawn vote, fixed vote, any class (drawn), any class (fixed)."""
    rng = np.random.default_rng(seed)
    p_y = class_probabilities(n_classes)
    rows = rng.integers(len(POINTS), size=n)
    y = (rng.random(n)[:, None] > np.cumsum(p_y[rows], axis=1)).sum(1)
    y[:n_classes] = np.arange(n_classes) if len(np.unique(y)) < n_classes else y[:n_classes]
    clf = MajorityVoteClassifier(
        RandomForestClassifier(3), n_folds=n_folds, delta=DELTA, stochastic=True, per_class=True, random_state=seed
    ).fit(POINTS[rows], y)
    truth, certificate = true_errors(clf, p_y), clf.certificate_
    return np.array(
        [
            truth["drawn"][0] > certificate.stochastic_bound,
            truth["fixed"][0] > certificate.bound,
            any(t > c["stochastic_bound"] for t, c in zip(truth["drawn"][1:], certificate.per_class, strict=True)),
            any(t > c["bound"] for t, c in zip(truth["fixed"][1:], certificate.per_class, strict=True)),
        ]
    )


@pytest.mark.parametrize(
    ("n", "n_classes", "n_folds"), [(60, 2, None), (40, 2, 2), pytest.param(40, 2, 5, marks=pytest.mark.long)]
)
def test_whole_fit_keeps_its_promises(n: int, n_classes: int, n_folds: int | None) -> None:
    counts = np.sum([violated(seed, n, n_classes, n_folds) for seed in range(N_DRAWS)], axis=0)
    print(f"n = {n}, {n_classes} classes, folds: {n_folds}: violations {counts / N_DRAWS} at delta = {DELTA}")
    assert np.all(counts <= most_violations(N_DRAWS, DELTA))


def test_a_bound_without_its_price_is_caught() -> None:
    """The same counting finds a certificate that forgets to pay: the measured risk alone."""
    too_low = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        p_y = class_probabilities(2)
        rows = rng.integers(len(POINTS), size=40)
        y = (rng.random(40)[:, None] > np.cumsum(p_y[rows], axis=1)).sum(1)
        clf = MajorityVoteClassifier(RandomForestClassifier(3), n_folds=2, delta=DELTA, random_state=seed)
        clf.fit(POINTS[rows], y)
        too_low += true_errors(clf, p_y)["fixed"][0] > clf.certificate_.empirical_risk
    assert too_low > most_violations(40, DELTA)
