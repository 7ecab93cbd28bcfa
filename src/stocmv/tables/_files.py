"""One reader for each kind of file: csv and parquet give named columns, libsvm and npz arrays."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._memory import check_fits
from ._bytes import read_bytes
from ._columns import listed

_DELIMITERS = ",;\t|"
_MOST_FEATURES = 10_000_000
_DENSE_CELLS = 50_000_000
_DAMAGE = (ValueError, OSError, EOFError, KeyError, TypeError, SyntaxError, RuntimeError, NotImplementedError)


def read_csv(path: Path) -> Any:
    """A data frame of a csv file with a header; every row must have all columns."""
    import pyarrow as pa
    from pyarrow import csv

    content = read_bytes(path)
    if not content.strip():
        raise ValueError(f"{path.name} is empty.")
    if b"\0" in content:
        raise ValueError(f"{path.name} holds NUL bytes: it is no text file.")
    try:
        header = content[: content.find(b"\n") % (len(content) + 1)].decode("utf-8-sig")
        table = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(block_size=min(max(len(content) + 1, 1 << 20), 2**31 - 1)),
            parse_options=csv.ParseOptions(
                delimiter=max(_DELIMITERS, key=header.count), newlines_in_values=b'"' in content
            ),
            convert_options=csv.ConvertOptions(strings_can_be_null=True),
        )
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is not a csv file in UTF-8: {_first_line(error)}") from error
    return _frame(table, path)


def read_parquet(path: Path) -> Any:
    """A data frame of a parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        described = parquet.read_metadata(path)
        groups = range(described.num_row_groups)
        check_fits(sum(described.row_group(group).total_byte_size for group in groups), path.name)
        table = parquet.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path.name} is not a parquet file: {_first_line(error)}") from error
    return _frame(table, path)


def _frame(table: Any, path: Path) -> Any:
    import pyarrow as pa

    names = table.column_names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{path.name} has columns of the same name: {listed(twice)}.")
    if table.num_rows == 0:
        raise ValueError(f"{path.name} has a header but no rows.")
    for field in table.schema:
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise ValueError(f"The column {field.name!r} of {path.name} holds {field.type}, not numbers or categories.")
    try:
        return table.to_pandas(date_as_object=False)
    except pa.ArrowException as error:
        raise ValueError(f"{path.name} cannot be read: {_first_line(error)}") from error


def read_libsvm(path: Path, n_features: int | None = None) -> tuple[Any, NDArray]:
    """Features and labels of a libsvm file; sparse only where dense features would not fit."""
    from sklearn.datasets import load_svmlight_file

    content = read_bytes(path)
    if not content.strip():
        raise ValueError(f"{path.name} is empty.")
    try:
        X, y = load_svmlight_file(io.BytesIO(content), n_features=n_features)
    except (ValueError, OverflowError, MemoryError) as error:
        raise ValueError(f"{path.name} is not a libsvm file: {_first_line(error)}") from error
    if X.shape[1] > _MOST_FEATURES:
        raise ValueError(f"{path.name} has a feature number {X.shape[1]:,}; at most {_MOST_FEATURES:,} are read.")
    if not np.all(np.isfinite(X.data)):
        raise ValueError(f"{path.name} holds values that are not finite: replace them first.")
    return (X.toarray() if X.shape[0] * X.shape[1] <= _DENSE_CELLS else X), y


def read_npz(path: Path) -> dict[str, NDArray]:
    """The arrays of an npz file; none of them pickled."""
    try:
        with zipfile.ZipFile(path) as packed:
            check_fits(sum(entry.file_size for entry in packed.infolist()), path.name)
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (*_DAMAGE, zipfile.BadZipFile, MemoryError) as error:
        raise ValueError(f"{path.name} is not an npz file of plain arrays: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    text = (str(error) or type(error).__name__).splitlines()[0]
    return text if len(text) <= 200 else text[:197] + "..."
