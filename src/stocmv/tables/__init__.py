"""Examples from files: csv, parquet, libsvm and npz."""

from ._columns import Expected, Table
from ._read import FORMATS, read_table

__all__ = ["FORMATS", "Expected", "Table", "read_table"]
