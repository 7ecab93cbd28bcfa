"""What certify reads, writes and says."""

import bz2
import gzip
import json
import os
import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from cli.examples import FLOWERS, mixed
from cli.terminal import assert_refused
from stocmv import Certificate
from stocmv._files import sha256
from stocmv.certificate import Judgments, TestedCertificate
from stocmv.persistence import load

OURS = ["certificate.json", "evidence.npz", "model.skops", "report.html"]
FEATURES = FLOWERS.drop(columns="kind")
KINDS, CODES = np.unique(FLOWERS["kind"].astype(str).to_numpy(dtype=str), return_inverse=True)
QUICK = ("--trees", 3, "--out", "audit", "--json")


def _libsvm(path):
    with path.open("wb") as file:
        dump_svmlight_file(FEATURES, CODES, file, zero_based=False)
    return path.read_bytes()


FORMATS = {
    "flowers.csv": lambda path: FLOWERS.to_csv(path, index=False),
    "flowers.csv.gz": lambda path: FLOWERS.to_csv(path, index=False),
    "flowers.csv.bz2": lambda path: FLOWERS.to_csv(path, index=False),
    "flowers.tsv": lambda path: FLOWERS.to_csv(path, index=False, sep="\t"),
    "flowers.txt": lambda path: FLOWERS.to_csv(path, index=False, sep=";", decimal=","),
    "flowers.data": lambda path: path.write_bytes("\ufeff".encode() + FLOWERS.to_csv(index=False, sep="|").encode()),
    "flowers.parquet": lambda path: FLOWERS.to_parquet(path, index=False),
    "flowers.pq": lambda path: FLOWERS.sample(frac=1, random_state=0).sort_index().to_parquet(path),
    "flowers.libsvm": _libsvm,
    "flowers.libsvm.bz2": lambda path: path.write_bytes(bz2.compress(_libsvm(path))),
    "flowers.svm.gz": lambda path: path.write_bytes(gzip.compress(_libsvm(path))),
    "flowers.npz": lambda path: np.savez(path, X=FEATURES.to_numpy(), y=CODES, target_names=KINDS),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_certificate(name, stocmv, here, audit):
    FORMATS[name](here.parent / name)
    target = [] if ".svm" in name or ".libsvm" in name or name.endswith("npz") else ["--target", "kind"]
    answer = stocmv("certify", here.parent / name, *target, "--trees", 5, "--out", "new", "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.content["bound"] == Certificate.from_json(audit / "certificate.json").bound


COSTS = {
    kind: {other: float(1 + k) for other in KINDS.tolist() if other != kind} for k, kind in enumerate(KINDS.tolist())
}


def test_costs_as_json_or_in_a_file(stocmv, here):
    (here.parent / "costs.json").write_text(json.dumps(COSTS))
    matrix = [[COSTS[truth].get(answer, 0.0) for answer in KINDS.tolist()] for truth in KINDS.tolist()]
    found = [
        stocmv("certify", "iris", "--cost", given, "--trees", 3, "--out", f"audit-{k}", "--json").content
        for k, given in enumerate((json.dumps(matrix), here.parent / "costs.json"))
    ]
    figures = found[0]["figures"]
    assert figures["cost"] == found[1]["figures"]["cost"]
    assert figures["cost"]["matrix"] == matrix
    assert figures["cost"]["measured"] < figures["cost"]["bound"] < 3
    assert [entry["label"] for entry in figures["precision"]] == KINDS.tolist()
    assert {claim["name"] for claim in found[0]["claims"]} >= {"precision", "cost"}
    assert stocmv("verify", "audit-0").code == 0


def test_costs_may_name_a_class_that_is_not_in_the_file(stocmv, here):
    rare = {truth: {**row, "rare": 9.0} for truth, row in COSTS.items()} | {"rare": dict.fromkeys(KINDS.tolist(), 90.0)}
    found = stocmv("certify", "iris", "--cost", json.dumps(rare), "--trees", 3, "--out", "audit", "--json").content
    assert found["figures"]["cost"]["classes"] == sorted([*KINDS.tolist(), "rare"])
    assert found["figures"]["cost"]["bound"] > 90 * (1 - 0.05 ** (1 / found["n"]))
    assert stocmv("verify", "audit").code == 0


def test_precision_f1_and_cost_on_the_page(stocmv, here):
    answer = stocmv("certify", "iris", "--cost", json.dumps(COSTS), "--trees", 3, "--out", "audit")
    assert "right among the answers of predict" in answer.out
    assert "F1 of class" in answer.out
    assert "mean cost" in answer.out


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("[[0, 1], [1", "neither JSON nor a JSON file"),
        ("nowhere.json", "neither JSON nor a JSON file"),
        ("[[0, 1], [1, 0]]", "a row and a column for each of the 3 classes"),
        ('{"tulip": {}}', "no row for the true class 'setosa'"),
    ],
)
def test_costs_that_are_none_are_refused(stocmv, here, given, reason):
    assert_refused(stocmv("certify", "iris", "--cost", given, "--trees", 3), reason)


