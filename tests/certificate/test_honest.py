"""Everything that the package issues holds: random problems, priors from 1e-6 to 1e6, every part."""

import numpy as np
import pytest

from stocmv import VoteMatrix, certify, learn
from stocmv.bounds import BOUNDS, Catoni, CatoniPerFold, ClopperPearson
from stocmv.posteriors import POSTERIORS
from stocmv.risks import RISKS, MonteCarlo
from stocmv.solvers import LBFGS
from stocmv.votes import PartitionedVotes
from zoo import PAIRS

COUNTS = [1, 2, 3, 5, 9, 12, 25, 60]  # voters


def random_votes(rng, n_classes, n_voters):
    n = int(rng.integers(1, 60))
    y = rng.integers(0, n_classes, n)
    votes = np.where(
        rng.random((n, n_voters)) < rng.random(n_voters), y[:, None], rng.integers(0, n_classes, (n, n_voters))
    )
    if rng.random() < 0.1:
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
    priors, posteriors = zip(*(random_distributions(rng, kind, size, v.n_voters) for v in votes), strict=True)
    bounds = [
        *BOUNDS.values(),
        CatoniPerFold(tuple(10 ** rng.uniform(-2, 1, n_folds))),
        Catoni(10 ** rng.uniform(-2, 1)),
    ]
    bound = bounds[rng.integers(len(bounds))]
    if kind != "logit_normal" and [v.n_voters for v in votes] == [1] and rng.random() < 0.7:
        bound, posteriors = ClopperPearson(), priors
    per_class = kind == "dirichlet" and all(v.classes is not None for v in votes) and bool(rng.random() < 0.5)
    extras = {"per_class": per_class, "alternatives": int(rng.integers(1, 4))}
    delta = float(rng.choice([0.3, 0.05, 0.001]))
    return certify(votes, posteriors, priors, risk, bound, delta, **extras), votes


def assert_holds(certificate, votes):
    verification = certificate.verify(votes)
    unproven = ["proven"] * (not certificate.proven)
    assert [check.what for check in verification.differences] == unproven, str(verification)


@pytest.mark.parametrize("seed", range(40))
def test_some_random_problems(seed):
    assert_holds(*random_certificate((0, seed)))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_a_thousand_random_problems(block):
    for seed in range(100):
        assert_holds(*random_certificate((1, block, seed)))


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
        (answers(30, 100, 4), 1e6),
        (answers(100, 30, 3), 1e-6),
        (answers(100, 1, 3), 1e6),
    ],
    ids=["a light true class", "a lighter one", "1e4", "two classes, 1e6", "four classes, 1e6", "1e-6", "one voter"],
)
def test_large_and_small_priors(votes, prior):
    certificate = learn(votes, prior=prior, random_state=0, solver=LBFGS(max_iter=2), per_class=True).certificate
    assert_holds(certificate, votes)
