"""The first sheet of an Excel file (extra ``excel``)."""

import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from .._files import DAMAGE, check_packing, reason
from ._arrow import as_frame


def read_excel(path: Path, text: Collection[str] = ()) -> Any:
    """A data frame of the first sheet, whose first row has the names; columns named in `text` are read as words."""
    import pandas as pd
    import pyarrow as pa

    try:
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        raise ValueError(
            f"Reading {path.name} needs openpyxl: pip install 'stocmv[excel]', or save the sheet as csv."
        ) from error
    try:
        with zipfile.ZipFile(path) as packed:
            check_packing(packed, path.name)
        frame = pd.read_excel(path, engine="openpyxl", dtype=dict.fromkeys(text, str))
    except (*DAMAGE, InvalidFileException) as error:
        raise ValueError(f"{path.name} is not an Excel file (.xlsx): {reason(error)}.") from error
    frame.columns = [str(name) for name in frame.columns]
    words = frame.columns[[frame[name].dtype.kind == "O" for name in frame.columns]]
    frame[words] = frame[words].map(str, na_action="ignore")
    return as_frame(pa.Table.from_pandas(frame, preserve_index=False), path.name)
