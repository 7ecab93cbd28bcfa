"""``certify --cluster``: a folder of parquet files, on two worker processes."""

import json

import numpy as np
import pandas as pd
import pytest

from cli.examples import FLOWERS, mixed
from cli.terminal import assert_refused
from stocmv import Certificate
from stocmv.persistence import load
from stocmv.votes import PartitionedVotes, load_folds

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
    assert answer.content["files"] == ["certificate.json", "model.skops", "report.html", "votes.npz"]
    assert answer.content["n"] == len(frame)
    checked = stocmv("verify", audit / "certificate.json", audit / "votes.npz", "--json")
    assert checked.code == 0, checked
    frame.drop(columns=target).to_csv(here / "new.csv", index=False)
    predicted = stocmv("predict", audit, here / "new.csv", "--json")
    assert predicted.code == 0, predicted
    votes = load_folds(audit / "votes.npz")
    assert all(isinstance(fold, PartitionedVotes) and len(fold.parts) == 3 for fold in votes)
    assert load(audit / "model.skops").certificate_ == Certificate.from_json(audit / "certificate.json")


def test_the_page_tells_of_the_data(page, here, certify):
    frame = mixed()
    answer = certify(write_parts(here / "train", frame), "--target", "answer")
    assert answer.code == 0, answer
    report = (here / "train-certified" / "report.html").read_text()
    assert f"{len(frame)}" in report
    assert f"{int(frame.drop(columns='answer').isna().sum().sum())}" in report
    assert "<svg" in report


def test_a_test_file_is_counted_on(here, certify):
    data = write_parts(here / "train", FLOWERS.iloc[:120])
    FLOWERS.iloc[120:].to_csv(here / "test.csv", index=False)
    answer = certify(data, "--target", "kind", "--test", here / "test.csv", "--json")
    assert answer.code == 0, answer
    assert answer.content["test"]["n"] == 30
    assert answer.content["test"]["fixed"] < 0.2


def test_the_same_seed_gives_the_same_certificate(here, certify):
    data = write_parts(here / "train", FLOWERS)
    written = []
    for name in ("one", "two"):
        assert certify(data, "--target", "kind", "--out", here / name).code == 0
        written.append(json.loads((here / name / "certificate.json").read_text()))
    assert written[0] == written[1]


@pytest.mark.slow
def test_without_an_address_workers_are_started_here(here, stocmv):
    data = write_parts(here / "train", FLOWERS)
    answer = stocmv("certify", data, "--target", "kind", "--trees", 5, "--jobs", 1, "--json", "--cluster")
    assert answer.code == 0, answer
    assert answer.content["bound"] < 0.5


class TestRefused:
    def test_no_scheduler(self, here, stocmv, monkeypatch):
        monkeypatch.setattr("stocmv.engines._connection._SILENCE", 1.0)
        data = write_parts(here / "train", FLOWERS)
        answer = stocmv("certify", data, "--target", "kind", "--cluster", "tcp://127.0.0.1:9")
        assert_refused(answer, "No Dask scheduler answers at tcp://127.0.0.1:9.")

    def test_no_such_folder(self, here, certify):
        assert_refused(certify(here / "nowhere", "--target", "kind"), "There is no file or folder")

    def test_other_files(self, here, certify):
        (here / "data.csv").write_text("a,b\n1,2\n")
        assert_refused(certify(here / "data.csv", "--target", "b"), "does not hold parquet files")
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
        assert_refused(certify(data, "--target", "kind"), "'kind' has one value only")

    def test_a_label_that_is_missing(self, here, certify):
        frame = FLOWERS.copy()
        frame.loc[70, "kind"] = None
        answer = certify(write_parts(here / "train", frame), "--target", "kind")
        assert_refused(answer, "Partition 1: The target 'kind' is missing in 1 rows")

    def test_a_value_that_is_infinite(self, here, certify):
        frame = FLOWERS.copy()
        frame.loc[120, "sepal width"] = np.inf
        answer = certify(write_parts(here / "train", frame), "--target", "kind")
        assert_refused(answer, "Partition 2: The column 'sepal width' holds infinite values")

    def test_other_columns_in_one_file(self, here, certify):
        data = write_parts(here / "train", FLOWERS)
        pd.DataFrame({"kind": ["setosa"], "colour": [1]}).to_parquet(data / "part-9.parquet")
        assert_refused(certify(data, "--target", "kind"))

    def test_hold_outs(self, here, certify):
        data = write_parts(here / "train", FLOWERS)
        assert_refused(certify(data, "--target", "kind", "--holdout", 0.2), "leave it out with --cluster")

    def test_votes_that_would_not_fit_here(self, here, certify, monkeypatch):
        monkeypatch.setattr("stocmv._memory.free_memory", lambda: 100)
        data = write_parts(here / "train", FLOWERS)
        assert_refused(certify(data, "--target", "kind"), "the file of votes unpacks to")
