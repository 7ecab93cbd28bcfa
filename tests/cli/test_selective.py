"""A vote that answers only when it is sure, on the command line."""

import csv
import io
import json

import pandas as pd
import pytest
from sklearn.datasets import load_digits

from cli.terminal import assert_refused
from stocmv.cli._main import run
from stocmv.decisions import SelectiveCertificate, SelectiveVote
from stocmv.persistence import load


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """A table, and the folder of its audit."""
    folder = tmp_path_factory.mktemp("digits")
    X, y = load_digits(return_X_y=True)
    pd.DataFrame(X).rename(columns=str).assign(digit=y).to_csv(folder / "digits.csv", index=False)
    options = ["--target", "digit", "--trees", "20", "--max-error", "0.03", "--stochastic"]
    arguments = [*options, "--out", str(folder / "audit")]
    assert run(["certify", str(folder / "digits.csv"), *arguments, "--no-per-class", "--json"]) == 0
    return folder


@pytest.fixture
def certificate(digits):
    return SelectiveCertificate.from_json(digits / "audit" / "selective.json")


def test_predict_says_where_it_answers(digits, certificate, stocmv):
    answer = stocmv("predict", digits / "audit", digits / "digits.csv")
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    model = load(digits / "audit" / "model.skops")
    X = pd.read_csv(digits / "digits.csv").drop(columns="digit")
    sure = SelectiveVote(model, certificate).answers(X)
    assert 0 < sure.sum() < len(sure)
    assert [row["decision"] for row in rows] == [
        row["prediction"] if each else "refer" for row, each in zip(rows, sure, strict=True)
    ]
    content = stocmv("predict", digits / "audit", digits / "digits.csv", "--json").content
    assert [each != "refer" for each in content["decision"]] == sure.tolist()


def test_the_stochastic_vote_has_no_such_column(digits, stocmv):
    out = stocmv("predict", digits / "audit", digits / "digits.csv", "--stochastic", "--seed", 0).out
    assert out.splitlines()[0] == "prediction"


def test_verify_checks_it(digits, stocmv):
    answer = stocmv("verify", digits / "audit" / "selective.json", digits / "audit" / "evidence.npz", "--json")
    assert answer.code == 0
    assert answer.content["holds"]
    answer = stocmv("verify", digits / "audit", "--quiet")
    assert answer.code == 0
    first, second = answer.out.splitlines()
    assert first.startswith("certificate.json: The certificate holds: With probability")
    assert second.startswith("selective.json: The certificate holds: With probability")
    assert "answers at least" in second


def test_another_model_is_refused(digits, certificate, stocmv, tmp_path):
    for name in ("model.skops", "certificate.json"):
        (tmp_path / name).write_bytes((digits / "audit" / name).read_bytes())
    changed = {**certificate.context, "model": {"sha256": "0" * 64}}
    SelectiveCertificate(**{**vars(certificate), "context": changed}).to_json(tmp_path / "selective.json")
    assert_refused(stocmv("predict", tmp_path, digits / "digits.csv"), "is not the model that selective.json is about")


def test_monitor_counts_the_answers_only(digits, certificate, stocmv, here):
    model = load(digits / "audit" / "model.skops")
    frame = pd.read_csv(digits / "digits.csv")
    sure = SelectiveVote(model, certificate).answers(frame.drop(columns="digit"))
    wrong = model.predict(frame.drop(columns="digit")) != frame["digit"]
    arguments = ("monitor", digits / "audit", digits / "digits.csv", "--selective", "--state", here / "state.json")
    content = stocmv(*arguments, "--json").content
    assert (content["n"], content["unanswered"], content["bound"]) == (sure.sum(), (~sure).sum(), 0.03)
    assert content["errors"] == (wrong & sure).sum() < wrong.sum()
    of_predict = stocmv("monitor", digits / "audit", digits / "digits.csv", "--state", here / "state.json")
    assert_refused(of_predict, "another certificate")


def test_monitor_needs_a_selective_vote(audit, flowers, stocmv):
    assert_refused(stocmv("monitor", audit, flowers, "--selective"), "selective.json", "--max-error")


def test_a_target_that_cannot_be_met_costs_nothing_else(digits, stocmv, here):
    options = ("--target", "digit", "--trees", 5, "--no-per-class", "--out", "audit")
    answer = stocmv("certify", digits / "digits.csv", *options, "--max-error", 0.0001, "--json")
    assert answer.code == 0
    assert "max_error=0.0001 cannot be certified" in json.loads(answer.out)["selective"]["not_certified"]
    assert {path.name for path in (here / "audit").iterdir()} == {
        "certificate.json",
        "model.skops",
        "report.html",
        "evidence.npz",
    }


def test_the_page_names_the_options_and_not_the_arguments_in_python(digits, stocmv, here):
    options = ("--target", "digit", "--trees", 5, "--no-per-class", "--out", "audit", "--max-error", 0.0001)
    page = " ".join(stocmv("certify", digits / "digits.csv", *options).out.split())
    assert "--max-error 0.0001 cannot be certified" in page
    assert "or use --min-coverage, which" in page
    assert "max_error" not in page
    assert "min_coverage" not in page


def test_the_page_and_the_report_say_what_is_certified(digits, stocmv, here, page):
    options = ("--target", "digit", "--trees", 10, "--no-per-class", "--out", "audit")
    answer = stocmv("certify", digits / "digits.csv", *options, "--min-coverage", 0.5)
    statement = SelectiveCertificate.from_json(here / "audit" / "selective.json").statement()
    printed = " ".join(answer.out.split())
    assert printed.count(statement) == 1
    assert (
        "It also assumes: The target, the candidate thresholds and delta were fixed before looking at these examples."
        in printed
    )
    report = (here / "audit" / "report.html").read_text()
    assert "Answering only when sure" in report
    assert "It checks selective.json, too." in report


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-error", 0.1, "--min-coverage", 0.5), "give one of them"),
        (("--max-error", 0.1, "--bound", "seeger"), "--bound auto"),
    ],
)
def test_options_that_do_not_go_together(options, message, digits, stocmv):
    assert_refused(stocmv("certify", digits / "digits.csv", "--target", "digit", *options), message)
