"""``stocmv monitor``: does the certificate still hold on new cases?"""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from cli.examples import FLOWERS, write_flowers
from cli.terminal import assert_refused
from stocmv import Certificate, Monitor
from stocmv.cli._main import run
from stocmv.persistence import load


@pytest.fixture
def labelled(here):
    """Some flowers with their kinds, as a file."""
    path = here / "labelled.csv"
    FLOWERS[:60].to_csv(path, index=False)
    return path


@pytest.fixture
def mistaken(here):
    """Flowers that are all called by the name of another."""
    path = here / "mistaken.csv"
    names = FLOWERS["kind"].map({"setosa": "versicolor", "versicolor": "virginica", "virginica": "setosa"})
    FLOWERS.assign(kind=names).to_csv(path, index=False)
    return path


def test_cases_as_promised_raise_no_alarm(stocmv, audit, labelled):
    answer = stocmv("monitor", audit, labelled)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("No alarm: 60 cases, ")
    content = stocmv("monitor", audit, labelled, "--json").content
    errors = np.count_nonzero(
        load(audit / "model.skops").predict(FLOWERS[:60].drop(columns="kind")) != FLOWERS.kind[:60]
    )
    bound = Certificate.from_json(audit / "certificate.json").bound
    assert content["alarm"] is False
    assert (content["n"], content["errors"], content["bound"]) == (60, errors, bound)
    assert content["statement"] == answer.out.strip()


def test_an_alarm_is_exit_code_1(stocmv, audit, mistaken):
    answer = stocmv("monitor", audit, mistaken)
    assert answer.code == 1
    assert answer.out.startswith("Alarm: ")
    answer = stocmv("monitor", audit, mistaken, "--json")
    assert answer.code == 1
    assert answer.content["alarm_at"] <= 20
    assert answer.content["p_value"] <= 0.05


def test_the_state_remembers_the_cases_of_all_files(stocmv, audit, labelled, mistaken, here):
    state = here / "state.json"
    assert stocmv("monitor", audit, labelled, "--state", state).code == 0
    before = Monitor.from_json(state)
    assert before.n == 60
    assert stocmv("monitor", audit, mistaken, "--state", state).code == 1
    after = Monitor.from_json(state)
    assert after.n == 60 + len(FLOWERS)
    assert after.alarm_at > 60


def test_a_file_is_counted_once(stocmv, audit, labelled, here):
    state = here / "state.json"
    stocmv("monitor", audit, labelled, "--state", state)
    before = state.read_bytes()
    answer = stocmv("monitor", audit, labelled, "--state", state)
    assert (answer.code, answer.err) == (0, "labelled.csv was counted before: nothing has changed.\n")
    assert state.read_bytes() == before
    assert stocmv("monitor", audit, labelled, "--state", state, "--json").content["counted_before"] is True


def test_labels_that_the_model_does_not_know_are_errors(stocmv, audit, here):
    FLOWERS[:5].assign(kind=["7", "8", "9", "10", "11"]).to_csv(here / "new.csv", index=False)
    assert stocmv("monitor", audit, here / "new.csv", "--json").content["errors"] == 5


def test_another_column_may_hold_the_labels(stocmv, audit, here):
    FLOWERS[:20].rename(columns={"kind": "truth"}).to_csv(here / "new.csv", index=False)
    assert_refused(stocmv("monitor", audit, here / "new.csv"), "'kind'")
    assert stocmv("monitor", audit, here / "new.csv", "--target", "truth").code == 0


