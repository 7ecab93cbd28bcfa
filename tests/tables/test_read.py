"""Tables from files: what stands in them comes out, whatever the kind of file."""

import bz2
import datetime
import decimal
import gzip
import hashlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.datasets import dump_svmlight_file

from stocmv.certificate import group_ids
from stocmv.tables import FORMATS, KnownColumns, Table, read_table, read_texts

NAN = float("nan")


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def column(table, name):
    return table.X[name].tolist()


@pytest.fixture
def csv(tmp_path):
    return lambda text, name="data.csv": write(tmp_path / name, text)


@pytest.fixture
def arrow(tmp_path):
    """A parquet file with one column of these values beside a target."""

    def make(values, kind=None):
        rows = pa.array(values, kind)
        table = pa.table({"value": rows, "label": pa.array([i % 2 for i in range(len(rows))])})
        parquet.write_table(table, tmp_path / "data.parquet")
        return tmp_path / "data.parquet"

    return make


def test_columns_of_a_csv_file(csv):
    path = csv("a,b,word,flag,label\n1,0.5,x,true,no\n2,,,false,yes\n3,-1e3,y z,,no\n")
    table = read_table(path, "label")
    assert isinstance(table, Table)
    assert list(table.X.columns) == ["a", "b", "word", "flag"]
    assert column(table, "a") == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(column(table, "b"), [0.5, NAN, -1000])
    assert column(table, "word")[::2] == ["x", "y z"]
    np.testing.assert_array_equal(column(table, "flag"), [1, 0, NAN])
    assert table.y.tolist() == ["no", "yes", "no"]
    assert (table.name, table.target, table.categorical) == ("data.csv", "label", ("word",))
    assert table.missing_values == 3
    assert table.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_delimiters_and_ends_of_lines(delimiter, newline, csv):
    text = newline.join(delimiter.join(row) for row in (("a", "label"), ("1", "x"), ("2", "y"), ("3", "x")))
    table = read_table(csv(text), "label")
    assert column(table, "a") == [1, 2, 3]
    assert table.y.tolist() == ["x", "y", "x"]


def test_quotes(csv):
    text = '"a; the first","b ""quoted""",label\n1,"one, two\nthree",x\n2,"5"" pipe",y\n3,,x\n'
    table = read_table(csv(text), "label")
    assert list(table.X.columns) == ["a; the first", 'b "quoted"']
    assert column(table, 'b "quoted"')[:2] == ["one, two\nthree", '5" pipe']


def test_a_quote_within_a_word_is_a_sign_like_any_other(csv):
    table = read_table(csv('a,pipe,label\n1,5" wide,x\n2,b,y\n'), "label")
    assert column(table, "pipe") == ['5" wide', "b"]


def test_decimal_commas(csv):
    table = read_table(csv("a;word;label\n1,5;1.5x;no\n-2;2,5y;yes\n,5;;no\n"), "label")
    assert column(table, "a") == [1.5, -2, 0.5]
    assert table.categorical == ("word",)


def test_decimal_points_beside_semicolons(csv):
    table = read_table(csv("a;b;label\n1.5;1,5;no\n-2.25;2,5;yes\n"), "label")
    assert column(table, "a") == [1.5, -2.25]
    assert column(table, "b") == [1.5, 2.5]


def test_a_mark_of_the_encoding_and_empty_lines(csv):
    table = read_table(csv("\ufeffä,label\n1,x\n\n2,y\n\n"), "label")
    assert column(table, "ä") == [1, 2]


def test_dates_are_days(csv):
    table = read_table(csv("day,moment,label\n1970-01-02,1970-01-01T12:00:00Z,x\n1969-12-31,,y\n"), "label")
    assert column(table, "day") == [1, -1]
    np.testing.assert_array_equal(column(table, "moment"), [0.5, NAN])
    assert table.categorical == ()


def test_times_are_parts_of_a_day(csv):
    table = read_table(csv("time,label\n12:00:00,x\n18:00:00,y\n"), "label")
    assert column(table, "time") == [0.5, 0.75]


@pytest.mark.parametrize("word", ["", "NA", "nan", "NULL", "n/a", "#N/A"])
def test_words_for_missing_values(word, csv):
    table = read_table(csv(f"a,b,label\n1,x,u\n{word},{word},v\n3,y,u\n"), "label")
    np.testing.assert_array_equal(column(table, "a"), [1, NAN, 3])
    assert table.missing_values == 2


@pytest.mark.parametrize(("name", "pack"), [("data.csv.gz", gzip.compress), ("data.csv.bz2", bz2.compress)])
def test_packed_files(name, pack, csv):
    table = read_table(csv(pack(b"a,label\n1,x\n2,y\n"), name), "label")
    assert column(table, "a") == [1, 2]


@pytest.mark.parametrize("target", ["label", "1", "-2"])
def test_the_target(target, csv):
    table = read_table(csv("a,label,b\n1,x,2\n3,y,4\n"), target)
    assert (table.target, list(table.X.columns)) == ("label", ["a", "b"])


