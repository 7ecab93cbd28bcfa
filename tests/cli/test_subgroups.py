"""certify --subgroup."""

from pathlib import Path

import pytest

from cli.examples import mixed
from cli.terminal import assert_refused
from stocmv import Certificate

QUICK = ("--target", "answer", "--trees", 3, "--out", "audit")


@pytest.fixture
def table(here):
    frame = mixed(300).assign(site=["north", "south", ""] * 100)
    frame.to_csv("sales.csv", index=False)
    return frame


def test_subgroups_of_a_column_that_may_be_a_feature(table, stocmv, page):
    answer = stocmv("certify", "sales.csv", *QUICK, "--json", "--subgroup", "site", "--subgroup", "colour")
    assert (answer.code, answer.err) == (0, "")
    names = [(own["attribute"], own["value"]) for own in answer.content["figures"]["subgroups"]["entries"]]
    colours = [("colour", value) for value in ("(missing)", "blue", "green", "red")]
    assert names == [("site", value) for value in ("(missing)", "north", "south")] + colours
    certificate = Certificate.from_json("audit/certificate.json")
    assert certificate.context["data"]["subgroups"] == ["site", "colour"]
    assert certificate.context["n_features"] == 5
    shown = Path("audit/report.html").read_text()
    assert "site = north" in shown
    assert "argest difference between subgroups" in shown
    checked = stocmv("verify", "audit", "--data", "sales.csv")
    assert checked.code == 0, checked


def test_a_dropped_column_still_makes_subgroups(table, stocmv):
    answer = stocmv("certify", "sales.csv", *QUICK, "--json", "--subgroup", "site", "--drop", "site")
    assert answer.code == 0
    assert len(answer.content["figures"]["subgroups"]["entries"]) == 3
    assert Certificate.from_json("audit/certificate.json").context["n_features"] == 4


def test_a_column_of_subgroups_is_no_voter(table, stocmv, here):
    answers = table[["answer"]].assign(ann=table["answer"], bob="yes", site=table["site"])
    answers.to_csv("answers.csv", index=False)
    found = stocmv(
        "certify", "answers.csv", "--votes", "--target", "answer", "--subgroup", "site", "--out", "audit", "--json"
    )
    assert found.code == 0, found
    assert len(found.content["figures"]["subgroups"]["entries"]) == 3
    assert Certificate.from_json("audit/certificate.json").context["n_features"] == 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--folds", 3], "--subgroup needs a hold-out"),
        (["--cluster", "here"], "--subgroup does not work with --cluster"),
        (["--bound", "seeger"], "subgroups need a vote that is only tested"),
    ],
)
def test_are_refused_with_the_reason(table, stocmv, options, reason):
    assert_refused(stocmv("certify", "sales.csv", *QUICK, "--subgroup", "site", *options), reason)


def test_need_columns_with_names(table, stocmv):
    assert_refused(stocmv("certify", "sales.csv", *QUICK, "--subgroup", "side"), "no column 'side'", "'site'")
    assert_refused(stocmv("certify", "iris", "--subgroup", "site"), "has no named columns")
