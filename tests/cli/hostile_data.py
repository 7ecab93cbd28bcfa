"""Files that no command can use, each with a word of the sentence that refuses it."""

import bz2
import gzip
import io
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from tables.sheets import row, write_sheet

HEADER = "sepal length,sepal width,petal length,petal width,kind\n"
ROW = "5.1,3.5,1.4,0.2,setosa\n"
OTHER = "6.3,3.3,6.0,2.5,virginica\n"
ROWS = (ROW + OTHER) * 30
FIELD = "x" * 10_000_000

Write = Callable[[Path], Path]


def _holding(name: str, content: bytes | str | Callable[[], bytes]) -> Write:
    def write(folder: Path) -> Path:
        made = content() if callable(content) else content
        path = folder / name
        path.write_bytes(made.encode() if isinstance(made, str) else made)
        return path

    return write


def _parquet(**columns: pa.Array) -> bytes:
    return _parquet_of(pa.table(columns))


def _parquet_of(table: pa.Table) -> bytes:
    file = io.BytesIO()
    parquet.write_table(table, file)
    return file.getvalue()


def _flowers_parquet() -> bytes:
    return _parquet_of(pa.Table.from_pandas(pd.read_csv(io.StringIO(HEADER + ROWS))))


def _labelled_parquet(values: list, kind: pa.DataType) -> bytes:
    return _parquet(value=pa.array(values * 30, kind), kind=pa.array(["a", "b"] * 30))


