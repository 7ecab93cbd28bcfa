"""Encodings, sheets, and errors that name file, column, row and value."""

import numpy as np
import pandas as pd
import pytest

from stocmv.tables import KnownColumns, check_encoding, read_table, read_texts

TEXT = "größe;stadt;label\n1,5;Köln;x\n2;Düren;y\n3;Köln;x\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-16", "utf-8-sig"])
def test_encodings(encoding, tmp_path):
    (tmp_path / "data.csv").write_bytes(TEXT.encode(encoding))
    table = read_table(tmp_path / "data.csv", "label", encoding=encoding)
    assert list(table.X.columns) == ["größe", "stadt"]
    assert table.X["stadt"].tolist() == ["Köln", "Düren", "Köln"]
    assert table.encoding == encoding


def test_another_encoding_is_not_guessed(tmp_path):
    (tmp_path / "data.csv").write_bytes(TEXT.encode("latin-1"))
    with pytest.raises(
        ValueError, match=r"data\.csv is not in UTF-8, as line 1 shows: name its encoding with --encoding"
    ):
        read_table(tmp_path / "data.csv", "label")
    with pytest.raises(ValueError, match=r"data\.csv is not in ascii, as line 1 shows: try another"):
        read_table(tmp_path / "data.csv", "label", encoding="ascii")


@pytest.mark.parametrize("chunk", [1, 7, 1 << 22])
def test_the_line_that_is_in_another_encoding(chunk, tmp_path, monkeypatch):
    monkeypatch.setattr("stocmv.tables._bytes._CHUNK", chunk)
    (tmp_path / "data.csv").write_text("a,label\n1,größe\n2,y\n", "utf-8")
    assert read_table(tmp_path / "data.csv", "label").y.tolist() == ["größe", "y"]
    (tmp_path / "data.csv").write_bytes(b"a,label\n1,x\n2,y\n3,\xe9\n")
    with pytest.raises(ValueError, match="as line 4 shows"):
        read_table(tmp_path / "data.csv", "label")


def test_encodings_that_are_none():
    assert check_encoding("latin-1") == "latin-1"
    for name in ("klingon", "", "base64", "a\0b"):
        with pytest.raises(ValueError, match="not an encoding that Python knows"):
            check_encoding(name)


def test_only_csv_files_have_an_encoding(tmp_path):
    pd.DataFrame({"a": [1, 2], "label": ["x", "y"]}).to_parquet(tmp_path / "data.parquet")
    with pytest.raises(ValueError, match=r"--encoding is for csv files, and data\.parquet is read as parquet"):
        read_table(tmp_path / "data.parquet", "label", encoding="latin-1")