def test_a_named_data_set(stocmv, here):
    answer = stocmv("certify", "iris", "--trees", 3, "--json")
    assert answer.code == 0
    assert answer.content["folder"] == "iris-certified"
    assert sorted(os.listdir("iris-certified")) == OURS


def test_a_name_goes_before_a_folder_of_that_name(stocmv, here):
    (here / "iris").mkdir()
    assert stocmv("certify", "iris", *QUICK).code == 0


def test_a_named_data_set_has_its_own_target(stocmv):
    assert_refused(stocmv("certify", "iris", "--target", "kind"), "--target")
    assert_refused(stocmv("certify", "iris", "--drop", "kind"), "--drop")


@pytest.mark.parametrize("target", ["kind", "4", "-1"])
def test_the_target_by_name_or_number(target, flowers, stocmv):
    answer = stocmv("certify", flowers, "--target", target, *QUICK)
    assert answer.code == 0
    assert Certificate.from_json("audit/certificate.json").context["data"]["target"] == "kind"


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["no", "yes"], str),
        ([False, True], bool),
        ([0, 1], int),
        ([-1.0, 1.0], int),
        (["1", "two"], str),
    ],
)
def test_labels_of_every_kind(labels, kind, stocmv, here):
    FEATURES.assign(label=[labels[int(code > 0)] for code in CODES]).to_csv("data.csv", index=False)
    answer = stocmv("certify", "data.csv", "--target", "label", *QUICK)
    assert answer.code == 0
    assert [entry["label"] for entry in answer.content["figures"]["classes"]] == [kind(label) for label in labels]
    answers = stocmv("predict", "audit", "data.csv", "--json").content["predictions"]
    assert set(answers) == {kind(label) for label in labels}


def test_what_is_written(flowers, stocmv, here, page):
    answer = stocmv("certify", flowers, "--target", "kind", *QUICK)
    assert answer.content["files"] == sorted(os.listdir("audit")) == OURS
    assert os.listdir(here) == ["audit"]
    certificate, model = Certificate.from_json("audit/certificate.json"), load("audit/model.skops")
    assert certificate.context.pop("model") == {"sha256": sha256(here / "audit" / "model.skops")}
    assert certificate == model.certificate_
    assert isinstance(certificate, TestedCertificate)
    assert certificate.evidence == Judgments.load("audit/evidence.npz").digest()
    assert answer.content["bound"] == certificate.bound
    assert answer.content["figures"] == certificate.figures
    assert answer.content["protocol"] == {"name": "holdout", "learning": 100, "judging": 50}
    assert certificate.context["data"]["rows"] == 150
    assert re.fullmatch("[0-9a-f]{64}", certificate.context["data"]["sha256"])
    report = (here / "audit" / "report.html").read_text(encoding="utf-8")
    assert report.startswith("<!doctype html>")
    assert "flowers.csv" in report


def test_the_page_on_the_terminal(flowers, stocmv, here):
    answer = stocmv("certify", flowers, "--target", "kind", "--trees", 3)
    assert (answer.code, answer.err) == (0, "")
    certificate = Certificate.from_json("flowers-certified/certificate.json")
    assert certificate.statement() in answer.out
    lines = [line.split() for line in answer.out.splitlines()]
    for table in certificate.tables():
        assert f"{table.heading} ".split() + f"{table.how} {table.measured}".split() in lines
        assert [line for shown in table.lines if (line := " ".join(shown).split()) not in lines] == []
    assert "stochastic" not in answer.out
    assert "100 examples made the vote; 50 others only judged it." in answer.out
    assert "\n  stocmv verify flowers-certified\n" in answer.out


