"""The short page that ``stocmv certify`` ends with."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..certificate._percent import percent
from ._audit import Audit
from ._console import console, quoted

_CLASSES = 12  # shown; the report has them all


def print_page(audit: Audit, folder: Path, seconds: float) -> None:
    """Statement, figures, comparison, seconds and files."""
    certificate, screen = audit.model.certificate_, console()
    screen.print(f"\n[bold]{quoted(certificate.statement())}[/]\n")
    for warning in certificate.warnings:
        screen.print(f"[bold red]Warning:[/] {quoted(warning)}\n")
    table = _table("error on new examples", "at most", "empirical risk", *(["on the test file"] if audit.test else []))
    tested = [percent(audit.test.drawn), percent(audit.test.fixed)] if audit.test else []
    for i, (name, bound, measured) in enumerate(certificate.figures(per_class=False)):
        table.add_row(quoted(name), bound, measured, *(tested[i : i + 1] if audit.test else []))
    screen.print(table)
    screen.print()
    if certificate.per_class:
        screen.print(_classes(certificate.per_class))
        screen.print()
    for note in certificate.notes():
        screen.print(quoted(note))
    if audit.holdout is not None:
        screen.print(quoted(audit.holdout))
    spent = ", ".join(f"{stage} {took:.1f}" for stage, took in audit.model.timings_.items())
    screen.print(f"{seconds:.1f} seconds in all ({spent}).")
    screen.print(f"\nThe report is [bold]{quoted(folder / 'report.html')}[/]. To check the certificate:")
    files = shlex.join([str(folder / "certificate.json"), str(folder / "votes.npz")])
    screen.print(f"  stocmv verify {quoted(files)}", soft_wrap=True)


def _table(*headings: str) -> Any:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(headings[0])
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table


def _classes(per_class: Sequence[dict[str, Any]]) -> Any:
    """Bounds on the error given the class, the worst classes first."""
    table = _table("error on class", "examples", "drawn, at most", "fixed, at most", "empirical risk")
    ordered = sorted(per_class, key=lambda entry: -entry["bound"])
    for entry in ordered[:_CLASSES]:
        bounds = percent(entry["bound"]), percent(entry["deterministic_bound"])
        table.add_row(quoted(entry["label"]), f"{entry['n']:,}", *bounds, percent(entry["empirical_risk"]))
    if len(ordered) > _CLASSES:
        table.add_row(f"and {len(ordered) - _CLASSES} more in the report", "", "", "", "")
    return table


def as_content(audit: Audit, folder: Path, seconds: float) -> dict[str, Any]:
    """The same for programs."""
    c = audit.model.certificate_
    return {
        "statement": c.statement(),
        "bound": c.bound,
        "deterministic_bound": c.deterministic_bound,
        "empirical_risk": c.empirical_risk,
        "kl": c.kl,
        "n": c.n,
        "delta": c.delta,
        "per_class": list(c.per_class),
        "proven": c.proven,
        "warnings": list(c.warnings),
        "holdout_bound": audit.holdout.holdout_bound if audit.holdout else None,
        "test": {"n": audit.test.n, "fixed": audit.test.fixed, "drawn": audit.test.drawn} if audit.test else None,
        "seconds": {"all": seconds, **audit.model.timings_},
        "folder": str(folder),
        "files": sorted(path.name for path in folder.iterdir()),
    }
