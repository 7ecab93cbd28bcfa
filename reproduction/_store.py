"""Storage of results: one file for each unit, written atomically, and the tables made from them."""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from stocmv._files import whole_file

from ._units import Outcome, Row, Unit


class Store:
    """A folder of results.

    ``units/`` holds what was computed; tables, figures and the page can be made from it again at any time.

    Parameters
    ----------
    folder : path-like
        Created if missing.
    """

    def __init__(self, folder: str | os.PathLike) -> None:
        self.folder = Path(folder)

    def path(self, unit: Unit) -> Path:
        return self.folder / "units" / unit.experiment / f"{unit.name}.json"

    def has(self, unit: Unit) -> bool:
        """Whether the unit exists, computed with the same settings."""
        return self.read(unit) is not None

    def read(self, unit: Unit) -> Outcome | None:
        """The outcome, or None if there is none with the same settings."""
        try:
            content: Any = json.loads(self.path(unit).read_bytes())
        except (OSError, ValueError):
            return None
        if not isinstance(content, dict) or content.get("key") != unit.key:
            return None
        return Outcome(content["rows"], content["timings"])

    def write(self, unit: Unit, outcome: Outcome) -> None:
        path = self.path(unit)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._ignore_units()
        content = {"key": unit.key, "rows": outcome.rows, "timings": outcome.timings}
        with whole_file(path) as file:
            file.write(json.dumps(content, allow_nan=False).encode())

    def _ignore_units(self) -> None:
        """Keep the many small files out of version control, wherever the folder lies."""
        ignore = self.folder / "units" / ".gitignore"
        if not ignore.exists():
            with whole_file(ignore) as file:
                file.write(b"*\n")

    def write_table(self, name: str, rows: Iterable[Row]) -> Path:
        """A table as JSON lines, one object for each row."""
        return self.write_text(f"{name}.jsonl", "".join(f"{json.dumps(row, allow_nan=False)}\n" for row in rows))

    def read_table(self, name: str) -> list[Row]:
        """The rows of a written table; empty if there is no such table."""
        try:
            lines = (self.folder / f"{name}.jsonl").read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]

    def write_text(self, name: str, text: str) -> Path:
        return self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(content)
        return path


def rows_of(store: Store, units: Sequence[Unit]) -> list[Row]:
    """The rows of all existing units, in the order of the units."""
    outcomes = [store.read(unit) for unit in units]
    return [row for outcome in outcomes if outcome is not None for row in outcome.rows]


def timings_of(store: Store, units: Sequence[Unit]) -> list[Row]:
    """The timings of the existing units, each line with the unit's identity."""
    outcomes = [(unit, store.read(unit)) for unit in units]
    return [
        {"experiment": unit.experiment, "dataset": unit.dataset, "trial": unit.trial, "variant": unit.variant, **line}
        for unit, outcome in outcomes
        if outcome is not None
        for line in outcome.timings
    ]
