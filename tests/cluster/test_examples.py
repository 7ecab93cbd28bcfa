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
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer, scale
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from stocmv import MajorityVoteClassifier, RepeatedRowsWarning
from stocmv.certificate import TestedCertificate
from stocmv.checks import Fingerprints
from stocmv.posteriors import Dirichlet
from stocmv.protocols import HARD, Cut, FoldVote
from stocmv.solvers import LBFGS, Auto
from stocmv.voters import Ensemble, Stumps, Transformed

room = pytest.importorskip("stocmv.cluster")
pytest.importorskip("distributed", reason="needs the extra dask")
da = pytest.importorskip("dask.array")

N, ROWS = 1200, 300


def data(n_classes=3):
    return make_classification(N, 6, n_informative=5, n_redundant=0, n_classes=n_classes, random_state=0)


def collections(X, y, rows=ROWS):
    return da.from_array(X, chunks=(rows, -1)), da.from_array(y, chunks=rows)


def families():
    """A group for each example, with rows in several partitions."""
    return np.random.default_rng(1).integers(0, 200, N).astype(str)


def in_families(X, y, rows=ROWS):
    return *collections(X, y, rows), da.from_array(families(), chunks=rows)


def differing():
    return [LogisticRegression(), GaussianNB(), DecisionTreeClassifier(max_depth=4, random_state=0)]


def classifier(**settings):
    defaults = {"solver": LBFGS(max_iter=5), "random_state": 0}
    return MajorityVoteClassifier(Ensemble(RandomForestClassifier(7)), **(defaults | settings))


