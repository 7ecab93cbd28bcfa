"""``stocmv certify --votes``: tables of answers with empty cells, as a user types it."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from cli.terminal import assert_refused
from stocmv import Certificate
from voters.test_answers import JUDGES, panel


@pytest.fixture
def answers(here):
    X, y = panel(240)
    X.assign(truth=y).to_csv(here / "answers.csv", index=False)
    X.head(20).to_csv(here / "new.csv", index=False)
    return here


def predictions(text):
    return [row["prediction"] for row in csv.DictReader(io.StringIO(text))]


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--folds", "3"), ("--bound", "seeger"), ("--default", "good")])
def test_certify_predict_and_verify(options, answers, stocmv):
    said = stocmv("certify", "answers.csv", "--target", "truth", "--votes", *options, "--json")
    assert said.code == 0, said.err
    content = json.loads(said.out)
    assert content["files"] == ["certificate.json", "evidence.npz", "model.skops", "report.html"]
    checked = stocmv("verify", "answers-certified/certificate.json", "answers-certified/evidence.npz")
    assert checked.code == 0, checked.out
    assert "The certificate holds" in checked.out
    found = stocmv("predict", "answers-certified", "new.csv")
    assert found.code == 0, found.err
    labels = predictions(found.out)
    assert len(labels) == 20
    assert set(labels) <= {"bad", "good", "ugly"}
    truth = pd.read_csv(answers / "answers.csv")["truth"].head(20)
    assert np.mean(np.array(labels) != truth) <= 0.5
    if options == ("--default", "good"):
        assert labels[:2] == ["good", "good"]  # the rows that nobody answers


def test_the_page_says_which_columns_were_taken_for_voters(answers, stocmv, page):
    said = stocmv("certify", "answers.csv", "--target", "truth", "--votes", "--drop", "gus")
    assert said.code == 0, said.err
    counts = pd.read_csv(answers / "answers.csv")[JUDGES[:-1]].notna().sum()
    words = " ".join(said.out.split())
    assert f"Voters, and how many of the 240 rows each answers: ann ({counts['ann']})" in words
    assert "gus" not in words
    assert "one that no voter answers counts as an error" in words
    context = Certificate.from_json("answers-certified/certificate.json").context
    assert context["data"]["answers"] == counts.to_dict()
    assert "a table of answers" in (answers / "answers-certified/report.html").read_text()


def test_columns_in_another_order_beside_others_answer_the_same(answers, stocmv):
    assert stocmv("certify", "answers.csv", "--target", "truth", "--votes").code == 0
    frame = pd.read_csv("new.csv")
    frame[JUDGES[::-1]].assign(comment="x").to_csv("other.csv", index=False)
    ours, theirs = (predictions(stocmv("predict", "answers-certified", name).out) for name in ("new.csv", "other.csv"))
    assert ours == theirs
    frame.drop(columns="bob").to_csv("less.csv", index=False)
    assert_refused(stocmv("predict", "answers-certified", "less.csv"), "'bob'")


def test_numbers_as_labels_are_compared_as_they_are_written(here, stocmv):
    X, y = panel(240)
    codes = {"bad": "0", "good": "1", "ugly": "2"}
    X.replace(codes).assign(truth=[codes[label] for label in y]).to_csv("answers.csv", index=False)
    assert stocmv("certify", "answers.csv", "--target", "truth", "--votes").code == 0
    X.replace(codes).head(5).to_csv("new.csv", index=False)
    assert set(predictions(stocmv("predict", "answers-certified", "new.csv").out)) <= {"0", "1", "2"}


def test_a_value_that_means_no_answer(here, stocmv):
    X, y = panel(240)
    X.fillna("unsure").assign(truth=y).to_csv("answers.csv", index=False)
    assert stocmv("certify", "answers.csv", "--target", "truth", "--votes", "--abstain", "unsure").code == 0
    named = Certificate.from_json("answers-certified/certificate.json")
    assert named.abstains
    assert named.context["classes"] == ["bad", "good", "ugly"]
    X.fillna("unsure").head(5).to_csv("new.csv", index=False)
    assert len(predictions(stocmv("predict", "answers-certified", "new.csv").out)) == 5
    X.fillna("dunno").head(5).to_csv("new.csv", index=False)
    assert_refused(stocmv("predict", "answers-certified", "new.csv"), "'ann'", "'dunno'", "row 1")


def test_minus_one_is_never_silently_a_class(here, stocmv):
    X, y = panel(240)
    X.fillna("-1").assign(truth=y).to_csv("answers.csv", index=False)
    numbers = X.replace({"bad": 0, "good": 1, "ugly": 2}).astype(float).fillna(-1).astype(int)
    numbers.assign(truth=pd.Series(y).map({"bad": 0, "good": 1, "ugly": 2})).to_parquet("numbers.parquet")
    assert_refused(stocmv("certify", "numbers.parquet", "--target", "truth", "--votes"), "-1", "abstain")
    said = stocmv("certify", "numbers.parquet", "--target", "truth", "--votes", "--abstain", "-1")
    assert said.code == 0, said.err
    assert_refused(stocmv("certify", "answers.csv", "--target", "truth", "--votes"), "-1", "abstain")


def test_a_test_file_is_read_in_the_same_way(answers, stocmv):
    X, y = panel(300)
    X.assign(truth=y).tail(60).to_csv("test.csv", index=False)
    said = stocmv("certify", "answers.csv", "--target", "truth", "--votes", "--test", "test.csv", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["test"]["n"] == 60
    same = stocmv("certify", "answers.csv", "--target", "truth", "--votes", "--test", "answers.csv", "--force")
    assert_refused(same, "which the vote was made from")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--votes", "--voters", "stumps"), ["--voters", "answered already"]),
        (("--votes", "--categories", "onehot"), ["--categories", "answered already"]),
        (("--votes", "--cluster"), ["--cluster", "answered already"]),
        (("--abstain", "x"), ["--abstain", "--votes"]),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, words, answers, stocmv):
    assert_refused(stocmv("certify", "answers.csv", "--target", "truth", *options), *words)


def test_files_without_names_are_refused(here, stocmv):
    np.savez("answers.npz", X=np.zeros((4, 2)), y=np.arange(4))
    assert_refused(stocmv("certify", "answers.npz", "--votes"), "csv, Excel or parquet")
    assert_refused(stocmv("certify", "nothing.csv", "--target", "y", "--votes"), "no file")


def test_everything_that_a_folder_is_good_for(here, stocmv):
    """In another encoding, with folds, costs and a vote that answers only when sure: all commands."""
    X, y = panel(600)
    wide = X.replace("ugly", "häßlich").assign(truth=np.where(np.array(y) == "ugly", "häßlich", y))
    wide.head(500).to_csv("wide.csv", index=False, encoding="latin-1")
    wide.tail(100).to_csv("later.csv", index=False, encoding="latin-1")
    costs = {truth: dict.fromkeys(set(wide["truth"]) - {truth}, 2) for truth in set(wide["truth"])}
    options = ("--folds", "3", "--max-error", "0.3", "--cost", json.dumps(costs), "--encoding", "latin-1")
    said = stocmv("certify", "wide.csv", "--target", "truth", "--votes", *options, "--json")
    assert said.code == 0, said.err
    content = json.loads(said.out)
    assert content["selective"]["bound"] == 0.3
    assert content["figures"]["cost"]["bound"] <= 2
    checked = stocmv("verify", "wide-certified", "--data", "wide.csv")
    assert checked.code == 0, checked.out
    found = stocmv("predict", "wide-certified", "later.csv", "--proba", "--keep", "truth")
    assert found.code == 0, found.err
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert {row["truth"] for row in rows} == {"bad", "good", "häßlich"}
    assert {row["decision"] for row in rows} <= {"bad", "good", "häßlich", "refer"}
    watched = stocmv("monitor", "wide-certified", "later.csv", "--json")
    assert watched.code == 0, watched.err
    assert json.loads(watched.out)["n"] == 100


def test_a_time_is_no_voter(here, stocmv):
    X, y = panel(240)
    X.assign(truth=y, day=np.arange(240)[::-1]).to_csv("dated.csv", index=False)
    said = stocmv("certify", "dated.csv", "--target", "truth", "--votes", "--time", "day", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["order"]["by"] == "time"
    data = Certificate.from_json("dated-certified/certificate.json").context["data"]
    assert list(data["answers"]) == JUDGES
    assert data["time"] == "day"


def test_a_sheet_of_numbers_with_gaps(here, stocmv):
    """A gap makes a column of whole numbers one of floats; the labels are the same all the same."""
    pytest.importorskip("openpyxl")
    X, y = panel(240)
    codes = {"bad": 0, "good": 1, "ugly": 2}
    sheet = X.map(codes.get, na_action="ignore").assign(truth=[codes[label] for label in y])
    sheet.to_excel("sheet.xlsx", index=False)
    said = stocmv("certify", "sheet.xlsx", "--target", "truth", "--votes")
    assert said.code == 0, said.err
    assert Certificate.from_json("sheet-certified/certificate.json").context["classes"] == ["0", "1", "2"]
    watched = stocmv("monitor", "sheet-certified", "sheet.xlsx", "--format", "excel")
    assert watched.code == 0, watched.err
