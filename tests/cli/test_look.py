"""The honest look at the data, as users see it: on the terminal, on the page, in JSON, and for new rows."""

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from checks.defects import DEFECTS, honest
from cli.examples import mixed
from cli.terminal import assert_refused
from stocmv import Certificate
from stocmv.cli._examples import known_categories, remembered_encoding
from stocmv.persistence import load

QUICK = ("--target", "y", "--trees", 3, "--out", "audit")


@pytest.fixture
def spoiled(here):
    """A file with three defects and a column that is empty."""
    frame = honest()
    for name in ("uuids", "dates with dots", "a category that is the label", "nothing at all"):
        frame = DEFECTS[name].spoil(frame)
    frame.assign(old=1).to_csv("data.csv", index=False)
    return frame


def test_the_same_words_everywhere(spoiled, stocmv, here, page):
    said = stocmv("certify", "data.csv", *QUICK, "--drop", "old")
    content = stocmv("certify", "data.csv", *QUICK, "--drop", "old", "--force", "--json").content
    assert content["columns"] == {
        "target": ["y"],
        "numbers": ["age", "weight"],
        "dates": ["seen"],
        "categories": ["colour", "case", "born", "ward"],
        "left out": ["old", "notes"],
    }
    warnings = content["data_warnings"]
    assert [warning["kind"] for warning in warnings] == ["leak", "date as category", "identifier", "empty"]
    assert [set(warning) for warning in warnings] == [{"kind", "column", "figure", "sentence", "cure"}] * 4
    report = (here / "audit" / "report.html").read_text("utf-8").replace("\u00a0", " ").replace("&#39;", "'")
    for warning in warnings:
        assert f"Data warning: {warning['sentence']} {warning['cure']}" in said.out
        assert warning["sentence"] in report
        assert warning["cure"] in report
    assert "4 things in the data need a look" in " ".join(report.split())
    assert said.out.index("Data warning") < said.out.index("With probability")
    assert "categories  colour, case, born, ward\n" in "\n".join(line.rstrip() for line in said.out.splitlines()) + "\n"
    assert "<bdi>weight</bdi>" in report


def test_what_is_left_out_is_an_assumption(spoiled, stocmv, here):
    said = stocmv("certify", "data.csv", *QUICK).out
    assert "- Which columns have no value, and were left out, does not depend on the examples drawn.\n" in said
    assert load("audit/model.skops").feature_names_in_.tolist() == [
        "age",
        "weight",
        "colour",
        "seen",
        "case",
        "born",
        "ward",
        "old",
    ]
    assert stocmv("verify", "audit/certificate.json", "audit/evidence.npz").code == 0
    spoiled.drop(columns="notes").to_csv("new.csv", index=False)
    assert_refused(stocmv("predict", "audit", "new.csv"), "'old'")
    assert stocmv("predict", "audit", "data.csv").code == 0


def test_nothing_is_said_of_clean_data(stocmv, here, page):
    honest().to_csv("data.csv", index=False)
    assert "Data warning" not in stocmv("certify", "data.csv", *QUICK).out
    assert stocmv("certify", "data.csv", *QUICK, "--force", "--json").content["data_warnings"] == []
    assert "a look before you read" not in (here / "audit" / "report.html").read_text("utf-8")


def test_many_warnings_are_not_all_printed(stocmv, here):
    honest().assign(**{f"c{j}": 1 for j in range(30)}).to_csv("data.csv", index=False)
    answer = stocmv("certify", "data.csv", *QUICK)
    assert answer.out.count("Data warning") == 10
    assert "20 more warnings about the data are in the report." in answer.out
    assert "and 12 more" in answer.out


def test_a_group_or_example_alone_is_singular(stocmv, here):
    frame = honest().assign(clinic=np.arange(300) % 2)
    frame.to_csv("data.csv", index=False)
    answer = stocmv("certify", "data.csv", *QUICK, "--group", "clinic")
    assert "the draw of the 1 group that judges it" in answer.out
    assert "1 group made the vote; 1 other only judged it." in answer.out
    assert stocmv("verify", "audit/certificate.json", "audit/evidence.npz").code == 0
    frame.assign(clinic=1).to_csv("data.csv", index=False)
    assert_refused(stocmv("certify", "data.csv", *QUICK[:4], "--group", "clinic"), "n_groups = 1: at least 2 groups")
    refused = stocmv("certify", "data.csv", *QUICK[:4], "--group", "clinic", "--folds", 3)
    assert_refused(refused, "n_folds=3 is more than the number of groups, n_groups = 1")


@pytest.fixture
def model(stocmv, here):
    mixed().to_csv("data.csv", index=False)
    assert stocmv("certify", "data.csv", "--target", "answer", "--trees", 3, "--out", "audit", "--json").code == 0
    return "audit"


def test_new_rows_that_are_like_the_others(model, stocmv):
    answer = stocmv("predict", model, "data.csv")
    assert (answer.code, answer.err) == (0, "")
    content = stocmv("predict", model, "data.csv", "--json").content
    assert (content["unseen"], content["data_warnings"]) == ({"colour": 0}, [])


def test_new_rows_whose_values_were_never_seen(model, stocmv, here):
    mixed().assign(colour="violet").to_csv("new.csv", index=False)
    answer = stocmv("predict", model, "new.csv", "--out", "answers.csv")
    assert answer.err.startswith("Data warning: No value of the column 'colour' was seen in training: 120 new values")
    assert answer.err.endswith("120 predictions are in answers.csv\n")
    assert pd.read_csv("answers.csv").columns.tolist() == ["prediction"]
    content = stocmv("predict", model, "new.csv", "--json").content
    assert content["unseen"] == {"colour": 1}
    (warning,) = content["data_warnings"]
    assert (warning["kind"], warning["column"], warning["figure"]) == ("unseen", "colour", 1)