@pytest.mark.parametrize(("settings", "judging"), [({}, N // 3), ({"n_folds": 3}, N)], ids=["hold-out", "folds"])
def test_arrays(settings, judging, cluster):
    X, y = data()
    clf = classifier(per_class=True, stochastic=True, **settings).fit(*collections(X, y))
    assert clf.certificate_.n == len(clf.evidence_) == judging
    assert clf.certificate_.bound < 0.3
    assert clf.certificate_.verify(clf.evidence_)
    for method in ("predict", "predict_proba", "predict_stochastic_proba"):
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


def test_the_order_of_rows_is_not_tested(cluster):
    X, y = collections(*data())
    assert classifier().fit(X, y).order_test_ is None
    with pytest.raises(ValueError, match="time"):
        classifier().fit(X, y, time=np.arange(N))


def test_the_same_seed_gives_the_same_certificate(cluster):
    ours, theirs = (classifier().fit(*collections(*data())) for _ in range(2))
    assert ours.certificate_.to_json() == theirs.certificate_.to_json()


@pytest.mark.parametrize("cut", [Cut.folds(3), Cut.holdout(0.2), Cut((1.0,), 1)], ids=["folds", "hold-out", "all"])
@pytest.mark.parametrize("listed", [True, False])
def test_every_row_belongs_to_one_part(listed, cut, monkeypatch):
    sizes = [300, 301, 1, 0]
    if not listed:
        monkeypatch.setattr(room._plan, "LISTED", 601)
    parts = room._plan.plan(sizes, None, np.arange(3), cut, np.random.RandomState(5))
    every = range(len(cut.shares))
    for part, size in zip(parts, sizes, strict=True):
        assert (part.listed is not None) == listed
        rows = np.concatenate([part.judges(k) for k in every])
        np.testing.assert_array_equal(np.sort(rows), np.arange(size))
        assert [len(part.judges(k)) for k in every] == part.counts().tolist()
        for k in range(cut.n_parts):
            judges, teachers = set(part.judges(k)), set(part.teachers(k))
            assert judges | teachers == set(range(size))
            assert (judges == teachers) if len(cut.shares) == 1 else not judges & teachers
    if listed:
        theirs = np.split(cut.parts(602, None, np.random.RandomState(5)), np.cumsum(sizes)[:-1])
        for part, own in zip(parts, theirs, strict=True):
            np.testing.assert_array_equal(part.listed, own)


def test_parts_of_many_rows_do_not_follow_the_partitions(monkeypatch):
    """However the rows were laid out, each belongs to a part independently of the others, with the part's share."""
    monkeypatch.setattr(room._plan, "LISTED", 0)
    cut = Cut.holdout(0.2)
    plans = [room._plan.plan([30, 30], None, np.arange(2), cut, np.random.RandomState(seed)) for seed in range(400)]
    counts = np.array([[part.counts()[0] for part in parts] for parts in plans])
    assert counts.mean() == pytest.approx(30 * 0.2, rel=0.05)
    np.testing.assert_allclose(counts.var(0), 30 * 0.2 * 0.8, rtol=0.3)  # a binomial's; exact shares would have none
    assert abs(np.corrcoef(counts.T)[0, 1]) < 0.2
    assert not np.array_equal(plans[0][0].judges(0), plans[0][1].judges(0))


def test_a_part_without_rows_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(room._plan, "LISTED", 0)
    with pytest.raises(ValueError, match="A share of 1e-09 of 1,200 rows is empty"):
        classifier(holdout=1e-9).fit(*collections(*data(2)))


def test_copies_are_seen_across_partitions(cluster):
    X, y = data(2)
    twice = np.vstack([X, X]), np.concatenate([y, y])
    with pytest.warns(RepeatedRowsWarning, match="repeat another row"):
        clf = classifier().fit(*collections(*twice))
    assert clf.certificate_.warnings
    assert not classifier().fit(*collections(X, y)).certificate_.warnings


COSTS = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]]


def assert_same(mine, other):
    """Two certificates of the same evidence; of votes, the digests name the partitions, and sums may be rounded."""
    assert mine.fold_sizes == other.fold_sizes
    if isinstance(mine, TestedCertificate):
        assert mine.evidence == other.evidence
        assert mine.figures == other.figures
        return
    for figure in ("bound", "stochastic_bound", "empirical_risk", "kl"):
        assert getattr(mine, figure) == pytest.approx(getattr(other, figure), rel=1e-12)
    for ours, theirs in zip(mine.per_class, other.per_class, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-12)
    assert mine.baseline == pytest.approx(other.baseline, rel=1e-12)


def fitted_twice(clf, n_classes=3, grouped=False):
    """On the cluster and on one machine, whose linear algebra then has one thread as that of a worker."""
    X, y = data(n_classes)
    given = in_families(X, y) if grouped else collections(X, y)
    ours = clone(clf).fit(*given)
    with threadpool_limits(1):
        theirs = clone(clf).fit(X, y, families() if grouped else None)
    assert_same(ours.certificate_, theirs.certificate_)
    for mine, other in zip(ours.posterior_, theirs.posterior_, strict=True):
        np.testing.assert_array_equal(mine.alpha, other.alpha)
    for method in ("predict", "predict_proba"):
        np.testing.assert_array_equal(getattr(ours, method)(X), getattr(theirs, method)(X))
    assert bool(ours.certificate_.verify(ours.evidence_)) == (not ours.certificate_.unproven)
    return ours, theirs


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"n_folds": 3},
        {"voters": differing()},
        {"voters": "stumps"},
        {"voters": [FrozenEstimator(v.fit(*data())) for v in differing()], "inner_folds": 0},
    ],
    ids=["hold-out", "folds", "list", "stumps", "all judge"],
)
def test_fits_what_one_machine_fits(settings, cluster):
    ours, _ = fitted_twice(classifier(per_class=True, cost=COSTS, stochastic=True).set_params(**settings))
    assert (ours.key_ is None) == ("n_folds" not in settings)


def test_learns_on_the_judging_folds_what_one_machine_learns(cluster):
    solver = Auto(explore_work=4e3)  # a quarter of the rows or so
    ours, _ = fitted_twice(classifier(bound="seeger", solver=solver, per_class=True), n_classes=2)
    assert any(stage.startswith("all examples") for stage in ours.history_.stage)


