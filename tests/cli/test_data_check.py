"""``stocmv verify DIR --data FILE``: the model is asked about its judging rows again."""

from dataclasses import replace
from unittest.mock import ANY

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from cli.examples import FLOWERS, mixed
from cli.terminal import assert_found, assert_refused
from stocmv import Certificate
from stocmv.certificate import Judgments, certify_judgments
from stocmv.checks import hash_rows
from stocmv.cli._data_check import DataComparison, compare_with_data
from stocmv.decisions import SelectiveVote, certify_selective
from stocmv.persistence import load
from stocmv.protocols import ROW_KEY

FEATURES = FLOWERS.drop(columns="kind")


def compared(answer):
    """How many judging rows there are, how many were found, how many of them with the same truth, and answer."""
    (certificate,) = answer.content["certificates"]
    found, labelled, same = checks = [
        check for check in certificate["checks"] if "judging rows" in check["what"] and "group and" not in check["what"]
    ]
    for check, which in zip(
        checks, ("found in", "with the same truth", "the same truth, answer and scores"), strict=True
    ):
        assert which in check["what"]
        assert check["claimed"] == found["claimed"]
        assert check["what"].startswith("judging rows, and those ") == (not check["holds"])
    return tuple(int(number) for number in (found["claimed"], found["found"], labelled["found"], same["found"]))


@pytest.mark.parametrize(("name", "n"), [("audit", 50), ("audit_in_folds", 150)])
def test_the_data_that_were_certified(name, n, request, stocmv, flowers, here):
    folder = request.getfixturevalue(name)
    answer = stocmv("verify", folder, "--data", flowers)
    assert (answer.code, answer.err) == (0, "")
    assert f"ok  judging rows found in flowers.csv: {n}\n" in answer.out
    FLOWERS.sample(frac=1, random_state=1).assign(more="x").to_csv("shuffled.csv", index=False)
    assert compared(stocmv("verify", folder, "--data", "shuffled.csv", "--json")) == (n, n, n, n)


def write_libsvm(frame, path):
    codes = pd.factorize(frame["kind"], sort=True)[0]
    dump_svmlight_file(frame.drop(columns="kind"), codes, str(path), zero_based=False)


def write_npz(frame, path):
    codes = pd.factorize(frame["kind"], sort=True)[0]
    np.savez(path, X=frame.drop(columns="kind").to_numpy(), y=codes, target_names=sorted(set(frame["kind"])))


