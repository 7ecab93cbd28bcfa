"""Examples from files: csv, parquet, libsvm and npz."""

from ._columns import Table
from ._read import FORMATS, read_table

__all__ = ["FORMATS", "Table", "read_table"]