class TestGroups:
    @pytest.mark.parametrize("settings", [{}, {"n_folds": 3}], ids=["hold-out", "folds"])
    def test_that_span_partitions(self, settings, cluster):
        ours, _ = fitted_twice(classifier(per_class=True, cost=COSTS, **settings), grouped=True)
        assert ours.certificate_.grouped
        assert ours.certificate_.n == (200 if settings else 67)
        judged = [set(fold.group.tolist()) for fold in ours.evidence_.folds()]
        assert sum(map(len, judged)) == len(set.union(*judged)) == ours.certificate_.n

    def test_of_a_table(self, cluster, tmp_path):
        pytest.importorskip("dask.dataframe")
        pd = pytest.importorskip("pandas")
        from stocmv.cluster._table import read_partitions

        X, y = data(2)
        frame = pd.DataFrame(X, columns=list("abcdef")).assign(label=y, family=families())
        for k in range(3):
            frame.iloc[k::3].to_parquet(tmp_path / f"{k}.parquet")
        table = read_partitions(str(tmp_path), "label", group="family")
        assert list(table.X.columns) == list("abcdef")
        ours = classifier().fit(table.X, table.y, table.groups)
        there = pd.concat([frame.iloc[k::3] for k in range(3)])
        theirs = classifier().fit(there[list("abcdef")], there["label"], there["family"])
        assert_same(ours.certificate_, theirs.certificate_)

    def test_are_the_same_whatever_their_type_in_a_partition(self, cluster):
        from dask.delayed import delayed

        X, y = data(2)
        names = np.arange(len(y)) % ROWS
        parts = [names[k * ROWS : (k + 1) * ROWS].astype(kind) for k, kind in enumerate((int, str, float, object))]
        groups = da.concatenate([da.from_delayed(delayed(own), (ROWS,), object) for own in parts])
        ours = classifier().fit(*collections(X, y), groups).certificate_
        assert_same(ours, classifier().fit(X, y, names).certificate_)

    def test_must_be_known(self, cluster):
        groups = np.arange(N, dtype=float)
        groups[700] = np.nan
        with pytest.raises(ValueError, match="Partition 2: groups has examples without a group"):
            classifier().fit(*collections(*data(2)), da.from_array(groups, chunks=ROWS))

    def test_must_have_the_same_partitions(self, cluster):
        X, y = data(2)
        with pytest.raises(ValueError, match="X has 4 partitions and groups has 2"):
            classifier().fit(*collections(X, y), da.from_array(families(), chunks=600))
        with pytest.raises(TypeError, match="groups must be one too"):
            classifier().fit(*collections(X, y), families())

    def test_have_copies_of_their_own(self):
        """Copies within a group count once, also where they lie in two partitions."""
        X, y, groups = np.tile(np.arange(400.0)[:, None], (2, 3)), np.tile([0, 1], 400), np.tile(np.arange(400), 2)
        one = Fingerprints.of(X, y, groups)
        parts = [Fingerprints.of(X[i::3], y[i::3], groups[i::3]) for i in range(3)]
        two, fewer = Fingerprints.joined(parts), Fingerprints.joined([part.at_most(60) for part in parts])
        assert (one.n_rows, one.repeated) == (two.n_rows, two.repeated) == (400, 0)
        assert fewer.n_rows == pytest.approx(400, rel=0.2)
        other = Fingerprints.of(X, y, np.arange(800))
        assert (other.n_rows, other.repeated) == (800, 400)
        beside = Fingerprints.of(np.repeat(X[:5], 2, axis=0), np.zeros(10, int), np.repeat(groups[:5], 2))
        assert beside.rows.tolist() == [0, 2, 4, 6, 8]


def test_voters_that_depend_on_the_other_rows_are_refused_by_the_workers():
    X, y = data(2)
    partition, part = room._examples.Partition(X, y), room._plan.Part(0, N, np.arange(2), Cut.folds(2))
    source = Transformed(FunctionTransformer(scale), Ensemble(RandomForestClassifier(3)))
    vote = FoldVote(source.fit(X, y, np.arange(2), 0), HARD, Dirichlet(np.ones(3)), None, None, N)
    with pytest.raises(ValueError, match="differently alone"):
        room._examples._votes(vote, partition, part, 1, True)
    with pytest.raises(ValueError, match="differently alone"):
        room._examples._judgments(vote, partition, part, 1, True, False, False)


@pytest.mark.parametrize("ranges", ["training", "other_folds"])
def test_stumps_of_several_folds_are_those_of_one_machine(ranges, cluster):
    clf = MajorityVoteClassifier(Stumps(3, ranges=ranges), n_folds=2, solver=LBFGS(max_iter=5), random_state=0)
    ours, theirs = fitted_twice(clf, 2)
    for mine, other in zip(ours.voters_, theirs.voters_, strict=True):
        np.testing.assert_array_equal(mine.thresholds, other.thresholds)


@pytest.mark.parametrize("train_on", ["sample", "partitions"])
def test_a_partition_of_two_rows(train_on, cluster):
    X, y = data(2)
    source = room.Shared(Ensemble(RandomForestClassifier(7)), train_on=train_on)
    clf = classifier().set_params(voters=source)
    for seed in range(3):
        clf.set_params(random_state=seed).fit(*collections(X[:92], y[:92], rows=30))
        assert clf.certificate_.n == 31


