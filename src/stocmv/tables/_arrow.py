"""From arrow's tables to data frames of numbers, dates and text."""

from collections import Counter
from typing import Any

from .._files import reason
from .._memory import check_fits
from ._columns import listed

_DAY = 86_400_000_000.0  # microseconds
_WORD = 64  # bytes that Python takes for a short text
_NULLABLE = {"bool": "boolean"} | {f"{u}int{b}": f"{u.upper()}Int{b}" for u in ("", "u") for b in (8, 16, 32, 64)}


def as_frame(table: Any, file: str) -> Any:
    """A data frame; missing values do not change the type of the numbers."""
    import pyarrow as pa

    table = table.drop_columns(_index_columns(table))
    twice = sorted(name for name, count in Counter(table.column_names).items() if count > 1)
    if twice:
        raise ValueError(f"{file} has several columns named {listed(twice)}: does it lack a header?")
    if table.num_rows == 0:
        raise ValueError(f"{file} has a header but no rows.")
    columns = {name: table.column(name) for name in table.column_names}
    try:
        simple = pa.table({name: _simple(column, name, file) for name, column in columns.items()})
        check_fits(_WORD * sum(map(_n_words, simple.columns)), file)
        return simple.to_pandas(date_as_object=False, types_mapper=_nullable(simple).get)
    except (pa.ArrowException, OverflowError) as error:
        raise ValueError(f"{file} cannot be read: {reason(error)}.") from error


def release_unused() -> None:
    """Hand back the memory of tables that are no longer needed, which arrow would keep for the next one."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def _n_words(column: Any) -> int:
    import pyarrow as pa

    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return len(column) - column.null_count if is_text else 0


def _index_columns(table: Any) -> list[str]:
    """Columns that were the index of the data frame that the file was written from."""
    try:
        described = table.schema.pandas_metadata
    except ValueError:
        return []
    index = described.get("index_columns") if isinstance(described, dict) else None
    return [name for name in index if name in table.column_names] if isinstance(index, list) else []


def _simple(column: Any, name: str, file: str) -> Any:
    """A column of numbers, dates or text: decimals as floats, times and durations in days."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_a, kind = pa.types, column.type
    if is_a.is_dictionary(kind):
        check_fits(_spelled_out(column), file)
        return _simple(column.cast(kind.value_type), name, file)
    if is_a.is_decimal(kind):
        return column.cast(pa.float64())
    if is_a.is_time(kind) or is_a.is_duration(kind):
        fine = pa.time64("us") if is_a.is_time(kind) else pa.duration("us")
        return pc.divide(column.cast(fine, safe=False).cast(pa.int64()).cast(pa.float64(), safe=False), _DAY)
    if str(kind) == "string_view":
        return column.cast(pa.large_string())
    known = (is_a.is_null, is_a.is_boolean, is_a.is_integer, is_a.is_floating, is_a.is_string, is_a.is_large_string)
    if not any(is_kind(kind) for is_kind in (*known, is_a.is_date, is_a.is_timestamp)):
        raise _no_column(name, kind, file)
    return column


def check_kinds(schema: Any, file: str) -> None:
    """Refuse columns of lists or tables before they are read: a short file may hold long ones."""
    import pyarrow as pa

    for field in schema:
        if pa.types.is_nested(field.type):
            raise _no_column(field.name, field.type, file)


def _no_column(name: str, kind: Any, file: str) -> ValueError:
    return ValueError(f"The column {name!r} of {file} holds {kind}, not numbers or categories.")


def _spelled_out(column: Any) -> int:
    """Size in bytes of a column of words if each occurrence is stored separately."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_string(column.type.value_type) or pa.types.is_large_string(column.type.value_type)):
        return column.length() * 8
    lengths = (pc.binary_length(chunk.dictionary).take(chunk.indices) for chunk in column.chunks)
    return sum(pc.sum(length.cast(pa.int64())).as_py() or 0 for length in lengths)


def _nullable(table: Any) -> dict[Any, Any]:
    """Nullable pandas types for integers and booleans, which would otherwise become floats and objects."""
    from pandas.api.types import pandas_dtype

    kinds = {str(column.type): column.type for column in table.columns if column.null_count}
    return {kinds[name]: pandas_dtype(dtype) for name, dtype in _NULLABLE.items() if name in kinds}
