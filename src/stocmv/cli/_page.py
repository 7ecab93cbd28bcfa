"""The short page that ``stocmv certify`` ends with."""

import shlex
from pathlib import Path
from typing import Any

from ..certificate import Certificate
from ..certificate._percent import percent
from ..report import TestErrors
from ._audit import Audit
from ._console import console, quoted

_CLASSES = 12  # shown; the report has them all
_VOTERS = 20  # named


def print_page(audit: Audit, folder: Path, seconds: float) -> None:
    """Statement, figures, comparison, seconds and files."""
    certificate, screen = audit.model.certificate_, console()
    screen.print(f"\n[bold]{quoted(certificate.statement())}[/]\n")
    for warning in certificate.warnings:
        screen.print(f"[bold red]Warning:[/] {quoted(warning)}\n")
    screen.print(_figures(certificate, audit.test))
    screen.print()
    if certificate.per_class:
        screen.print(_classes(certificate))
        screen.print()
    if "answers" in certificate.context["data"]:
        screen.print(quoted(_answered(certificate)))
    for note in certificate.notes():
        screen.print(quoted(note))
    if audit.holdout is not None:
        screen.print(quoted(audit.holdout))
    if audit.test is not None and audit.test.predict > certificate.bound:
        screen.print("[bold red]On the test file predict erred more often than is promised.[/]")
    screen.print("It assumes:")
    for assumption in certificate.assumptions:
        screen.print(f"- {quoted(assumption)}")
    spent = ", ".join(f"{stage} {took:.1f}" for stage, took in audit.model.timings_.items())
    screen.print(f"{seconds:.1f} seconds in all ({spent}).")
    screen.print(f"\nThe report is [bold]{quoted(folder / 'report.html')}[/]. To check the certificate:")
    files = shlex.join([str(folder / "certificate.json"), str(folder / "votes.npz")])
    screen.print(f"  stocmv verify {quoted(files)}", soft_wrap=True)


def _answered(certificate: Certificate) -> str:
    """Which columns were taken for voters, and how often each answers."""
    told = certificate.context["data"]
    counts = list(told["answers"].items())
    shown = ", ".join(f"{name} ({count:,})" for name, count in counts[:_VOTERS])
    more = f" and {len(counts) - _VOTERS} more" if len(counts) > _VOTERS else ""
    return f"Voters, and how many of the {told['rows']:,} rows each answers: {shown}{more}."


def _table(*headings: str) -> Any:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(headings[0])
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table


def _figures(certificate: Certificate, test: TestErrors | None) -> Any:
    """What is promised of predict, of the stochastic vote, and of always the same answer."""
    table = _table(certificate.measure, "at most", "measured", *(["on the test file"] if test else []))
    tried = {} if test is None else {"predict": test.predict, "stochastic vote": test.stochastic}
    for name, bound, measured in certificate.figures(per_class=False):
        on_file = tried.get(name)
        table.add_row(quoted(name), bound, measured, *(["" if on_file is None else percent(on_file)] if test else []))
    return table


def _classes(certificate: Certificate) -> Any:
    """Bounds on the error given the class, the worst classes first."""
    several = certificate.has_stochastic_vote
    risk = "empirical_risk" if certificate.tested else "stochastic_risk"
    table = _table(
        "error on class",
        "groups" if certificate.grouped else "examples",
        "predict, at most",
        *(["stochastic vote, at most"] if several else []),
        "measured" if certificate.tested else "empirical risk",
    )
    ordered = sorted(certificate.per_class, key=lambda entry: -entry["bound"])
    for entry in ordered[:_CLASSES]:
        bounds = [percent(entry[name]) for name in ("bound", "stochastic_bound")[: 1 + several]]
        table.add_row(quoted(entry["label"]), f"{entry['n']:,}", *bounds, percent(entry[risk]))
    if len(ordered) > _CLASSES:
        table.add_row(f"and {len(ordered) - _CLASSES} more in the report")
    return table


def as_content(audit: Audit, folder: Path, seconds: float) -> dict[str, Any]:
    """The same for programs."""
    c, test = audit.model.certificate_, audit.test
    return {
        "statement": c.statement(),
        "bound": c.bound,
        "stochastic_bound": c.stochastic_bound,
        "baseline": c.baseline,
        "protocol": c.context["protocol"],
        "empirical_risk": c.empirical_risk,
        "kl": c.kl,
        "n": c.n,
        "grouped": c.grouped,
        "delta": c.delta,
        "per_class": list(c.per_class),
        "proven": c.proven,
        "warnings": list(c.warnings),
        "holdout_bound": audit.holdout.holdout_bound if audit.holdout else None,
        "test": {"n": test.n, "predict": test.predict, "stochastic": test.stochastic} if test else None,
        "seconds": {"all": seconds, **audit.model.timings_},
        "folder": str(folder),
        "files": sorted(path.name for path in folder.iterdir()),
    }
