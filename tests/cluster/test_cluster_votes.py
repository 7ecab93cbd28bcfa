"""Votes on the workers: the same learning as on one machine."""

import threading

import numpy as np
import pytest

from stocmv import VoteMatrix, certify, learn
from stocmv.bounds import BOUNDS
from stocmv.risks import RISKS
from stocmv.solvers import Adam, Auto, MiniBatchAdam
from stocmv.votes import PartitionedVotes
from zoo import answers, silent_problem

engines = pytest.importorskip("stocmv.cluster")
pytest.importorskip("distributed", reason="needs the extra dask")


def folds_of(n_classes):
    """Two folds of different voters, whole."""
    n = 3000 if n_classes == 2 else 150
    made = [answers(n, np.linspace(0.5, 0.8, 7 + k), n_classes, seed=k) for k in (0, 1)]
    return [VoteMatrix.from_labels(votes, y, classes=np.arange(n_classes)) for votes, y in made]


def in_parts(votes, n_parts=5):
    return [votes.take(rows) for rows in np.array_split(np.arange(votes.n_rows), n_parts)]


def on_cluster(client, votes, n_parts=5):
    parts = in_parts(votes, n_parts)
    futures = [client.submit(lambda part: part, part, pure=False) for part in parts]
    return engines.ClusterVotes(client, futures, [p.n_rows for p in parts], votes.n_voters, votes.classes)


def on_all(folds):
    """The default solver, which seeks its start on half of the rows and descends on all."""
    return Auto(explore_work=0.5 * sum(v.work for v in folds))


def parameters(learned):
    return np.concatenate([next(iter(p.parameters().values())) for p in learned.posterior])


@pytest.mark.parametrize(
    ("risk", "n_classes"), [("exact", 2), ("exact", 3), ("first_order", 2), ("binomial", 2), ("second_order", 3)]
)
def test_learns_what_one_machine_learns(risk, n_classes, cluster):
    whole = folds_of(n_classes)
    theirs = learn(
        [PartitionedVotes(in_parts(v)) for v in whole], prior=1.0, risk=risk, solver=on_all(whole), random_state=0
    )
    there = [on_cluster(cluster, v) for v in whole]
    ours = learn(there, prior=1.0, risk=risk, solver=on_all(whole), random_state=0)
    assert ours.history.stage == theirs.history.stage
    # the first-order bound is smallest where the descents start, at the end of alternating minimisation
    assert risk == "first_order" or any(stage.startswith("all examples") for stage in ours.history.stage)
    np.testing.assert_array_equal(parameters(ours), parameters(theirs))
    assert ours.certificate == theirs.certificate
    assert ours.certificate.verify(there)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_merges_voters_that_answer_alike_in_all_parts(n_classes, cluster):
    once = folds_of(n_classes)[0]
    whole = once.only(np.random.default_rng(0).integers(0, once.n_voters, 30))
    there, parts = on_cluster(cluster, whole), PartitionedVotes(in_parts(whole))
    np.testing.assert_array_equal(there.blocs(), whole.blocs())
    ours, theirs = (learn(v, prior=0.01, solver="lbfgs", random_state=0) for v in (there, parts))
    assert ours.posterior.name == "bloc_dirichlet"
    assert ours.certificate == theirs.certificate
    assert ours.certificate.verify([there])


@pytest.mark.parametrize(
    ("risk", "n_classes"),
    [
        ("exact", 2),
        ("exact", 3),
        ("first_order", 2),
        ("binomial", 2),
        ("c_bound", 2),
        pytest.param("mc", 2, marks=pytest.mark.slow),
    ],
)
def test_parts_learn_what_the_whole_learns(risk, n_classes):
    whole = folds_of(n_classes)
    parts = [PartitionedVotes(in_parts(v)) for v in whole]
    ours, theirs = (
        learn(votes, prior=1.0, risk=risk, solver=on_all(whole), random_state=0, per_class=risk == "exact")
        for votes in (parts, whole)
    )
    np.testing.assert_array_equal(parameters(ours), parameters(theirs))
    for figure in ("bound", "stochastic_bound", "empirical_risk", "kl"):
        assert getattr(ours.certificate, figure) == pytest.approx(getattr(theirs.certificate, figure), rel=1e-12)
    for mine, other in zip(ours.certificate.per_class, theirs.certificate.per_class, strict=True):
        assert mine["n"] == other["n"]
        assert mine["bound"] == pytest.approx(other["bound"], rel=1e-12)


def test_every_step_draws_anew_as_on_one_machine(cluster):
    whole = folds_of(2)
    there = [on_cluster(cluster, v) for v in whole]
    ours, theirs = (
        learn(votes, prior=1.0, risk="mc", solver=Adam(n_steps=20), random_state=0) for votes in (there, whole)
    )
    np.testing.assert_array_equal(parameters(ours), parameters(theirs))
    assert len(set(ours.history.risk)) == 20