def test_groups_are_found_by_the_column_that_the_certificate_names(stocmv, here):
    FLOWERS.assign(plant=np.arange(150) // 3).to_csv(here / "plants.csv", index=False)
    assert run(["certify", "plants.csv", "--target", "kind", "--group", "plant", "--trees", "5", "--json"]) == 0
    stocmv("datasets")  # whose answer takes what was printed above with it
    content = stocmv("monitor", "plants-certified", "plants.csv", "--json").content
    assert (content["n"], content["grouped"]) == (50, True)
    write_flowers(here / "flowers.csv")
    assert_refused(stocmv("monitor", "plants-certified", "flowers.csv"), "'plant'")


def test_another_delta(stocmv, audit, labelled, here):
    state = here / "state.json"
    assert stocmv("monitor", audit, labelled, "--state", state, "--delta", 0.01, "--json").content["delta"] == 0.01
    assert_refused(stocmv("monitor", audit, labelled, "--state", state, "--delta", 0.2), "delta = 0.01")


def test_a_state_of_another_certificate_is_refused(stocmv, audit, audit_in_folds, labelled, here):
    stocmv("monitor", audit, labelled, "--state", here / "state.json")
    assert_refused(stocmv("monitor", audit_in_folds, labelled, "--state", here / "state.json"), "another certificate")


@pytest.mark.parametrize("content", ["", "{}", '{"format": "stocmv monitor 1"}', "\x1b[2J", "[" * 100_000])
def test_a_state_that_is_none_is_refused_and_left_alone(stocmv, audit, labelled, here, content):
    state = here / "state.json"
    state.write_text(content)
    assert_refused(stocmv("monitor", audit, labelled, "--state", state), "is not the state of a monitor")
    assert state.read_text() == content


def test_what_is_read_is_not_written_over(stocmv, audit, labelled):
    before = labelled.read_bytes()
    assert_refused(stocmv("monitor", audit, labelled, "--state", labelled), "--state")
    assert_refused(stocmv("monitor", audit, labelled, "--state", audit / "certificate.json"), "--state")
    assert labelled.read_bytes() == before


def test_refusals_leave_no_state(stocmv, audit, labelled, here):
    state = here / "state.json"
    pd.read_csv(labelled).drop(columns="kind").to_csv(here / "unlabelled.csv", index=False)
    assert_refused(stocmv("monitor", audit, here / "unlabelled.csv", "--state", state), "'kind'")
    (audit / "certificate.json").unlink()
    assert_refused(stocmv("monitor", audit, labelled, "--state", state), "certificate.json")
    assert not state.exists()


def test_another_model_is_refused(stocmv, audit, audit_in_folds, labelled):
    shutil.copy(audit_in_folds / "model.skops", audit / "model.skops")
    assert_refused(stocmv("monitor", audit, labelled), "certify again")


def test_a_hostile_context_of_the_certificate_is_passed_over(stocmv, audit, labelled):
    from dataclasses import replace

    certificate = Certificate.from_json(audit / "certificate.json")
    for data in (["kind"], {"target": ["kind"], "group": 3}):
        replace(certificate, context={**certificate.context, "data": data}).to_json(audit / "certificate.json")
        assert_refused(stocmv("monitor", audit, labelled), "--target")
        assert stocmv("monitor", audit, labelled, "--target", "kind").code == 0


def test_json_of_a_refusal(stocmv, audit, here):
    answer = stocmv("monitor", audit, here / "missing.csv", "--json")
    assert answer.code == 2
    assert "missing.csv" in json.loads(answer.out)["error"]


class TestAnswersInATable:
    """A folder of certify-predictions has no model: the answers are in the new file."""

    @pytest.fixture
    def months(self, here, stocmv):
        rng = np.random.default_rng(1)
        for name, n in (("april", 400), ("may", 600), ("june", 900)):
            truth = rng.choice(["ham", "spam"], n)
            other = np.where(truth == "ham", "spam", "ham")
            old, new = (np.where(rng.random(n) < error, other, truth) for error in (0.1, 0.06))
            frame = pd.DataFrame({"truth": truth, "old": old, "new": new, "patient": np.arange(n) // 2})
            frame.to_csv(f"{name}.csv", index=False)
        assert stocmv("certify-predictions", "april.csv", "--truth", "truth", "--prediction", "old").code == 0

    def test_whether_the_bound_holds(self, months, stocmv):
        done = stocmv("monitor", "april-certified", "may.csv", "--state", "state.json")
        assert done.code == 0
        assert done.out.startswith("No alarm: 600 cases, ")

    def test_a_challenger_file_by_file(self, months, stocmv):
        command = ["monitor", "april-certified", "--challenger", "new", "--state", "state.json"]
        assert stocmv(*command, "may.csv").out.startswith("Not decided: ")
        done = stocmv(*command, "june.csv")
        assert (done.code, done.out[:46]) == (1, "The challenger errs less than the champion. Th")
        said = json.loads(stocmv(*command, "june.csv", "--json").out)
        assert said["counted_before"]
        assert said["only_champion"] + said["only_challenger"] == said["n"]

    def test_other_states_and_columns_are_refused(self, months, stocmv):
        stocmv("monitor", "april-certified", "may.csv", "--challenger", "new", "--state", "state.json")
        for options, words in [
            (["--challenger", "old", "--state", "state.json"], "for another certificate"),
            (["--state", "state.json"], "its format is not"),
            (["--challenger", "nw"], "did you mean 'new'?"),
            (["--challenger", "new", "--selective"], "--challenger and --selective are two tests"),
        ]:
            done = stocmv("monitor", "april-certified", "june.csv", *options)
            assert done.code == 2
            assert words in done.err

    def test_a_file_in_which_every_answer_is_wrong(self, months, stocmv):
        pd.DataFrame({"truth": ["ham"], "old": ["spam"]}).to_csv("one.csv", index=False)
        assert "1 cases, 1 errors, 100.00 %" in stocmv("monitor", "april-certified", "one.csv").out

    def test_a_challenger_that_answers_no_class(self, months, stocmv):
        done = stocmv("monitor", "april-certified", "may.csv", "--challenger", "patient")
        assert done.code == 2
        assert "No answer in the column 'patient', such as '0', is a label" in " ".join(done.err.split())
        pd.DataFrame({"truth": ["ham"], "old": ["ham"], "new": ["spam"]}).to_csv("one.csv", index=False)
        assert stocmv("monitor", "april-certified", "one.csv", "--challenger", "new").code == 0

    def test_groups(self, months, stocmv):
        options = ["--truth", "truth", "--prediction", "old", "--group", "patient", "--out", "grouped"]
        assert stocmv("certify-predictions", "april.csv", *options).code == 0
        assert "of 300 groups" in stocmv("monitor", "grouped", "may.csv", "--challenger", "new").out
