"""Everything that the package issues holds: random tables and votes, priors from 1e-6 to 1e6, every part."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from certificate.made import certified, judgments
from stocmv import MajorityVoteClassifier, RepeatedRowsWarning, VoteMatrix, certify, learn
from stocmv.bounds import BOUNDS, Catoni, CatoniPerFold
from stocmv.certificate import Guess, _fixed_vote, certify_judgments
from stocmv.decisions import NotCertified, certify_selective
from stocmv.posteriors import POSTERIORS, BlocDirichlet, Dirichlet
from stocmv.risks import RISKS, MonteCarlo
from stocmv.solvers import LBFGS
from stocmv.votes import PartitionedVotes
from zoo import PAIRS

COUNTS = [1, 2, 3, 5, 9, 12, 25, 60]  # voters


def assert_holds(certificate, evidence):
    verification = certificate.verify(evidence)
    assert verification.differences == [], str(verification)


# ----------------------------------------------------------------------------------------------------------- tables


def random_table(rng):
    """A table of any kind: few rows, one class, empty classes, folds of very different sizes."""
    settings = {name: bool(rng.random() < 0.4) for name in ("grouped", "drawn", "silent")}
    k, n_folds = int(rng.integers(1, 7)), int(rng.choice([1, 1, 2, 3, 5]))
    n = int(rng.choice([n_folds, 12, 60, 300]))
    labels = str(rng.choice(["numbers", "words"]))
    table = judgments(
        n, k, n_folds=n_folds, labels=labels, wrong=rng.random(), seed=int(rng.integers(2**32)), **settings
    )
    if rng.random() < 0.3:  # a class that nobody has seen
        classes = np.append(table.classes, table.classes[-1:] + 1) if labels == "numbers" else None
        table = table if classes is None else replace(table, classes=classes, scores=None)
    return table


def random_test(seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    k = len(table.classes)
    expected = [Guess(rng.random(k) * 20, rng.random(k) * 100 + 20) for _ in range(table.n_folds)]
    delta, per_class = float(rng.choice([0.3, 0.05, 0.001, 1e-9])), bool(rng.random() < 0.5)
    return certify_judgments(table, delta, guesses=expected, per_class=per_class), table


@pytest.mark.parametrize("seed", range(16))
def test_some_random_tables(seed):
    certificate, table = random_test((0, seed))
    assert_holds(certificate, table)
    if table.scores is not None:
        for target in ({"max_error": 0.4, "min_coverage": None}, {"max_error": None, "min_coverage": 0.3}):
            try:
                selective = certify_selective(table, certificate, delta=0.3, **target)
            except NotCertified:
                continue
            assert_holds(selective, table)


@pytest.mark.parametrize("settings", [{}, {"grouped": True}, {"n_folds": 3}], ids=str)
def test_large_tables(settings):
    table = judgments(20_000, 4, drawn=True, wrong=0.02, **settings)
    certificate = certified(table, per_class=True, priced=True)
    assert certificate.bound < 0.03
    assert_holds(certificate, table)
    selective = certify_selective(table, certificate, max_error=0.02, min_coverage=None, delta=None)
    assert_holds(selective, table)


# ------------------------------------------------------------------------------------------------------------ votes


def random_votes(rng, n_classes, n_voters, errors=0.1):
    n = int(rng.integers(1, 60))
    y = rng.integers(0, n_classes, n)
    votes = np.where(
        rng.random((n, n_voters)) < rng.random(n_voters), y[:, None], rng.integers(0, n_classes, (n, n_voters))
    )
    if rng.random() < errors:
        return VoteMatrix.from_errors(votes != y[:, None])
    matrix = VoteMatrix.from_labels(votes, y, np.arange(n_classes), merge=bool(rng.random() < 0.3))
    if rng.random() < 0.1 and matrix.n_rows > 1:
        return PartitionedVotes([matrix.take(np.arange(1)), matrix.take(np.arange(1, matrix.n_rows))])
    return matrix


def random_distributions(rng, kind, size, n_voters):
    """A prior of this size, and a posterior near or far from it."""
    sizes = np.clip(size * np.exp(rng.normal(size=n_voters) * rng.choice([0, 1, 3])), 1e-6, 1e6)
    prior = POSTERIORS[kind].prior(sizes, n_voters)
    spread = rng.choice([0, 1e-6, 0.1, 1, 5])
    if spread == 0:
        return prior, prior
    moved = prior.point + spread * rng.normal(size=len(prior.point))
    return prior, type(prior).from_point(np.clip(moved, *prior.point_bounds))


def random_certificate(seed):
    rng = np.random.default_rng(seed)
    n_classes, n_folds = int(rng.integers(1, 7)), int(rng.choice([1, 1, 2, 3]))
    name, kind = PAIRS[rng.integers(len(PAIRS))]
    risk = MonteCarlo(certificate_draws=int(rng.integers(1, 60))) if name == "mc" else RISKS[name]
    size, n_voters = 10 ** rng.uniform(-6, 6), int(rng.choice(COUNTS))
    votes = [random_votes(rng, n_classes, n_voters if rng.random() < 0.8 else 3) for _ in range(n_folds)]
    if len({v.n_classes for v in votes}) > 1:
        votes = votes[:1] * n_folds
    priors, posteriors = zip(*(random_distributions(rng, kind, size, v.n_voters) for v in votes), strict=True)
    own = CatoniPerFold(tuple(10 ** rng.uniform(-2, 1, n_folds)))
    bounds = [*BOUNDS.values(), own, Catoni(10 ** rng.uniform(-2, 1))]
    bound = bounds[rng.integers(len(bounds))]
    per_class = kind == "dirichlet" and all(v.classes is not None for v in votes) and bool(rng.random() < 0.5)
    extras = {"per_class": per_class, "alternatives": int(rng.integers(1, 4))}
    delta = float(rng.choice([0.3, 0.05, 0.001]))
    return certify(votes, posteriors, priors, risk, bound, delta, **extras), votes


@pytest.mark.parametrize("seed", range(12))
def test_some_random_votes(seed):
    assert_holds(*random_certificate((0, seed)))


@pytest.mark.slow
@pytest.mark.parametrize("block", [0, 1, *(pytest.param(block, marks=pytest.mark.long) for block in range(2, 10))])
def test_a_thousand_random_problems(block):
    for seed in range(100):
        assert_holds(*random_certificate((1, block, seed)))
        assert_holds(*random_test((1, block, seed)))


@pytest.mark.parametrize("off", [0.0, 1e-13, 3e-12, 1e-10, 5e-10])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_weights_that_nearly_tie(n_classes, off):
    """The package takes sums that agree to nine digits for equal; the verifier knows it."""
    votes = answers(60, 3, n_classes)
    posterior = Dirichlet(200 * np.array([0.25 - off, 0.25 - off, 0.5 + 2 * off]))
    ours = certify([votes], [posterior], [posterior], RISKS["exact"], BOUNDS["seeger"], 0.05)
    assert_holds(ours, [votes])


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_blocs_that_are_heavy_only_when_scaled(scale, monkeypatch):
    """Which blocs pay for a speaker does not depend on the scale."""
    said = answers(60, 3, 2)
    copies = np.array([0, 1, 2, 0, 1, 2])
    votes = VoteMatrix.from_codes(said.answers()[:, copies], said.targets, said.classes)
    posterior = BlocDirichlet([9.0, 4.0, 1.0], copies, [0, 1, 2], np.ones(6))
    monkeypatch.setattr(_fixed_vote, "_LEAKS", [_fixed_vote.Leak(0.01, 3.0), _fixed_vote.Leak(0.001, 3.0)])
    monkeypatch.setattr(_fixed_vote, "_SCALES", (scale,))
    ours = certify([votes], [posterior], [Dirichlet(np.ones(6))], RISKS["exact"], BOUNDS["seeger"], 0.05)
    assert (ours.deterministic_vote["scale"], ours.deterministic_vote["heavy"]) == (scale, 3.0)
    assert_holds(ours, [votes])


@pytest.mark.parametrize("alpha", [1e-8, 1e-11])
@pytest.mark.parametrize("n_voters", [1, 3])
def test_tiny_concentrations(alpha, n_voters):
    votes = answers(30, n_voters, 2)
    posterior, prior = Dirichlet(np.full(n_voters, alpha)), Dirichlet(np.full(n_voters, 2.0))
    ours = certify([votes], [posterior], [prior], RISKS["exact"], BOUNDS["seeger"], 0.05)
    assert (ours.kl == 0) == (n_voters == 1)
    assert_holds(ours, [votes])


class Column(ClassifierMixin, BaseEstimator):
    """Answers what stands in a column, once it has seen some examples."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return X[:, self.column].astype(int)


