"""Answers for new rows."""

import csv
import hashlib
import io
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from cli.examples import FLOWERS, mixed
from cli.terminal import assert_refused
from stocmv import Certificate
from stocmv.cli._main import run
from stocmv.persistence import load

FEATURES = FLOWERS.drop(columns="kind")


@pytest.fixture
def model(audit):
    return load(audit / "model.skops")


@pytest.fixture(scope="module")
def mixed_audit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    mixed().to_csv(folder / "data.csv", index=False)
    assert (
        run(
            [
                "certify",
                str(folder / "data.csv"),
                "--target",
                "answer",
                "--trees",
                "4",
                "--out",
                str(folder / "a"),
                "--json",
            ]
        )
        == 0
    )
    return folder / "a"


def rows(answer):
    assert (answer.code, answer.err) == (0, "")
    return list(csv.reader(io.StringIO(answer.out)))


def test_answers_are_those_of_the_model(audit, flowers, model, stocmv):
    header, *answers = rows(stocmv("predict", audit, flowers))
    assert header == ["prediction"]
    assert [answer for (answer,) in answers] == model.predict(FEATURES).tolist()


def test_columns_in_another_order_and_others_between(audit, model, stocmv, here):
    FLOWERS[["petal width", "kind", "sepal width", "petal length", "sepal length"]].assign(more="x").to_csv("new.csv")
    _, *answers = rows(stocmv("predict", audit, "new.csv"))
    assert [answer for (answer,) in answers] == model.predict(FEATURES).tolist()


@pytest.mark.parametrize("name", ["new.parquet", "new.libsvm", "new.npz", "new.csv.gz", "new.data"])
def test_every_format(name, audit, model, stocmv, here):
    if name == "new.parquet":
        FEATURES.to_parquet(name)
    elif name == "new.libsvm":
        dump_svmlight_file(FEATURES, np.zeros(len(FEATURES)), name, zero_based=False)
    elif name == "new.npz":
        np.savez(name, X=FEATURES.to_numpy())
    else:
        FEATURES.to_csv(name, index=False)
    assert stocmv("predict", audit, name, "--json").content["predictions"] == model.predict(FEATURES).tolist()


def test_one_row(audit, model, stocmv, here):
    FEATURES.iloc[:1].to_csv("new.csv", index=False)
    assert stocmv("predict", audit, "new.csv", "--json").content["predictions"] == [model.predict(FEATURES)[0]]


def test_a_sparse_row_has_all_features(audit, model, stocmv, here):
    (here / "new.libsvm").write_text("0 2:3.5\n")
    expected = model.predict(pd.DataFrame([[0, 3.5, 0, 0]], columns=FEATURES.columns)).tolist()
    assert stocmv("predict", audit, "new.libsvm", "--json").content["predictions"] == expected


def test_scores(audit, flowers, model, stocmv):
    header, *answers = rows(stocmv("predict", audit, flowers, "--proba"))
    assert header == ["prediction", *(f"score of {label}" for label in model.classes_)]
    shares = np.array([[float(share) for share in row[1:]] for row in answers])
    np.testing.assert_array_equal(shares, model.predict_proba(FEATURES))
    content = stocmv("predict", audit, flowers, "--proba", "--json").content
    assert content["classes"] == model.classes_.tolist()
    np.testing.assert_array_equal(content["score"], shares)


def test_probabilities_of_the_stochastic_vote(audit_in_folds, flowers, stocmv):
    model = load(audit_in_folds / "model.skops")
    header, *answers = rows(stocmv("predict", audit_in_folds, flowers, "--proba", "--stochastic"))
    assert header == ["prediction", *(f"probability of {label}" for label in model.classes_)]
    shares = np.array([[float(share) for share in row[1:]] for row in answers])
    np.testing.assert_array_equal(shares, model.predict_stochastic_proba(FEATURES))


def test_the_stochastic_vote_of_one_model_is_the_model(audit, flowers, stocmv):
    drawn = stocmv("predict", audit, flowers, "--stochastic", "--json").content["predictions"]
    assert drawn == stocmv("predict", audit, flowers, "--json").content["predictions"]


