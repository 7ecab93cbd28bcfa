"""What is found in data before anything is learned: each defect by the right name, and nothing in clean files."""

import time

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from checks.defects import CLEAN, DEFECTS, honest, write
from stocmv.checks import look_at_new
from stocmv.checks._spelling import as_iso, as_number, badly_written, is_date, is_number
from stocmv.datasets import list_datasets, load
from stocmv.tables import Table, read_table


def found(frame, path):
    return read_table(write(frame, path), "y").findings()


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_named(name, tmp_path):
    defect = DEFECTS[name]
    (finding,) = found(defect.spoil(honest()), tmp_path / f"data.{defect.ending}")
    assert (finding.kind, finding.column) == (defect.kind, defect.column)
    said = f"{finding.sentence} {finding.cure}"
    assert defect.words in said
    assert defect.column is None or repr(defect.column) in said or defect.kind == "small class"
    assert any(character.isdigit() for character in finding.sentence)
    assert finding.sentence.endswith(".")
    assert finding.cure.endswith(".")


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_in_a_clean_file(name, tmp_path):
    assert found(CLEAN[name](), tmp_path / "data.csv") == []


def test_all_defects_of_a_file_are_named(tmp_path):
    frame = honest()
    wanted = [defect for defect in DEFECTS.values() if defect.ending == "csv" and defect.column not in (None, "y")]
    for defect in wanted:
        frame = defect.spoil(frame)
    kinds = [finding.kind for finding in found(frame, tmp_path / "data.csv")]
    assert set(kinds) == {defect.kind for defect in wanted}
    assert kinds == sorted(kinds, key=list(dict.fromkeys(kinds)).index)  # one kind after the other


@pytest.mark.parametrize("name", [known.name for known in list_datasets()])
def test_nothing_in_the_data_sets_that_have_a_name(name):
    dataset = load(name)
    kinds = [finding.kind for finding in Table(dataset.X, np.asarray(dataset.y), name).findings()]
    assert kinds == (["leak"] if name == "normals" else [])  # two clouds that one column tells apart


def test_columns_without_a_name():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), np.arange(200), np.ones(200)])
    (finding,) = Table(X, rng.integers(2, size=200), "data.npz").findings()
    assert (finding.kind, finding.column) == ("identifier", "1")
    assert finding.sentence.startswith("All 200 values of the column number 1 (from 0) are different")
    assert "--drop" not in finding.cure


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.uint64, np.float16, np.float32, np.longdouble])
def test_arrays_of_every_kind(kind):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = np.column_stack([rng.integers(2, size=(80, 8)), y]).astype(kind)
    assert [finding.column for finding in Table(X, y, "data.npz").findings()] == ["8"]


@pytest.mark.parametrize("n", [1, 2, 25, 60])
def test_odd_values(n):
    rng = np.random.default_rng(n)
    odd = ["", "\0", "1,5", "%", "€", "1e999", "-", ".", "12.3.2020", "a" * 300]
    X = {
        "words": np.array(rng.choice(odd, n), dtype=object),
        "lacking": np.where(rng.random(n) < 0.5, np.nan, np.array(["x"] * n, dtype=object)),
        "large": rng.normal(size=n) * 1e300,
        "none": np.full(n, np.nan),
    }
    table = Table(pd.DataFrame(X), rng.integers(2, size=n), "data", categorical=("words", "lacking"))
    assert {finding.kind for finding in table.findings()} <= {"small class"}


def test_of_sparse_examples_only_the_classes():
    X = csr_matrix(np.arange(60.0)[:, None])
    (finding,) = Table(X, np.array([0] * 50 + [1] * 10), "data.libsvm").findings()
    assert (finding.kind, finding.figure) == ("small class", 10)


def test_many_small_classes():
    (finding,) = Table(np.zeros((90, 1)), np.arange(90) % 15, "data").findings()
    assert finding.sentence.startswith("15 classes have fewer than 20 examples: '0' (6), ")
    assert finding.sentence.endswith("and 10 more.")


def test_labels_that_noise_spoils_are_no_leak(tmp_path):
    frame = honest()
    noisy = np.random.default_rng(0).random(len(frame)) < 0.03
    frame["ward"] = np.where((frame["y"] == "ill") ^ noisy, "C3", "home")
    assert found(frame, tmp_path / "data.csv") == []