KIND = ("--target", "kind")
FORMATS = {
    "data.csv": (lambda path: FLOWERS.to_csv(path, index=False), KIND),
    "data.parquet": (lambda path: FLOWERS.to_parquet(path), KIND),
    "data.libsvm": (lambda path: write_libsvm(FLOWERS, path), ()),
    "data.npz": (lambda path: write_npz(FLOWERS, path), ()),
    "unsigned.npz": (lambda path: np.savez(path, X=FEATURES, y=np.arange(150, dtype=np.uint8) % 3), ()),
    "words.csv": (lambda path: mixed().to_csv(path, index=False), ("--target", "answer")),
    "words.parquet": (lambda path: mixed().to_parquet(path), ("--target", "answer", "--categories", "onehot")),
    "groups.csv": (
        lambda path: FLOWERS.assign(plant=np.arange(150) // 3).to_csv(path, index=False),
        (*KIND, "--group", "plant", "--folds", 2),
    ),
    "latin.csv": (
        lambda path: mixed().replace("red", "größer").to_csv(path, index=False, encoding="latin-1"),
        ("--target", "answer", "--encoding", "latin-1"),
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_hashes(name, stocmv, here):
    write, options = FORMATS[name]
    write(here / name)
    assert stocmv("certify", name, *options, "--trees", 4, "--out", "new").code == 0
    n = len(Judgments.load(here / "new" / "evidence.npz"))
    assert compared(stocmv("verify", "new", "--data", name, "--json")) == (n, n, n, n)


def test_a_table_of_answers(stocmv, here):
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], 200)
    judges = {name: np.where(rng.random(200) < 0.8, truth, "a") for name in ("ann", "bob", "eve")}
    frame = pd.DataFrame(judges).where(rng.random((200, 3)) < 0.6).assign(truth=truth)
    frame.to_csv("answers.csv", index=False)
    assert stocmv("certify", "answers.csv", "--target", "truth", "--votes", "--out", "new").code == 0
    assert Judgments.load("new/evidence.npz").silent is not None  # nobody answers some rows, and many are alike
    assert stocmv("verify", "new", "--data", "answers.csv").code == 0


def test_a_named_data_set(stocmv, here):
    assert stocmv("certify", "iris", "--trees", 3, "--out", "new").code == 0
    assert compared(stocmv("verify", "new", "--data", "iris", "--json")) == (50, 50, 50, 50)
    assert_refused(stocmv("verify", "new", "--data", "irs"), "no file or data set named 'irs'")


@pytest.fixture
def judging(audit):
    """Places of the judging rows among the flowers, each row once."""
    rows = hash_rows(FEATURES.to_numpy(), ROW_KEY)
    judging = np.flatnonzero(np.isin(rows, Judgments.load(audit / "evidence.npz").row))
    assert len(np.unique(rows[judging])) > 40
    return judging[~pd.Series(rows[judging]).duplicated(keep=False)]


def test_a_judging_row_that_is_missing(audit, judging, stocmv, here):
    FLOWERS.drop(index=judging[3]).to_csv("data.csv", index=False)
    answer = stocmv("verify", audit, "--data", "data.csv")
    assert_found(answer, "judging rows, and those found in data.csv: 50 (49)")
    assert compared(stocmv("verify", audit, "--data", "data.csv", "--json")) == (50, 49, 49, 49)
    quiet = stocmv("verify", audit, "--data", "data.csv", "--quiet")
    assert (quiet.code, quiet.out) == (1, "The certificate does NOT hold. Whatever it says has not been shown.\n")


@pytest.mark.parametrize("label", ["virginica", "tulip"])
def test_a_judging_row_with_another_truth(label, audit, judging, stocmv, here):
    place = next(k for k in judging if FLOWERS["kind"][k] == "setosa")
    FLOWERS.assign(kind=FLOWERS["kind"].where(FLOWERS.index != place, label)).to_csv("data.csv", index=False)
    assert compared(stocmv("verify", audit, "--data", "data.csv", "--json")) == (50, 50, 49, 49)


def test_data_with_other_labels(audit, stocmv, here):
    FLOWERS.assign(kind=FLOWERS["kind"].str.upper()).to_csv("data.csv", index=False)
    assert compared(stocmv("verify", audit, "--data", "data.csv", "--json")) == (50, 50, 0, 0)


def test_a_decision_is_compared_with_the_data_too(stocmv, flowers, here):
    """Its certificate has the same evidence: it does not hold either if the model answers otherwise."""
    given = ("--target", "kind", "--trees", 9, "--max-error", 0.3, "--out", "new")
    assert stocmv("certify", flowers, *given).code == 0
    (FEATURES + 0.01).assign(kind=FLOWERS["kind"]).to_csv("other.csv", index=False)
    for data, holds in ((flowers, True), ("other.csv", False)):
        answer = stocmv("verify", "new", "--data", data, "--json")
        found = {one["file"]: one["holds"] for one in answer.content["certificates"]}
        assert found == {"certificate.json": holds, "selective.json": holds}


def test_what_is_known_once_model_and_data_agree(audit, stocmv, flowers, here):
    (FEATURES + 0.01).assign(kind=FLOWERS["kind"]).to_csv("other.csv", index=False)
    alone, agreed, differing = (
        stocmv("verify", audit, *given, "--json").content["not_knowable"]
        for given in ((), ("--data", flowers), ("--data", "other.csv"))
    )
    real = "whether the evidence is real: invented answers or votes give a certificate that holds"
    assert alone == differing
    assert real in alone
    assert real not in agreed
    assert "whether the data are real" in agreed
    assert set(agreed) - set(alone) == {"whether the data are real"}


def test_other_data(audit, stocmv, here):
    (FEATURES + 0.01).assign(kind=FLOWERS["kind"]).to_csv("data.csv", index=False)
    answer = stocmv("verify", audit, "--data", "data.csv", "--json")
    assert (answer.code, compared(answer)) == (1, (50, 0, 0, 0))
    FEATURES.to_csv("unlabelled.csv", index=False)
    assert_refused(stocmv("verify", audit, "--data", "unlabelled.csv"), "'kind'")


def forge(folder, change):
    """Invent judgments, with a certificate that holds for them."""
    judgments = change(Judgments.load(folder / "evidence.npz"))
    own = Certificate.from_json(folder / "certificate.json")
    protocol = {**own.protocol, "judging": len(judgments)}
    forged = certify_judgments(judgments, own.delta, per_class=True, protocol=protocol, context=own.context)
    forged.to_json(folder / "certificate.json")
    judgments.save(folder / "evidence.npz")
    return judgments


def without_errors(judgments):
    scores = np.eye(len(judgments.classes))[judgments.truth]
    return replace(judgments, answer=judgments.truth.copy(), scores=scores)


def with_another_score(judgments):
    scores = judgments.scores.copy()
    scores[7] = 0.8 * scores[7] + 0.2 * scores[8]
    return replace(judgments, scores=scores)


def with_a_row_twice(judgments):
    return judgments.among(np.r_[0, 0, 1 : len(judgments)])


@pytest.mark.parametrize("change", [without_errors, with_another_score, with_a_row_twice])
def test_invented_judgments_hold_but_not_beside_the_data(change, audit, stocmv, flowers):
    n = len(forge(audit, change))
    assert stocmv("verify", audit).code == 0
    answer = stocmv("verify", audit, "--data", flowers, "--json")
    assert answer.code == 1
    of, found, labelled, same = compared(answer)
    assert of == n
    assert same < n
    assert (found == n) == (labelled == n) == (change is not with_a_row_twice)


def forge_again(change):
    """Change the evidence in the folder "new", with a certificate that holds for it."""
    judgments, own = change(Judgments.load("new/evidence.npz")), Certificate.from_json("new/certificate.json")
    forged = certify_judgments(
        judgments,
        own.delta,
        per_class="classes" in own.figures,
        one_voter=own.has_one_voter,
        voting=own.voting,
        protocol={**own.protocol, "judging": len(judgments) if judgments.group is None else own.protocol["judging"]},
        context=own.context,
    )
    forged.to_json("new/certificate.json")
    judgments.save("new/evidence.npz")


def with_a_perfect_judge(judgments):
    votes = judgments.votes.copy()
    votes[:, 2] = judgments.truth
    return replace(judgments, votes=votes)


def with_judges_renamed(judgments):
    return replace(judgments, voters=judgments.voters[::-1].copy())


@pytest.mark.parametrize("change", [with_a_perfect_judge, with_judges_renamed])
def test_the_answers_of_a_panel_are_compared(change, stocmv, here):
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], 200)
    judges = {name: np.where(rng.random(200) < 0.7, truth, "a") for name in ("ann", "bob", "eve")}
    pd.DataFrame(judges).assign(truth=truth).to_csv("answers.csv", index=False)
    columns = [part for name in judges for part in ("--prediction", name)]
    assert stocmv("certify-predictions", "answers.csv", "--truth", "truth", *columns, "--out", "new").code == 0
    assert stocmv("verify", "new", "--data", "answers.csv").code == 0
    forge_again(change)
    assert stocmv("verify", "new").code == 0
    answer = stocmv("verify", "new", "--data", "answers.csv", "--json")
    assert (answer.code, compared(answer)) == (1, (100, 100, 100, ANY))