def test_the_stochastic_vote_on_request(flowers, stocmv, here, page):
    answer = stocmv("certify", flowers, "--target", "kind", "--trees", 3, "--stochastic")
    certificate = Certificate.from_json("flowers-certified/certificate.json")
    assert certificate.has_stochastic_vote
    rows = [line.split("  ")[0] for line in answer.out.splitlines()]
    assert rows.index("predict") + 1 == rows.index("stochastic vote")
    assert "bound, stochastic vote" in (here / "flowers-certified" / "report.html").read_text("utf-8")
    assert stocmv("verify", "flowers-certified").code == 0


def test_labels_and_names_are_shown_as_they_are(stocmv, here):
    labels = ["[red]", ":warning:", "\x1b[31mred"]
    FEATURES.assign(label=[labels[code] for code in CODES]).to_csv("data.csv", index=False)
    answer = stocmv("certify", "data.csv", "--target", "label", "--trees", 3, "--out", "my [bold] audit")
    for shown in ("[red] ", ":warning: ", r"\x1b[31mred ", "stocmv verify 'my [bold] audit'"):
        assert shown in answer.out
    assert "\x1b" not in answer.out
    verified = stocmv("verify", "my [bold] audit")
    assert verified.code == 0
    assert "[red]" in verified.out
    assert "\x1b" not in verified.out


def test_many_classes_on_the_terminal(stocmv, here):
    rng = np.random.default_rng(0)
    pd.DataFrame({"a": rng.normal(size=300), "label": rng.integers(0, 15, 300)}).to_csv("data.csv", index=False)
    out = stocmv("certify", "data.csv", "--target", "label", "--trees", 2).out
    assert out.count("and 3 more in the report") == 3  # for the errors, the precisions and the F1
    errors, precisions = (
        [float(share) for share in re.findall(rf"\d+ {unit}\) +([\d.]+) %", out)]
        for unit in (r"\(\d+ examples?", r"\(\d+ answers")
    )
    assert errors == sorted(errors, reverse=True)
    assert precisions == sorted(precisions)
    assert len(errors) == len(precisions) == 12


def test_the_same_seed_gives_the_same_files(flowers, stocmv, here):
    for name in ("one", "two"):
        assert stocmv("certify", flowers, "--target", "kind", "--trees", 3, "--seed", 7, "--out", name).code == 0
    assert (here / "one" / "evidence.npz").read_bytes() == (here / "two" / "evidence.npz").read_bytes()
    one, two = (Certificate.from_json(here / name / "certificate.json") for name in ("one", "two"))
    for certificate in (one, two):
        del certificate.context["model"]  # the model's file also says how long the fit took
    assert one == two
    assert stocmv("certify", flowers, "--target", "kind", "--trees", 3, "--seed", 8, "--out", "three").code == 0
    assert (here / "one" / "evidence.npz").read_bytes() != (here / "three" / "evidence.npz").read_bytes()


@pytest.mark.parametrize("encoding", ["ordinal", "onehot"])
def test_categories_dates_and_missing_values(encoding, stocmv, here):
    mixed().to_csv("data.csv", index=False)
    answer = stocmv("certify", "data.csv", "--target", "answer", "--categories", encoding, *QUICK)
    assert answer.code == 0
    data = Certificate.from_json("audit/certificate.json").context["data"]
    assert (data["categorical"], data["categories"]) == (["colour"], encoding)
    assert load("audit/model.skops").feature_names_in_.tolist() == ["colour", "size", "sold", "seen"]


def test_stumps_refuse_missing_values(stocmv, here):
    mixed().to_csv("data.csv", index=False)
    missing = int(mixed().isna().to_numpy().sum())
    answer = stocmv("certify", "data.csv", "--target", "answer", "--voters", "stumps")
    assert_refused(answer, f"{missing} values are missing", "--voters forest")


