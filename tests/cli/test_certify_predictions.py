"""``stocmv certify-predictions``: from a file of answers to a folder that verify accepts."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from stocmv import MajorityVoteClassifier, certify_predictions


@pytest.fixture
def answers(here):
    rng = np.random.default_rng(0)
    truth = rng.choice(["no", "yes"], 400, p=[0.8, 0.2])
    answer = np.where(rng.random(400) < 0.1, "no", truth)
    score = np.where(answer == "yes", 0.8, 0.1) + rng.uniform(0, 0.1, 400)
    region = rng.choice(["north", "south"], 400)
    frame = pd.DataFrame(
        {"truth": truth, "answer": answer, "score": score, "region": region, "id": np.arange(400) // 4}
    )
    frame.to_csv("answers.csv", index=False)
    return frame


def command(*options):
    return ["certify-predictions", "answers.csv", "--truth", "truth", "--prediction", "answer", *options]


def test_what_python_certifies(answers, stocmv):
    options = ["--subgroup", "region", "--score", "score", "--pos-label", "yes", "--calibration", "--json"]
    done = stocmv(*command(*options))
    assert done.code == 0
    said = json.loads(done.out)
    made = certify_predictions(
        answers["truth"],
        answers["answer"],
        scores=answers["score"],
        subgroups=answers[["region"]],
        calibration=True,
    )
    assert said["figures"] == json.loads(json.dumps(made.figures))
    assert said["files"] == ["certificate.json", "evidence.npz", "report.html"]
    assert stocmv("verify", "answers-certified").code == 0


def test_the_positive_class_gives_the_rates_their_names(answers, stocmv):
    printed = " ".join(stocmv(*command("--score", "score", "--pos-label", "no")).out.split())
    assert "'no' is the class that is looked for: the error on class 'yes' is the false-positive rate" in printed


def test_the_page_and_the_terminal(answers, stocmv, here):
    done = stocmv(*command("--group", "id"))
    assert "the model errs on at most" in done.out
    page = (here / "answers-certified" / "report.html").read_text()
    assert "the model errs on at most" in page
    assert "This is about the model that gave these answers" in page
    assert "bound, predict" not in page
    assert "those that judged the model" in page
    assert "voters were" not in page
    assert "not listed below" not in page


SCORED = ("--score", "score", "--pos-label", "yes")


@pytest.mark.parametrize(
    ("options", "name", "words"),
    [
        (["--max-error", "0.05"], "selective", "Answering only when sure"),
        (["--max-error", "no=0.2", "--max-error", "yes=0.1"], "selective", "Answering only when sure"),
        (["--min-coverage", "0.5"], "selective", "Answering only when sure"),
        (["--min-recall", "0.3"], "threshold", "With a threshold"),
        (["--threshold", "0.5"], "threshold", "With a threshold"),
        (["--max-cost", "2", "--cost", '{"no": {"yes": 1}, "yes": {"no": 5}}'], "threshold", "With a threshold"),
    ],
)
def test_decisions(answers, stocmv, here, options, name, words):
    done = stocmv(*command(*SCORED, *options))
    assert done.code == 0, done.err
    assert words in done.out
    assert words in (here / "answers-certified" / "report.html").read_text()
    said = json.loads(stocmv(*command(*SCORED, *options, "--force", "--json")).out)
    assert said["files"] == sorted(["certificate.json", "evidence.npz", f"{name}.json", "report.html"])
    words_of_file = json.loads((here / "answers-certified" / f"{name}.json").read_text())
    assert said[name]["statement"] in str(words_of_file)
    checked = stocmv("verify", "answers-certified", "--json")
    assert checked.code == 0
    assert [each["file"] for each in json.loads(checked.out)["certificates"]] == ["certificate.json", f"{name}.json"]


def test_a_decision_out_of_reach(answers, stocmv, here):
    done = stocmv(*command(*SCORED, "--max-error", "0.0001"))
    assert done.code == 0
    assert "No selective vote: --max-error 0.0001 cannot be certified" in done.out
    assert "Requested, but not certified" in (here / "answers-certified" / "report.html").read_text()
    assert stocmv(*command(*SCORED, "--min-recall", "0.999", "--force")).code == 2


def test_from_both_sides(answers, stocmv):
    said = json.loads(stocmv(*command("--sides", "2", "--json")).out)
    made = certify_predictions(answers["truth"], answers["answer"], sides=2)
    assert said["figures"]["interval"] == made.interval


def test_other_shares_of_the_classes(answers, stocmv):
    shares = ["--prevalence", "yes=0.02", "--prevalence", "no=0.98"]
    said = json.loads(stocmv(*command(*shares, "--json")).out)
    made = certify_predictions(answers["truth"], answers["answer"], prevalence={"yes": 0.02, "no": 0.98})
    assert said["figures"]["prevalence"] == made.prevalence
    assert stocmv("verify", "answers-certified").code == 0
    assert "no 98 %, yes 2 %" in stocmv(*command(*shares, "--force")).out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--prevalence", "yes"), "is not of the form yes=0.02"),
        (("--prevalence", "yes=2"), "2.0 is not in the range"),
        (("--prevalence", "yes=0.5"), "must sum to 1"),
        (("--prevalence", "yes=0.5", "--prevalence", "yes=0.5"), "names a class twice"),
        (("--prevalence", "ja=1"), "names the class 'ja'"),
        (("--prevalence", "yes=1", "--prediction", "region"), "--prevalence and --sides are about one model"),
    ],
)
def test_shares_that_are_none(answers, stocmv, options, sentence):
    done = stocmv(*command(*options))
    assert done.code == 2
    assert sentence in " ".join(done.err.split())


def test_an_answer_to_compare_with(answers, stocmv):
    said = json.loads(stocmv(*command("--baseline", "yes", "--json")).out)
    made = certify_predictions(answers["truth"], answers["answer"], baseline="yes")
    assert said["figures"]["baseline"] == made.baseline
    assert stocmv("verify", "answers-certified").code == 0
    done = stocmv(*command("--baseline", "ja", "--force"))
    assert done.code == 2
    assert "baseline must be one of the classes ['no', 'yes'], got 'ja'" in " ".join(done.err.split())


def test_a_missing_answer_is_an_error(answers, stocmv):
    answers.loc[:9, "answer"] = ""
    answers.to_csv("answers.csv", index=False)
    done = stocmv(*command())
    assert "10 rows without an answer count as errors." in done.out
    answers.loc[1:, "answer"] = answers["truth"]
    answers.to_csv("answers.csv", index=False)
    assert "1 row without an answer counts as an error." in stocmv(*command("--force")).out
    done = stocmv(*command(*SCORED, "--force"))
    assert (done.code, "Row 1 has no answer: with --score give each row one" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--prediction", "region"], "is a label in the column 'truth'"),
        (["--score", "score"], "--score and --pos-label go together"),
        (["--score", "score", "--pos-label", "maybe"], "--score needs two classes, one of them --pos-label"),
        (["--score", "region", "--pos-label", "yes"], "must hold numbers between 0 and 1"),
        (["--subgroup", "reg"], "There is no column 'reg'"),
        (["--group", "truth"], "The column 'truth' is --truth: it cannot have another role."),
        (["--max-error", "0.1"], "--max-error is about the model's scores: name their column with --score."),
        ([*SCORED, "--min-recall", "0.5", "--max-error", "0.1"], "are different rules for what to answer"),
        ([*SCORED, "--max-cost", "1"], "--max-cost needs the cost of each answer"),
        ([*SCORED, "--max-error", "maybe=0.1"], "--max-error must name each of the classes 'no', 'yes' once"),
        ([*SCORED, "--min-recall", "0.5", "--group", "id"], "Thresholds are not certified for groups"),
    ],
)
def test_bad_input(options, sentence, answers, stocmv):
    done = stocmv(*command(*options))
    assert done.code == 2
    assert sentence in done.err


def test_rows_without_a_group_are_refused(answers, stocmv):
    answers["other"] = answers["answer"]
    answers.to_csv("answers.csv", index=False)
    stocmv(*command("--group", "id"))
    answers.assign(id=[None, *answers["id"][1:]]).to_csv("answers.csv", index=False)
    compared = ["compare", "answers.csv", "--truth", "truth", "--first", "answer", "--second", "other", "--group", "id"]
    for words in (command("--group", "id", "--force"), compared, ("monitor", "answers-certified", "answers.csv")):
        done = stocmv(*words)
        assert done.code == 2
        assert "Row 1 has no group in the column 'id'" in done.err


def test_the_truth_is_no_answer(answers, stocmv):
    alone = ["certify-predictions", "answers.csv", "--truth", "truth", "--prediction", "truth"]
    for words in (alone, ["compare", "answers.csv", "--truth", "truth", "--first", "truth", "--second", "answer"]):
        done = stocmv(*words)
        assert done.code == 2
        assert "The column 'truth' is --truth: it cannot have another role." in done.err


def test_the_monitor_of_selective_answers_needs_a_model(answers, stocmv):
    stocmv(*command(*SCORED, "--max-error", "0.05"))
    done = stocmv("monitor", "answers-certified", "answers.csv", "--selective")
    assert done.code == 2
    assert "SelectiveCertificate.from_json(...).monitor()" in done.err


def test_a_label_that_stands_for_empty_answers_is_refused(answers, stocmv):
    """Otherwise an empty answer to such a row would count as right."""
    answers.assign(truth="(no answer)", answer="").to_csv("answers.csv", index=False)
    compared = ["compare", "answers.csv", "--truth", "truth", "--first", "answer", "--second", "region"]
    for words in (command(), compared):
        done = stocmv(*words)
        assert done.code == 2
        assert "has the label '(no answer)', which stands for empty answers: rename it." in done.err


class TestPanel:
    """Several columns of answers: each voter alone, and their votes."""

    @pytest.fixture
    def panel(self, here):
        rng = np.random.default_rng(0)
        truth = rng.choice(["no", "yes"], 300)
        other = np.where(truth == "no", "yes", "no")
        said = {name: np.where(rng.random(300) < error, other, truth) for name, error in (("a", 0.1), ("b", 0.3))}
        frame = pd.DataFrame({"truth": truth, **said, "c": said["b"], "note": "x", "id": np.arange(300) // 2})
        frame.loc[rng.random(300) < 0.4, "a"] = ""
        frame.to_csv("answers.csv", index=False)
        return frame

    def command(self, *options):
        columns = [word for name in "abc" for word in ("--prediction", name)]
        return ["certify-predictions", "answers.csv", "--truth", "truth", *columns, *options]

    def test_what_python_certifies(self, panel, stocmv):
        said = json.loads(stocmv(*self.command("--json")).out)
        clf = MajorityVoteClassifier("answers", panel=True, holdout=0.5, per_class=True, random_state=0)
        clf.fit(panel[list("abc")].replace("", None), panel["truth"])
        assert said["figures"] == json.loads(json.dumps(clf.certificate_.figures))
        assert said["files"] == ["certificate.json", "evidence.npz", "model.skops", "report.html"]
        assert [own["name"] for own in said["figures"]["panel"]["voters"]] == ["a", "b", "c"]
        assert stocmv("verify", "answers-certified").code == 0
        assert stocmv("predict", "answers-certified", "answers.csv").out.splitlines()[0] == "prediction"

    @pytest.mark.parametrize("options", [("--folds", "2", "--group", "id"), ("--holdout", "0.7", "--no-per-class")])
    def test_other_protocols(self, panel, stocmv, options):
        assert stocmv(*self.command(*options)).code == 0
        assert stocmv("verify", "answers-certified", "--quiet").out.startswith("The certificate holds: ")

    def test_the_terminal_and_the_page(self, panel, stocmv, here, page):
        done = stocmv(*self.command())
        assert "vote with equal weights" in done.out
        assert re.search(r"agreement \(measured\) +b +c\n", done.out)
        assert "c, which agree on 100.00 %" in done.out
        text = (here / "answers-certified" / "report.html").read_text()
        assert '<section id="panel"' in text
        assert 'data-field="figures.panel.worth"' in text

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--prediction", "a"), "--prediction must name different columns"),
            (("--prediction", "truth"), "--prediction must name different columns"),
            (("--prediction", "d"), "There is no column 'd' in answers.csv"),
            (("--prediction", "note"), "No answer in the column 'note', such as 'x', is a label"),
            (
                ("--subgroup", "note"),
                "--score, --calibration, --subgroup, --baseline, --prevalence and --sides are about one model",
            ),
            (("--calibration",), "--baseline, --prevalence and --sides are about one model"),
            (("--max-error", "0.1"), "--max-error is about the scores of one model: give one --prediction"),
            (("--folds", "2", "--holdout", "0.5"), "two ways to choose who judges"),
        ],
    )
    def test_what_is_refused(self, panel, stocmv, options, words):
        done = stocmv(*self.command(*options))
        assert done.code == 2
        assert words in done.err

    def test_options_of_panels_are_for_panels(self, panel, stocmv):
        done = stocmv("certify-predictions", "answers.csv", "--truth", "truth", "--prediction", "b", "--folds", "2")
        assert (done.code, "--folds is for a panel" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--min-recall", "0.8", "--pos-label", "yes"), "name the column with the scores with --score"),
        (("--pos-label", "yes"), "name the column with the scores with --score"),
        (("--score", "id", "--pos-label", "yes"), "'id' must hold numbers between 0 and 1: row 9 has '2'"),
    ],
)
def test_scores_that_are_none(answers, stocmv, options, sentence):
    done = stocmv(*command(*options))
    assert done.code == 2
    assert sentence in " ".join(done.err.split())


@pytest.mark.parametrize("target", [("--min-recall", "0.6"), ("--max-error", "0.2")])
def test_a_decision_is_about_the_model_and_not_about_voters(answers, stocmv, target):
    said = stocmv(*command(*SCORED, *target)).out
    assert "the model answers at least" in said or "the model that answers 'yes'" in said
    assert "with the certificate of the model" in said
    assert "voters" not in said
    verdict = stocmv("verify", "answers-certified", "--quiet").out
    assert "the vote" not in verdict
    assert "the model answers at least" in verdict or "the model that answers 'yes'" in verdict
