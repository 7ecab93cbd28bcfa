"""``certify --cluster``: a folder of parquet files, on two worker processes."""

from contextlib import nullcontext
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from cli.examples import FLOWERS, mixed
from cli.terminal import assert_refused
from stocmv import Certificate
from stocmv._files import sha256
from stocmv.cluster._connection import connected
from stocmv.persistence import load, load_evidence
from stocmv.report import render
from stocmv.votes import PartitionedVotes

pytest.importorskip("dask.dataframe", reason="needs the extra dask")


def write_parts(folder, frame, count=3):
    folder.mkdir()
    for k, rows in enumerate(np.array_split(np.arange(len(frame)), count)):
        frame.iloc[rows].to_parquet(folder / f"part-{k}.parquet", index=False)
    return folder


@pytest.fixture
def certify(stocmv, cluster):
    def call(*arguments):
        return stocmv("certify", *arguments, "--trees", 5, "--cluster", cluster.scheduler.address)

    return call


@pytest.mark.parametrize(("frame", "target"), [(FLOWERS, "kind"), (mixed(), "answer")])
def test_a_folder_is_certified_and_what_is_written_holds(frame, target, here, certify, stocmv):
    data = write_parts(here / "train", frame)
    answer = certify(data, "--target", target, "--json")
    assert answer.code == 0, answer
    audit = here / "train-certified"
    assert answer.content["files"] == ["certificate.json", "evidence.npz", "model.skops", "report.html"]
    assert answer.content["n"] == round(len(frame) / 3)
    frame.to_parquet(here / "new.parquet", index=False)
    checked = stocmv("verify", audit, "--data", here / "new.parquet")
    assert checked.code == 0, checked
    predicted = stocmv("predict", audit, here / "new.parquet", "--json")
    assert predicted.code == 0, predicted
    certificate = Certificate.from_json(audit / "certificate.json")
    assert certificate.context.pop("model") == {"sha256": sha256(audit / "model.skops")}
    assert load(audit / "model.skops").certificate_ == certificate


def test_votes_that_were_paid_for_are_collected(here, certify, stocmv):
    data = write_parts(here / "train", FLOWERS)
    answer = certify(data, "--target", "kind", "--bound", "seeger", "--prior", 1, "--no-per-class", "--json")
    assert answer.code == 0, answer
    votes = load_evidence(here / "train-certified" / "evidence.npz")
    assert all(isinstance(fold, PartitionedVotes) and len(fold.parts) == 3 for fold in votes)
    assert stocmv("verify", here / "train-certified", "--precise", 0).code == 0


def test_the_page_shows_the_data(page, here, certify, monkeypatch):
    summaries = []

    def rendered(model, *, data, **more):
        summaries.append(data)
        return render(model, data=data, **more)

    monkeypatch.setattr("stocmv.cli._audit.render", rendered)
    frame = mixed()
    answer = certify(write_parts(here / "train", frame), "--target", "answer")
    assert answer.code == 0, answer
    summary = summaries[0]
    assert summary.n_rows == len(frame)
    assert summary.class_counts == frame["answer"].value_counts().to_dict()
    assert summary.missing_values == frame.drop(columns="answer").isna().sum().sum()
    assert summary.feature_kinds == {"numeric": 3, "categorical": 1}
    assert "<svg" in (here / "train-certified" / "report.html").read_text()


def test_a_test_file_is_counted_on(here, certify):
    data = write_parts(here / "train", FLOWERS.iloc[:120])
    FLOWERS.iloc[120:].to_csv(here / "test.csv", index=False)
    answer = certify(data, "--target", "kind", "--test", here / "test.csv", "--json")
    assert answer.code == 0, answer
    assert answer.content["test"]["n"] == 30
    assert answer.content["test"]["predict"] < 0.2


def test_groups_and_folds_are_those_of_one_machine(here, certify, stocmv):
    frame = FLOWERS.assign(plant=[f"p{k % 30}" for k in range(len(FLOWERS))])
    data = write_parts(here / "train", frame)
    frame.to_parquet(here / "alone.parquet", index=False)
    asked = ("--target", "kind", "--group", "plant", "--folds", 3, "--json")
    there = certify(data, *asked).content
    alone = stocmv("certify", here / "alone.parquet", "--trees", 5, *asked).content
    assert there["n"] == alone["n"] == 30
    assert there["bound"] == pytest.approx(alone["bound"], rel=1e-12)
    written = here / "train-certified"
    assert stocmv("verify", written).code == 0


def test_columns_are_taken_as_on_one_machine(here, certify, stocmv):
    frame = mixed()
    frame["day"] = [date(2020, 1, 1) + timedelta(days=k) for k in range(len(frame))]
    frame["sold"] = frame["sold"].astype("boolean")
    frame.loc[[3, 100], "sold"] = pd.NA
    data = write_parts(here / "train", frame)
    assert certify(data, "--target", "answer").code == 0
    frame.to_parquet(here / "alone.parquet", index=False)
    assert stocmv("certify", here / "alone.parquet", "--target", "answer", "--trees", 5).code == 0
    there, alone = (load(here / f"{name}-certified" / "model.skops") for name in ("train", "alone"))
    assert list(there.voters.categorical) == list(alone.voters.categorical) == ["colour"]
    assert there.feature_names_in_.tolist() == alone.feature_names_in_.tolist()
    assert there.classes_.dtype.kind == alone.classes_.dtype.kind == "U"


