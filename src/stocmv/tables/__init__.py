"""Examples from files: csv, parquet, libsvm and npz."""

from ._arrow import as_frame as as_frame
from ._columns import (
    Expected as Expected,
    Table as Table,
    as_features as as_features,
    as_groups as as_groups,
    as_labels as as_labels,
    check_classes as check_classes,
    holds_categories as holds_categories,
    pick_columns as pick_columns,
)
from ._read import FORMATS as FORMATS, named_labels as named_labels, read_table as read_table