def _npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _zip(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return file.getvalue()


def _npy(header: str, content: bytes = b"") -> bytes:
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


def _lying_zip() -> bytes:
    """A file whose directory says that X has ten bytes."""
    content = bytearray(_npz(X=np.zeros((60, 4)), y=np.arange(60) % 2))
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", 10)
    return bytes(content)


X, Y = np.arange(240.0).reshape(60, 4), np.arange(60) % 2

CSV: dict[str, tuple[Write, str]] = {
    "empty": (_holding("data.csv", ""), "empty"),
    "whitespace": (_holding("data.csv", " \n\t\n \r\n"), "empty"),
    "binary garbage": (_holding("data.csv", bytes(range(256)) * 40), "NUL"),
    "garbage without NUL": (_holding("data.csv", bytes(range(1, 256)) * 40), "data.csv"),
    "one column": (_holding("data.csv", "kind\n" + "a\nb\n" * 30), "data.csv"),
    "a short row": (_holding("data.csv", HEADER + ROWS + "1,2\n" + ROWS), "Row #62: Expected 5 columns, got 2"),
    "a long row": (_holding("data.csv", HEADER + ROWS + "1,2,3,4,5,6\n"), "Row #62: Expected 5 columns, got 6"),
    "a field of 10 MB as a number": (
        _holding("data.csv", lambda: (HEADER + ROWS + f"{'9' * 10_000_000},1,1,1,setosa\n").encode()),
        "infinite",
    ),
    "NUL bytes": (_holding("data.csv", HEADER + ROWS.replace("3.5", "3\0 5")), "NUL"),
    "latin-1 values": (_holding("data.csv", (HEADER + ROWS.replace("setosa", "sétosa")).encode("latin-1")), "UTF-8"),
    "latin-1 header": (_holding("data.csv", (HEADER.replace("kind", "kïnd") + ROWS).encode("latin-1")), "UTF-8"),
    "utf-16": (_holding("data.csv", (HEADER + ROWS).encode("utf-16")), "UTF-8"),
    "columns of the same name": (_holding("data.csv", "a,a,kind\n" + "1,2,x\n1,2,y\n" * 30), "'a'"),
    "no header": (_holding("data.csv", "1,1,2,setosa\n" * 30), "header"),
    "no rows": (_holding("data.csv", HEADER), "no rows"),
    "infinite values": (_holding("data.csv", HEADER + ROWS + "inf,1,1,1,setosa\n"), "infinite"),
    "a quote never closed": (_holding("data.csv", HEADER + ROWS + '1,1,1,1,"setosa\n' + ROWS), "quote"),
    "a quote never closed within a row": (_holding("data.csv", HEADER + ROWS + '1,1,"1,1,setosa\n' + ROWS), "columns"),
    "another delimiter": (_holding("data.csv", (HEADER + ROWS).replace(",", ":")), "petal width:kind"),
    "parquet named csv": (_holding("data.csv", _flowers_parquet), "NUL"),
    "npz named csv": (_holding("data.csv", _npz(X=X, y=Y)), "NUL"),
    "truncated gz": (_holding("data.csv.gz", gzip.compress((HEADER + ROWS).encode())[:-12]), "damaged"),
    "truncated bz2": (_holding("data.csv.bz2", bz2.compress((HEADER + ROWS).encode())[:-12]), "damaged"),
    "csv named gz": (_holding("data.csv.gz", HEADER + ROWS), "damaged"),
    "gz with damaged content": (
        _holding("data.csv.gz", gzip.compress((HEADER + ROWS).encode())[:30] + b"\xff" * 40),
        "damaged",
    ),
    "an unknown ending": (_holding("data.xls", HEADER + ROWS), "--format"),
    "no ending": (_holding("data", HEADER + ROWS), "--format"),
}

PARQUET: dict[str, tuple[Write, str]] = {
    "empty": (_holding("data.parquet", ""), "not a parquet file"),
    "csv named parquet": (_holding("data.parquet", HEADER + ROWS), "not a parquet file"),
    "truncated": (_holding("data.parquet", lambda: _flowers_parquet()[:-100]), "not a parquet file"),
    "cut at the front": (_holding("data.parquet", lambda: _flowers_parquet()[100:]), "not a parquet file"),
    "only the magic": (_holding("data.parquet", b"PAR1PAR1"), "not a parquet file"),
    "overwritten within": (
        _holding("data.parquet", lambda: _flowers_parquet()[:4] + b"\xff" * 400 + _flowers_parquet()[404:]),
        "not a parquet file",
    ),
    "nested": (_holding("data.parquet", lambda: _labelled_parquet([[1], [2]], pa.list_(pa.int64()))), "list<"),
    "structs": (
        _holding("data.parquet", lambda: _labelled_parquet([{"a": 1}, {"a": 2}], pa.struct({"a": pa.int64()}))),
        "struct<",
    ),
    "bytes": (_holding("data.parquet", lambda: _labelled_parquet([b"\xff", b"\0"], pa.binary())), "binary"),
    "no rows": (
        _holding("data.parquet", lambda: _parquet(value=pa.array([], pa.float64()), kind=pa.array([], pa.string()))),
        "no rows",
    ),
    "no columns": (_holding("data.parquet", lambda: _parquet_of(pa.table({}))), "data.parquet"),
    "infinite values": (
        _holding("data.parquet", lambda: _labelled_parquet([np.inf, 1.0], pa.float64())),
        "infinite",
    ),
}

LIBSVM: dict[str, tuple[Write, str]] = {
    "empty": (_holding("data.libsvm", "\n"), "empty"),
    "text": (_holding("data.libsvm", "these are words\n"), "not a libsvm file"),
    "indices that decrease": (_holding("data.libsvm", "1 2:1 1:1\n2 1:1 2:1\n"), "not a libsvm file"),
    "an index of zero": (_holding("data.libsvm", "1 0:1 1:1\n2 1:1\n"), "not a libsvm file"),
    "a negative index": (_holding("data.libsvm", "1 -3:1 1:1\n2 1:1\n"), "not a libsvm file"),
    "an enormous index": (_holding("data.libsvm", "1 1:1 2000000000:1\n2 1:1\n"), "2,000,000,000"),
    "an index beyond all integers": (_holding("data.libsvm", f"1 1:1 {10**30}:1\n2 1:1\n"), "not a libsvm file"),
    "an index that is no number": (_holding("data.libsvm", "1 a:1\n2 1:1\n"), "not a libsvm file"),
    "nan": (_holding("data.libsvm", "1 1:nan 2:1\n2 1:1\n" * 30), "not finite"),
    "infinity": (_holding("data.libsvm", "1 1:inf 2:1\n2 1:1\n" * 30), "not finite"),
    "a value that is no number": (_holding("data.libsvm", "1 1:one\n2 1:1\n"), "not a libsvm file"),
    "a label that is no number": (_holding("data.libsvm", "one 1:1\ntwo 1:2\n"), "not a libsvm file"),
    "several labels": (_holding("data.libsvm", "1,2 1:1\n2,3 1:1\n"), "not a libsvm file"),
    "bytes": (_holding("data.libsvm", bytes(range(256)) * 4), "not a libsvm file"),
    "truncated bz2": (_holding("data.libsvm.bz2", bz2.compress(b"1 1:1\n2 1:2\n" * 50)[:-9]), "damaged"),
    "truncated gz": (_holding("data.libsvm.gz", gzip.compress(b"1 1:1\n2 1:2\n" * 50)[:-9]), "damaged"),
}

NPZ: dict[str, tuple[Write, str]] = {
    "empty": (_holding("data.npz", ""), "not an npz file"),
    "csv named npz": (_holding("data.npz", HEADER + ROWS), "not an npz file"),
    "truncated": (_holding("data.npz", _npz(X=X, y=Y)[:-60]), "not an npz file"),
    "overwritten within": (
        _holding("data.npz", _npz(X=X, y=Y)[:80] + b"\xff" * 60 + _npz(X=X, y=Y)[140:]),
        "not an npz file",
    ),
    "pickled examples": (_holding("data.npz", _npz(X=np.array([[{}], [{}]], object), y=Y[:2])), "not an npz file"),
    "a pickle": (_holding("data.npz", pickle.dumps({"X": [1], "y": [2]})), "not an npz file"),
    "no arrays": (_holding("data.npz", _zip()), "X and y"),
    "no X": (_holding("data.npz", _npz(Z=X, y=Y)), "X and y"),
    "names that lead elsewhere": (_holding("data.npz", _zip(**{"../X.npy": b"", "/y.npy": b""})), "X and y"),
    "members that are no arrays": (_holding("data.npz", _zip(X=b"1", y=b"2")), "X and y"),
    "one dimension": (_holding("data.npz", _npz(X=X.ravel(), y=Y)), "shape (240,)"),
    "three dimensions": (_holding("data.npz", _npz(X=X[None], y=Y)), "shape (1, 60, 4)"),
    "words": (_holding("data.npz", _npz(X=X.astype(str), y=Y)), "<U"),
    "complex numbers": (_holding("data.npz", _npz(X=X + 1j, y=Y)), "complex"),
    "dates": (_holding("data.npz", _npz(X=X.astype("M8[s]"), y=Y)), "datetime"),
    "infinite values": (_holding("data.npz", _npz(X=np.where(X == 3, np.inf, X), y=Y)), "infinite"),
    "no rows": (_holding("data.npz", _npz(X=X[:0], y=Y[:0])), "shape (0, 4)"),
    "a header of a terabyte": (
        _holding(
            "data.npz",
            _zip(**{"X.npy": _npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 125)}", b"\0" * 64)}),
        ),
        "not an npz file",
    ),
    "a header with code": (
        _holding("data.npz", _zip(**{"X.npy": _npy("__import__('os').mkdir('code-has-run')")})),
        "not an npz file",
    ),
    "a member that is larger than it says": (_holding("data.npz", _lying_zip), "not an npz file"),
}

EXCEL: dict[str, tuple[Write, str]] = {
    "empty": (_holding("data.xlsx", ""), "not an Excel file"),
    "csv named xlsx": (_holding("data.xlsx", HEADER + ROWS), "not an Excel file"),
    "another zip file": (_holding("data.xlsx", _npz(X=X, y=Y)), "not an Excel file"),
    "no cells": (lambda folder: write_sheet(folder / "data.xlsx", ""), "first sheet of data.xlsx is empty"),
    "only names": (lambda folder: write_sheet(folder / "data.xlsx", row("a", "kind")), "no rows"),
    "a cell far away": (
        lambda folder: write_sheet(
            folder / "data.xlsx", row("a", "kind") + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
        ),
        "1,048,576 rows and 16,384 columns",
    ),
}

FILES = {
    f"{kind}: {name}": case
    for kind, cases in {"csv": CSV, "parquet": PARQUET, "excel": EXCEL, "libsvm": LIBSVM, "npz": NPZ}.items()
    for name, case in cases.items()
}

# fine examples, but no labels to learn from
TARGETS: dict[str, tuple[Write, str, str]] = {
    "no such column": (_holding("data.csv", HEADER + ROWS), "colour", "'sepal length', 'sepal width'"),
    "misspelt": (_holding("data.csv", HEADER + ROWS), "Kinds", "'Kinds' with the labels (did you mean 'kind'?)"),
    "npz: misspelt": (_holding("data.npz", _npz(X=X, label=Y)), "labels", "labels (did you mean 'label'?)"),
    "no such number": (_holding("data.csv", HEADER + ROWS), "5", "5 columns"),
    "not named": (_holding("data.csv", HEADER + ROWS), "", "--target"),
    "one value": (_holding("data.csv", HEADER + ROW * 60), "kind", "one value"),
    "all different": (
        _holding("data.csv", "a,kind\n" + "".join(f"{i},k{i}\n" for i in range(60))),
        "kind",
        "60 different values",
    ),
    "fractions": (_holding("data.csv", HEADER + ROWS), "sepal length", "not whole"),
    "infinite": (_holding("data.csv", "a,kind\n" + "1,1\n2,inf\n" * 30), "kind", "not whole"),
    "missing": (_holding("data.csv", "a,kind\n" + "1,x\n2,y\n" * 20 + "3,\n4,x\n5,NA\n"), "kind", "41, 43"),
    "a text of 10 MB": (_holding("data.csv", lambda: f"a,kind\n1,x\n2,{FIELD}\n".encode()), "kind", "10,000,000"),
    "beyond 2**53": (_holding("data.csv", "a,kind\n" + "1,1e17\n2,1e18\n" * 30), "kind", "2**53"),
    "10,000 columns and one row": (
        _holding("data.csv", lambda: f"{','.join(f'c{i}' for i in range(10_000))}\n{',1' * 9_999}\n".encode()),
        "c1",
        "one value",
    ),
    "columns without values": (_holding("data.csv", "a,b,kind\n" + ",,x\n,,y\n" * 30), "kind", "besides the target"),
    "only the target": (_holding("data.csv", "kind\n" + "x\ny\n" * 30), "kind", "besides the target"),
    "npz: no y": (_holding("data.npz", _npz(X=X, z=Y)), "", "X and y"),
    "npz: another length": (_holding("data.npz", _npz(X=X, y=Y[:-1])), "", "shape (59,)"),
    "npz: two columns": (_holding("data.npz", _npz(X=X, y=np.stack([Y, Y], axis=1))), "", "shape (60, 2)"),
    "npz: nan": (_holding("data.npz", _npz(X=X, y=np.where(Y == 1, np.nan, 0.0))), "", "missing in 30 rows"),
    "npz: complex": (_holding("data.npz", _npz(X=X, y=Y + 1j)), "", "complex"),
    "npz: pickled": (_holding("data.npz", _npz(X=X, y=np.array([None, {}] * 30, object))), "", "not an npz file"),
    "npz: records": (_holding("data.npz", _npz(X=X, y=np.zeros(60, "i4,f4"))), "", "text"),
    "npz: no such array": (_holding("data.npz", _npz(X=X, y=Y)), "labels", "X and labels"),
    "libsvm: a name": (_holding("data.libsvm", "1 1:1\n2 1:2\n" * 30), "kind", "leave out --target"),
    "libsvm: nan": (_holding("data.libsvm", "nan 1:1\n2 1:2\n" * 30), "", "missing in 30 rows"),
    "libsvm: fractions": (_holding("data.libsvm", "0.5 1:1\n2 1:2\n" * 30), "", "not whole"),
    "libsvm: one value": (_holding("data.libsvm", "1 1:1\n1 1:2\n" * 30), "", "one value"),
    "parquet: lists": (
        _holding("data.parquet", lambda: _labelled_parquet([[1], [2]], pa.list_(pa.int64()))),
        "value",
        "list<",
    ),
    "parquet: missing": (
        _holding("data.parquet", lambda: _labelled_parquet([1, None], pa.int64())),
        "value",
        "30 rows",
    ),
}
