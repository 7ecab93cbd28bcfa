"""The short page that ``stocmv certify`` prints at the end."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import OrderTest
from ..certificate import Certificate, Table, percent
from ..report import TestErrors
from ..tables import DataOverview
from ._audit import Audit
from ._console import console, one_line, quoted
from ._decision import decision_content, print_decision
from ._panel import print_agreement

_ROWS = 12  # of a table that are shown; the report has them all
_COLUMNS = 20
_FINDINGS = 10
_VOTERS = 20  # named


def print_page(audit: Audit, overview: DataOverview, folder: Path, seconds: float) -> None:
    """Print the data, statement, figures, time and files."""
    certificate, screen = audit.model.certificate_, console()
    _print_data(screen, overview)
    screen.print(f"\n[bold]{quoted(certificate.statement())}[/]\n")
    for warning in certificate.warnings:
        screen.print(f"[bold red]Warning:[/] {quoted(warning)}\n")
    order = audit.model.order_test_
    if order is not None and order.note is not None:
        screen.print(f"Note: {quoted(order.note)}\n")
    print_tables(screen, certificate, audit.test)
    if "panel" in certificate.figures:
        print_agreement(screen, certificate.figures["panel"])
    if "answers" in certificate.context["data"]:
        screen.print(quoted(_voters(certificate)))
    for fold in learned_weights(audit.model):
        screen.print(quoted("Weights: " + ", ".join(f"{name} {weight:.2f}" for name, weight in fold.items()) + "."))
    for note in certificate.notes():
        screen.print(quoted(note))
    print_decision(screen, certificate, audit.decision)
    if audit.test is not None and audit.test.predict > certificate.bound:
        screen.print("[bold red]On the test file predict erred more often than is promised.[/]")
    screen.print("It assumes:")
    for assumption in certificate.assumptions:
        screen.print(f"- {quoted(assumption)}")
    spent = ", ".join(f"{stage} {took:.1f}" for stage, took in audit.model.timings_.items())
    screen.print(f"{seconds:.1f} seconds in all ({spent}).")
    screen.print(f"\nThe report is [bold]{quoted(folder / 'report.html')}[/]. To check the certificate:")
    screen.print(f"  stocmv verify {quoted(shlex.quote(str(folder)))}", soft_wrap=True)


def learned_weights(model: Any) -> list[dict[str, float]]:
    """For each fold, the weights of voters that have names, the heaviest first; nothing if they have none."""
    folds = [
        zip(voters.names, p.mean, strict=True)
        for voters, p in zip(model.voters_, model.posterior_, strict=True)
        if voters.names
    ]
    return [dict(sorted(((n, float(w)) for n, w in fold), key=lambda pair: -pair[1])) for fold in folds]


def _print_data(screen: Any, overview: DataOverview) -> None:
    """Print how each column was read, and possible problems in the data."""
    from rich.table import Table as RichTable

    if overview.columns or overview.findings:
        screen.print()
    if overview.columns:
        table = RichTable(box=None, show_header=False, pad_edge=False)
        for kind, names in overview.columns.items():
            shown = ", ".join(quoted(one_line(name)) for name in names[:_COLUMNS])
            more = f" and {len(names) - _COLUMNS:,} more" if len(names) > _COLUMNS else ""
            table.add_row(f"[bold]{kind}[/]", shown + more)
        screen.print(table)
    for finding in overview.findings[:_FINDINGS]:
        screen.print(f"[bold yellow]Data warning:[/] {quoted(finding.sentence)} {quoted(finding.cure)}")
    if len(overview.findings) > _FINDINGS:
        screen.print(f"{len(overview.findings) - _FINDINGS:,} more warnings about the data are in the report.")


def _voters(certificate: Certificate) -> str:
    """Which columns are voters, and how often each answers."""
    data = certificate.context["data"]
    counts = list(data["answers"].items())
    shown = ", ".join(f"{name} ({count:,})" for name, count in counts[:_VOTERS])
    more = f" and {len(counts) - _VOTERS} more" if len(counts) > _VOTERS else ""
    return f"Voters, and how many of the {data['rows']:,} rows each answers: {shown}{more}."


def print_tables(screen: Any, certificate: Certificate, test: TestErrors | None = None) -> None:
    """Print the tables of the certificate, with the errors on the test file beside the bounds that they belong to."""
    errors = {} if test is None else {"error.bound": test.predict, "error.stochastic_bound": test.stochastic}
    on_file = {f"figures.{place}": percent(error) for place, error in errors.items() if error is not None}
    for table in certificate.tables():
        screen.print(_as_rich(table, table.how if certificate.proven else "computed", on_file))
        screen.print()


def _as_rich(table: Table, how: str, on_file: dict[str, str]) -> Any:
    """A table for the terminal; if it has very many rows, the worst of them."""
    from rich.table import Table as RichTable

    drawn = RichTable(box=None, header_style="bold", pad_edge=False)
    drawn.add_column(quoted(table.heading))
    has_file = any(row.place in on_file for row in table.rows)
    for heading in (how, table.measured, *(["on the test file"] if has_file else [])):
        drawn.add_column(heading, justify="right")
    shown = table
    if len(table.rows) > _ROWS:
        worst = sorted(table.rows, key=lambda row: row.bound, reverse=table.how == "at most")
        shown = table._replace(rows=tuple(worst[:_ROWS]))
    for row, (name, *figures) in zip(shown.rows, shown.lines, strict=True):
        drawn.add_row(quoted(name), *figures, *([on_file.get(row.place, "")] if has_file else []))
    if len(table.rows) > _ROWS:
        drawn.add_row(f"and {len(table.rows) - _ROWS} more in the report")
    return drawn


def as_content(audit: Audit, overview: DataOverview, folder: Path, seconds: float) -> dict[str, Any]:
    """The content of the page as JSON."""
    c, test = audit.model.certificate_, audit.test
    return {
        "statement": c.statement(),
        "bound": c.bound,
        "stochastic_bound": c.stochastic_bound,
        "empirical_risk": c.empirical_risk,
        "n": c.n,
        "grouped": c.grouped,
        "delta": c.delta,
        "figures": c.figures,
        "claims": [asdict(claim) for claim in c.claims],
        "protocol": c.protocol,
        "proven": c.proven,
        "warnings": list(c.warnings),
        "order": _order(audit.model.order_test_),
        **overview.as_content(),
        **decision_content(audit.decision),
        "test": {"n": test.n, "predict": test.predict, "stochastic": test.stochastic} if test else None,
        "seconds": {"all": seconds, **audit.model.timings_},
        "folder": str(folder),
        "files": sorted(path.name for path in folder.iterdir()),
    }


def _order(test: OrderTest | None) -> dict[str, Any] | None:
    """The test of the rows' order."""
    if test is None:
        return None
    names = ("by", "n", "errors", "classes", "p_value", "level", "sorted_by_class", "note")
    return {name: getattr(test, name) for name in names}