def test_the_same_seed_gives_the_same_certificate(here, certify):
    data = write_parts(here / "train", FLOWERS)
    written = []
    for name in ("one", "two"):
        assert certify(data, "--target", "kind", "--out", here / name).code == 0
        written.append(Certificate.from_json(here / name / "certificate.json"))
        del written[-1].context["model"]  # its file also says how long the fit took
    assert written[0] == written[1]


@pytest.mark.cluster
def test_without_an_address_workers_are_started_here(here, stocmv):
    data = write_parts(here / "train", FLOWERS)
    answer = stocmv("certify", data, "--target", "kind", "--trees", 5, "--jobs", 1, "--json", "--cluster")
    assert answer.code == 0, answer
    assert answer.content["bound"] < 0.5


def test_a_local_cluster_has_as_many_workers_as_asked_for(monkeypatch):
    started = []
    monkeypatch.setattr("distributed.LocalCluster", lambda **settings: started.append(settings) or nullcontext())
    monkeypatch.setattr("distributed.Client", lambda place, timeout: nullcontext(place))
    with connected(None, 3):
        assert started[0]["n_workers"] == 3


class TestRefused:
    def test_no_scheduler(self, here, stocmv, monkeypatch):
        monkeypatch.setattr("stocmv.cluster._connection._SILENCE", 1.0)
        data = write_parts(here / "train", FLOWERS)
        answer = stocmv("certify", data, "--target", "kind", "--cluster", "tcp://127.0.0.1:9")
        assert_refused(answer, "No Dask scheduler answers at tcp://127.0.0.1:9.")

    def test_no_such_folder(self, here, certify):
        assert_refused(certify(here / "nowhere", "--target", "kind"), "nowhere: there is no such file or folder.")

    def test_other_files(self, here, certify):
        (here / "data.csv").write_text("a,b\n1,2\n")
        assert_refused(certify(here / "data.csv", "--target", "b"), "data.csv: ")
        assert_refused(certify(here / "data.csv", "--target", "b", "--format", "csv"), "parquet files only, not csv")

    def test_no_target(self, here, certify):
        data = write_parts(here / "train", FLOWERS)
        assert_refused(certify(data), "Which column holds the labels?")
        assert_refused(certify(data, "--target", "sort"), "There is no column 'sort'")

    def test_a_column_to_drop_that_is_not_there(self, here, certify):
        data = write_parts(here / "train", FLOWERS)
        assert_refused(certify(data, "--target", "kind", "--drop", "sort"), "There is no column 'sort' to drop")

    def test_one_class(self, here, certify):
        data = write_parts(here / "train", FLOWERS[FLOWERS["kind"] == "setosa"])
        assert_refused(certify(data, "--target", "kind"), "'kind' has only one value")

    def test_a_label_that_is_missing(self, here, certify):
        frame = FLOWERS.copy()
        frame.loc[120, "kind"] = None
        answer = certify(write_parts(here / "train", frame), "--target", "kind")
        assert_refused(answer, "part-2.parquet: The target 'kind' is missing in 1 row ")

    def test_a_value_that_is_infinite(self, here, certify):
        frame = FLOWERS.copy()
        frame.loc[120, "sepal width"] = np.inf
        answer = certify(write_parts(here / "train", frame), "--target", "kind")
        assert_refused(answer, "part-2.parquet: The column 'sepal width' holds infinite values")

    def test_other_columns_in_one_file(self, here, certify):
        data = write_parts(here / "train", FLOWERS)
        pd.DataFrame({"kind": ["setosa"], "colour": [1]}).to_parquet(data / "part-9.parquet")
        assert_refused(certify(data, "--target", "kind"), "part-9.parquet lacks the column 'sepal length'")

    def test_a_file_without_rows(self, here, certify):
        data = write_parts(here / "train", FLOWERS)
        FLOWERS.iloc[:0].to_parquet(data / "part-9.parquet", index=False)
        assert_refused(certify(data, "--target", "kind"), "part-9.parquet has a header but no rows.")

    def test_an_empty_folder(self, here, certify):
        (here / "train").mkdir()
        assert_refused(certify(here / "train", "--target", "kind"), "no files that end in .parquet")

    def test_groups(self, here, certify):
        frame = FLOWERS.assign(plant=[None if k == 120 else f"p{k % 30}" for k in range(len(FLOWERS))])
        data = write_parts(here / "train", frame)
        answer = certify(data, "--target", "kind", "--group", "plant")
        assert_refused(answer, "part-2.parquet: The group 'plant' is missing in 1 row ")
        assert_refused(certify(data, "--target", "kind", "--group", "tree"), "There is no column 'tree' to group by")

    def test_evidence_that_would_not_fit_here(self, here, certify, monkeypatch):
        monkeypatch.setattr("stocmv._memory.free_memory", lambda: 100)
        data = write_parts(here / "train", FLOWERS)
        assert_refused(certify(data, "--target", "kind"), "The file of judgments unpacks to")
        assert_refused(certify(data, "--target", "kind", "--bound", "seeger"), "The file of votes unpacks to")
