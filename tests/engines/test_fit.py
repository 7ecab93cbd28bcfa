"""`MajorityVoteClassifier` on Dask collections."""

import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from stocmv import MajorityVoteClassifier, RepeatedRowsWarning
from stocmv.solvers import LBFGS, Auto
from stocmv.voters import Ensemble, Stumps

engines = pytest.importorskip("stocmv.engines")
pytest.importorskip("distributed", reason="needs the extra dask")
da = pytest.importorskip("dask.array")

N, ROWS = 1200, 300


def data(n_classes=3):
    return make_classification(N, 6, n_informative=5, n_redundant=0, n_classes=n_classes, random_state=0)


def collections(X, y, rows=ROWS):
    return da.from_array(X, chunks=(rows, -1)), da.from_array(y, chunks=rows)


def classifier(**settings):
    defaults = {"solver": LBFGS(max_iter=5), "random_state": 0}
    return MajorityVoteClassifier(Ensemble(RandomForestClassifier(7)), **(defaults | settings))


def test_arrays(cluster):
    X, y = data()
    clf = classifier(per_class=True).fit(*collections(X, y))
    assert sum(clf.fold_sizes_) == N
    assert clf.certificate_.n == N
    assert clf.certificate_.bound < 0.5
    assert clf.certificate_.verify(clf.votes_, precise=0.02)
    for method in ("predict", "predict_proba"):
        np.testing.assert_array_equal(getattr(clf, method)(collections(X, y)[0]).compute(), getattr(clf, method)(X))
    drawn = clf.predict_stochastic(collections(X, y)[0], random_state=1)
    np.testing.assert_array_equal(drawn.compute(), drawn.compute())
    assert np.mean(drawn.compute() == y) > 0.5