def test_columns_left_out(flowers, stocmv):
    options = ("--target", "kind", "--drop", "sepal width", "--drop", "petal width")
    assert stocmv("certify", flowers, *options, *QUICK).code == 0
    assert load("audit/model.skops").feature_names_in_.tolist() == ["sepal length", "petal length"]
    assert_refused(stocmv("certify", flowers, "--target", "kind", "--drop", "colour"), "'colour'", "'sepal length'")
    dropped = [option for name in FEATURES for option in ("--drop", name)]
    assert_refused(stocmv("certify", flowers, "--target", "kind", *dropped), "besides the target")


DISTINCT = FLOWERS.drop_duplicates()


def test_errors_on_a_test_file(stocmv, here, page):
    train, new = DISTINCT.iloc[:109], DISTINCT.iloc[109:]
    train.to_csv("train.csv", index=False)
    new.to_csv("test.csv", index=False)
    answer = stocmv("certify", "train.csv", "--target", "kind", "--test", "test.csv", *QUICK)
    assert answer.err == ""
    test = answer.content["test"]
    expected = np.mean(load("audit/model.skops").predict(new.drop(columns="kind")) != new["kind"])
    assert (test["n"], test["predict"]) == (len(new), expected)
    assert test["stochastic"] is None
    assert "test.csv" in (here / "audit" / "report.html").read_text(encoding="utf-8")


def _as_libsvm(frame, path):
    with open(path, "wb") as file:
        dump_svmlight_file(
            frame.drop(columns="kind"), pd.factorize(frame["kind"], sort=True)[0], file, zero_based=False
        )


@pytest.mark.parametrize("copy", ["the file", "shuffled", "as parquet", "categories", "libsvm"])
def test_the_training_file_is_no_test_file(copy, stocmv, here):
    frame = mixed().rename(columns={"answer": "kind"}) if copy == "categories" else FLOWERS
    shuffled = frame.sample(frac=1, random_state=1)
    train, test, options = "train.csv", "test.csv", ("--target", "kind")
    if copy == "libsvm":
        train, test, options = "train.libsvm", "test.libsvm", ()
        _as_libsvm(frame, train)
        _as_libsvm(shuffled, test)
    else:
        frame.to_csv(train, index=False)
        (frame if copy == "the file" else shuffled).to_csv(test, index=False)
    if copy == "as parquet":
        test = "test.parquet"
        shuffled.to_parquet(test)
    assert_refused(stocmv("certify", train, *options, "--test", test), f"--test {test} holds the rows of {train}")


@pytest.mark.filterwarnings("always::UserWarning")
def test_some_training_rows_in_a_test_file(stocmv, here):
    DISTINCT.iloc[:109].to_csv("train.csv", index=False)
    DISTINCT.iloc[100:].to_csv("test.csv", index=False)
    answer = stocmv("certify", "train.csv", "--target", "kind", "--test", "test.csv", *QUICK)
    assert answer.code == 0
    assert f"Warning: 9 of the {len(DISTINCT) - 100} rows of test.csv are also in train.csv" in answer.err


def test_a_test_file_with_labels_that_look_like_numbers(stocmv, here):
    frame = FEATURES.assign(label=np.where(CODES == 0, "1", np.where(CODES == 1, "02", "none of both")))
    frame = frame.drop_duplicates()
    frame.iloc[:100].to_csv("data.csv", index=False)
    new = frame.iloc[100:]
    new[new["label"] != "none of both"].to_csv("test.csv", index=False)
    answer = stocmv("certify", "data.csv", "--target", "label", "--test", "test.csv", *QUICK)
    assert answer.code == 0
    assert answer.content["test"]["predict"] < 0.2


def test_a_test_file_with_labels_of_another_kind(flowers, stocmv, here):
    FEATURES.assign(kind=CODES).to_parquet("test.parquet")
    FLOWERS.to_parquet("data.parquet")
    answer = stocmv("certify", "data.parquet", "--target", "kind", "--test", "test.parquet")
    assert_refused(answer, "labels of test.parquet", "another kind")


