"""The paper's own figures."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ._splits import TWICE


@dataclass(frozen=True)
class Figure:
    """Mean and standard deviation over ten runs, in percent."""

    mean: float
    deviation: float


@cache
def _content() -> dict[str, Any]:
    return json.loads(files(__package__).joinpath("published.json").read_text("utf-8"))


def citation() -> str:
    """Where the figures were published."""
    return _content()["citation"]


def published(table: str, kind: str, method: str, dataset: str) -> Figure | None:
    """A figure of the paper's tables, or None if it prints none.

    Parameters
    ----------
    table : {"table1", "table2"}
        Which table.
    kind : {"test_error", "bound"}
        Which half of it.
    method, dataset : str
        Row and column; the paper's svmguide1 is used for both versions of that set.
    """
    found = _content()[table][kind].get(method, {}).get("svmguide1" if dataset == TWICE else dataset)
    return None if found is None else Figure(*found)