def test_subgroups_are_compared(stocmv, here):
    FLOWERS.assign(site=np.arange(150) % 2).to_csv("data.csv", index=False)
    given = ("--target", "kind", "--trees", 3, "--subgroup", "site", "--out", "new")
    assert stocmv("certify", "data.csv", *given).code == 0
    assert stocmv("verify", "new", "--data", "data.csv").code == 0
    forge_again(lambda judgments: replace(judgments, subgroup=1 - judgments.subgroup))
    assert stocmv("verify", "new").code == 0
    assert_found(stocmv("verify", "new", "--data", "data.csv"), "with the same truth, group and subgroups: 50 (")
    FLOWERS.to_csv("without.csv", index=False)
    assert_refused(stocmv("verify", "new", "--data", "without.csv"), "'site'")


@pytest.mark.parametrize("change", [lambda group: group[::-1].copy(), lambda group: None])
def test_groups_are_compared(change, stocmv, here):
    FLOWERS.assign(plant=np.arange(150) // 3).to_csv("data.csv", index=False)
    given = ("--target", "kind", "--trees", 3, "--group", "plant", "--out", "new")
    assert stocmv("certify", "data.csv", *given).code == 0
    assert stocmv("verify", "new", "--data", "data.csv").code == 0
    assert_refused(stocmv("verify", "new", "--data", "digits"), "no column 'plant' of groups")
    forge_again(lambda judgments: replace(judgments, group=change(judgments.group)))
    assert stocmv("verify", "new").code == 0
    assert_found(stocmv("verify", "new", "--data", "data.csv"), "with the same truth, group and subgroups")


def test_a_decision_has_the_shares_of_the_vote(stocmv, flowers, here):
    given = ("--target", "kind", "--trees", 9, "--folds", 3, "--max-error", 0.3, "--out", "new")
    assert stocmv("certify", flowers, *given).code == 0
    assert stocmv("verify", "new").code == 0
    own, table = Certificate.from_json("new/certificate.json"), Judgments.load("new/evidence.npz")
    forged = certify_selective(table, replace(own, fold_shares=(0.01, 0.01, 0.98)), max_error=0.3)
    forged = replace(forged, context=own.context, further_assumptions=own.further_assumptions)
    forged.to_json("new/selective.json")
    assert forged.verify(table)
    assert_found(stocmv("verify", "new"), "fold_shares, those of certificate.json")
    with pytest.raises(ValueError, match="other shares of the folds"):
        SelectiveVote(load("new/model.skops"), forged)


def test_rows_with_the_same_features_are_interchangeable(audit_in_folds):
    """Each fold is asked about its own rows, and every truth must occur often enough."""
    model, judgments = load(audit_in_folds / "model.skops"), Judgments.load(audit_in_folds / "evidence.npz")
    X, y = pd.concat([FEATURES] * 2), np.tile(FLOWERS["kind"].to_numpy(str), 2)
    assert compare_with_data(model, judgments, X, y) == DataComparison(150, 150, 150, 150)
    twice = judgments.among(np.repeat(np.arange(150), 2))
    assert compare_with_data(model, twice, X, y) == DataComparison(300, 300, 300, 300)
    assert compare_with_data(model, twice, X[:-1], y[:-1]) == DataComparison(300, 299, 299, 299)
    y[0] = "virginica" if y[0] != "virginica" else "setosa"
    assert compare_with_data(model, twice, X, y) == DataComparison(300, 300, 299, 299)


def test_the_folds_are_not_interchangeable(audit_in_folds):
    model, judgments = load(audit_in_folds / "model.skops"), Judgments.load(audit_in_folds / "evidence.npz")
    model.voters_, model.posterior_ = model.voters_[::-1], model.posterior_[::-1]
    found = compare_with_data(model, judgments, FEATURES, FLOWERS["kind"].to_numpy(str))
    assert found.found == 150
    assert 50 <= found.same < 150  # the middle fold is still in its place, and all know some flowers


def test_another_model(audit_in_folds, audit):
    model, judgments = load(audit / "model.skops"), Judgments.load(audit_in_folds / "evidence.npz")
    y = FLOWERS["kind"].to_numpy(str)
    assert compare_with_data(model, judgments, FEATURES, y) == DataComparison(150, 150, 150, 0)


def test_evidence_that_does_not_say_which_rows_judged(paid_audit, audit, stocmv, flowers):
    assert_refused(stocmv("verify", paid_audit, "--data", flowers), "hashes of their features", "PAC-Bayes")
    forge(audit, lambda judgments: replace(judgments, row=None))
    assert_refused(stocmv("verify", audit, "--data", flowers), "hashes of their features")


def test_a_folder_without_its_model(audit, stocmv, flowers):
    (audit / "model.skops").unlink()
    assert_refused(stocmv("verify", audit, "--data", flowers), "There is no", "model.skops")
