"""``stocmv predict``."""

import csv
import sys
from pathlib import Path
from typing import Any

import click

from ._console import as_json, print_json
from ._kinds import FILE


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("data", type=FILE)
@click.option("--stochastic", is_flag=True, help="Draw the weights of the vote afresh for each row, as certified.")
@click.option("--proba", is_flag=True, help="Also the probability that a drawn vote answers each class.")
@click.option("--seed", type=click.IntRange(0), default=None, help="Seed of --stochastic.")
@click.option("--format", "kind", type=click.Choice(["csv", "parquet", "libsvm", "npz"]), help="Kind of DATA.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write a csv file instead of printing.")
@as_json
def predict(
    folder: Path,
    data: Path,
    stochastic: bool,
    proba: bool,
    seed: int | None,
    kind: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Classify the rows of DATA with the model in FOLDER, which `stocmv certify` wrote.

    The columns are found by their names; others, such as the target, are passed over.

    \b
    Examples:
      stocmv predict patients-certified new.csv
      stocmv predict patients-certified new.csv --proba --out answers.csv
    """
    from ..persistence import load
    from ._examples import read_like

    model: Any = load(folder / "model.skops")
    X = read_like(model, data, kind)
    answers = model.predict_stochastic(X, random_state=seed) if stochastic else model.predict(X)
    shares = model.predict_proba(X).tolist() if proba else None
    labels = [str(label) for label in model.classes_]
    if as_json:
        content: dict[str, Any] = {"n": len(answers), "predictions": answers.tolist()}
        print_json(content | ({"classes": labels, "probabilities": shares} if shares is not None else {}))
        return
    rows = [[str(answer), *(shares[i] if shares is not None else ())] for i, answer in enumerate(answers)]
    header = ["prediction", *(f"probability of {label}" for label in labels if proba)]
    if out is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows([header, *rows])
    else:
        _write(out, header, rows)


def _write(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    import io

    from .._files import whole_file

    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    with whole_file(path) as file:
        file.write(text.getvalue().encode())
    click.echo(f"{len(rows):,} predictions are in {path}", err=True)