def test_voters_are_asked_in_blocks(cluster, monkeypatch):
    X, y = data(3)
    partition, part = room._examples.Partition(X, y), room._plan.Part(0, N, np.arange(3), Cut.folds(2))
    voters = Ensemble(RandomForestClassifier(3)).fit(X, y, np.arange(3), 0)
    asked = FoldVote(voters, HARD, Dirichlet(np.ones(3)), None, None, N), partition, part, 1, True
    votes, judgments = room._examples._votes(*asked), room._examples._judgments(*asked, True, False)
    monkeypatch.setattr(room._examples, "_ASKED", 101)
    assert room._examples._votes(*asked).digest() == votes.digest()
    assert room._examples._judgments(*asked, True, False).digest() == judgments.digest()
    assert votes.n_rows == len(judgments) == len(part.judges(1)) > 101


def test_labels_of_another_kind_than_the_voters_answer(cluster):
    X, y = data(2)
    trained = FrozenEstimator(RandomForestClassifier(3).fit(X, np.where(y == 1, "yes", "no")))
    with pytest.raises(ValueError, match="The voters answer strings and y holds numbers"):
        MajorityVoteClassifier(trained).fit(*collections(X, y))


def test_more_rows_than_are_listed(cluster, monkeypatch):
    monkeypatch.setattr(room._plan, "LISTED", 100)
    clf = classifier(n_folds=3).fit(*collections(*data(2)))
    assert sum(clf.certificate_.fold_sizes) == N
    assert all(0 < abs(size - 400) < 100 for size in clf.certificate_.fold_sizes)
    assert clf.certificate_.verify(clf.evidence_)


@pytest.mark.parametrize("train_on", ["sample", "partitions"])
def test_ways_to_train(train_on, cluster):
    source = room.Shared(Ensemble(RandomForestClassifier(7)), train_on=train_on, max_rows=200)
    clf = classifier(n_folds=3).set_params(voters=source, voting="hard").fit(*collections(*data(2)))
    assert [v.n_voters for v in clf.voters_] == [7, 7, 7]
    assert clf.certificate_.bound < 0.4
    assert clf.certificate_.verify(clf.evidence_)


def test_votes_that_nobody_keeps(cluster):
    source = room.Shared(Ensemble(RandomForestClassifier(7)), keep_votes=False)
    settings = {"bound": "seeger", "prior": 1.0}
    theirs = classifier(**settings).fit(*collections(*data(2)))
    ours = classifier(**settings).set_params(voters=source).fit(*collections(*data(2)))
    assert ours.certificate_.evidence == theirs.certificate_.evidence
    assert ours.certificate_.bound == pytest.approx(theirs.certificate_.bound, rel=1e-10)


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


@pytest.mark.kill
@pytest.mark.parametrize("stage", ["training voters", "collecting votes", "learning"])
def test_a_worker_that_dies_changes_nothing(stage, mortal_cluster):
    from stocmv.progress import listening

    X, y = data(2)
    settings = {"bound": "seeger", "solver": "auto"}  # so that there is learning on the workers' votes
    theirs = classifier(**settings).fit(*collections(X, y)).certificate_
    killed = []

    def kill(told, done, total):
        if told == stage and not killed:
            address = next(iter(mortal_cluster.scheduler_info()["workers"]))
            killed.append(mortal_cluster.run(os.getpid, workers=[address])[address])
            threading.Timer(0.05, os.kill, (killed[0], signal.SIGKILL)).start()

    with listening(kill):
        ours = classifier(**settings).fit(*collections(X, y)).certificate_
    assert killed
    assert ours.evidence == theirs.evidence
    assert ours.bound == pytest.approx(theirs.bound, rel=1e-10)


def test_without_a_cluster_there_is_a_sentence(monkeypatch):
    def nobody():
        raise ValueError("No clients found")

    monkeypatch.setattr("distributed.Client.current", nobody)
    with pytest.raises(ValueError, match=r"make a dask\.distributed\.Client first"):
        classifier().fit(*collections(*data()))


@pytest.mark.cluster
@pytest.mark.kill
def test_a_scheduler_that_goes_away_is_an_error_and_not_a_hang(tmp_path, monkeypatch):
    import distributed

    from stocmv.progress import listening

    monkeypatch.setattr("stocmv.cluster._connection._SILENCE", 10.0)
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

            def stop(told, done, total):
                if told == "training voters" and done == 0:
                    scheduler.kill()
                    scheduler.wait()

            with client.as_current(), listening(stop), pytest.raises(ConnectionError, match="scheduler was lost"):
                classifier().fit(*collections(*data(2)))
            client.close(timeout=2)
    finally:
        worker.kill()
        scheduler.kill()
        worker.wait()
        scheduler.wait()