@pytest.fixture
def sheet(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame(
        {
            "code": ["007", "8", None, "x"],
            "mixed": [1, "two", 3, 4],
            "size": [1.5, 2, None, 4],
            "seen": pd.to_datetime(["2020-01-01", "2020-01-02", None, "1970-01-02"]),
            "label": [0, 1, 1, 0],
        }
    )
    frame.to_excel(tmp_path / "data.xlsx", index=False)
    return tmp_path / "data.xlsx"


def test_an_excel_file(sheet):
    table = read_table(sheet, "label")
    assert table.kinds == {"code": "categories", "mixed": "categories", "size": "numbers", "seen": "dates"}
    assert table.X["code"].tolist()[:2] == ["007", "8"]
    assert table.X["mixed"].tolist() == ["1", "two", "3", "4"]
    np.testing.assert_array_equal(table.X["size"], [1.5, 2, np.nan, 4])
    assert table.X["seen"].tolist()[3] == 1
    assert table.y.tolist() == [0, 1, 1, 0]


def test_categories_of_an_excel_file_that_look_like_numbers(tmp_path):
    pytest.importorskip("openpyxl")
    pd.DataFrame({"code": [7, None, 9]}).to_excel(tmp_path / "new.xlsx", index=False)
    table = read_table(
        tmp_path / "new.xlsx", needs_target=False, known=KnownColumns(1, ("code",), ("code",), ("code",))
    )
    assert table.X["code"].tolist()[::2] == ["7", "9"]


@pytest.mark.parametrize("content", [b"", b"a,label\n1,x\n", b"PK\x03\x04damaged"])
def test_no_excel_file(content, tmp_path):
    (tmp_path / "data.xlsx").write_bytes(content)
    with pytest.raises(ValueError, match=r"^data\.xlsx is not an Excel file \(\.xlsx\): "):
        read_table(tmp_path / "data.xlsx", "label")


def test_what_columns_are_taken_for(tmp_path):
    text = "a,word,flag,day,none,id,label\n1,x,true,2020-01-01,,1,u\n2.5,y,false,2020-01-02,,2,v\n"
    (tmp_path / "data.csv").write_text(text)
    table = read_table(tmp_path / "data.csv", "label", drop=["id"])
    assert table.kinds == {"a": "numbers", "word": "categories", "flag": "yes or no", "day": "dates"}
    assert (table.dropped, table.empty, table.dates) == (("id",), ("none",), ("day",))
    assert list(table.X.columns) == ["a", "word", "flag", "day"]


MODEL = KnownColumns(3, ("size", "code", "day"), ("code",), ("code",), ("day",))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("small,a,2020-01-01", r"'size' of new\.csv must hold numbers, as .* but row 3 .* holds 'small'\."),
        ('"1,5",a,2020-01-01', r"'size' of new\.csv must hold numbers, as .* but row 3 .* holds '1,5'\."),
        (
            "1,a,31.12.2020",
            r"'day' of new\.csv must hold dates \(written like .*\), as .* row 3 .* holds '31\.12\.2020'\.",
        ),
    ],
)
def test_the_first_value_that_is_not_as_it_was(row, said, tmp_path):
    (tmp_path / "new.csv").write_text(f"size,code,day\n1,a,2020-01-01\n,b,\n{row}\n4,b,2020-01-02\n")
    with pytest.raises(ValueError, match=said):
        read_table(tmp_path / "new.csv", needs_target=False, known=MODEL)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,a,18000", r"'day' of new\.csv holds numbers; when the model was trained it held dates"),
        ("2020-01-01,a,2020-01-01", r"'size' of new\.csv holds dates; when the model was trained it held numbers"),
    ],
)
def test_numbers_and_dates_are_not_taken_for_each_other(row, said, tmp_path):
    (tmp_path / "new.csv").write_text(f"size,code,day\n{row}\n")
    with pytest.raises(ValueError, match=said):
        read_table(tmp_path / "new.csv", needs_target=False, known=MODEL)


def test_columns_as_they_stand(tmp_path):
    (tmp_path / "new.csv").write_text('id,size,note\n007,1.50,NA\n1e3,,"a, b"\n,3,\n')
    assert read_texts(tmp_path / "new.csv", ["note", "id", "size"]) == {
        "note": ["NA", "a, b", ""],
        "id": ["007", "1e3", ""],
        "size": ["1.50", "", "3"],
    }
    with pytest.raises(
        ValueError, match=r"There is no column 'name' in new\.csv; the columns are 'id', 'size', 'note'"
    ):
        read_texts(tmp_path / "new.csv", ["name"])


def test_columns_of_other_files_as_they_stand(tmp_path, sheet):
    pd.DataFrame({"id": pd.array([7, None], "Int64"), "day": pd.to_datetime(["2020-01-01", None])}).to_parquet(
        tmp_path / "new.parquet"
    )
    kept = read_texts(tmp_path / "new.parquet", ["id", "day"])
    assert kept == {"id": ["7", ""], "day": ["2020-01-01 00:00:00", ""]}
    assert read_texts(sheet, ["code", "size"]) == {"code": ["007", "8", "", "x"], "size": ["1.5", "2", "", "4"]}
    np.savez(tmp_path / "new.npz", X=np.eye(2))
    with pytest.raises(ValueError, match="have no names, as it is read as npz"):
        read_texts(tmp_path / "new.npz", ["id"])


def test_new_values_are_estimated_from_those_that_occur_once(tmp_path):
    (tmp_path / "data.csv").write_text("a,label\n" + "u,x\nv,y\n" * 4 + "w,x\n")
    assert read_table(tmp_path / "data.csv", "label").unseen == {"a": 0.2}
