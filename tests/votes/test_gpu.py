"""Votes in the memory of a GPU. Skipped without one; `make test-gpu` runs this file where there is one."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier, VoteMatrix, learn
from stocmv.posteriors import Dirichlet
from stocmv.risks import RISKS
from stocmv.solvers import LBFGS
from stocmv.votes import PartitionedVotes, load_folds, save_folds
from stocmv.votes._integer_sums import IntegerSum
from zoo import SINGLE, problem

cupy = pytest.importorskip("cupy", reason="needs the extra gpu")
try:
    cupy.cuda.Device().compute_capability  # noqa: B018
except Exception:
    pytest.skip("no GPU", allow_module_level=True)


def errors(n, n_voters, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, n_voters)) < rng.uniform(0.2, 0.6, n_voters)


def labels(n, n_voters, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    right = rng.random((n, n_voters)) < rng.uniform(0.3, 0.7, n_voters)
    return VoteMatrix.from_labels(np.where(right, y[:, None], rng.integers(0, n_classes, (n, n_voters))), y)


@pytest.mark.parametrize("risk", ["exact", "half", "first_order", "second_order", "binomial"])
@pytest.mark.parametrize(("n", "n_voters"), [(1, 3), (33, 1), (5000, 64), (100_003, 256), (20_001, 257), (9999, 1024)])
def test_sums_of_curves(risk, n, n_voters):
    votes = VoteMatrix.from_errors(errors(n, n_voters))
    alpha = np.random.default_rng(1).gamma(1.0, 2.0, n_voters) + 1e-2
    curve = RISKS[risk].curve(Dirichlet(alpha))
    ours, theirs = votes.to("cuda").curve_sum(alpha, curve), votes.curve_sum(alpha, curve)
    assert ours[0] == pytest.approx(theirs[0], rel=1e-6, abs=1e-9 * n)
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-6 * np.abs(theirs[1]).max() + 1e-12)
    assert ours[2] == pytest.approx(theirs[2], rel=1e-5, abs=1e-6 * np.abs(theirs[1]).max() + 1e-9 * n)


def test_the_sums_are_those_of_the_host_version():
    votes = VoteMatrix.from_errors(errors(10_000, 100))
    alpha = np.random.default_rng(1).gamma(1.0, 2.0, 100)
    curve = RISKS["exact"].curve(Dirichlet(alpha))
    terms = IntegerSum.of(alpha, curve, 10_000)
    value, slope, d_total = terms.rows(votes.errors() @ terms.weights.astype(np.uint64))
    sums = np.array([value.sum(), d_total.sum()])
    gradient = votes.errors().T.astype(np.uint64) @ slope
    theirs = terms.finish(sums, gradient, votes.errors().sum(0), 10_000)
    ours = votes.to("cuda").curve_sum(alpha, curve)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-7)


@pytest.mark.parametrize(("n_voters", "n_classes"), [(1, 3), (50, 3), (200, 10), (64, 40)])
@pytest.mark.parametrize("scale", [0.02, 1.0, 50.0])
def test_the_exact_error_of_several_classes(n_voters, n_classes, scale):
    votes = labels(5000, n_voters, n_classes)
    alpha = scale * (np.random.default_rng(1).gamma(1.0, size=n_voters) + 0.01)
    ours, theirs = votes.to("cuda").argmax_error_sum(alpha), votes.argmax_error_sum(alpha)
    assert ours[0] == pytest.approx(theirs[0], rel=1e-9, abs=5e-10)  # 1e-13 for each example
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-8, atol=1e-9 * np.abs(theirs[1]).max() + 5e-9)


def test_sums_are_the_same_from_run_to_run():
    two, several = VoteMatrix.from_errors(errors(50_000, 200)).to("cuda"), labels(20_000, 30, 5).to("cuda")
    alpha = np.random.default_rng(1).gamma(1.0, 2.0, 200)
    curve = RISKS["exact"].curve(Dirichlet(alpha))
    first, again = two.curve_sum(alpha, curve), two.curve_sum(alpha, curve)
    assert first[0] == again[0]
    assert np.array_equal(first[1], again[1])
    assert first[2] == again[2]
    first, again = several.argmax_error_sum(alpha[:30]), several.argmax_error_sum(alpha[:30])
    assert first[0] == again[0]
    assert np.array_equal(first[1], again[1])


@pytest.mark.parametrize("votes", [VoteMatrix.from_errors(errors(1001, 77)), labels(1001, 77, 4)], ids=["two", "four"])
def test_there_and_back(votes, tmp_path):
    there = votes.to("cuda")
    assert there.to("cpu").digest() == there.digest() == votes.digest()
    rows = np.array([3, 500, 1000])
    assert there.take(rows).digest() == votes.take(rows).digest()
    save_folds(tmp_path / "votes.npz", [there])
    assert load_folds(tmp_path / "votes.npz")[0].digest() == votes.digest()


@pytest.mark.parametrize("name", [name for name in SINGLE if name not in ("merged", "many_classes")])
def test_learning_gives_the_same_certificate(name):
    votes = problem(name)
    ours, theirs = learn(votes.to("cuda"), prior=1.0, random_state=0), learn(votes, prior=1.0, random_state=0)
    assert ours.certificate.stochastic_bound == pytest.approx(theirs.certificate.stochastic_bound, rel=1e-4)
    assert ours.certificate.verify([votes])


ONE_STEP, TO_THE_END = LBFGS(max_iter=1), LBFGS(max_iter=500, tolerance=1e-12)


@pytest.mark.parametrize("n", [3000, 10**7])
@pytest.mark.parametrize("solver", [ONE_STEP, TO_THE_END], ids=["one step", "to the end"])
@pytest.mark.filterwarnings("ignore:LBFGS stopped")
def test_learning_from_the_same_start(n, solver):
    """On the way the rounding of a step decides where the next one begins: only the first and the last are close.

    With very many examples the posterior is sharp and the bound has several minima, less than a thousandth apart; then
    the two ends may be two of them.
    """
    rows = min(n, 10**6)
    votes = VoteMatrix.from_blocks(errors(rows, 20, seed) for seed in range(n // rows))
    one, other = (
        learn(votes, prior=1.0, solver=solver, device=device, random_state=0).certificate for device in ("cuda", None)
    )
    several = solver is TO_THE_END and n > 3000
    assert one.stochastic_bound == pytest.approx(other.stochastic_bound, rel=1e-3 if several else 1e-7)
    assert one.verify([votes])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_classifier_learns_its_weights_there(n_classes):
    settings = {"n_informative": 6, "n_classes": n_classes, "flip_y": 0.3, "random_state": 0}
    X, y = make_classification(3000, **settings)
    ours, theirs = (
        MajorityVoteClassifier(
            RandomForestClassifier(20), bound="seeger", prior=3.0, solver=TO_THE_END, device=device, random_state=0
        ).fit(X, y)
        for device in ("cuda", None)
    )
    assert ours.certificate_.stochastic_bound == pytest.approx(theirs.certificate_.stochastic_bound, rel=1e-7)
    assert ours.certificate_.verify(ours.evidence_)
    assert all(type(votes) is VoteMatrix for votes in ours.evidence_)


def test_the_certificate_of_the_same_posterior_is_the_same():
    from stocmv import certify
    from stocmv.bounds import Seeger

    votes = labels(2000, 20, 3)
    q, p = Dirichlet(np.linspace(1, 9, 20)), Dirichlet(np.ones(20))
    one, other = (certify([v], [q], [p], RISKS["exact"], Seeger(), 0.05) for v in (votes, votes.to("cuda")))
    assert one.bound == other.bound
    assert one.stochastic_bound == other.stochastic_bound


def test_votes_in_blocks_that_are_never_together_in_memory():
    blocks = [errors(500, 40, seed) for seed in range(4)]
    there = PartitionedVotes([VoteMatrix.from_errors(block).to("cuda") for block in blocks])
    here = PartitionedVotes([VoteMatrix.from_errors(block) for block in blocks])
    assert there.digest() == here.digest()
    ours, theirs = (
        learn(there, prior=1.0, random_state=0).certificate,
        learn(here, prior=1.0, random_state=0).certificate,
    )
    assert ours.stochastic_bound == pytest.approx(theirs.stochastic_bound, rel=1e-4)
    assert ours.verify([here])


def test_blocs_are_learned_there():
    raw = errors(3000, 8)[:, np.random.default_rng(0).integers(0, 8, 100)]
    votes = VoteMatrix.from_errors(raw)
    assert np.array_equal(votes.to("cuda").blocs(), votes.blocs())
    settings = {"prior": 0.01, "solver": TO_THE_END, "random_state": 0}
    ours, moved, theirs = (
        learn(votes, device="cuda", **settings),
        learn(votes.to("cuda"), **settings),
        learn(votes, **settings),
    )
    for one in (ours, moved):
        assert one.certificate.stochastic_bound == pytest.approx(theirs.certificate.stochastic_bound, rel=1e-6)
        assert one.certificate.verify([votes])


def test_merged_rows_are_stored_as_often_as_they_occur():
    raw = np.repeat(errors(20, 5), 30, axis=0)
    merged = VoteMatrix.from_errors(raw, merge=True).to("cuda")
    assert merged.n_rows == 600


def test_too_many_votes_for_the_memory(monkeypatch):
    monkeypatch.setattr("stocmv.votes._gpu._free_bytes", lambda cp: 1000)
    with pytest.raises(MemoryError, match=r"The votes take 0\.1 GB on the GPU, which has 0\.0 GB free"):
        VoteMatrix.from_errors(errors(10**6, 256)).to("cuda")
    with pytest.raises(MemoryError, match="GB on the GPU"):
        learn(VoteMatrix.from_errors(errors(1000, 256)), prior=1.0, device="cuda")