def test_drawn_votes(audit_in_folds, flowers, stocmv, here):
    model = load(audit_in_folds / "model.skops")

    def drawn(*options):
        return stocmv("predict", audit_in_folds, flowers, "--stochastic", *options, "--json").content["predictions"]

    assert drawn("--seed", 3) == model.predict_stochastic(FEATURES, random_state=3).tolist()
    assert len(drawn()) == len(FEATURES)
    FEATURES.sample(2000, replace=True, random_state=0).to_csv("many.csv", index=False)
    many = [stocmv("predict", audit_in_folds, "many.csv", "--stochastic").out for _ in range(2)]
    assert many[0] != many[1]


def test_answers_in_a_file(audit, flowers, model, stocmv, here):
    answer = stocmv("predict", audit, flowers, "--out", "answers.csv")
    assert (answer.code, answer.out) == (0, "")
    assert "150 predictions are in answers.csv" in answer.err
    assert pd.read_csv("answers.csv")["prediction"].tolist() == model.predict(FEATURES).tolist()
    assert os.listdir(here) == ["answers.csv"]


def test_answers_in_a_file_for_programs(audit, flowers, stocmv, here):
    answer = stocmv("predict", audit, flowers, "--out", "answers.csv", "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.content["out"] == "answers.csv"
    assert answer.content["n"] == 150
    assert len(pd.read_csv("answers.csv")) == 150


@pytest.fixture
def formulas(stocmv, here):
    """A model whose labels begin like formulas; one is a number."""
    labels = {"setosa": '=HYPERLINK("http://x")', "versicolor": "-1", "virginica": "@SUM(A1)"}
    FLOWERS.assign(kind=FLOWERS["kind"].map(labels)).to_csv("data.csv", index=False)
    assert stocmv("certify", "data.csv", "--target", "kind", "--trees", 3, "--out", "audit", "--json").code == 0
    return list(labels.values())


@pytest.mark.filterwarnings("always::UserWarning")
def test_labels_are_exact_unless_a_spreadsheet_reads_them(formulas, stocmv, here):
    answer = stocmv("predict", "audit", "data.csv", "--out", "exact.csv")
    assert answer.code == 0
    assert "would read '=HYPERLINK" in answer.err
    assert "--spreadsheet" in answer.err
    with open("exact.csv", newline="") as file:
        assert {row[0] for row in csv.reader(file)} == {"prediction", *formulas}
    answer = stocmv("predict", "audit", "data.csv", "--proba", "--out", "harmless.csv", "--spreadsheet")
    assert "Warning" not in answer.err
    with open("harmless.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert {row[0] for row in rows} == {'\'=HYPERLINK("http://x")', "-1", "'@SUM(A1)"}
    assert not [cell for cell in header if cell[0] in "=+-@"]


@pytest.mark.filterwarnings("always::UserWarning")
@pytest.mark.parametrize("mark", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "＝", "＋", "－", "＠"])
def test_every_beginning_of_a_formula(mark, audit, stocmv, here):
    FEATURES[:2].assign(note=[f"{mark}A1", "-1.5e3"]).to_csv("new.csv", index=False, quoting=csv.QUOTE_ALL)
    answer = stocmv("predict", audit, "new.csv", "--keep", "note")
    assert "as a formula: add --spreadsheet" in answer.err  # the answers may well be sent to a file
    answer = stocmv("predict", audit, "new.csv", "--keep", "note", "--spreadsheet")
    assert answer.err == ""
    assert [row[0] for row in csv.reader(io.StringIO(answer.out))] == ["note", f"'{mark}A1", "-1.5e3"]


@pytest.mark.filterwarnings("always::UserWarning")
def test_a_name_that_is_a_formula(audit, stocmv, here):
    FEATURES[:2].assign(**{"=A1": 1}).to_csv("new.csv", index=False)
    assert "'=A1' as a formula" in stocmv("predict", audit, "new.csv", "--keep", "=A1").err
    assert stocmv("predict", audit, "new.csv", "--keep", "=A1", "--json").err == ""


def test_the_certificate_names_the_model(audit, flowers, stocmv):
    named = Certificate.from_json(audit / "certificate.json").context["model"]["sha256"]
    assert named == hashlib.sha256((audit / "model.skops").read_bytes()).hexdigest()
    (audit / "model.skops").write_bytes((audit / "model.skops").read_bytes() + b"\0")
    assert_refused(
        stocmv("predict", audit, flowers), "model.skops is not the model", "certificate.json", "certify again"
    )


def test_a_certificate_that_was_changed(audit, flowers, stocmv):
    path = audit / "certificate.json"
    path.write_text(path.read_text().replace('"delta": 0.05', '"delta": 0.01'))
    assert_refused(stocmv("predict", audit, flowers), "certificate.json was changed")
    path.write_text("{")
    assert_refused(stocmv("predict", audit, flowers), "certificate.json is not a certificate")


@pytest.mark.filterwarnings("always::UserWarning")
def test_a_model_without_a_certificate(audit, flowers, stocmv):
    (audit / "certificate.json").unlink()
    answer = stocmv("predict", audit, flowers, "--json")
    assert (answer.code, len(answer.content["predictions"])) == (0, 150)
    assert answer.err.startswith("Warning: there is no ")
    assert answer.err.endswith("certificate.json: nothing says how often these answers err.\n")


def test_what_is_read_is_not_written_over(audit, flowers, stocmv, here):
    (here / "link.csv").symlink_to(flowers)
    kept = flowers, audit / "model.skops", audit / "certificate.json", audit / "evidence.npz"
    before = [path.read_bytes() for path in kept]
    for out in (*kept, "link.csv", flowers.parent / "." / "flowers.csv"):
        assert_refused(stocmv("predict", audit, flowers, "--out", out), "--out", "that this command reads")
    assert [path.read_bytes() for path in kept] == before


@pytest.mark.skipif(sys.platform == "win32", reason="there are other permissions")
def test_a_file_keeps_its_permissions_and_a_link_stays_a_link(audit, flowers, stocmv, here):
    (here / "secret.csv").write_text("old")
    (here / "secret.csv").chmod(0o600)
    (here / "link.csv").symlink_to("secret.csv")
    assert stocmv("predict", audit, flowers, "--out", "link.csv").code == 0
    assert (here / "link.csv").is_symlink()
    assert stat.S_IMODE((here / "secret.csv").stat().st_mode) == 0o600
    assert len(pd.read_csv("secret.csv")) == 150


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(audit, flowers, stocmv, here):
    os.mkfifo("pipe")
    with ThreadPoolExecutor(1) as other:
        read = other.submit((here / "pipe").read_text)
        assert stocmv("predict", audit, flowers, "--out", "pipe").code == 0
        assert read.result(60).count("\n") == 151
    assert stat.S_ISFIFO((here / "pipe").stat().st_mode)
    assert os.listdir(here) == ["pipe"]


def test_missing_columns_are_named(audit, stocmv, here):
    FEATURES.drop(columns=["sepal width", "petal width"]).to_csv("new.csv", index=False)
    assert_refused(stocmv("predict", audit, "new.csv"), "new.csv lacks", "'sepal width', 'petal width'")


def test_words_in_a_column_of_numbers(audit, stocmv, here):
    FEATURES.assign(**{"sepal width": "wide"}).to_csv("new.csv", index=False)
    assert_refused(stocmv("predict", audit, "new.csv"), "'sepal width'", "numbers")


def test_another_number_of_features(audit, stocmv, here):
    np.savez("new.npz", X=np.zeros((3, 5)))
    (here / "new.libsvm").write_text("0 5:1\n")
    assert_refused(stocmv("predict", audit, "new.npz"), "5 features", "4")
    assert_refused(stocmv("predict", audit, "new.libsvm"), "new.libsvm", "5 features")


def test_missing_values(audit, model, stocmv, here):
    """The forest was trained without; it sends them the way most examples went."""
    lacking = FEATURES.assign(**{"sepal width": np.nan})
    lacking.to_csv("new.csv", index=False)
    assert stocmv("predict", audit, "new.csv", "--json").content["predictions"] == model.predict(lacking).tolist()


def test_categories_that_were_never_seen(mixed_audit, stocmv, here):
    frame = mixed().drop(columns="answer")
    expected = load(mixed_audit / "model.skops")
    frame.assign(colour="ultraviolet").to_csv("new.csv", index=False)
    answers = stocmv("predict", mixed_audit, "new.csv", "--json").content["predictions"]
    assert len(answers) == len(frame)
    assert set(answers) <= set(expected.classes_.tolist())


def test_categories_are_the_same_from_every_format(mixed_audit, stocmv, here):
    frame = mixed()
    frame.to_csv("new.csv", index=False)
    frame.to_parquet("new.parquet")
    frame.astype({"colour": "category"}).to_parquet("categories.parquet")
    answers = [
        stocmv("predict", mixed_audit, name, "--json").content["predictions"]
        for name in ("new.csv", "new.parquet", "categories.parquet")
    ]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0] != [answers[0][0]] * len(answers[0])