def test_a_column_is_compared_with_the_most_frequent_answer(tmp_path):
    """Where 99.5 % of the rows are of one class, being right on 99.5 % says nothing."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=6000), "y": np.where(np.arange(6000) < 30, "rare", "usual")})
    assert found(frame, tmp_path / "data.csv") == []


def test_oversampled_whole_numbers_are_copies(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 30, (400, 6)), columns=list("abcdef")).assign(y=rng.choice(["u", "v"], 400))
    assert found(frame, tmp_path / "data.csv") == []
    (finding,) = found(frame.sample(600, replace=True, random_state=0), tmp_path / "more.csv")
    assert finding.kind == "repeated rows"


def test_copies_within_a_group_are_no_copies(tmp_path):
    frame = honest().assign(who=np.arange(300))
    path = write(pd.concat([frame, frame.iloc[:60]]), tmp_path / "data.csv")
    assert read_table(path, "y", group="who").findings() == []
    path = write(pd.concat([frame, frame.iloc[:60].assign(who=np.arange(60) + 300)]), tmp_path / "data.csv")
    (finding,) = read_table(path, "y", group="who").findings()
    assert finding.kind == "repeated rows"
    assert "--group" not in finding.cure


@pytest.mark.parametrize("name", ["id", "ID", "patient_id", "id_patient", "customerId", "Order ID", "uuid"])
def test_names_of_identifiers(name, tmp_path):
    values = np.random.default_rng(0).choice(10**8, 300, replace=False)
    (finding,) = found(honest().assign(**{name: values}), tmp_path / "data.csv")
    assert (finding.kind, finding.column) == ("identifier", name)


@pytest.mark.parametrize("name", ["covid", "grid", "ideal", "balance", "paid", "Madrid"])
def test_names_of_other_things(name, tmp_path):
    values = np.random.default_rng(0).choice(10**8, 300, replace=False)
    assert found(honest().assign(**{name: values}), tmp_path / "data.csv") == []


def test_a_large_table_takes_a_second_or_two():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100_000, 90)), columns=[f"x{j}" for j in range(90)])
    words = {f"w{j}": rng.choice(["red", "green", "blue"], 100_000).astype(object) for j in range(10)}
    y = rng.integers(2, size=100_000)
    X = pd.concat([X, pd.DataFrame(words)], axis=1).assign(late=y + rng.normal(scale=0.1, size=100_000))
    table = Table(X, y, "data.csv", categorical=tuple(words), kinds=dict.fromkeys(X, "numbers"))
    began = time.process_time()
    (finding,) = table.findings()
    assert time.process_time() - began < 6  # 1.5 s on one core of 2024
    assert (finding.kind, finding.column) == ("leak", "late")
    assert "10,000 rows drawn from the 100,000" in finding.sentence


@pytest.mark.parametrize(
    ("values", "expected", "share", "kinds"),
    [
        (["red"] * 50, 0.01, 0, []),
        (["pink"] * 50, 0.01, 1, ["unseen"]),
        (["red"] * 45 + ["pink"] * 5, 0.01, 0.1, ["unseen"]),
        (["red"] * 49 + ["pink"], 0.01, 0.02, []),  # which is chance
        (["pink"] * 50, 0.9999, 1, []),  # every value was different in training, too
        (["pink"], 0.001, 1, ["unseen"]),
        ([np.nan] * 50, 0.01, 0, ["missing"]),
        ([np.nan] * 5, 0.01, 0, []),
    ],
)
def test_categories_that_were_never_seen(values, expected, share, kinds):
    X = pd.DataFrame({"colour": pd.Series(values, dtype=object), "size": 1.0})
    known = {"colour": np.array(["red", "green", np.nan], dtype=object)}
    findings, shares = look_at_new(X, known, {"colour": expected})
    assert [finding.kind for finding in findings] == kinds
    assert shares == {"colour": pytest.approx(share)}


def test_new_values_are_shown():
    X = pd.DataFrame({"colour": ["pink"] * 3})
    (finding,), _ = look_at_new(X, {"colour": np.array(["red"])}, {})
    assert finding.sentence.startswith(
        "No value of the column 'colour' was seen in training: 3 new values, such as 'pink'"
    )


@pytest.mark.parametrize(
    "text", ["12.345,67", "1,234.5", "-3,5", "1 234,5", "1'000.50", "12 %", "€ 5.20", "7.5 EUR", "1e-3"]
)
def test_numbers(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "-", "007", "A1", "1.2.3", "12.34.5678", "red", "1-2", "$"])
def test_no_numbers(text):
    assert not is_number(text)


@pytest.mark.parametrize(
    "text", ["31.12.2023", "1/2/2024", "2023/12/31", "31-12-23", "31.12.2023 14:05", "5 Jan 2021", "March 3, 2020"]
)
def test_dates(text):
    assert is_date(text)


@pytest.mark.parametrize("text", ["32.13.2023", "192.168.1.1", "31.12.", "2023", "12:30", "may be 5", "1-2-3-4"])
def test_no_dates(text):
    assert not is_date(text)


@pytest.mark.parametrize(
    ("column", "plain"),
    [
        (["12.345,67", "1,5"], "12345.67"),
        (["1,234", "1,234.5"], "1234"),
        (["1,234", "5,678"], None),  # a decimal comma, or thousands?
        (["12 %", "5 %"], "12"),
        (["-1 234,5", "2,0"], "-1234.5"),
    ],
)
def test_how_a_number_should_be_written(column, plain):
    assert as_number(column[0], column) == plain


@pytest.mark.parametrize(
    ("column", "iso"),
    [
        (["31.12.2023"], "2023-12-31"),
        (["1.2.2023"], "2023-02-01"),
        (["12/31/2023", "1/2/2023"], "2023-12-31"),
        (["1/2/2023", "31/12/2023"], "2023-02-01"),
        (["1/2/2023"], None),  # January or February?
        (["31.12.23"], None),
        (["2023/1/5"], "2023-01-05"),
    ],
)
def test_how_a_date_should_be_written(column, iso):
    assert as_iso(column[0], column) == iso


def test_a_few_codes_are_words():
    assert badly_written(np.array(["1,5", "2,5"] * 50, dtype=object)) is None
