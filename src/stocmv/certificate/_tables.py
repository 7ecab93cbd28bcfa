"""The tables of a certificate: one description, which text, notebooks, the terminal and the page render."""

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from .._text import visible
from ._percent import amount, percent, percent_down

_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&#]")  # what means something within a line

FORMS: dict[str, Callable[[float], str]] = {"percent": percent, "percent down": percent_down, "cost": amount}


class Row(NamedTuple):
    """One line: what it is about, its bound and what was measured, with their fields in certificate.json."""

    name: str
    bound: float
    place: str
    measured: float | None = None
    measured_place: str = ""


class Table(NamedTuple):
    """Figures of one kind.

    Attributes
    ----------
    heading : str
        What the figures are.
    how : str
        "at most" or "at least".
    rows : tuple of Row
        The figures.
    form : str
        How they are written: a key of `FORMS`.
    measured : str
        What the measured figures are.
    """

    heading: str
    how: str
    rows: tuple[Row, ...]
    form: str = "percent"
    measured: str = "measured"

    @property
    def lines(self) -> list[tuple[str, str, str]]:
        """Name, bound and measured figure of each row, as text."""
        shown = FORMS[self.form]
        return [(r.name, shown(r.bound), "" if r.measured is None else shown(r.measured)) for r in self.rows]

    def html(self) -> str:
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{escape(name)}</th><td>{bound}</td><td>{measured}</td></tr>"
            for name, bound, measured in self.lines
        )
        return (
            f"<table><thead><tr><th style='text-align:left'>{escape(self.heading)}</th><th>{self.how}</th>"
            f"<th>{self.measured}</th></tr></thead><tbody>{rows}</tbody></table>"
        )

    def markdown(self) -> str:
        rows = [(self.heading, self.how, self.measured), *self.lines]
        lines = [f"| {' | '.join(map(as_markdown, row))} |" for row in rows]
        return "\n".join([lines[0], "| --- | ---: | ---: |", *lines[1:]])


def as_markdown(text: str) -> str:
    """One line of text that Markdown shows as it is: names of classes and columns may hold anything."""
    return _MARKUP.sub(r"\\\g<0>", visible(text))


def as_text(tables: Sequence[Table]) -> list[str]:
    """The tables as lines of text, one below the other, with the same widths."""
    names = (name for table in tables for name in (table.heading, *(row.name for row in table.rows)))
    width = max((len(name) for name in names), default=0) + 2
    lines = []
    for table in tables:
        wide = max(11, len(table.measured) + 3)
        lines.append(f"{table.heading:{width}}{table.how:>9}{table.measured:>{wide}}")
        lines += [f"{name:{width}}{bound:>9}{measured:>{wide}}".rstrip() for name, bound, measured in table.lines]
        lines.append("")
    return lines
