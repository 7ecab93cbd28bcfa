"""The promises of `selective`: error among the answers and coverage, with thresholds chosen by the procedure.

A selective certificate is a function of the judgments, so tables are drawn, from scores whose errors are known.
`test_paths` goes the whole way from examples to answers.
"""

from typing import Any

import numpy as np
import pytest

from stocmv.certificate import Guess, Judgments, certify_judgments
from stocmv.decisions import NotCertified, SelectiveCertificate, certify_selective
from stocmv.decisions._threshold_tests import THRESHOLDS
from validity.trials import draws_to_catch, most_violations
from zoo import table

pytestmark = pytest.mark.slow

DELTA = 0.2
SCORES = np.linspace(0.5, 1.0, 26)
SHARES = (0.3 + SCORES) / (0.3 + SCORES).sum()  # how often an answer has each score
WRONG = 0.5 * (2 - 2 * SCORES) ** 1.3 + 0.02  # how often it is then wrong


def drawn(n: int, rng: np.random.Generator, rows: int = 1) -> Judgments:
    """Independent judges, or groups whose rows share score and mistake but for some noise."""
    place = np.repeat(rng.choice(len(SCORES), n, p=SHARES), rows)
    wrong = np.repeat(rng.random(n), rows) < WRONG[place]
    if rows > 1:  # some rows are as independent examples would be
        alone = rng.random(n * rows) < 0.3
        place = np.where(alone, rng.choice(len(SCORES), n * rows, p=SHARES), place)
        wrong = np.where(alone, rng.random(n * rows) < WRONG[place], wrong)
    truth, score = rng.integers(2, size=len(place)), SCORES[place]
    answer = truth ^ wrong
    scores = np.where(np.arange(2) == answer[:, None], score[:, None], 1 - score[:, None])
    groups = {"group": np.arange(n).repeat(rows)} if rows > 1 else {}
    return table(truth, answer, scores=scores, **groups)


def folds(n: int, n_folds: int, rng: np.random.Generator, rows: int = 1) -> Judgments:
    parts = [drawn(n // n_folds, rng, rows) for _ in range(n_folds)]
    for k, part in enumerate(parts if rows > 1 else ()):
        part.group[:] += np.uint64(k * n)  # they share no group
    return Judgments.joined(parts, as_folds=True)


def truth(thresholds: tuple[float, ...], shares: tuple[float, ...]) -> tuple[float, float]:
    """Error among the answers, and coverage: the score of a row of a group is distributed as that of any other."""
    answered = [SHARES * (threshold - 1e-9 <= SCORES) for threshold in thresholds]
    coverage = np.dot(shares, [own.sum() for own in answered])
    errors = np.dot(shares, [own @ WRONG for own in answered])
    return errors / coverage if coverage else 0.0, coverage


def certified(judged: Judgments, delta: float, **target: Any) -> SelectiveCertificate:
    guesses = [Guess(np.full(2, 20.0), np.full(2, 100.0))] * judged.n_folds
    asked = {"max_error": None, "min_coverage": None, "delta": None} | target
    return certify_selective(judged, certify_judgments(judged, delta, guesses=guesses), **asked)


STRICT = 0.05  # for groups, whose test of a ratio is tried in `tests/bounds`
CASES = {  # judges or groups, folds, rows of a group, target, delta, and the rate of failures that is noticed
    "hold-out, error": (300, 1, 1, {"max_error": 0.13}, DELTA, 2 * DELTA),
    "folds, error": (300, 2, 1, {"max_error": 0.13}, DELTA, 2 * DELTA),
    "groups, error": (100, 1, 3, {"max_error": 0.22}, STRICT, 0.5),
    "hold-out, coverage": (200, 1, 1, {"min_coverage": 0.6}, DELTA, 2 * DELTA),
    "folds, coverage": (300, 2, 1, {"min_coverage": 0.6}, DELTA, 2 * DELTA),
    "groups, coverage": (60, 1, 3, {"min_coverage": 0.6}, STRICT, 0.5),
}


@pytest.mark.parametrize("case", CASES)
def test_error_and_coverage_fail_at_most_as_often_as_delta_allows(case: str) -> None:
    n, n_folds, rows, target, delta, rate = CASES[case]
    n_draws, told, false = draws_to_catch(rate, delta), 0, 0
    for seed in range(n_draws):
        try:
            certificate = certified(folds(n, n_folds, np.random.default_rng(seed), rows), delta, **target)
        except NotCertified:
            continue
        error, coverage = truth(certificate.thresholds, certificate.fold_shares)
        told += 1
        false += error > certificate.bound or coverage < certificate.coverage
    print(f"{case}: certified {told} of {n_draws} times, false {false} times")
    assert told > 0.4 * n_draws, "too little is certified for a violation to show"
    assert false <= most_violations(n_draws, delta)


def at_face_value(judged: Judgments, max_error: float) -> float:
    """The most lenient threshold at which the measured error is small enough."""
    scores, wrong = judged.answer_score, judged.wrong
    measured = [(t, wrong[scores >= t - 1e-9]) for t in THRESHOLDS]
    return min((t for t, errors in measured if len(errors) and errors.mean() <= max_error), default=2.0)


@pytest.mark.parametrize("rows", [1, 3])
def test_a_threshold_taken_at_face_value_is_caught(rows: int) -> None:
    """The procedure without its price."""
    n_draws = draws_to_catch(2 * DELTA, DELTA)
    thresholds = [at_face_value(drawn(300, np.random.default_rng(s), rows), 0.13) for s in range(n_draws)]
    false = sum(truth((threshold,), (1.0,))[0] > 0.13 for threshold in thresholds)
    assert false > most_violations(n_draws, DELTA)


def test_groups_that_are_not_told_are_caught() -> None:
    """Rows of groups, as if they were independent."""
    n_draws, false = draws_to_catch(2 * DELTA, DELTA), 0
    for seed in range(n_draws):
        judged = drawn(60, np.random.default_rng(seed), rows=40)
        alone = Judgments(judged.classes, judged.truth, judged.answer, judged.fold, scores=judged.scores)
        certificate = certified(alone, DELTA, min_coverage=0.9)
        error, coverage = truth(certificate.thresholds, (1.0,))
        false += error > certificate.bound or coverage < certificate.coverage
    assert false > most_violations(n_draws, DELTA)
