"""``stocmv certify-predictions`` with several columns of answers: a panel."""

from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import click

from ..progress import stage
from ._console import print_json, progress, quoted
from ._folder import checked_later, whole_folder

_SHOWN = 12  # voters whose agreement is printed


class Source(NamedTuple):
    """The file of the answers, and its columns."""

    file: Path
    truth: str
    voters: tuple[str, ...]
    group: str | None
    kind: str | None
    encoding: str | None


def certify_panel(source: Source, folder: Path, *, force: bool, as_json: bool, **settings: Any) -> None:
    """Certify the voters and their vote, write the folder, and print the page."""
    from ..tables import DataOverview, read_answers
    from ._audit import Settings, certify_table, write_folder
    from ._page import as_content, print_page

    file, truth, voters, group, kind, encoding = source
    if len(set(voters)) < len(voters) or truth in voters or group in voters:
        raise click.UsageError("--prediction must name different columns, and neither --truth nor --group.")
    began, fitting = perf_counter(), checked_later(folder, force)
    chosen = Settings(
        voters="answers",
        trees=1,
        bound="auto",
        prior="auto",
        jobs=1,
        stochastic=False,
        categories=None,
        votes=True,
        panel=True,
        **settings,
    )
    with progress(quiet=as_json):
        with stage("reading"):
            table = read_answers(file, truth, only=voters, group=group, format=kind, encoding=encoding)
        _check_answers(table)
        with fitting:
            audit = certify_table(table, chosen)
        overview = DataOverview({"target": (truth,), "voters": voters}, ())
        with stage("writing the report"), whole_folder(folder, force) as unfinished:
            write_folder(audit, table, overview, unfinished)
    seconds = perf_counter() - began
    if as_json:
        print_json(as_content(audit, overview, folder, seconds))
        return
    print_page(audit, overview, folder, seconds)


def _check_answers(table: Any) -> None:
    """Refuse a voter none of whose answers is a label."""
    labels = set(table.y.tolist())
    for name, column in table.X.items():
        answers = column.dropna()
        if len(answers) and not labels & set(answers):
            raise ValueError(
                f"No answer in the column {name!r}, such as {answers.iloc[0]!r}, is a label in the column "
                f"{table.target!r}, such as {table.y[0].item()!r}: write both in the same way."
            )


def print_agreement(screen: Any, panel: dict[str, Any]) -> None:
    """Print how often each two voters agree, if they are few enough for a table."""
    from rich.table import Table as RichTable

    names = [own["name"] for own in panel["voters"]]
    if len(names) > _SHOWN:
        return
    known = [pair for pair in panel["pairs"] if pair["n"]]
    shares = {(pair["first"], pair["second"]): f"{100 * pair['agreement']:.0f} %" for pair in known}
    table = RichTable(box=None, header_style="bold", pad_edge=False)
    table.add_column("agreement (measured)")
    for name in names[1:]:
        table.add_column(quoted(name), justify="right")
    for k, name in enumerate(names[:-1]):
        table.add_row(quoted(name), *([""] * k), *(shares.get((name, other), "") for other in names[k + 1 :]))
    screen.print(table)
    screen.print()