def test_categories_that_look_like_numbers(stocmv, here):
    """A column of codes stays one of words when all its words are numbers, or some are missing."""
    rng = np.random.default_rng(0)
    code = rng.choice(["1", "01", "x"], 120)
    pd.DataFrame({"code": code, "noise": rng.random(120), "label": code}).to_csv("data.csv", index=False)
    assert stocmv("certify", "data.csv", "--target", "label", "--trees", 5, "--out", "audit").code == 0
    (here / "new.csv").write_text("code,noise\n1,0.5\n01,0.5\n,0.5\n1,0.5\n")
    answers = stocmv("predict", "audit", "new.csv", "--json").content["predictions"]
    assert [answers[0], answers[1], answers[3]] == ["1", "01", "1"]


def test_missing_booleans_are_still_booleans(stocmv, here):
    rng = np.random.default_rng(0)
    sold = rng.random(100) < 0.5
    pd.DataFrame({"sold": sold, "noise": rng.random(100), "label": sold}).to_csv("data.csv", index=False)
    assert stocmv("certify", "data.csv", "--target", "label", "--trees", 5, "--out", "audit").code == 0
    (here / "new.csv").write_text("sold,noise\nTrue,0.5\n,0.5\nFalse,0.5\n")
    answers = stocmv("predict", "audit", "new.csv", "--json").content["predictions"]
    assert [answers[0], answers[2]] == [True, False]


