"""``stocmv compare``."""

import json
from pathlib import Path

import click

from ._certify_predictions import NO_ANSWER, check_answers, check_columns, groups_of
from ._console import as_json, print_json, say
from ._kinds import FILE, FORMAT, SHARE, Encoding


@click.command(short_help="Compare two models from a file with their answers and the truth.")
@click.argument("file", type=FILE)
@click.option("--truth", required=True, metavar="COLUMN", help="Column with the true labels.")
@click.option("--first", required=True, metavar="COLUMN", help="Column with the first model's answers.")
@click.option("--second", required=True, metavar="COLUMN", help="Column with the second model's answers.")
@click.option("--group", metavar="COLUMN", help="Column that says which rows belong together (a patient, say).")
@click.option(
    "--delta", type=SHARE, default=0.05, show_default=True, help="Probability that the interval fails, at most."
)
@click.option("--format", "kind", type=FORMAT, help="Kind of FILE.")
@click.option("--encoding", type=Encoding(), help="Encoding of a csv file, such as latin-1.  [default: utf-8]")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Also write the figures to this file.")
@as_json
def compare(
    file: Path,
    truth: str,
    first: str,
    second: str,
    group: str | None,
    delta: float,
    kind: str | None,
    encoding: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Say which of two models errs less, and by how much at least, or that this cannot be said.

    Both models must have been fixed before: not trained on these rows, nor tuned on them, nor chosen by how they did
    on them. FILE is a csv, parquet or Excel file. An empty cell in a column of answers counts as an error.

    \b
    Examples:
      stocmv compare answers.csv --truth diagnosis --first old --second new
      stocmv compare scans.csv --truth y --first a --second b --group patient --out comparison.json
    """
    from .. import compare_predictions
    from .._files import sha256, whole_file
    from ..certificate import counted
    from ..tables import read_texts

    if out is not None and out.exists() and out.samefile(file):
        raise click.UsageError("--out would overwrite the answers: name another file.")
    check_columns(truth, first, second, group)
    if first == second:
        raise click.UsageError(f"--first and --second are the same column, {first!r}.")
    names = list(dict.fromkeys([truth, first, second, *([] if group is None else [group])]))
    columns = read_texts(file, names, format=kind, encoding=encoding)
    y, answers = columns[truth], {name: [answer or NO_ANSWER for answer in columns[name]] for name in (first, second)}
    for name in answers:
        check_answers(y, answers[name], truth, name)
    found = compare_predictions(
        y,
        answers[first],
        answers[second],
        groups=None if group is None else groups_of(columns, group),
        delta=delta,
        names=(repr(first), repr(second)),
    )
    source = {"file": file.name, "sha256": sha256(file), "truth": truth, "first": first, "second": second}
    content = {**found.to_dict(), "source": source}
    if out is not None:
        with whole_file(out) as written:
            written.write(json.dumps(content, indent=1, allow_nan=False).encode())
    if as_json:
        print_json(content)
        return
    say(str(found), keep="\n")
    for name, texts in answers.items():
        if silent := texts.count(NO_ANSWER):
            errors = "count as its errors" if silent > 1 else "counts as its error"
            say(f"{counted(silent, 'row')} without an answer in the column {name!r} {errors}.")
    say("Both models must have been fixed before looking at these rows, and new rows must be like them.")
