"""``stocmv datasets``."""

import sys
from dataclasses import asdict

import click

from ._console import as_json, console, print_json, quoted, say


@click.group(invoke_without_command=True)
@as_json
@click.pass_context
def datasets(context: click.Context, as_json: bool) -> None:
    """Named data sets: built in, toys, and the paper's public ones.

    \b
    Examples:
      stocmv datasets
      stocmv datasets fetch pendigits shuttle
    """
    if context.invoked_subcommand is None:
        context.invoke(list_, as_json=as_json)


@datasets.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the data sets, and where they are found."""
    from rich.table import Table

    from ..datasets import list_datasets

    entries = list_datasets()
    if as_json:
        print_json({"datasets": [{**asdict(e), "path": None if e.path is None else str(e.path)} for e in entries]})
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("name", "rows", "features", "classes", "kind", "now"):
        table.add_column(heading, justify="right" if heading in ("rows", "features", "classes") else "left")
    for e in entries:
        table.add_row(quoted(e.name), f"{e.n:,}", f"{e.n_features:,}", str(e.n_classes), e.kind, quoted(e.state))
    console().print(table)


@datasets.command("fetch")
@click.argument("names", nargs=-1, required=True)
@as_json
def fetch_(names: tuple[str, ...], as_json: bool) -> None:
    """Download data sets into the cache, check them, and say where they are."""
    from ..datasets import fetch

    fetched = {path.stem: path for path in fetch(*names, progress=sys.stderr.isatty() and not as_json)}
    if as_json:
        print_json({"fetched": {name: str(fetched[name]) if name in fetched else None for name in names}})
        return
    for name in names:
        say(f"{name}: {fetched.get(name, 'built in')}")