def test_files_of_numbers_cannot_hold_categories(mixed_audit, stocmv, here):
    np.savez("new.npz", X=np.zeros((3, 4)))
    assert_refused(stocmv("predict", mixed_audit, "new.npz"), "categories")


def test_a_model_without_names(stocmv, here, flowers):
    """Trained on arrays: a csv file of the same width will do."""
    assert stocmv("certify", "iris", "--trees", 5, "--out", "audit").code == 0
    FEATURES.to_csv("new.csv", index=False)
    answer = stocmv("predict", "audit", "new.csv", "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.content["predictions"] == load("audit/model.skops").predict(FEATURES.to_numpy()).tolist()
    assert_refused(stocmv("predict", "audit", flowers), "5 columns", "4")


def test_rows_that_pandas_numbered_otherwise(audit, model, stocmv, here):
    FLOWERS.sample(frac=1, random_state=3).to_parquet("new.parquet")
    expected = model.predict(FEATURES.sample(frac=1, random_state=3)).tolist()
    assert stocmv("predict", audit, "new.parquet", "--json").content["predictions"] == expected


@pytest.mark.parametrize("seed", ["-1", "1.5", str(2**32)])
def test_seeds_that_are_none(seed, audit, flowers, stocmv):
    assert_refused(stocmv("predict", audit, flowers, "--stochastic", "--seed", seed))


def test_a_seed_without_a_draw(audit, flowers, stocmv):
    assert_refused(stocmv("predict", audit, flowers, "--seed", 1), "--stochastic")


def test_places_that_cannot_be_written(audit, flowers, stocmv, here):
    assert_refused(stocmv("predict", audit, flowers, "--out", "nowhere/answers.csv"), "there is no folder 'nowhere'")
    assert_refused(stocmv("monitor", audit, flowers, "--state", "nowhere/s.json"), "there is no folder 'nowhere'")
    assert_refused(stocmv("predict", audit, flowers, "--out", here), "directory")
    assert os.listdir(here) == []


def test_a_folder_without_a_model(stocmv, flowers, here):
    assert_refused(stocmv("predict", here, flowers), "model.skops: name a folder that 'stocmv certify' wrote")
    assert_refused(stocmv("predict", "nowhere", flowers), "nowhere")