@pytest.mark.filterwarnings("ignore:.*inplace keyword.*")  # of dask, which has not caught up with pandas
def test_data_frames_of_parquet_files(cluster, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    X, y = data(2)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(label=np.where(y == 1, "yes", "no"))
    dd.from_pandas(frame, npartitions=4).to_parquet(tmp_path)
    read = dd.read_parquet(tmp_path)
    clf = classifier().fit(read[list("abcdef")], read["label"])
    assert clf.classes_.tolist() == ["no", "yes"]
    assert clf.feature_names_in_.tolist() == list("abcdef")
    answers = clf.predict(read[list("abcdef")]).compute()
    np.testing.assert_array_equal(answers, clf.predict(frame[list("abcdef")]))


def test_the_same_seed_gives_the_same_certificate(cluster):
    ours, theirs = (classifier().fit(*collections(*data())) for _ in range(2))
    assert ours.certificate_.to_json() == theirs.certificate_.to_json()


@pytest.mark.parametrize("listed", [True, False])
def test_folds_are_a_partition_of_the_rows(listed, monkeypatch):
    sizes = [300, 301, 1, 0]
    if not listed:
        monkeypatch.setattr(engines._plan, "LISTED", 601)

    def draw():
        return np.array_split(np.random.default_rng(0).permutation(602), 3)

    parts = engines._plan.plan(sizes, np.arange(3), 3, True, draw, np.random.RandomState(5))
    for part, size in zip(parts, sizes, strict=True):
        assert (part.listed is not None) == listed
        rows = np.concatenate([part.judged(k) for k in range(3)])
        np.testing.assert_array_equal(np.sort(rows), np.arange(size))
        assert [len(part.judged(k)) for k in range(3)] == part.judged_counts().tolist()
        for k in range(3):
            assert not set(part.judged(k)) & set(part.seen(k))
            assert set(part.judged(k)) | set(part.seen(k)) == set(range(size))


def test_folds_of_many_rows_do_not_follow_the_partitions(monkeypatch):
    """However the rows were laid out, each belongs to a fold independently of the others."""
    monkeypatch.setattr(engines._plan, "LISTED", 0)
    plans = [
        engines._plan.plan([30, 30], np.arange(2), 3, True, list, np.random.RandomState(seed)) for seed in range(400)
    ]
    counts = np.array([[part.judged_counts()[0] for part in parts] for parts in plans])
    expected = 30 * (1 / 3) * (2 / 3)  # the variance of a binomial; folds of equal sizes would have none
    np.testing.assert_allclose(counts.var(0), expected, rtol=0.3)
    assert abs(np.corrcoef(counts.T)[0, 1]) < 0.2
    assert not np.array_equal(plans[0][0].judged(0), plans[0][1].judged(0))


def test_copies_are_seen_across_partitions(cluster):
    X, y = data(2)
    twice = np.vstack([X, X]), np.concatenate([y, y])
    with pytest.warns(RepeatedRowsWarning, match="repeat another row"):
        clf = classifier().fit(*collections(*twice))
    assert clf.certificate_.warnings
    assert not classifier().fit(*collections(X, y)).certificate_.warnings


@pytest.mark.parametrize("n_classes", [2, 3])
def test_fits_what_one_machine_fits(n_classes, cluster):
    X, y = data(n_classes)
    solver = Auto(explore_work=4e3 if n_classes == 2 else 3e6)  # a quarter of the rows or so
    ours, theirs = (classifier(solver=solver, per_class=True).fit(*given) for given in (collections(X, y), (X, y)))
    assert any(stage.startswith("all examples") for stage in ours.history_.stage)
    assert ours.fold_sizes_ == theirs.fold_sizes_
    for mine, other in zip(ours.posterior_, theirs.posterior_, strict=True):
        np.testing.assert_array_equal(mine.alpha, other.alpha)
    mine, other = ours.certificate_, theirs.certificate_
    for figure in ("bound", "deterministic_bound", "empirical_risk", "kl"):
        assert getattr(mine, figure) == pytest.approx(getattr(other, figure), rel=1e-12)
    assert [c["bound"] for c in mine.per_class] == pytest.approx([c["bound"] for c in other.per_class], rel=1e-12)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("ranges", ["training", "other_folds"])
def test_stumps_of_several_folds_are_those_of_one_machine(ranges, cluster):
    X, y = data(2)
    clf = MajorityVoteClassifier(Stumps(3, ranges=ranges), n_folds=2, solver=LBFGS(max_iter=5), random_state=0)
    ours, theirs = (clone(clf).fit(*given) for given in (collections(X, y), (X, y)))
    for mine, other in zip(ours.voters_, theirs.voters_, strict=True):
        np.testing.assert_array_equal(mine.thresholds, other.thresholds)
    assert ours.certificate_.bound == pytest.approx(theirs.certificate_.bound, rel=1e-12)


@pytest.mark.parametrize("train_on", ["sample", "partitions"])
def test_a_partition_of_two_rows(train_on, cluster):
    X, y = data(2)
    source = engines.Shared(Ensemble(RandomForestClassifier(7)), train_on=train_on)
    clf = classifier().set_params(voters=source)
    for seed in range(3):
        clf.set_params(random_state=seed).fit(*collections(X[:92], y[:92], rows=30))
        assert sum(clf.fold_sizes_) == 92


def test_voters_are_asked_in_blocks(cluster, monkeypatch):
    pair, part = data(3), engines._plan.Part(0, N, np.arange(3), 2)
    voters = Ensemble(RandomForestClassifier(3)).fit(*pair, np.arange(3), 0)
    whole = engines._fit._votes((voters, None), pair, part, 1, True)
    monkeypatch.setattr(engines._fit, "_ASKED", 101)
    assert engines._fit._votes((voters, None), pair, part, 1, True).digest() == whole.digest()
    assert whole.n_rows == len(part.judged(1)) > 101


def test_labels_of_another_kind_than_the_voters_answer(cluster):
    X, y = data(2)
    trained = FrozenEstimator(RandomForestClassifier(3).fit(X, np.where(y == 1, "yes", "no")))
    with pytest.raises(ValueError, match="The voters answer strings and y holds numbers"):
        MajorityVoteClassifier(trained).fit(*collections(X, y))


def test_more_rows_than_are_listed(cluster, monkeypatch):
    monkeypatch.setattr(engines._plan, "LISTED", 100)
    clf = classifier().fit(*collections(*data(2)))
    assert sum(clf.fold_sizes_) == N
    assert all(abs(size - 400) < 100 for size in clf.fold_sizes_)
    assert clf.certificate_.verify(clf.votes_)


@pytest.mark.parametrize("train_on", ["sample", "partitions"])
def test_ways_to_train(train_on, cluster):
    source = engines.Shared(Ensemble(RandomForestClassifier(7)), train_on=train_on, max_rows=200)
    clf = classifier().set_params(voters=source).fit(*collections(*data(2)))
    assert [v.n_voters for v in clf.voters_] == [7, 7, 7]
    assert clf.certificate_.bound < 0.6
    assert clf.certificate_.verify(clf.votes_)


def test_votes_that_nobody_keeps(cluster):
    source = engines.Shared(Ensemble(RandomForestClassifier(7)), keep_votes=False)
    theirs = classifier().fit(*collections(*data(2)))
    ours = classifier().set_params(voters=source).fit(*collections(*data(2)))
    assert ours.certificate_.votes == theirs.certificate_.votes
    assert ours.certificate_.bound == pytest.approx(theirs.certificate_.bound, rel=1e-10)


def test_stumps(cluster):
    clf = MajorityVoteClassifier("stumps", solver=LBFGS(max_iter=5), random_state=0).fit(*collections(*data(2)))
    assert clf.certificate_.verify(clf.votes_)


def spoil(partition, how):
    X, y = data()
    parts = [(X[i : i + ROWS], y[i : i + ROWS]) for i in range(0, N, ROWS)]
    parts[partition] = how(*parts[partition])
    from dask.delayed import delayed

    arrays = [da.from_delayed(delayed(x), (np.nan, 6), float) for x, _ in parts]
    labels = [da.from_delayed(delayed(label), (np.nan,), label.dtype) for _, label in parts]
    return da.concatenate(arrays, allow_unknown_chunksizes=True), da.concatenate(labels)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        (lambda X, y: (np.where(X[0, 0] == X, np.inf, X), y), "Partition 2 holds infinite values"),
        (lambda X, y: (X[:, :5], y), "Partition 2 has 5 columns and partition 0 has 6"),
        (lambda X, y: (X[:0], y[:0]), "Partition 2 is empty"),
        (
            lambda X, y: (X, np.where(np.arange(len(y)) == 3, np.nan, y.astype(float))),
            "Partition 2 has examples without",
        ),
        (lambda X, y: (X, y[1:]), "Partition 2 has 300 rows in X and labels of shape"),
        (lambda X, y: (np.full(X.shape, "a"), y), "Partition 2 holds something that is not a number"),
    ],
)
def test_a_bad_partition_is_named(how, sentence, cluster):
    with pytest.raises(ValueError, match=sentence):
        classifier().fit(*spoil(2, how))


