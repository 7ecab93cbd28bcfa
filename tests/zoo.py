"""The problem zoo: small vote matrices of every kind that the rooms must get along with, and tables of judgments.

`problem(name)` is a VoteMatrix, or a list of them for the names in `FOLDED`; `raw(name)` is what it was made from.
"""

from functools import cache

import numpy as np

from stocmv import VoteMatrix
from stocmv.certificate import Judgments
from stocmv.posteriors import POSTERIORS
from stocmv.risks import RISKS, MonteCarlo
from stocmv.votes import OutOfBagVotes


def answers(n, accuracies, n_classes=2, seed=0):
    """Labels of voters that are right with these probabilities, and otherwise say any other class; and the truth."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    other = (y[:, None] + rng.integers(1, n_classes, (n, len(accuracies)))) % n_classes
    return np.where(rng.random((n, len(accuracies))) < accuracies, y[:, None], other), y


def probabilities(n, skills, n_classes=2, seed=0):
    """Probabilities of voters with these skills, some of them sure, and the truth."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    logits = rng.normal(0.0, 1.0, (n, len(skills), n_classes))
    logits += np.asarray(skills)[:, None] * (np.arange(n_classes) == y[:, None])[:, None]
    scores = np.exp(2 * logits)
    scores /= scores.sum(2, keepdims=True)
    sure = rng.random((n, len(skills))) < 0.1
    scores[sure] = np.eye(n_classes)[scores[sure].argmax(1)]
    return scores, y


def separable():
    """Three voters whose errors never meet, so that their majority is always right, among voters that guess."""
    votes, y = answers(80, np.full(9, 0.5), seed=1)
    votes[:, :3] = y[:, None] ^ (np.arange(80)[:, None] % 5 == np.arange(3))
    return votes, y


def symmetric():
    """Voters that err half of the time, each beside its opposite: equal weights tie, and no weight alone helps.

    Of three voters one errs on three quarters of the examples and all err on the rest, so that their majority is right
    three times in four. The prior is a saddle of every bound.
    """
    y = np.arange(160) % 2
    wrong = (np.arange(160)[:, None] // 2 % 4 == np.arange(3)) | (np.arange(160)[:, None] // 2 % 4 == 3)
    votes = y[:, None] ^ wrong
    return np.hstack([votes, 1 - votes]), y


def identical():
    votes, y = answers(50, np.array([0.8]), seed=5)
    return np.repeat(votes, 6, axis=1), y


def right(n=40, n_voters=5, n_classes=2):
    y = np.arange(n) % n_classes
    return np.tile(y[:, None], n_voters), y


def wrong():
    votes, y = right()
    return 1 - votes, y


_RAW = {
    "separable": separable,
    "noisy": lambda: answers(120, np.linspace(0.5, 0.8, 12), seed=2),
    "symmetric": symmetric,
    "one_voter": lambda: answers(50, np.array([0.8]), seed=4),
    "identical": identical,
    "all_right": right,
    "all_wrong": wrong,
    "three_classes": lambda: answers(60, np.linspace(0.4, 0.8, 8), 3, seed=6),
    "ten_classes": lambda: answers(60, np.linspace(0.3, 0.7, 15), 10, seed=7),
    "many_classes": lambda: answers(60, np.linspace(0.4, 0.8, 9), 300, seed=8),
    "merged": lambda: answers(150, np.linspace(0.5, 0.8, 4), 3, seed=9),
    "two_folds": lambda: [answers(30, np.linspace(0.5, 0.9, 7), 3, seed=seed) for seed in (10, 11)],
    "three_folds": lambda: [answers(n, np.linspace(0.5, 0.9, m), seed=n) for n, m in ((25, 5), (35, 6), (45, 8))],
}
_CLASSES = {"many_classes": np.arange(300)}
FOLDED = ("two_folds", "three_folds")
SINGLE = tuple(name for name in _RAW if name not in FOLDED)
PROBLEMS = (*SINGLE, *FOLDED)
SEVERAL_CLASSES = ("three_classes", "ten_classes", "many_classes", "merged")
OPEN = tuple(name for name in PROBLEMS if name not in ("all_right", "all_wrong"))  # there is something to learn


@cache
def raw(name):
    """Labels and truth, ``(votes, y)``; a list of such pairs for folds."""
    return _RAW[name]()


@cache
def problem(name):
    if name in FOLDED:
        return [VoteMatrix.from_labels(votes, y) for votes, y in raw(name)]
    return VoteMatrix.from_labels(*raw(name), _CLASSES.get(name), merge=name == "merged")


def folds(name):
    """The problem as a list of folds, whatever it is."""
    votes = problem(name)
    return votes if isinstance(votes, list) else [votes]


def errors(name):
    """Errors of all examples as a dense array, straight from the labels."""
    votes, y = raw(name)
    return votes != y[:, None]


@cache
def silent(n_classes, n=60):
    """Labels of voters that often do not answer (NaN), on two examples none of them, and the truth."""
    votes, y = answers(n, np.linspace(0.5, 0.8, 7), n_classes, seed=n_classes)
    absent = np.random.default_rng(n_classes).random(votes.shape) < np.linspace(0.1, 0.7, 7)
    absent[:2] = True
    return np.where(absent, np.nan, votes), y


@cache
def silent_problem(n_classes, n=60):
    return VoteMatrix.from_labels(*silent(n_classes, n), np.arange(n_classes))


@cache
def unjudged(n_classes, n=300):
    """Labels of voters that each have examples of their own that judge them (NaN: it does not), and the truth."""
    votes, y = answers(n, np.linspace(0.72, 0.9, 9), n_classes, seed=n_classes)
    return np.where(np.random.default_rng(n_classes).random(votes.shape) < 0.6, np.nan, votes), y


@cache
def unjudged_problem(n_classes, n=300):
    return OutOfBagVotes.from_labels(*unjudged(n_classes, n), np.arange(n_classes))


HARD_RISKS = tuple(name for name, risk in RISKS.items() if not risk.soft)  # of voters that answer with a class
# every such risk with every posterior that it is defined for
PAIRS = [(risk, name) for risk in HARD_RISKS for name, kind in POSTERIORS.items() if kind.law in RISKS[risk].laws]


def risk_of(name):
    """The risk of that name, with few draws for a certificate."""
    return MonteCarlo(certificate_draws=100) if name == "mc" else RISKS[name]


def posterior_near(prior, seed=0, spread=0.5):
    """A posterior at some distance from the prior."""
    noise = np.random.default_rng(seed).standard_normal(len(prior.point))
    return type(prior).from_point(prior.point + spread * noise)


def prior_of(kind, n_voters, value=1.0):
    return POSTERIORS[kind].prior(value, n_voters)


def table(truth, answer, n_classes=2, **columns):
    """A table of judgments: codes of the true classes and of the answers; other columns by name."""
    types = {"fold": np.uint8, "group": np.uint64, "row": np.uint64, "silent": bool}
    given = {name: np.asarray(column, types.get(name, float)) for name, column in columns.items()}
    fold = {"fold": np.zeros(len(truth), np.uint8)}
    codes = (np.asarray(each, np.uint8) for each in (truth, answer))
    return Judgments(np.arange(n_classes), *codes, **{**fold, **given})
