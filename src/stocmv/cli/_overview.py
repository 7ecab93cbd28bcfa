"""What the data look like: how each column was read, and possible problems."""

from dataclasses import asdict, dataclass
from typing import Any

from ..checks import Finding
from ..tables import Table

_KINDS = ("target", "group", "numbers", "dates", "yes or no", "categories", "left out")


@dataclass(frozen=True)
class DataOverview:
    """Names of the columns by how they were read, if they have names, and findings."""

    columns: dict[str, tuple[str, ...]]
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, table: Table) -> "DataOverview":
        columns: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for name, kind in table.kinds.items():
            columns[kind].append(name)
        if table.kinds:
            columns["target"] = [name for name in (table.target,) if name is not None]
            columns["group"] = [name for name in (table.group,) if name is not None]
            columns["left out"] = [*table.dropped, *table.empty]
        return cls({kind: tuple(names) for kind, names in columns.items() if names}, tuple(table.findings()))

    def as_content(self) -> dict[str, Any]:
        """The content as JSON."""
        columns = {kind: list(names) for kind, names in self.columns.items()}
        return {"columns": columns, "data_warnings": [asdict(finding) for finding in self.findings]}
