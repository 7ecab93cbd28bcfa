"""``stocmv verify``."""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._files import sha256
from ._console import as_json, console, print_json, quoted
from ._kinds import FILE, FORMAT, Encoding, Number

if TYPE_CHECKING:
    from ..certificate import Certificate, Judgments
    from ..verify import Check, Verification


@click.command(short_help="Check certificates with independent code.")
@click.argument("certified", metavar="DIR|CERTIFICATE", type=click.Path(exists=True, path_type=Path))
@click.argument("evidence", required=False, type=FILE)
@click.option(
    "--data",
    help="The data that DIR was made from: a file, or the name of a data set. The model is asked about its judging "
    "rows again.",
)
@click.option("--format", "kind", type=FORMAT, help="Kind of the data.")
@click.option("--encoding", type=Encoding(), help="Encoding of a csv file; by default the one that certify was given.")
@click.option(
    "--precise",
    type=Number(0, 1),
    default=0.01,
    show_default=True,
    help="Share of the rows of a PAC-Bayes certificate to check at 30 digits too.",
)
@click.option("--seed", type=click.IntRange(0), help="Seed for the draw of these rows; random by default.")
@click.option("--quiet", is_flag=True, help="Print the verdict alone.")
@as_json
@click.pass_context
def verify(
    context: click.Context,
    certified: Path,
    evidence: Path | None,
    data: str | None,
    kind: str | None,
    encoding: str | None,
    precise: float,
    seed: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Check a certificate against its evidence, with independent code.

    Everything is recomputed: the digests of the files, what was measured, the KL where there is one, and all bounds.
    The verdict is a sentence made from the checked figures. DIR is a folder that 'stocmv certify' wrote: all its
    certificates are checked, and that they are about its model. Exit code 0 if everything holds, 1 if not.

    Evidence can be invented. With --data, the model in DIR is also asked about the rows that judged it: each of them
    must be in the data, and have the truth, the answer and the scores that the evidence says, and the group, the
    subgroups and the answers of a panel if it has any.

    The check is one file, stocmv/verify.py, which runs without stocmv: python verify.py CERTIFICATE EVIDENCE

    \b
    Examples:
      stocmv verify patients-certified
      stocmv verify patients-certified --data patients.csv
      stocmv verify patients-certified/certificate.json patients-certified/evidence.npz
    """
    folder = certified if certified.is_dir() else None
    if folder is None and evidence is None:
        raise click.UsageError("A certificate is checked against its evidence: name both files, or their folder.")
    if folder is not None and evidence is not None:
        raise click.UsageError("Name a folder, or a certificate and its evidence, not both.")
    if data is not None and folder is None:
        raise click.UsageError("--data asks the model about the data: name the folder that holds it.")
    judgments = None if folder is None or data is None else _judgments(folder / "evidence.npz")
    chosen = secrets.randbelow(2**31) if seed is None else seed
    results = {}
    for path in [certified] if folder is None else _certificates(folder):
        results[path.name] = _check(path, evidence or certified / "evidence.npz", precise, chosen)
        if folder is not None and results[path.name]:
            results[path.name] = _with(results[path.name], _model_checks(path, folder / "model.skops"))
            if path.name != "certificate.json" and results["certificate.json"]:
                results[path.name] = _with(results[path.name], _share_checks(path, folder / "certificate.json"))
    compared = False
    if judgments is not None and results["certificate.json"]:
        compared = True
        checks = _data_checks(certified, judgments, str(data), kind, encoding)
        results = {name: _with(found, checks) if found else found for name, found in results.items()}
    unknowable = _unknowable(compared and all(results.values()))
    if as_json:
        print_json(_as_content(results, unknowable))
    else:
        _print(results, quiet, unknowable)
    context.exit(0 if all(results.values()) else 1)


def _unknowable(compared: bool) -> tuple[str, ...]:
    """What no verifier can know, depending on whether model and data agree with the evidence."""
    from ..verify import OF_MODEL_AND_DATA, UNKNOWABLE

    if not compared:
        return UNKNOWABLE
    return ("whether the data are real", *(line for line in UNKNOWABLE if line not in OF_MODEL_AND_DATA))


def _certificates(folder: Path) -> list[Path]:
    """The certificates in a folder."""
    for name in ("certificate.json", "evidence.npz"):
        if not (folder / name).exists():
            raise ValueError(f"There is no {folder / name}: name a folder that 'stocmv certify' wrote.")
    paths = [folder / name for name in ("certificate.json", "selective.json", "threshold.json")]
    return [path for path in paths if path.exists()]


def _check(path: Path, evidence: Path, precise: float, seed: int) -> "Verification":
    """Check one certificate; if it holds, also some rows at 30 digits."""
    from ..verify import verify_files

    found = verify_files(path, evidence)
    if not found or not precise:  # no 30 digits for figures that already fail
        return found
    return _with(found, _read(path).precise_checks(evidence, precise, seed))


def _read(path: Path) -> "Certificate":
    """A certificate of any kind."""
    from .. import Certificate, decisions  # noqa: F401  (decisions have a kind of their own)

    return Certificate.from_json(path)


def _with(found: "Verification", checks: "tuple[Check, ...]") -> "Verification":
    return replace(found, checks=(*found.checks, *checks))


def _share_checks(path: Path, certificate: Path) -> "tuple[Check, ...]":
    """Check that a decision's folds answer in the shares that the vote's own certificate states."""
    from ..verify import Check

    stated, own = _read(path).fold_shares, _read(certificate).fold_shares
    return (Check(f"fold_shares, those of {certificate.name}", stated, own, stated == own),) if len(own) > 1 else ()


def _model_checks(path: Path, model: Path) -> "tuple[Check, ...]":
    """Check that the certificate is about this model; an auditor may not have one."""
    from ..verify import Check

    named = _read(path).context.get("model")
    if not model.exists() or not isinstance(named, dict):
        return ()
    stated, digest = named.get("sha256"), sha256(model)
    return (Check(f"SHA-256 of {model.name}", stated, digest, stated == digest),)


def _judgments(path: Path) -> "Judgments":
    """Evidence that says which rows judged."""
    from ..persistence import load_evidence

    evidence: Any = load_evidence(path)
    if getattr(evidence, "row", None) is None:
        raise ValueError(
            "--data finds the judging rows by hashes of their features, and this evidence has none: it holds the votes "
            "of a PAC-Bayes certificate, or answers that were certified without their features."
        )
    return evidence


def _data_checks(
    folder: Path, judgments: "Judgments", data: str, kind: str | None, encoding: str | None
) -> "tuple[Check, ...]":
    """Ask the model in a folder about its judging rows again."""
    from ..certificate import group_ids
    from ._data_check import Beside, compare_with_data
    from ._examples import read_examples, read_labelled, remembered_encoding
    from ._monitor import recorded_column
    from ._predict import load_model

    model = load_model(folder / "model.skops", folder / "certificate.json")
    group = recorded_column(model.certificate_, "group")
    if Path(data).is_file():
        target = recorded_column(model.certificate_, "target")
        encoding = encoding or remembered_encoding(model, Path(data), kind)
        table = read_labelled(model, Path(data), kind, target, group, encoding)
    else:
        table = read_examples(data, None, kind, ())
    if group is not None and table.groups is None:
        raise ValueError(f"--data {data} has no column {group!r} of groups: name the file.")
    if group is None:  # nothing says which column has them
        judgments = replace(judgments, group=None)
    beside = None
    if judgments.subgroup is not None or group is not None:
        groups = None if group is None else group_ids(table.groups, table.n_rows)
        beside = Beside(groups, _subgroups(judgments, Path(data), kind, encoding))
    return compare_with_data(model, judgments, table.X, table.y, beside).checks(table.name)


def _subgroups(judgments: "Judgments", data: Path, kind: str | None, encoding: str | None) -> Any:
    """The values of the attributes that make the subgroups of the evidence, in its order; None if it has none."""
    from ..certificate import subgroup_codes
    from ..tables import read_texts

    if judgments.subgroup is None or judgments.subgroups is None:
        return None
    names = tuple(judgments.subgroups[judgments.subgroup[0], 0].tolist())
    if not data.is_file():
        raise ValueError(f"--data {data} has no columns of subgroups, such as {names[0]!r}: name the file.")
    columns = read_texts(data, names, format=kind, encoding=encoding)
    codes, values = subgroup_codes({name: [x or None for x in columns[name]] for name in names}, len(columns[names[0]]))
    return values[codes, 1]


def _as_content(results: "dict[str, Verification]", unknowable: tuple[str, ...]) -> dict[str, Any]:
    from ..verify import brief

    return {
        "holds": all(results.values()),
        "certificates": [
            {
                "file": name,
                "holds": bool(verification),
                "statement": verification.statement if verification else None,
                "checks": [
                    {
                        "what": check.what,
                        "claimed": brief(check.claimed, 500),
                        "found": brief(check.found, 500),
                        "holds": bool(check.holds),
                    }
                    for check in verification.checks
                ],
                "stated_not_checked": list(verification.unchecked),
            }
            for name, verification in results.items()
        ],
        "not_knowable": list(unknowable),
    }


def _print(results: "dict[str, Verification]", quiet: bool, unknowable: tuple[str, ...]) -> None:
    """Print the verdicts, then the checks, then what was not checked."""
    from ..verify import Verification

    screen, several = console(), len(results) > 1
    for name, verification in results.items():
        colour, end = ("bold green", ":") if verification else ("bold red", ".")
        verdict, _, rest = verification.verdict.partition(end)
        screen.print(f"{quoted(name) + ': ' if several else ''}[{colour}]{verdict}{end}[/]{quoted(rest)}")
    if quiet:
        return
    for name, verification in results.items():
        screen.print(f"\n[bold]{quoted(name)}[/]" if several else "")
        for check in sorted(verification.checks, key=lambda check: check.holds):  # those that failed first
            mark = "[green]ok[/]" if check.holds else "[bold red]NO[/]"
            screen.print(mark + quoted(str(check)[2:]))
    screen.print()
    unchecked = dict.fromkeys(text for verification in results.values() for text in verification.unchecked)
    for line in Verification((), unchecked=tuple(unchecked)).remarks(unknowable):
        screen.print(quoted(line))
