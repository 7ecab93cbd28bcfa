"""The short page that ``stocmv certify`` prints at the end."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import OrderTest
from ..certificate import Certificate, percent
from ..report import TestErrors
from ._audit import Audit
from ._console import console, one_line, quoted
from ._seen import Seen

_CLASSES = 12  # shown; the report has them all
_COLUMNS = 20
_FINDINGS = 10
_VOTERS = 20  # named


def print_page(audit: Audit, seen: Seen, folder: Path, seconds: float) -> None:
    """Print the data, statement, figures, comparison, time and files."""
    certificate, screen = audit.model.certificate_, console()
    _print_data(screen, seen)
    screen.print(f"\n[bold]{quoted(certificate.statement())}[/]\n")
    for warning in certificate.warnings:
        screen.print(f"[bold red]Warning:[/] {quoted(warning)}\n")
    order = audit.model.order_test_
    if order is not None and order.note is not None:
        screen.print(f"Note: {quoted(order.note)}\n")
    screen.print(_figures(certificate, audit.test))
    screen.print()
    if certificate.per_class:
        screen.print(_classes(certificate))
        screen.print()
    for heading, how, lines in certificate.decisions():
        table = _table(heading, how, "measured")
        for name, bound, measured in lines[:_CLASSES]:
            table.add_row(quoted(name), bound, measured)
        if len(lines) > _CLASSES:
            table.add_row(f"and {len(lines) - _CLASSES} more in the report")
        screen.print(table)
        screen.print()
    if "answers" in certificate.context["data"]:
        screen.print(quoted(_answered(certificate)))
    for note in certificate.notes():
        screen.print(quoted(note))
    if audit.selective is not None:
        screen.print(f"\n[bold]Answering only when sure:[/] {quoted(audit.selective.statement())}")
        for note in audit.selective.notes():
            screen.print(quoted(note))
        own = [text for text in audit.selective.assumptions if text not in certificate.assumptions]
        screen.print(quoted(f"It also assumes: {' '.join(own)}"))
        screen.print()
    if audit.not_certified:
        screen.print(f"\n[bold red]No selective vote:[/] {quoted(_as_options(audit.not_certified))}\n")
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
    if audit.selective is not None:
        files = shlex.join([str(folder / "selective.json"), str(folder / "votes.npz")])
        screen.print(f"  stocmv verify {quoted(files)}", soft_wrap=True)


def _as_options(text: str) -> str:
    """The text with the options of the command in place of the arguments in Python."""
    return (
        text.replace("max_error=", "--max-error ")
        .replace("min_coverage=", "--min-coverage ")
        .replace("min_coverage", "--min-coverage")
    )


def _print_data(screen: Any, seen: Seen) -> None:
    """Print how each column was read, and possible problems in the data."""
    from rich.table import Table

    if seen.columns or seen.findings:
        screen.print()
    if seen.columns:
        table = Table(box=None, show_header=False, pad_edge=False)
        for kind, names in seen.columns.items():
            shown = ", ".join(quoted(one_line(name)) for name in names[:_COLUMNS])
            more = f" and {len(names) - _COLUMNS:,} more" if len(names) > _COLUMNS else ""
            table.add_row(f"[bold]{kind}[/]", shown + more)
        screen.print(table)
    for finding in seen.findings[:_FINDINGS]:
        screen.print(f"[bold yellow]Data warning:[/] {quoted(finding.sentence)} {quoted(finding.cure)}")
    if len(seen.findings) > _FINDINGS:
        screen.print(f"{len(seen.findings) - _FINDINGS:,} more warnings about the data are in the report.")


def _answered(certificate: Certificate) -> str:
    """Which columns are voters, and how often each answers."""
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
    """The bounds on predict, on the stochastic vote, and on always giving the same answer."""
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
        measured = percent(entry[risk]) if entry["n"] else ""
        table.add_row(quoted(entry["label"]), f"{entry['n']:,}", *bounds, measured)
    if len(ordered) > _CLASSES:
        table.add_row(f"and {len(ordered) - _CLASSES} more in the report")
    return table


def as_content(audit: Audit, seen: Seen, folder: Path, seconds: float) -> dict[str, Any]:
    """The content of the page as JSON."""
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
        "precisions": list(c.precisions),
        "cost": c.cost,
        "claims": [asdict(claim) for claim in c.claims],
        "proven": c.proven,
        "warnings": list(c.warnings),
        "order": _order(audit.model.order_test_),
        **seen.as_content(),
        "holdout_bound": audit.holdout.holdout_bound if audit.holdout else None,
        "selective": _selective(audit),
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


def _selective(audit: Audit) -> dict[str, Any] | None:
    """The vote that answers only when it is sure, or why there is none; None if it was not requested."""
    if audit.not_certified:
        return {"not_certified": audit.not_certified}
    c = audit.selective
    if c is None:
        return None
    told = ("bound", "coverage", "thresholds", "target", "empirical_error", "empirical_coverage", "delta")
    return {"statement": c.statement(), **{name: getattr(c, name) for name in told}}
