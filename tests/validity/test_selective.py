"""The promises of `selective`: error among the answers and coverage, with thresholds chosen by the procedure."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier
from stocmv.decisions import NotCertified
from stocmv.voters import checked_codes
from validity.trials import draws_to_catch, most_violations

pytestmark = pytest.mark.slow

DELTA = 0.2
N_DRAWS = draws_to_catch(2 * DELTA, DELTA)
POINTS = np.stack(np.meshgrid(np.arange(8.0), np.arange(5.0)), axis=-1).reshape(-1, 2)  # 40 points on a grid
EASY = 0.97 - 0.45 * (np.abs(POINTS.sum(1) - 5.5) < 1)  # probability of the class that the point belongs to
CLASS = (POINTS.sum(1) > 5).astype(int)


def truth(sure) -> tuple[float, float]:
    """Error among the answers, and coverage, on average over the key: both are finite sums."""
    clf, c = sure._vote, sure.certificate_
    wrong = answered = 0.0
    for share, threshold, posterior, voters in zip(
        c.fold_shares, c.thresholds, clf.posterior_, clf.voters_, strict=True
    ):
        codes = checked_codes(voters.codes(POINTS), voters.n_voters, 2)
        ones = codes @ posterior.mean
        answers = np.maximum(ones, 1 - ones) >= threshold - 1e-9
        errs = np.where((ones > 0.5 + 1e-10) == CLASS, 1 - EASY, EASY)
        wrong += share * float(np.mean(answers * errs))
        answered += share * float(np.mean(answers))
    return (wrong / answered if answered else 0.0), answered


def violated(seed: int, settings: dict, target: dict, grouped: bool) -> tuple[bool, bool, bool]:
    """Whether something was certified, and whether error or coverage break their promise."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(len(POINTS), size=300)
    y = np.where(rng.random(300) < EASY[rows], CLASS[rows], 1 - CLASS[rows])
    groups = np.arange(300) // 2 if grouped else None
    clf = MajorityVoteClassifier(RandomForestClassifier(5), delta=DELTA, random_state=seed, **settings)
    try:
        sure = clf.fit(POINTS[rows], y, groups=groups).selective(**target)
    except NotCertified:
        return False, False, False
    error, coverage = truth(sure)
    return True, error > sure.certificate_.bound, coverage < sure.certificate_.coverage


@pytest.mark.filterwarnings("ignore::stocmv.RepeatedRowsWarning")
@pytest.mark.parametrize(
    ("settings", "target", "grouped"),
    [
        ({"n_folds": 3}, {"max_error": 0.18}, False),
        ({"holdout": 0.5}, {"max_error": 0.22}, True),
        ({"holdout": 0.5}, {"min_coverage": 0.6}, False),
        ({"n_folds": 2}, {"min_coverage": 0.6}, True),
    ],
)
def test_error_and_coverage_fail_at_most_as_often_as_delta_allows(settings, target, grouped):
    found = np.array([violated(seed, settings, target, grouped) for seed in range(N_DRAWS)])
    assert found[:, 0].mean() > 2 * DELTA, "too little is certified for a violation to show"
    assert np.sum(found[:, 1] | found[:, 2]) <= most_violations(N_DRAWS, DELTA)