def test_a_name_that_is_a_number_goes_before_a_number(csv):
    table = read_table(csv("1,0,2\n5,x,6\n7,y,8\n"), "0")
    assert (table.target, table.y.tolist()) == ("0", ["x", "y"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["1", "2"], [1, 2]),
        (["1.0", "2.0"], [1, 2]),
        (["true", "false"], [True, False]),
        (["1", "b"], ["1", "b"]),
        (["2020-01-01", "2020-01-02"], ["2020-01-01", "2020-01-02"]),
        (["-1", "18446744073709551615"], None),
    ],
)
def test_labels(values, expected, csv):
    path = csv("a,label\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values * 2)))
    if expected is None:
        with pytest.raises(ValueError, match="2\\*\\*53"):
            read_table(path, "label")
    else:
        labels = read_table(path, "label").y.tolist()
        assert [str(label)[:10] if isinstance(label, str) else label for label in labels] == expected * 2
        assert [type(label) for label in labels] == [type(label) for label in expected * 2]


def test_columns_left_out(csv):
    path = csv("id,a,label,b\n1,2,x,3\n2,3,y,4\n")
    assert list(read_table(path, "label", drop=["id", "b"]).X.columns) == ["a"]
    with pytest.raises(ValueError, match="no column 'c' to drop"):
        read_table(path, "label", drop=["c"])


MISSPELT = {
    "target": {"target": "lable"},
    "group": {"target": "label", "group": "Patient"},
    "time": {"target": "label", "time": "patients"},
    "drop": {"target": "label", "drop": ["petient"]},
}


@pytest.mark.parametrize("name", MISSPELT)
def test_a_misspelt_column(name, csv):
    path = csv("patient,a,label\n1,2,x\n2,3,y\n")
    meant = "label" if name == "target" else "patient"
    with pytest.raises(ValueError, match=rf"no column .* \(did you mean '{meant}'\?\); the columns are 'patient'"):
        read_table(path, **MISSPELT[name])
    with pytest.raises(ValueError, match=r"no column 'zz' with the labels; the columns are"):
        read_table(path, "zz")


def test_a_misspelt_column_to_keep(csv):
    with pytest.raises(ValueError, match=r"no column 'ID' in data\.csv \(did you mean 'id'\?\)"):
        read_texts(csv("id,a\n1,2\n"), ["ID"])


def test_a_column_of_the_model_that_is_spelt_otherwise(csv):
    expected = KnownColumns(2, ("size", "weight"))
    with pytest.raises(ValueError, match=r"lacks columns .*: 'size' \(is it 'Size'\?\)\."):
        read_table(csv("Size,weight\n1,2\n"), needs_target=False, known=expected)


def test_names_that_are_long_or_many_are_compared_quickly(csv):
    columns = ",".join(f"column_{k}" for k in range(5000))
    with pytest.raises(ValueError, match="no column"):
        read_table(csv(f"{columns},{'x' * 100_000}\n{'1,' * 5000}1\n"), "y" * 100_000)


def test_the_target_is_not_dropped(csv):
    with pytest.raises(ValueError, match="'label' holds the labels: it cannot be left out with --drop"):
        read_table(csv("a,label\n1,x\n2,y\n"), "-1", drop=["label"])


def test_no_target_is_needed(csv):
    table = read_table(csv("a,b\n1,2\n"), needs_target=False)
    assert table.y is None
    assert table.X.shape == (1, 2)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2, None], pa.int8(), [1, 2, NAN]),
        ([1, 2, 3], pa.uint64(), [1, 2, 3]),
        ([1.5, None, NAN], pa.float32(), [1.5, NAN, NAN]),
        ([0.5, 1, 2], pa.float16(), [0.5, 1, 2]),
        ([True, None, False], pa.bool_(), [1, NAN, 0]),
        ([decimal.Decimal("1.25"), None, decimal.Decimal(-3)], pa.decimal128(9, 2), [1.25, NAN, -3]),
        ([datetime.date(1970, 1, 11), None, datetime.date(1969, 12, 31)], pa.date32(), [10, NAN, -1]),
        ([datetime.datetime(1970, 1, 1, 6), None, datetime.datetime(1970, 1, 2)], pa.timestamp("ns"), [0.25, NAN, 1]),
        (
            [datetime.datetime(9999, 12, 31), datetime.datetime(1, 1, 1), None],
            pa.timestamp("us"),
            [2932896, -719162, NAN],
        ),
        ([datetime.datetime(2021, 3, 28, tzinfo=datetime.UTC), None], pa.timestamp("ms", "Europe/Paris"), [18714, NAN]),
        ([datetime.time(6), datetime.time(12), None], pa.time32("ms"), [0.25, 0.5, NAN]),
        ([datetime.timedelta(days=2), datetime.timedelta(hours=-6), None], pa.duration("us"), [2, -0.25, NAN]),
    ],
)
def test_numbers_of_parquet_files(values, kind, expected, arrow):
    table = read_table(arrow(values, kind), "label")
    assert table.categorical == ()
    np.testing.assert_array_equal(column(table, "value"), expected)
    assert table.X["value"].dtype == np.float64


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["x", "y", None]),
        pa.array(["x", "y", None], pa.large_string()),
        pa.array(["x", "y", None], pa.string_view()),
        pa.array(["x", "y", None]).dictionary_encode(),
    ],
)
def test_categories_of_parquet_files(values, arrow):
    table = read_table(arrow(values), "label")
    assert table.categorical == ("value",)
    assert column(table, "value")[:2] == ["x", "y"]
    assert column(table, "value")[2] is np.nan


