"""A threshold on the score of one class, targets for each class and calibration, on the command line."""

import csv
import io
import shutil
from html import unescape

import numpy as np
import pandas as pd
import pytest

from cli.forgery import put, reseal, scale
from cli.terminal import assert_refused
from stocmv import Certificate
from stocmv.cli._main import run
from stocmv.decisions import ClassSelectiveCertificate, ThresholdCertificate, ThresholdVote
from stocmv.persistence import load

OPTIONS = ("--target", "default", "--trees", "20", "--no-per-class")


@pytest.fixture(scope="module")
def credit(tmp_path_factory):
    """A table of loans, few of which default, and the folder of its audit."""
    folder, rng = tmp_path_factory.mktemp("credit"), np.random.default_rng(0)
    late, debt = rng.poisson(0.5, 1500), rng.random(1500).round(3)
    default = rng.random(1500) < 1 / (1 + np.exp(4.5 - 2 * late - 2 * debt))
    table = pd.DataFrame({"late": late, "debt": debt, "default": np.where(default, "yes", "no")})
    table.to_csv(folder / "credit.csv", index=False)
    arguments = (*OPTIONS, "--pos-label", "yes", "--min-recall", "0.5", "--calibration", "--out", str(folder / "audit"))
    assert run(["certify", str(folder / "credit.csv"), *arguments, "--json"]) == 0
    return folder


@pytest.fixture
def audit(credit, here):
    """A copy, to be spoiled."""
    return shutil.copytree(credit / "audit", here / "audit")


def test_predict_decides_by_the_threshold(credit, stocmv):
    rows = list(csv.DictReader(io.StringIO(stocmv("predict", credit / "audit", credit / "credit.csv").out)))
    certificate = ThresholdCertificate.from_json(credit / "audit" / "threshold.json")
    assert (certificate.positive, certificate.recall_bound) == ("yes", 0.5)
    vote = ThresholdVote(load(credit / "audit" / "model.skops"), certificate)
    decided = vote.predict(pd.read_csv(credit / "credit.csv").drop(columns="default")).tolist()
    assert [row["decision"] for row in rows] == decided
    assert [row["prediction"] for row in rows] != decided
    assert_refused(stocmv("predict", credit / "audit", credit / "credit.csv", "--keep", "decision"), "--keep decision")


FORGERIES = {
    "a higher recall": scale(1.01, "figures", "recall", "bound"),
    "a higher precision": scale(1.01, "figures", "precision", "bound"),
    "fewer false alarms": scale(0.99, "figures", "false_positive_rate", "bound"),
    "another threshold": put(("threshold",), 0.9),
    "another class": put(("positive",), "no"),
    "another model": put(("context", "model", "sha256"), "0" * 64),
}


def test_verify_checks_it(audit, stocmv):
    answer = stocmv("verify", audit, "--quiet")
    assert answer.code == 0
    assert answer.out.splitlines()[1].startswith("threshold.json: The certificate holds: With probability")


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_threshold_is_refused(change, audit, stocmv):
    reseal(audit / "threshold.json", change)
    answer = stocmv("verify", audit, "--quiet")
    assert answer.code == 1
    assert answer.out.splitlines()[1].startswith("threshold.json: The certificate does NOT hold.")


def test_the_threshold_of_another_model_is_refused(audit, credit, stocmv):
    reseal(audit / "threshold.json", FORGERIES["another model"])
    assert_refused(stocmv("predict", audit, credit / "credit.csv"), "is not the model that threshold.json is about")


def test_the_page_and_the_report_name_the_class(credit, stocmv, here, page):
    options = (*OPTIONS, "--pos-label", "yes", "--threshold", 0.2, "--calibration", "--out", "audit")
    printed = " ".join(stocmv("certify", credit / "credit.csv", *options).out.split())
    assert printed.count(ThresholdCertificate.from_json(here / "audit" / "threshold.json").statement()) == 1
    report = (here / "audit" / "report.html").read_text()
    for words in ("found: recall", "others answered"):
        assert words in printed
        assert words in report
    assert "right, by the score of the answer" in printed
    assert "It checks threshold.json, too." in report
    assert "<h1>Certificate of a model</h1>" in report
    assert "There is one voter, so nothing is weighted." in report


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_the_positive_class_gives_the_rates_their_names(positive, credit, stocmv, here, page):
    other = {"yes": "no", "no": "yes"}[positive]
    options = ("--target", "default", "--trees", "5", "--pos-label", positive, "--out", "audit")
    printed = " ".join(stocmv("certify", credit / "credit.csv", *options).out.split())
    certificate = Certificate.from_json(here / "audit" / "certificate.json")
    words = f"'{positive}' is the class that is looked for: the error on class '{other}' is the false-positive rate"
    assert words in printed
    assert words in " ".join(unescape((here / "audit" / "report.html").read_text()).split())
    bounds = {entry["label"]: entry["bound"] for entry in certificate.per_class}
    rates = certificate.false_negative_rate, certificate.false_positive_rate
    assert rates == (bounds[positive], bounds[other])
    assert stocmv("verify", "audit").code == 0


def test_a_positive_class_alone_is_one_of_two(stocmv, here):
    pd.DataFrame({"x": range(90), "y": ["a", "b", "c"] * 30}).to_csv("three.csv", index=False)
    refused = stocmv("certify", "three.csv", "--target", "y", "--pos-label", "a", "--trees", "5")
    assert_refused(refused, "must be one of two classes, not 'a', 'b', 'c'")


def test_a_target_for_each_class(credit, stocmv, here):
    options = (*OPTIONS, "--max-error", "yes=0.6", "--max-error", "no=0.2", "--out", "audit")
    said = stocmv("certify", credit / "credit.csv", *options, "--json").content["selective"]
    certificate = ClassSelectiveCertificate.from_json(here / "audit" / "selective.json")
    assert said["statement"] == certificate.statement()
    assert {own["label"]: own["bound"] for own in certificate.answers} == {"yes": 0.6, "no": 0.2}
    assert stocmv("verify", "audit").code == 0
    decided = stocmv("predict", "audit", credit / "credit.csv", "--json").content["decision"]
    assert "no" in decided
    assert set(decided) <= {"yes", "no", "refer"}
    assert stocmv("monitor", "audit", credit / "credit.csv", "--selective").code == 0


REFUSED = {
    "no class": (("--min-recall", 0.5), ["--pos-label, one of 'no', 'yes'"]),
    "an unknown class": (("--min-recall", 0.5, "--pos-label", "maybe"), ["'maybe' is no class", "'no', 'yes'"]),
    "out of reach": (("--min-precision", 0.999, "--pos-label", "yes"), ["--min-precision 0.999 cannot", "can."]),
    "two rules": (("--max-error", 0.1, "--threshold", 0.5, "--pos-label", "yes"), ["--max-error and --threshold"]),
    "folds": (("--threshold", 0.5, "--pos-label", "yes", "--folds", 3), ["leave out --folds"]),
    "no costs": (("--max-cost", 0.5, "--pos-label", "yes"), ["--cost"]),
    "an unknown class without a threshold": (("--pos-label", "maybe"), ["one of two classes, not 'no', 'yes'"]),
    "a class left out": (("--max-error", "yes=0.5"), ["each of the classes 'no', 'yes'"]),
    "calibrated folds": (("--calibration", "--folds", 3), ["leave out --folds"]),
}


@pytest.mark.parametrize(("options", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(options, words, credit, stocmv, here):
    assert_refused(stocmv("certify", credit / "credit.csv", *OPTIONS, *options, "--out", "audit"), *words)
    assert not (here / "audit").exists()
