"""Read examples from csv, parquet, Excel, libsvm and npz files."""

from ._answers import read_answers as read_answers
from ._arrow import as_frame as as_frame
from ._bytes import check_encoding as check_encoding
from ._columns import (
    KnownColumns as KnownColumns,
    Table as Table,
    as_features as as_features,
    as_groups as as_groups,
    as_labels as as_labels,
    check_classes as check_classes,
    column_kinds as column_kinds,
    holds_categories as holds_categories,
    pick_columns as pick_columns,
)
from ._overview import DataOverview, audit
from ._read import (
    FORMATS as FORMATS,
    file_kind as file_kind,
    named_labels as named_labels,
    read_table as read_table,
    read_texts as read_texts,
)

__all__ = ["DataOverview", "audit"]
