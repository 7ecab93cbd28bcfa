"""Tables for a model that is there already."""

import numpy as np
import pandas as pd
import pytest

from stocmv.tables import KnownColumns, read_table

MODEL = KnownColumns(3, ("size", "code", "flag"), ("code",), ("code",))


@pytest.fixture
def csv(tmp_path):
    def make(text):
        (tmp_path / "new.csv").write_text(text)
        return tmp_path / "new.csv"

    return make


def read(path, known=MODEL):
    return read_table(path, needs_target=False, known=known)


def test_columns_by_their_names(csv):
    table = read(csv("flag,more,size,code\ntrue,x,1.5,a\nfalse,y,2,b\n"))
    assert list(table.X.columns) == ["size", "code", "flag"]
    assert table.X.to_dict("list") == {"size": [1.5, 2], "code": ["a", "b"], "flag": [1, 0]}
    assert table.y is None


def test_columns_that_are_lacking(csv):
    with pytest.raises(ValueError, match=r"new\.csv lacks columns that the model was trained with: 'code', 'flag'"):
        read(csv("size,more\n1,2\n"))


def test_categories_stay_as_they_stand(csv):
    table = read(csv("size,code,flag\n1,007,true\n2,1e3,true\n3,,true\n"))
    assert table.X["code"].tolist()[:2] == ["007", "1e3"]
    assert table.X["code"].tolist()[2] is np.nan


def test_categories_of_a_parquet_file_are_the_same_words(tmp_path):
    frame = pd.DataFrame({"size": [1, 2], "code": pd.array([7, None], "Int64"), "flag": [True, False]})
    frame.to_parquet(tmp_path / "new.parquet")
    assert read(tmp_path / "new.parquet").X["code"].tolist()[0] == "7"


def test_numbers_must_be_numbers(csv):
    with pytest.raises(
        ValueError, match=r"The column 'size' of new\.csv must hold numbers, .* row 1 .* holds 'large'\."
    ):
        read(csv("size,code,flag\nlarge,a,true\n"))


def test_a_column_without_values(csv):
    table = read(csv("size,code,flag\n,,\n,,\n"))
    assert table.X.isna().to_numpy().all()
    assert table.X["size"].dtype == np.float64


def test_infinite_numbers(csv):
    with pytest.raises(ValueError, match="'size' holds infinite values"):
        read(csv("size,code,flag\n-inf,a,true\n"))


def test_a_target_that_has_one_value_or_many(csv):
    path = csv("size,code,flag,label\n1,a,true,x\n2,b,true,x\n")
    assert read_table(path, "label", known=MODEL).y.tolist() == ["x", "x"]


def test_a_model_that_knows_no_names(csv):
    table = read(csv("a,b\n1,2\n3,4\n"), KnownColumns(2))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert isinstance(table.X, np.ndarray)
    with pytest.raises(ValueError, match=r"new\.csv has 2 columns, but the model knows 3 features"):
        read(csv("a,b\n1,2\n"), KnownColumns(3))


def test_arrays_get_the_names_of_the_model(tmp_path):
    np.savez(tmp_path / "new.npz", X=np.eye(2))
    table = read(tmp_path / "new.npz", KnownColumns(2, ("a", "b")))
    assert list(table.X.columns) == ["a", "b"]
    with pytest.raises(ValueError, match="columns of categories, which a file of numbers cannot hold"):
        read(tmp_path / "new.npz", KnownColumns(2, ("a", "b"), ("b",)))


def test_sparse_rows_get_the_names_of_the_model(tmp_path):
    (tmp_path / "new.libsvm").write_text("0 2:1\n")
    table = read(tmp_path / "new.libsvm", KnownColumns(2, ("a", "b")))
    assert table.X.to_dict("list") == {"a": [0.0], "b": [1.0]}
