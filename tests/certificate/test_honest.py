"""Everything that the package issues holds: random problems, priors from 1e-6 to 1e6, every part."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from stocmv import MajorityVoteClassifier, RepeatedRowsWarning, VoteMatrix, certify, learn
from stocmv.bounds import BOUNDS, Catoni, CatoniPerFold
from stocmv.certificate import Expected, _fixed_vote, certify_tested
from stocmv.posteriors import POSTERIORS, BlocDirichlet, Dirichlet
from stocmv.risks import RISKS, MonteCarlo
from stocmv.solvers import LBFGS
from stocmv.votes import PartitionedVotes
from zoo import PAIRS

COUNTS = [1, 2, 3, 5, 9, 12, 25, 60]  # voters


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
    bounds = [
        *BOUNDS.values(),
        CatoniPerFold(tuple(10 ** rng.uniform(-2, 1, n_folds))),
        Catoni(10 ** rng.uniform(-2, 1)),
    ]
    bound = bounds[rng.integers(len(bounds))]
    per_class = kind == "dirichlet" and all(v.classes is not None for v in votes) and bool(rng.random() < 0.5)
    extras = {"per_class": per_class, "alternatives": int(rng.integers(1, 4))}
    delta = float(rng.choice([0.3, 0.05, 0.001]))
    return certify(votes, posteriors, priors, risk, bound, delta, **extras), votes


def in_groups(rng, votes, fold):
    """The same votes with rows in groups of any sizes, some of them in both parts of a fold in parts."""
    if isinstance(votes, PartitionedVotes):
        return PartitionedVotes([in_groups(rng, part, fold) for part in votes.parts])
    if votes.counts.size:
        votes = replace(votes, counts=np.empty(0))
    names = rng.integers(0, max(1, votes.n_rows // 2), votes.n_rows) + 1000 * fold
    return replace(votes, groups=names.astype(np.uint64))


def random_test(seed):
    """Weights of any kind, ties included, tested on one part or on folds."""
    rng = np.random.default_rng(seed)
    n_classes, n_folds, n_voters = int(rng.integers(1, 7)), int(rng.choice([1, 2, 3])), int(rng.choice(COUNTS))
    votes = [random_votes(rng, n_classes, n_voters, errors=0.0) for _ in range(n_folds)]
    if rng.random() < 0.4:
        votes = [in_groups(rng, v, k) for k, v in enumerate(votes)]
    kind = str(rng.choice(["dirichlet", "categorical"]))
    weights = [np.ones(n_voters), rng.integers(1, 4, n_voters) / 1.0, rng.random(n_voters) + 1e-3][rng.integers(3)]
    posterior = POSTERIORS[kind](weights * (10 ** rng.uniform(-2, 4) if kind == "dirichlet" else 1))
    k = n_classes
    expected = [Expected(rng.random(k) * 20, rng.random(k) * 100 + 20) for _ in votes]
    extras = {"per_class": bool(rng.random() < 0.5)}
    delta = float(rng.choice([0.3, 0.05, 0.001, 1e-9]))
    return certify_tested(votes, [posterior] * n_folds, delta, expected, **extras), votes


def assert_holds(certificate, votes):
    verification = certificate.verify(votes)
    unproven = ["proven"] * (not certificate.proven)
    assert [check.what for check in verification.differences] == unproven, str(verification)


@pytest.mark.parametrize("seed", range(20))
def test_some_random_problems(seed):
    assert_holds(*random_certificate((0, seed)))


@pytest.mark.parametrize("seed", range(20))
def test_some_random_tests(seed):
    assert_holds(*random_test((0, seed)))


def test_a_class_that_every_fold_gets_wrong():
    """The shares of the folds sum to one but for rounding, and no risk may exceed one."""
    seen = 0
    for n_folds in range(2, 12):
        y = np.arange(20) % 2
        votes = VoteMatrix.from_labels(np.zeros((20, 1), int), y)
        guesses = [Expected(np.array([k, 3.0]), np.array([20.0, 20.0])) for k in range(n_folds)]
        ours = certify_tested([votes] * n_folds, [Dirichlet([1.0])] * n_folds, 0.05, guesses, per_class=True)
        seen += float(np.array(ours.fold_shares) @ np.ones(n_folds)) > 1
        assert 1 - 1e-15 <= ours.per_class[1]["empirical_risk"] <= 1
        assert_holds(ours, [votes] * n_folds)
    assert seen


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


@pytest.mark.slow
@pytest.mark.parametrize("block", [0, 1, *(pytest.param(block, marks=pytest.mark.long) for block in range(2, 10))])
def test_a_thousand_random_problems(block):
    for seed in range(100):
        assert_holds(*random_certificate((1, block, seed)))
        assert_holds(*random_test((1, block, seed)))


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
    ("n_classes", "n_voters"),
    [(2, 4), *(pytest.param(*pair, marks=pytest.mark.slow) for pair in [(2, 1), (5, 1), (5, 4)])],
)
@pytest.mark.parametrize("grouped", [False, True], ids=["examples", "groups"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"per_class": True},
        {"n_folds": 3, "per_class": True},
        {"n_folds": 2, "inner_folds": 0},
        {"inner_folds": 0, "holdout": 0.5},
        {"posterior": "categorical", "risk": "first_order"},
        {"posterior": "categorical", "risk": "first_order", "n_folds": 3},
    ],
    ids=str,
)
def test_what_the_classifier_issues(settings, grouped, n_classes, n_voters):
    X, y = columns(n_classes, n_voters)
    clf = MajorityVoteClassifier(
        [Column(j) for j in range(n_voters)], random_state=0, solver=LBFGS(max_iter=5), **settings
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedRowsWarning)  # there are few different rows
        clf.fit(X, y, groups=np.arange(len(y)) // 3 if grouped else None)
    assert clf.certificate_.grouped == grouped
    assert_holds(clf.certificate_, clf.votes_)


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
