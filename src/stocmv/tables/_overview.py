"""What the data look like: how each column was read, and possible problems."""

from dataclasses import asdict, dataclass
from typing import Any

from ..checks import CommandHints, Finding, PythonHints
from ._columns import Table
from ._read import as_table

_KINDS = ("target", "group", "numbers", "dates", "yes or no", "categories", "left out")


@dataclass(frozen=True)
class DataOverview:
    """How the columns of a table are read, and what looks wrong in it; ``print`` shows both.

    Attributes
    ----------
    columns : dict of str to tuple of str
        Names of the columns, by how they are read: ``{"target": ("y",), "numbers": ("age", "size")}``.
    findings : tuple of Finding
        Possible problems, the most serious ones first, each with what to do about it.

    Examples
    --------
    >>> import pandas as pd
    >>> from stocmv import audit
    >>> frame = pd.DataFrame({"age": [31.5, 47.2, 38.1, 52.9] * 10, "y": ["ill", "well"] * 20})
    >>> audit(frame, "y").columns
    {'target': ('y',), 'numbers': ('age',)}
    """

    columns: dict[str, tuple[str, ...]]
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, table: Table, hints: CommandHints | None = None) -> "DataOverview":
        """The overview of a table; ``hints`` say how to do what the findings recommend."""
        columns: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for name, kind in table.kinds.items():
            columns[kind].append(name)
        if table.kinds:
            columns["target"] = [name for name in (table.target,) if name is not None]
            columns["group"] = [name for name in (table.group,) if name is not None]
            columns["left out"] = [*table.dropped, *table.empty]
        found = table.findings(hints)
        return cls({kind: tuple(names) for kind, names in columns.items() if names}, tuple(found))

    def as_content(self) -> dict[str, Any]:
        """The content as JSON."""
        columns = {kind: list(names) for kind, names in self.columns.items()}
        return {"columns": columns, "data_warnings": [asdict(finding) for finding in self.findings]}

    def __str__(self) -> str:
        columns = [f"{kind}: {', '.join(names)}" for kind, names in self.columns.items()]
        found = [f"- {finding.sentence} {finding.cure}" for finding in self.findings]
        return "\n".join([*columns, *(found or ["Nothing looks wrong."])])


def audit(frame: Any, target: str, *, group: str | None = None) -> DataOverview:
    """What looks wrong in labelled examples, before anything is learned from them.

    It finds columns that tell the target nearly alone (leaks), identifiers, repeated rows, numbers and dates that are
    written so that they would be read as categories, classes with few examples, constant and empty columns. It is what
    `stocmv certify` says about a file.

    Parameters
    ----------
    frame : DataFrame
        Examples with their labels.
    target : str
        Name of the column with the labels.
    group : str, optional
        Name of the column with the group of each example, such as the patient.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from stocmv import audit
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"id": range(200), "size": rng.normal(size=200), "ill": rng.integers(2, size=200)})
    >>> found = audit(frame, "ill")
    >>> [(finding.kind, finding.column) for finding in found.findings]
    [('identifier', 'id')]
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    target: ill
    numbers: id, size
    - All 200 values of the column 'id' are different: it looks like an identifier. It tells nothing about new rows:
    leave it out, .drop(columns='id').
    """
    if hasattr(frame, "to_pandas"):
        frame = frame.to_pandas()
    if not hasattr(frame, "select_dtypes"):
        raise TypeError(f"frame must be a data frame whose columns have names, got {type(frame).__name__}.")
    if not len(frame):
        raise ValueError("frame has no rows.")
    return DataOverview.of(as_table(frame.copy(deep=False), "the data frame", target, group=group), PythonHints())
