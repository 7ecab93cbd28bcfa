"""Examples from files: csv, parquet, libsvm and npz."""

from ._answers import read_answers as read_answers
from ._columns import Expected as Expected, Table as Table
from ._read import FORMATS as FORMATS, read_table as read_table
