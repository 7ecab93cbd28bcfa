"""One reader for each kind of file: csv and parquet have named columns, libsvm and npz arrays."""

import io
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import DAMAGE, read_arrays, reason
from .._memory import TooLarge, check_fits, free_memory
from ._arrow import as_frame, check_kinds
from ._bytes import in_utf8, read_bytes

_DELIMITERS = ",;\t|"
_HEADER = 1 << 20  # bytes in which to look for the delimiter
_MOST_FEATURES = 10_000_000
_DENSE_CELLS = 50_000_000
CELL = 8  # bytes
_ROWS = 1 << 14  # rows of a parquet file to read at once


def read_csv(path: Path, text: Collection[str] = (), encoding: str | None = None, *, missing_words: bool = True) -> Any:
    """A data frame of a csv file with a header; every row must have all columns.

    The columns named in `text` are read verbatim, even if all their values look like numbers; without `missing_words`,
    so are "NA" and the like in columns of text.
    """
    content = read_bytes(path)
    if not content or content.isspace():
        raise ValueError(f"{path.name} is empty.")
    content = in_utf8(content, encoding, path.name)
    return parse_csv(content, _delimiter(content), path.name, text, missing_words)


def parse_csv(content: bytes | bytearray, delimiter: str, file: str, text: Collection[str], missing_words: bool) -> Any:
    """A data frame of text in UTF-8; see `read_csv`."""
    import pyarrow as pa

    # a value of one letter, or of none, takes as much memory as a number
    check_fits(CELL * (content.count(delimiter.encode()) + content.count(b"\n")), file)
    try:
        table = _parsed(content, delimiter, ".", text, missing_words)
        if delimiter != "," and pa.string() in table.schema.types:
            table = _with_decimal_commas(table, _parsed(content, delimiter, ",", text, missing_words))
        _check_quotes(table, content, file)
    except pa.ArrowException as error:
        raise ValueError(f"{file} is not a csv file: {reason(error)}.") from error
    return as_frame(table, file)


def _delimiter(content: bytes | bytearray) -> str:
    """The delimiter that is most frequent in the header, outside quotes."""
    header = re.sub(rb'"[^"]*"', b"", content[:_HEADER].lstrip()).splitlines()[0]
    return max(_DELIMITERS, key=lambda delimiter: header.count(delimiter.encode()))


def _parsed(
    content: bytes | bytearray, delimiter: str, decimal_point: str, text: Collection[str], missing_words: bool
) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(
        pa.BufferReader(content),
        # one block, so that all values of a column decide on its type; one thread, so that errors name their row
        read_options=csv.ReadOptions(block_size=min(max(len(content) + 1, 1 << 20), 2**31 - 1), use_threads=False),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in content),
        convert_options=csv.ConvertOptions(
            strings_can_be_null=missing_words,
            decimal_point=decimal_point,
            column_types=dict.fromkeys(text, pa.string()),
        ),
    )


def _check_quotes(table: Any, content: bytes | bytearray, file: str) -> None:
    """Refuse what arrow accepts: an unclosed quote in the last value."""
    if content.count(b'"') % 2 and table.num_rows and table.num_columns:
        last = table.column(table.num_columns - 1)[-1].as_py()
        if isinstance(last, str) and "\n" in last:
            raise ValueError(f"{file} has a quote that is never closed, in its last column.")


def _with_decimal_commas(table: Any, other: Any) -> Any:
    """The table, with columns from ``other`` that are numbers only if a comma is the decimal point."""
    import pyarrow as pa

    for place, field in enumerate(other.schema):
        if pa.types.is_floating(field.type) and pa.types.is_string(table.schema.field(place).type):
            table = table.set_column(place, field, other.column(place))
    return table


def read_parquet(path: Path) -> Any:
    """A data frame of a parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(path)
        check_kinds(schema, path.name)
        words = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        file = parquet.ParquetFile(path, read_dictionary=words)  # repeated words are stored once
        described = file.metadata
        groups = range(described.num_row_groups)
        check_fits(sum(described.row_group(group).total_byte_size for group in groups), path.name)
        check_fits(CELL * described.num_rows * described.num_columns, path.name)
        table = pa.Table.from_batches(_batches(file, path.name), file.schema_arrow)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path.name} is not a parquet file: {reason(error)}.") from error
    return as_frame(table, path.name)


def _batches(file: Any, name: str) -> Iterator[Any]:
    """The rows of a parquet file, until they exceed the memory, whatever size the file claims."""
    limit, size = free_memory() // 2, 0
    for batch in file.iter_batches(_ROWS):
        size += batch.nbytes
        if size > limit:
            raise ValueError(f"{name} unpacks to more than half of the free memory.")
        yield batch


def read_libsvm(path: Path, n_features: int | None = None) -> tuple[Any, NDArray]:
    """Features and labels of a libsvm file; sparse only if dense features would not fit in memory."""
    from sklearn.datasets import load_svmlight_file

    content = read_bytes(path)
    if not content or content.isspace():
        raise ValueError(f"{path.name} is empty.")
    check_fits(2 * CELL * (content.count(b":") + content.count(b"\n")), path.name)  # each value has an index
    try:
        X, y = load_svmlight_file(io.BytesIO(content), n_features=n_features, zero_based=False)
    except (ValueError, OverflowError, MemoryError) as error:
        raise ValueError(f"{path.name} is not a libsvm file: {reason(error)}.") from error
    if X.shape[1] > _MOST_FEATURES:
        raise ValueError(f"{path.name} has a feature number {X.shape[1]:,}; at most {_MOST_FEATURES:,} are read.")
    if not np.all(np.isfinite(X.data)):
        raise ValueError(f"{path.name} holds values that are not finite: replace them first.")
    return (X.toarray() if X.shape[0] * X.shape[1] <= _DENSE_CELLS else X), y


def read_npz(path: Path) -> dict[str, NDArray]:
    """The arrays of an npz file; pickled ones are refused."""
    try:
        arrays = read_arrays(path)
        check_fits(CELL * sum(array.size for array in arrays.values()), path.name)  # bytes become floats
        return arrays
    except TooLarge:
        raise
    except DAMAGE as error:
        raise ValueError(f"{path.name} is not an npz file of plain arrays: {reason(error)}.") from error
