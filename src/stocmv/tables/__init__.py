"""Examples from files: csv, parquet, Excel, libsvm and npz; and an honest look at them."""

from ._bytes import check_encoding as check_encoding
from ._columns import Expected as Expected, Table as Table, as_labels as as_labels
from ._look import Finding as Finding, look as look, look_at_new as look_at_new
from ._read import (
    FORMATS as FORMATS,
    file_kind as file_kind,
    named_labels as named_labels,
    read_table as read_table,
    read_texts as read_texts,
)