def test_the_index_of_a_data_frame_is_no_feature(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3], "label": ["x", "y", "x"]}, index=[7, 5, 9])
    frame.to_parquet(tmp_path / "numbered.parquet")
    frame.rename_axis("id").to_parquet(tmp_path / "named.parquet")
    for name in ("numbered", "named"):
        table = read_table(tmp_path / f"{name}.parquet", "label")
        assert list(table.X.columns) == ["a"]
        assert table.y.tolist() == ["x", "y", "x"]


@pytest.mark.parametrize("described", [b"{", b"[]", b'{"index_columns": 3}', b'{"index_columns": [{}, null, "b"]}'])
def test_forged_descriptions_of_the_index(described, tmp_path):
    table = pa.table({"a": [1, 2], "label": ["x", "y"]}).replace_schema_metadata({b"pandas": described})
    parquet.write_table(table, tmp_path / "data.parquet")
    assert list(read_table(tmp_path / "data.parquet", "label").X.columns) == ["a"]


def test_libsvm(tmp_path):
    X, y = np.array([[0, 1.5, 0], [2, 0, 0], [0, 0, -3]]), np.array([1, -1, 1])
    dump_svmlight_file(X, y, str(tmp_path / "data.libsvm"), zero_based=False)
    table = read_table(tmp_path / "data.libsvm")
    np.testing.assert_array_equal(table.X, X)
    assert table.y.tolist() == y.tolist()
    assert table.target == "label"
    wider = read_table(tmp_path / "data.libsvm", needs_target=False, known=KnownColumns(5))
    np.testing.assert_array_equal(wider.X, np.hstack([X, np.zeros((3, 2))]))
    assert wider.y is None


def test_libsvm_stays_sparse_where_it_is_large(tmp_path, monkeypatch):
    monkeypatch.setattr("stocmv.tables._files._DENSE_CELLS", 10)
    path = write(tmp_path / "data.libsvm", "1 4:2\n2 1:1\n1 3:1\n")
    table = read_table(path)
    assert hasattr(table.X, "toarray")
    assert table.X.shape == (3, 4)
    assert table.missing_values == 0


def test_npz(tmp_path):
    X, y = np.array([[1.0, NAN], [2, 3]]), np.array([1, 0])
    np.savez(tmp_path / "data.npz", X=X, y=y, other=y[::-1], target_names=["no", "yes"])
    table = read_table(tmp_path / "data.npz")
    np.testing.assert_array_equal(table.X, X)
    assert table.y.tolist() == ["yes", "no"]
    assert table.missing_values == 1
    assert read_table(tmp_path / "data.npz", "other").y.tolist() == ["no", "yes"]
    assert read_table(tmp_path / "data.npz", needs_target=False).y is None


@pytest.mark.parametrize(
    "names", [np.array(["no"]), np.array([["no", "yes"]]), np.array(["0", "1"]), np.array([0, 1]), np.array(3)]
)
def test_names_of_classes_that_do_not_fit_or_say_nothing(names, tmp_path):
    np.savez(tmp_path / "data.npz", X=np.eye(2), y=np.array([1, 0]), target_names=names)
    assert read_table(tmp_path / "data.npz").y.tolist() == [1, 0]


def test_the_format_may_be_named(tmp_path):
    path = write(tmp_path / "data", "a,label\n1,x\n2,y\n")
    assert read_table(path, "label", format="csv").y.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match=r"Give --format csv\|parquet\|excel\|libsvm\|npz"):
        read_table(path, "label")
    assert set(FORMATS) == {"csv", "parquet", "excel", "libsvm", "npz"}


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_groups_of_mixed_types_are_one(ending, tmp_path):
    frame = pd.DataFrame({"y": [0, 1] * 3, "x": range(6), "who": ["1", "1.0", "1", "01", "a", "a"]})
    if ending == "csv":
        frame.to_csv(tmp_path / "mixed.csv", index=False)
    else:
        pytest.importorskip("openpyxl", reason="openpyxl is not installed")
        frame["who"] = [1, 1.0, "1", "01", "a", "a"]
        frame.to_excel(tmp_path / "mixed.xlsx", index=False)
    table = read_table(tmp_path / f"mixed.{ending}", "y", group="who")
    assert len(np.unique(group_ids(table.groups, 6))) == 3
