"""``stocmv predict``."""

import csv
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from .._files import sha256, whole_file
from .._text import visible
from ._console import as_json, print_json, say
from ._decision import REFER
from ._folder import OURS
from ._kinds import FILE, FORMAT, Encoding

# spreadsheets skip white space before a formula, and take full-width signs for plain ones
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@click.command(short_help="Classify the rows of a table with a certified model.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("data", type=FILE)
@click.option(
    "--stochastic", is_flag=True, help="Draw new weights for each row: the stochastic vote, if it is certified."
)
@click.option("--proba", is_flag=True, help="Also print the score of each class; with --stochastic, its probability.")
@click.option("--seed", type=click.IntRange(0), default=None, help="Seed for --stochastic.")
@click.option(
    "--keep",
    multiple=True,
    metavar="COLUMN",
    help="A column of DATA to copy beside the answers, such as an id; may be repeated.",
)
@click.option("--format", "kind", type=FORMAT, help="Kind of DATA.")
@click.option("--encoding", type=Encoding(), help="Encoding of a csv file; by default the one that certify was given.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write a csv file instead of printing.")
@click.option(
    "--spreadsheet", is_flag=True, help="Put ' before labels and kept cells that a spreadsheet would read as formulas."
)
@as_json
def predict(
    folder: Path,
    data: Path,
    stochastic: bool,
    proba: bool,
    seed: int | None,
    keep: tuple[str, ...],
    kind: str | None,
    encoding: str | None,
    out: Path | None,
    spreadsheet: bool,
    as_json: bool,
) -> None:
    """Classify the rows of DATA with the model in FOLDER, which `stocmv certify` wrote.

    Columns are matched by name; others, such as the target, are ignored. The answers are those of the deterministic
    vote, whose error the certificate bounds; --proba adds the score of each class, which is largest for the answer.
    If the folder has selective.json, the column "decision" has the answer where the vote is sure, and otherwise the
    word "refer"; if it has threshold.json, the column has the answers of the vote with that threshold.

    \b
    Examples:
      stocmv predict patients-certified new.csv
      stocmv predict patients-certified new.csv --proba --out answers.csv
      stocmv predict patients-certified new.csv --keep id --out answers.csv
    """
    if seed is not None and not stochastic:
        raise click.UsageError("--seed is for --stochastic: the deterministic vote draws nothing.")
    from ..checks import look_at_new
    from ._examples import kept_columns, known_categories, read_like, remembered_encoding

    if out is not None:
        check_out("--out", out, folder, data)
    model = load_model(folder / "model.skops", folder / "certificate.json")
    if stochastic and not model.certificate_.covers_drawn:
        raise ValueError("The stochastic vote of this model is not certified: certify again with --stochastic.")
    encoding = encoding or remembered_encoding(model, data, kind)
    X = read_like(model, data, kind, encoding)
    decided = None if stochastic else decision_vote(folder, model)
    kept = kept_columns(data, keep, kind, encoding, ("prediction", *["decision"] * (decided is not None)))
    findings, unseen = look_at_new(X, *known_categories(model))
    answers, shares = _answers(model, X, proba, stochastic, seed)
    decision = None if decided is None else decided.predict(X)
    is_csv = out is not None or not (as_json or sys.stdout.isatty())
    if is_csv and not spreadsheet:
        _warn_of_formulas([*model.classes_.tolist(), *kept, *(cell for cells in kept.values() for cell in cells)])
    if out is not None:
        with whole_file(out) as file:
            text = _as_csv(kept, answers, decision, shares, model.classes_, _harmless if spreadsheet else None)
            file.write(text.encode())
    if as_json:
        content = {"out": str(out)} if out is not None else _as_content(kept, answers, decision, shares, model.classes_)
        warned = {"unseen": unseen, "data_warnings": [asdict(finding) for finding in findings]}
        print_json({"n": len(answers), **content, **warned})
        return
    for finding in findings:
        say(f"Data warning: {finding.sentence} {finding.cure}", err=True)
    if out is not None:
        say(f"{len(answers):,} {'prediction is' if len(answers) == 1 else 'predictions are'} in {out}", err=True)
    else:
        shown = visible if sys.stdout.isatty() else _harmless if spreadsheet else None
        sys.stdout.write(_as_csv(kept, answers, decision, shares, model.classes_, shown))


def check_out(option: str, out: Path, folder: Path, data: Path) -> None:
    """Refuse a place that does not exist, and to overwrite a file that is read."""
    if not out.resolve().parent.is_dir():
        raise ValueError(f"{option} {str(out)!r}: there is no folder {str(out.parent)!r} to write it into.")
    for read in (data, *(folder / name for name in OURS)):
        if out.exists() and read.exists() and out.samefile(read):
            raise ValueError(f"{option} {str(out)!r} is a file that this command reads: choose another name.")


def load_model(path: Path, certified: Path) -> Any:
    """The model of a folder, checked against the certificate next to it."""
    from .. import Certificate, MajorityVoteClassifier
    from ..persistence import load

    if not path.exists():
        raise ValueError(f"There is no {path}: name a folder that 'stocmv certify' wrote.")
    if certified.exists():
        named = Certificate.from_json(certified).context.get("model")
        if not isinstance(named, dict) or named.get("sha256") != sha256(path):
            raise ValueError(f"{path} is not the model that {certified.name} is about: certify again.")
    model = load(path)
    if not isinstance(model, MajorityVoteClassifier):
        raise ValueError(f"{path} holds a {type(model).__name__}, not a vote that 'stocmv certify' wrote.")
    if not certified.exists():
        warnings.warn(f"there is no {certified}: nothing says how often these answers err.", stacklevel=2)
    return model


def _answers(model: Any, X: Any, proba: bool, stochastic: bool, seed: int | None) -> tuple[Any, dict[str, Any]]:
    """The answers, and if ``proba`` the expected weights, or the probabilities, of each class by their name."""
    if stochastic:
        answers = model.predict_stochastic(X, random_state=seed)
        return answers, {"probability": model.predict_stochastic_proba(X)} if proba else {}
    if not proba:
        return model.predict(X), {}
    answers, weights = model._predict_both(X)
    return answers, {"score": weights}


def decision_vote(folder: Path, model: Any) -> Any:
    """The vote that answers only when it is sure, or that has a threshold, if there is one."""
    from ..decisions import ThresholdCertificate, ThresholdVote

    path = folder / "threshold.json"
    if not path.exists():
        return selective_vote(folder, model)
    if (folder / "selective.json").exists():
        raise ValueError(f"{folder} has both selective.json and threshold.json: which of them decides? Move one away.")
    return ThresholdVote(model, _checked(ThresholdCertificate.from_json(path), path, model))


def selective_vote(folder: Path, model: Any) -> Any:
    """The vote that answers only when it is sure, if it was certified too."""
    from ..decisions import SelectiveVote

    path = folder / "selective.json"
    if not path.exists():
        return None
    return SelectiveVote(model, _checked(read_selective(path), path, model), REFER)


def read_selective(path: Path) -> Any:
    """The certificate of a vote that answers only when it is sure, with one target or one for each class."""
    from .. import Certificate
    from ..decisions import ClassSelectiveCertificate, SelectiveCertificate

    certificate = Certificate.from_json(path)
    if not isinstance(certificate, SelectiveCertificate | ClassSelectiveCertificate):
        raise ValueError(f"{path} is a {type(certificate).__name__}, not that of a vote that answers only when sure.")
    return certificate


def _checked(certificate: Any, path: Path, model: Any) -> Any:
    """The certificate, if it is about this model."""
    folder = path.parent
    named = certificate.context.get("model")
    if not isinstance(named, dict) or named.get("sha256") != sha256(folder / "model.skops"):
        raise ValueError(f"{folder / 'model.skops'} is not the model that {path.name} is about: certify again.")
    own = model.certificate_
    if (certificate.evidence, certificate.fold_shares) != (own.evidence, own.fold_shares):
        raise ValueError(f"{path} is about another vote than that of the model: certify again.")
    return certificate


def _as_content(
    kept: dict[str, list[str]], answers: Any, decision: Any, shares: dict[str, Any], labels: Any
) -> dict[str, Any]:
    content: dict[str, Any] = {"predictions": answers.tolist()} | ({"kept": kept} if kept else {})
    if decision is not None:
        content["decision"] = decision.tolist()
    for name, values in shares.items():
        content |= {"classes": labels.tolist(), name: values.tolist()}
    return content


def _as_csv(
    kept: dict[str, list[str]],
    answers: Any,
    decision: Any,
    shares: dict[str, Any],
    labels: Any,
    shown: Callable[[Any], Any] | None = None,
) -> str:
    """A table of the kept columns, the answers and the decisions, each cell passed through ``shown``."""
    shown = shown or (lambda cell: cell)
    cells = {label: shown(label) for label in labels.tolist()}
    lines: list[str] = []
    # with this line end, the writer also quotes a carriage return, after which a spreadsheet would start a new cell
    to_lines = SimpleNamespace(write=lambda line: lines.append(line.removesuffix("\r\n") + "\n"))
    writer = csv.writer(to_lines, lineterminator="\r\n")
    decided = [] if decision is None else [[cells.get(each, REFER) for each in decision.tolist()]]
    header = [
        "prediction",
        *["decision"] * len(decided),
        *(f"{name} of {cell}" for name in shares for cell in cells.values()),
    ]
    writer.writerow([*map(shown, kept), *header])
    copied = [[shown(cell) for cell in column] for column in kept.values()]
    weights = [column for share in shares.values() for column in share.T.tolist()]
    columns = [[cells[answer] for answer in answers.tolist()], *decided, *weights]
    writer.writerows(zip(*copied, *columns, strict=True))
    return "".join(lines)


def _is_formula(label: Any) -> bool:
    """Whether a spreadsheet would evaluate it: text that starts like a formula and is not a number."""
    if not isinstance(label, str) or not label.startswith(_FORMULA):
        return False
    try:
        float(label)
    except ValueError:
        return True
    return False


def _harmless(label: Any) -> Any:
    return f"'{label}" if _is_formula(label) else label


def _warn_of_formulas(cells: Iterable[Any]) -> None:
    formula = next((cell for cell in cells if _is_formula(cell)), None)
    if formula is not None:
        warnings.warn(
            f"a spreadsheet would read {formula!r} as a formula: add --spreadsheet if you open the answers in one.",
            stacklevel=2,
        )
