"""``stocmv compare`` and ``stocmv plan``: what Python says, from a file and in the terminal."""

import json

import numpy as np
import pandas as pd
import pytest

from stocmv import compare_predictions, plan, plan_comparison


@pytest.fixture
def answers(here):
    truth = np.repeat(["no", "yes"], 1000)
    first, second = truth.copy(), truth.copy()
    first[:120], second[60:120] = "yes", "yes"
    frame = pd.DataFrame({"y": truth, "a": first, "b": second, "patient": np.arange(2000) // 2})
    frame.to_csv("answers.csv", index=False)
    return frame


def command(*options):
    return ["compare", "answers.csv", "--truth", "y", "--first", "a", "--second", "b", *options]


def test_it_says_which_model_errs_less(answers, stocmv):
    done = stocmv(*command())
    assert done.code == 0
    assert "'b' errs on at least 1.78 percentage points fewer examples than 'a'" in done.out
    assert "McNemar's exact test" in done.out


def test_json_is_what_python_says_and_is_written(answers, stocmv, here):
    done = stocmv(*command("--delta", "0.1", "--json", "--out", "found.json"))
    said = json.loads(done.out)
    assert said.pop("source")["file"] == "answers.csv"
    made = compare_predictions(answers["y"], answers["a"], answers["b"], delta=0.1, names=("'a'", "'b'")).to_dict()
    assert said == {**made, "names": list(made["names"])}
    assert json.loads((here / "found.json").read_text()) == json.loads(done.out)


def test_groups(answers, stocmv):
    said = json.loads(stocmv(*command("--group", "patient", "--json")).out)
    assert (said["n"], said["grouped"], said["p_value"]) == (1000, True, None)


def test_missing_answers_are_errors(answers, stocmv):
    answers.loc[1990:, "b"] = ""
    answers.to_csv("answers.csv", index=False)
    assert "10 rows without an answer in the column 'b' count as its errors." in stocmv(*command()).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--first", "c"], "c"),
        (["--first", "b"], "--first and --second are the same column"),
        (["--out", "answers.csv"], "--out would overwrite the answers"),
        (["--first", "patient"], "No answer in the column 'patient'"),
    ],
)
def test_what_cannot_be_compared(answers, stocmv, options, words):
    done = stocmv(*command(*options))
    assert done.code == 2
    assert words in done.err


def test_plans(stocmv):
    done = stocmv("plan", "--error", 0.05, "--bound", 0.07, "--chance", 0.9)
    assert done.out.strip() == plan(error=0.05, bound=0.07, chance=0.9).statement()
    said = json.loads(stocmv("plan", "--error", 0.05, "--bound", 0.2, "--prevalence", 0.1, "--json").out)
    assert said == plan(error=0.05, bound=0.2, prevalence=0.1).to_dict()
    both = stocmv("plan", "--difference", 0.1, "--discordant", 0.3).out.strip()
    assert both == plan_comparison(difference=0.1, discordant=0.3).statement()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Give --error and --bound"),
        (["--error", 0.1, "--bound", 0.2, "--difference", 0.1], "Give --error and --bound"),
        (["--difference", 0.1, "--discordant", 0.2, "--prevalence", 0.1], "Give --error and --bound"),
        (["--error", 0.1, "--bound", 0.05], "bound must be larger than error"),
    ],
)
def test_plans_that_make_no_sense(stocmv, options, words):
    done = stocmv("plan", *options)
    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_plan_is_drawn(stocmv, here, kind):
    done = stocmv("plan", "--error", "0.1", "--bound", "0.2", "--out", f"plan.{kind}")
    assert done.code == 0
    assert (here / f"plan.{kind}").read_bytes()[:5] in (b"<?xml", b"\x89PNG\r")


def test_a_plan_is_no_other_file(stocmv, here):
    done = stocmv("plan", "--error", "0.1", "--bound", "0.2", "--out", "plan.gif")
    assert (done.code, "must end in .svg, .png, .pdf" in done.err) == (2, True)
    assert not list(here.iterdir())