def test_a_test_file_that_does_not_fit(flowers, stocmv, here):
    FLOWERS.drop(columns="sepal width").to_csv("narrow.csv", index=False)
    FEATURES.to_csv("unlabelled.csv", index=False)
    options = ("--target", "kind", "--test")
    assert_refused(stocmv("certify", flowers, *options, "narrow.csv"), "'sepal width'")
    assert_refused(stocmv("certify", flowers, *options, "unlabelled.csv"), "'kind'")
    assert_refused(stocmv("certify", flowers, *options, "nowhere.csv"), "nowhere.csv")
    assert sorted(os.listdir(here)) == ["narrow.csv", "unlabelled.csv"]


@pytest.mark.parametrize(
    ("options", "protocol"),
    [
        ((), {"name": "holdout", "learning": 100, "judging": 50}),
        (("--holdout", "auto"), {"name": "holdout", "learning": 100, "judging": 50}),
        (("--holdout", 0.2), {"name": "holdout", "learning": 120, "judging": 30}),
        (("--folds", 2), {"name": "folds", "learning": 150, "judging": 150}),
        (("--bound", "catoni_per_fold"), {"name": "folds", "learning": 150, "judging": 150}),
    ],
)
def test_who_judges(options, protocol, flowers, stocmv):
    answer = stocmv("certify", flowers, "--target", "kind", *options, *QUICK)
    assert answer.code == 0
    assert answer.content["protocol"] == protocol
    assert answer.content["n"] == protocol["judging"]
    assert ("kl" in answer.content["figures"]["error"]) == ("--bound" in options)
    assert (answer.content["stochastic_bound"] is not None) == ("--bound" in options)
    assert "holdout_bound" not in answer.content


def test_a_holdout_and_folds_at_once(flowers, stocmv):
    answer = stocmv("certify", flowers, "--target", "kind", "--holdout", 0.2, "--folds", 3)
    assert_refused(answer, "--folds and --holdout", "give one of them")


def test_bounds_and_protocols_that_do_not_fit(flowers, stocmv):
    certify = ("certify", flowers, "--target", "kind")
    assert_refused(stocmv(*certify, "--bound", "best"), "'best'", "'seeger'")
    assert_refused(stocmv(*certify, "--bound", "seeger", "--holdout", 0.2), "holdout=0.2")
    assert_refused(stocmv(*certify, "--bound", "fold_test", "--holdout", 0.2), "holdout=0.2", "fold_test")
    assert_refused(stocmv(*certify, "--bound", "clopper_pearson", "--folds", 3), "clopper_pearson", "n_folds=3")