def columns(n_classes, n_voters, n=240, seed=0):
    """Examples whose columns are answers of voters of different strength, ties among them frequent."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    right = rng.random((n, n_voters)) < np.linspace(0.5, 0.9, n_voters)
    return np.where(right, y[:, None], rng.integers(0, n_classes, (n, n_voters))).astype(float), y


@pytest.mark.parametrize(
    ("settings", "grouped"),
    [
        ({"per_class": True}, False),
        ({"n_folds": 3, "per_class": True}, False),
        ({"holdout": 0.5, "per_class": True}, True),
        ({"posterior": "categorical", "risk": "first_order", "n_folds": 3}, True),
        ({"bound": "catoni", "n_folds": 2, "per_class": True}, False),
    ],
    ids=str,
)
def test_what_the_classifier_issues(settings, grouped):
    X, y = columns(3, 4)
    clf = MajorityVoteClassifier([Column(j) for j in range(4)], random_state=0, solver=LBFGS(max_iter=5), **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedRowsWarning)  # there are few different rows
        clf.fit(X, y, groups=np.arange(len(y)) // 3 if grouped else None)
    assert clf.certificate_.grouped == grouped
    assert_holds(clf.certificate_, clf.evidence_)


def answers(n, n_voters, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    said = np.where(rng.random((n, n_voters)) < 0.6, y[:, None], rng.integers(0, n_classes, (n, n_voters)))
    return VoteMatrix.from_labels(said, y)


@pytest.mark.parametrize(
    ("votes", "prior"),
    [
        (answers(200, 3, 3), [1, 8000, 8000]),
        (answers(200, 3, 3), [1e-3, 1e6, 1e6]),
        (answers(100, 100, 4), 1e4),
        (answers(100, 100, 2), 1e6),
        pytest.param(answers(30, 100, 4), 1e6, marks=pytest.mark.slow),
        (answers(100, 30, 3), 1e-6),
        (answers(100, 1, 3), 1e6),
    ],
    ids=["a light true class", "a lighter one", "1e4", "two classes, 1e6", "four classes, 1e6", "1e-6", "one voter"],
)
def test_large_and_small_priors(votes, prior):
    certificate = learn(votes, prior=prior, random_state=0, solver=LBFGS(max_iter=2), per_class=True).certificate
    assert_holds(certificate, votes)