def test_dates_that_are_no_longer_dates(model, stocmv, here):
    frame = mixed()
    frame.assign(seen=frame["seen"].dt.strftime("%d.%m.%Y")).to_csv("new.csv", index=False)
    assert_refused(stocmv("predict", model, "new.csv"), "'seen' of new.csv must hold dates", "row 1 ", "'01.01.2020'")
    refused = stocmv("certify", "data.csv", "--target", "answer", "--test", "new.csv", "--out", "other")
    assert_refused(refused, "'seen' of new.csv must hold dates")


def test_columns_that_are_kept(model, stocmv, here):
    frame = mixed(5).assign(id=["007", "08", "NA", "", "a,b"], seen=["2020-01-01"] * 5)
    frame.to_csv("new.csv", index=False)
    answer = stocmv("predict", model, "new.csv", "--keep", "id", "--keep", "seen", "--proba")
    header, *rows = csv.reader(io.StringIO(answer.out))
    assert header[:4] == ["id", "seen", "prediction", "score of no"]
    assert [row[:2] for row in rows] == [[name, "2020-01-01"] for name in ("007", "08", "NA", "", "a,b")]
    content = stocmv("predict", model, "new.csv", "--keep", "id", "--json").content
    assert content["kept"] == {"id": ["007", "08", "NA", "", "a,b"]}
    assert [row[2] for row in rows] == content["predictions"]


def test_columns_that_cannot_be_kept(model, stocmv, here):
    assert_refused(stocmv("predict", model, "data.csv", "--keep", "id"), "no column 'id' in data.csv")
    assert_refused(stocmv("predict", model, "data.csv", "--keep", "prediction"), "--keep prediction")


@pytest.mark.filterwarnings("always::UserWarning")
def test_kept_formulas(model, stocmv, here):
    mixed(2).assign(id=["=1+1", "-2"]).to_csv("new.csv", index=False)
    answer = stocmv("predict", model, "new.csv", "--keep", "id", "--out", "answers.csv")
    assert "would read '=1+1' as a formula" in answer.err
    stocmv("predict", model, "new.csv", "--keep", "id", "--out", "harmless.csv", "--spreadsheet")
    assert pd.read_csv("harmless.csv")["id"].tolist() == ["'=1+1", "-2"]


@pytest.fixture
def latin(stocmv, here):
    frame = honest().replace({"colour": {"green": "grün"}})
    frame.to_csv("data.csv", index=False, encoding="latin-1")
    assert stocmv("certify", "data.csv", *QUICK, "--encoding", "latin-1", "--json").code == 0
    return frame


def test_the_encoding_is_remembered(latin, stocmv, here):
    assert Certificate.from_json("audit/certificate.json").context["data"]["encoding"] == "latin-1"
    content = stocmv("predict", "audit", "data.csv", "--keep", "colour", "--json").content
    assert (content["unseen"], content["kept"]["colour"]) == ({"colour": 0}, latin["colour"].tolist())
    latin.to_csv("new.csv", index=False)
    assert stocmv("predict", "audit", "new.csv", "--encoding", "utf-8", "--json").content["unseen"] == {"colour": 0}
    (warning,) = stocmv("predict", "audit", "new.csv", "--json").content["data_warnings"]
    assert "another encoding?" in warning["cure"]
    latin.to_parquet("new.parquet")
    assert stocmv("predict", "audit", "new.parquet", "--json").content["unseen"] == {"colour": 0}


def test_the_encoding_is_remembered_by_the_monitor(latin, stocmv, here):
    assert stocmv("monitor", "audit", "data.csv", "--json").content["n"] == len(latin)
    latin.to_csv("new.csv", index=False, encoding="utf-16")
    assert stocmv("monitor", "audit", "new.csv", "--encoding", "utf-16", "--json").content["n"] == len(latin)


def test_the_encoding_of_a_test_file(latin, stocmv, here):
    latin.assign(weight=latin["weight"] + 1).to_csv("test.csv", index=False, encoding="latin-1")
    options = ("--encoding", "latin-1", "--test", "test.csv", "--force", "--json")
    assert stocmv("certify", "data.csv", *QUICK, *options).content["test"]["n"] == 300


def test_encodings_that_are_refused(stocmv, here):
    honest().to_csv("data.csv", index=False)
    assert_refused(
        stocmv("certify", "data.csv", "--target", "y", "--encoding", "onehot"), "is not an encoding", "latin-1"
    )
    assert_refused(stocmv("certify", "data.csv", "--encoding", "latin-1", "--cluster"), "--cluster reads parquet")
    assert_refused(stocmv("certify", "iris", "--encoding", "latin-1"), "leave out", "--encoding")


def test_an_excel_file_from_end_to_end(stocmv, here):
    pytest.importorskip("openpyxl")
    mixed().to_excel("data.xlsx", index=False)
    assert stocmv("certify", "data.xlsx", "--target", "answer", "--trees", 3, "--json").code == 0
    assert stocmv("predict", "data-certified", "data.xlsx", "--json").content["data_warnings"] == []


@pytest.mark.parametrize("data", [None, 3, [], {"unseen": 3}, {"unseen": {"colour": "x"}}, {"dates": 4, "encoding": 5}])
def test_a_certificate_that_tells_nothing_of_use(data, model, here):
    fitted = load(here / model / "model.skops")
    fitted.certificate_ = replace(fitted.certificate_, context={"data": data})
    categories, expected = known_categories(fitted)
    assert (list(categories), expected) == (["colour"], {})
    assert remembered_encoding(fitted, here / "data.csv", None) is None