GROUPED = FLOWERS.assign(plant=[f"plant {k // 3}" for k in range(150)])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["data.csv", "data.parquet", "data.npz"])
def test_groups(name, stocmv, here, page):
    if name.endswith("npz"):
        np.savez(name, X=FEATURES.to_numpy(), y=CODES, target_names=KINDS, plant=np.arange(150) // 3)
    else:
        (GROUPED.to_csv if name.endswith("csv") else GROUPED.to_parquet)(name, index=False)
    target = () if name.endswith("npz") else ("--target", "kind")
    answer = stocmv("certify", name, *target, "--group", "plant", *QUICK)
    assert answer.code == 0
    assert answer.content["grouped"]
    assert answer.content["protocol"] == {"name": "holdout", "learning": 33, "judging": 17}
    assert "17 groups that judge it" in answer.content["statement"]
    assert "of rows of new groups" in answer.content["statement"]
    model = load("audit/model.skops")
    assert model.n_features_in_ == 4
    assert model.certificate_.context["data"]["group"] == "plant"
    assert len(np.unique(Judgments.load("audit/evidence.npz").group)) == 17
    assert "33 groups made the vote; 17 others only judged it." in (here / "audit" / "report.html").read_text("utf-8")
    assert len(stocmv("predict", "audit", name, "--json").content["predictions"]) == 150


def test_groups_on_the_terminal(stocmv, here):
    GROUPED.to_csv("data.csv", index=False)
    answer = stocmv("certify", "data.csv", "--target", "kind", "--group", "plant", "--trees", 3)
    assert answer.code == 0
    assert "error on new groups" in answer.out
    assert re.search(r"setosa \(\d+ groups\)", answer.out)


def test_groups_of_a_test_file_count_once(stocmv, here):
    distinct = GROUPED.drop_duplicates(subset=list(FEATURES))
    distinct.iloc[:100].to_csv("train.csv", index=False)
    new = distinct.iloc[100:].assign(plant=["one"] * 7 + ["two"] * (len(distinct) - 107))
    new.to_csv("test.csv", index=False)
    options = ("--target", "kind", "--group", "plant", "--test", "test.csv", *QUICK)
    test = stocmv("certify", "train.csv", *options).content["test"]
    wrong = load("audit/model.skops").predict(new[list(FEATURES)]) != new["kind"].astype(str)
    assert test["n"] == 2
    assert test["predict"] == pytest.approx((wrong[:7].mean() + wrong[7:].mean()) / 2)


def test_groups_that_are_none(stocmv, here):
    certify = ("certify", "data.csv", "--target", "kind", "--group")
    GROUPED.to_csv("data.csv", index=False)
    assert_refused(stocmv(*certify, "patient"), "'patient' to group by", "'plant'")
    assert_refused(stocmv(*certify, "kind"), "'kind' holds the labels")
    assert_refused(stocmv(*certify, "plant", "--bound", "seeger"), "groups", "bound='seeger'")
    GROUPED.assign(plant=[None, *GROUPED["plant"][1:]]).to_csv("data.csv", index=False)
    assert_refused(stocmv(*certify, "plant"), "The group 'plant' is missing in 1 row ")
    assert_refused(stocmv("certify", "iris", "--group", "plant"), "--group")
    _as_libsvm(FLOWERS, "data.libsvm")
    assert_refused(stocmv("certify", "data.libsvm", "--group", "plant"), "libsvm", "--group")
    np.savez("data.npz", X=FEATURES.to_numpy(), y=CODES, plant=np.arange(3))
    assert_refused(stocmv("certify", "data.npz", "--group", "plant"), "plant in data.npz", "one group per row")


def test_one_json_object_also_for_errors(flowers, stocmv):
    for arguments in (
        ("certify", "nowhere.csv", "--target", "kind", "--json"),
        ("certify", "--json"),
        ("certify", flowers, "--target", "kind", "--delta", "2", "--json"),
        ("verify", "nowhere.json", "nowhere.npz", "--json"),
        ("predict", "nowhere", flowers, "--json"),
        ("datasets", "nothing", "--json"),
    ):
        answer = stocmv(*arguments)
        assert (answer.code, answer.err) == (2, "")
        assert answer.out.count("\n") == 1
        assert list(answer.content) == ["error"]
        assert answer.content["error"]


ARGUMENTS = {
    "delta 0": ("--delta", "0"),
    "delta 1": ("--delta", "1"),
    "delta nan": ("--delta", "nan"),
    "delta inf": ("--delta", "inf"),
    "delta a word": ("--delta", "small"),
    "folds 0": ("--folds", "0"),
    "folds 1": ("--folds", "1"),
    "folds -3": ("--folds", "-3"),
    "folds 2.5": ("--folds", "2.5"),
    "folds 1000000": ("--folds", "1000000"),
    "folds a word": ("--folds", "many"),
    "folds auto": ("--folds", "auto"),
    "prior 0": ("--prior", "0"),
    "prior -1": ("--prior", "-1"),
    "prior nan": ("--prior", "nan"),
    "prior inf": ("--prior", "inf"),
    "prior a word": ("--prior", "flat"),
    "trees 0": ("--trees", "0"),
    "trees -1": ("--trees", "-1"),
    "seed -1": ("--seed", "-1"),
    "seed 2**32": ("--seed", str(2**32)),
    "jobs 0": ("--jobs", "0"),
    "jobs -2": ("--jobs", "-2"),
    "jobs 10**9": ("--jobs", str(10**9)),
    "holdout 0": ("--holdout", "0"),
    "holdout 1": ("--holdout", "1"),
    "holdout nan": ("--holdout", "nan"),
    "holdout a word": ("--holdout", "most"),
    "voters unknown": ("--voters", "neural-network"),
    "categories unknown": ("--categories", "hash"),
    "encoding unknown": ("--encoding", "hash"),
    "format unknown": ("--format", "xlsx"),
    "format wrong": ("--format", "npz"),
    "an unknown option": ("--loud",),
    "one argument more": ("more",),
}


@pytest.mark.parametrize("options", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_that_make_no_sense(options, flowers, stocmv, here):
    later = {"--format": "npz", "more": "more"}  # what is found wrong only at work
    word = "n_folds" if "1000000" in options else later.get(options[0], options[0])
    assert_refused(stocmv("certify", flowers, "--target", "kind", *options), word)
    assert os.listdir(here) == []


def test_json_of_a_certificate_is_one_line(flowers, stocmv):
    answer = stocmv("certify", flowers, "--target", "kind", *QUICK)
    assert answer.out.count("\n") == 1
    assert json.loads(answer.out)["delta"] == 0.05


@pytest.mark.parametrize(("name", "words"), [("data.csv", False), ("data.csv", True), ("data.npz", False)])
def test_rows_that_repeat_others_are_counted(name, words, stocmv, here, monkeypatch):
    shown = {}
    monkeypatch.setattr("stocmv.cli._audit.render", lambda *_, data, **__: shown.update(data=data) or "")
    frame = pd.DataFrame({"a": np.arange(80.0), "b": np.arange(80) % 3}).iloc[[*range(80), 3, 3, 7]]
    if words:
        frame["b"] = frame["b"].map(["x", "y", "z"].__getitem__)
    if name == "data.csv":
        frame.assign(label=np.arange(83) % 2).to_csv(name, index=False)
    else:
        np.savez(name, X=frame.to_numpy(), y=np.arange(83) % 2)
    target = ["--target", "label"] if name == "data.csv" else []
    assert stocmv("certify", name, *target, "--trees", 2).code == 0
    assert shown["data"].duplicate_rows == 3
    assert shown["data"].n_rows == 83


def test_a_class_without_judges_has_no_measured_error(stocmv, here, page):
    rare = [*"ab" * 100, "c"]
    pd.DataFrame({"x": np.arange(201.0) % 7, "kind": rare}).to_csv("rare.csv", index=False)
    for seed in range(20):
        answer = stocmv(
            "certify", "rare.csv", "--target", "kind", "--trees", 3, "--seed", seed, "--out", "audit", "--force"
        )
        certificate = Certificate.from_json(here / "audit" / "certificate.json")
        if certificate.per_class[2]["n"] == 0:
            break
    lines = [line.split() for line in answer.out.splitlines()]
    assert ["c", "(0", "examples)", "100.00", "%"] in lines
    assert ("c (0 examples)", "100.00 %", "") in certificate.tables()[1].lines
    report = " ".join(re.sub("<[^>]*>", " ", (here / "audit" / "report.html").read_text()).split())
    assert re.search(r"\bc \(0 examples\) 100\.00 % (?!100)", report)


def test_a_gpu_that_is_not_there(stocmv, flowers, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    answer = stocmv("certify", flowers, "--target", "kind", "--device", "cuda")
    assert_refused(answer, "Votes on a GPU need CuPy: pip install 'stocmv[gpu]'.")


def test_a_gpu_and_a_cluster(stocmv, flowers):
    answer = stocmv("certify", flowers, "--target", "kind", "--device", "cuda", "--cluster", "local")
    assert_refused(answer, "--device does not work with --cluster")


@pytest.mark.usefixtures("page")
def test_seven_models_on_words_and_gaps(stocmv, here):
    mixed().to_csv(here / "mixed.csv", index=False)
    shown = stocmv("certify", "mixed.csv", "--target", "answer", "--voters", "models", "--jobs", 1, "--out", "audit")
    assert re.search(r"Weights: ([a-zA-Z ]+ \d\.\d\d, ){7}[a-zA-Z ]+ \d\.\d\d\.", shown.out)
    assert "In this order: " in (here / "audit" / "report.html").read_text()
    assert stocmv("verify", "audit").code == 0
    mixed().drop(columns="answer").assign(colour="violet").to_csv(here / "new.csv", index=False)
    answers = stocmv("predict", "audit", "new.csv")
    assert answers.code == 0, answers.err