def test_missing_values_are_refused_where_voters_cannot_handle_them(cluster):
    X, y = data(2)
    X[700, 2] = np.nan
    with pytest.raises(ValueError, match="Partition 2 holds NaN"):
        MajorityVoteClassifier("stumps", random_state=0).fit(*collections(X, y))


def test_other_partitions_of_y_are_refused(cluster):
    X, y = data()
    with pytest.raises(ValueError, match="X has 4 partitions and y has 2"):
        classifier().fit(da.from_array(X, chunks=(300, -1)), da.from_array(y, chunks=600))
    with pytest.raises(TypeError, match="y must be one too"):
        classifier().fit(da.from_array(X, chunks=(300, -1)), y)


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["training voters", "collecting votes", "learning"])
def test_a_worker_that_dies_changes_nothing(stage, mortal_cluster):
    from stocmv._progress import listening

    X, y = data(2)
    settings = {"solver": "auto", "random_state": 0}
    theirs = classifier(**settings).fit(*collections(X, y)).certificate_
    killed = []

    def kill(told, done, total, remark):
        if told == stage and not killed:
            address = next(iter(mortal_cluster.scheduler_info()["workers"]))
            killed.append(mortal_cluster.run(os.getpid, workers=[address])[address])
            threading.Timer(0.05, os.kill, (killed[0], signal.SIGKILL)).start()

    with listening(kill):
        ours = classifier(**settings).fit(*collections(X, y)).certificate_
    assert killed
    assert ours.votes == theirs.votes
    assert ours.bound == pytest.approx(theirs.bound, rel=1e-10)


def test_without_a_cluster_there_is_a_sentence(monkeypatch):
    def nobody():
        raise ValueError("No clients found")

    monkeypatch.setattr("distributed.Client.current", nobody)
    with pytest.raises(ValueError, match=r"make a dask\.distributed\.Client first"):
        classifier().fit(*collections(*data()))


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_an_error_and_not_a_hang(tmp_path, monkeypatch):
    import distributed

    from stocmv._progress import listening

    monkeypatch.setattr("stocmv.engines._connection._SILENCE", 10.0)
    contact = tmp_path / "scheduler.json"
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen([*start, "--scheduler-file", contact], stderr=subprocess.DEVNULL)
    join = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    worker = subprocess.Popen([*join, "--scheduler-file", contact], stderr=subprocess.DEVNULL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            client = distributed.Client(scheduler_file=contact, timeout=30)
            client.wait_for_workers(1, timeout=30)

            def stop(told, done, total, remark):
                if told == "training voters" and done == 0:
                    scheduler.kill()
                    scheduler.wait()

            with client.as_current(), listening(stop), pytest.raises(ConnectionError, match="scheduler went away"):
                classifier().fit(*collections(*data(2)))
            client.close(timeout=2)
    finally:
        worker.kill()
        scheduler.kill()
        worker.wait()
        scheduler.wait()