@pytest.mark.parametrize(("risk", "n_classes"), [("exact", 2), ("exact", 3), ("first_order", 2), ("binomial", 2)])
def test_a_posterior_is_certified_alike_in_parts_and_whole(risk, n_classes):
    whole = folds_of(n_classes)
    learned = learn(whole, prior=1.0, risk=risk, solver="lbfgs", random_state=0, per_class=risk == "exact")
    parts = [PartitionedVotes(in_parts(v)) for v in whole]
    ours = certify(
        parts,
        learned.posterior,
        learned.prior,
        RISKS[risk],
        BOUNDS["seeger"],
        0.05,
        per_class=risk == "exact",
    )
    for figure in ("bound", "stochastic_bound", "empirical_risk", "kl"):
        assert getattr(ours, figure) == pytest.approx(getattr(learned.certificate, figure), rel=1e-12)
    for mine, other in zip(ours.per_class, learned.certificate.per_class, strict=True):
        assert mine["bound"] == pytest.approx(other["bound"], rel=1e-12)


def test_sums_and_means_are_those_of_the_whole(cluster):
    votes = folds_of(3)[0]
    there = on_cluster(cluster, votes)
    weights = np.linspace(1, 2, votes.n_voters)
    np.testing.assert_allclose(there.mean(VoteMatrix.voter_errors), votes.voter_errors(), rtol=1e-13)
    sums = there.total(lambda v: v.argmax_error_sum(weights, votes.n_examples))
    for ours, theirs in zip(sums, votes.argmax_error_sum(weights), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert there.total(lambda v: v.n_examples) == votes.n_examples
    rows = np.array([0, 7, 29, 30, 149])
    assert there.take(rows).digest() == votes.take(rows).digest()
    assert there.whole().digest() == votes.digest()
    assert there.digest() == PartitionedVotes(in_parts(votes)).digest() != votes.digest()


def test_batches_are_all_of_the_parts(cluster):
    there = on_cluster(cluster, folds_of(2)[0])
    batches = list(there.batches(3, np.random.default_rng(0)))
    assert [b.total(lambda v: v.n_rows) for b in batches] == [b.n_rows for b in batches]
    assert sum(b.n_rows for b in batches) == there.n_rows
    assert len(batches) == 3


def test_mini_batches_over_partitions_that_nobody_keeps(cluster):
    from dask.delayed import delayed

    whole = folds_of(2)
    there = []
    for votes in whole:
        parts = in_parts(votes)
        made = [delayed(part, pure=True) for part in parts]
        there.append(engines.ClusterVotes(cluster, made, [p.n_rows for p in parts], votes.n_voters, votes.classes))
    ours = learn(there, prior=1.0, solver=MiniBatchAdam(batch_size=1200, n_epochs=20), random_state=0)
    theirs = learn(whole, prior=1.0, random_state=0)
    assert ours.certificate.stochastic_bound < 1.2 * theirs.certificate.stochastic_bound
    assert ours.certificate.verify(there)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_voters_that_do_not_answer(n_classes, cluster):
    """Also where only the last part has gaps."""
    full = folds_of(n_classes)[0].take(np.arange(60))
    whole = VoteMatrix.joined([full, silent_problem(n_classes)])
    there = on_cluster(cluster, whole)
    mixed = PartitionedVotes([full, silent_problem(n_classes)])
    futures = [cluster.submit(lambda part: part, part, pure=False) for part in mixed.parts]
    apart = engines.ClusterVotes(cluster, futures, [60, 60], 7, whole.classes)
    solver = on_all([whole])
    ours = [
        learn(votes, prior=1.0, solver=solver, random_state=0)
        for votes in (PartitionedVotes(in_parts(whole)), there, apart)
    ]
    for learned in ours[1:]:
        assert np.array_equal(learned.posterior.alpha, ours[0].posterior.alpha)
    assert there.abstains
    assert ours[1].certificate.verify(there)
    assert ours[2].certificate.verify(apart)


def test_calls_that_are_started_run_at_the_same_time(cluster):
    """Each of them waits until the other one has begun."""
    there = [on_cluster(cluster, v) for v in folds_of(2)]
    both = threading.Barrier(2, timeout=30)

    def n_rows(votes):
        both.wait()
        return votes.total(lambda v: v.n_rows)

    started = [v.start(n_rows, v) for v in there]
    assert [wait() for wait in started] == [v.n_rows for v in there]


def test_an_error_of_a_started_call_is_raised_where_it_is_waited_for(cluster):
    votes = on_cluster(cluster, folds_of(2)[0])
    wait = votes.start(votes.total, lambda v: v.n_rows / 0)
    with pytest.raises(ZeroDivisionError):
        wait()


def test_a_copy_knows_the_shape_and_not_the_votes(cluster):
    import pickle

    there = on_cluster(cluster, folds_of(2)[0])
    copy = pickle.loads(pickle.dumps(there))
    assert copy.n_rows == there.n_rows
    assert copy.parts == ()
