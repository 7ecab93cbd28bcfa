"""``stocmv datasets``."""

from dataclasses import asdict

import click

from ._console import as_json, console, print_json


@click.command()
@as_json
def datasets(as_json: bool) -> None:
    """List the data sets that 'stocmv certify' knows by name.

    \b
    Example:
      stocmv datasets
    """
    from rich.table import Table

    from ..datasets import list_datasets

    entries = list_datasets()
    if as_json:
        print_json({"datasets": [asdict(entry) for entry in entries]})
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("name", "rows", "features", "classes", "kind"):
        table.add_column(heading, justify="right" if heading in ("rows", "features", "classes") else "left")
    for entry in entries:
        table.add_row(entry.name, f"{entry.n:,}", f"{entry.n_features:,}", str(entry.n_classes), entry.kind)
    console().print(table)
