"""``stocmv certify-predictions``."""

import shlex
from pathlib import Path
from typing import Any

import click

from ._certify import stem
from ._console import as_json, console, print_json, quoted
from ._decision import (
    DECISIONS,
    DecisionTarget,
    decide,
    decision_content,
    decision_options,
    decisions_asked,
    one_target,
    positive_class,
    print_decision,
    write_decision,
)
from ._folder import sweep, whole_folder
from ._kinds import FILE, FORMAT, SHARE, ClassShare, Costs, Encoding
from ._panel import Source, certify_panel

NO_ANSWER = "(no answer)"


@click.command("certify-predictions", short_help="Certify any model from a file with its answers and the truth.")
@click.argument("file", type=FILE)
@click.option("--truth", required=True, metavar="COLUMN", help="Column with the true labels.")
@click.option(
    "--prediction",
    required=True,
    multiple=True,
    metavar="COLUMN",
    help="Column with the model's answers; repeated, those of a panel, whose members vote.",
)
@click.option("--score", metavar="COLUMN", help="Column with the probability of the class --pos-label, of two classes.")
@click.option("--pos-label", metavar="LABEL", help="With --score: the class that the scores are about.")
@click.option(
    "--calibration", is_flag=True, help="With --score: also bound how often answers are right, by their score."
)
@decision_options
@click.option(
    "--subgroup",
    multiple=True,
    metavar="COLUMN",
    help="Also bound the error in each subgroup that this column makes; may be repeated.",
)
@click.option("--group", metavar="COLUMN", help="Column that says which rows belong together (a patient, say).")
@click.option("--cost", type=Costs(), help='Also bound the mean cost: {"ill": {"well": 10}, "well": {"ill": 1}}.')
@click.option(
    "--per-class/--no-per-class", default=True, show_default=True, help="Also bound the error and precision by class."
)
@click.option(
    "--baseline",
    metavar="LABEL",
    help="The class to compare with, if it is always answered, fixed before.  [default: the most frequent one]",
)
@click.option(
    "--prevalence",
    type=ClassShare(),
    multiple=True,
    help="Also bound the error where this class has this share; one for each class, which sum to 1: --prevalence "
    "ill=0.02 --prevalence well=0.98",
)
@click.option(
    "--sides", type=click.Choice(["1", "2"]), default="1", help="With 2: also bound the error from both sides."
)
@click.option(
    "--delta", type=SHARE, default=0.05, show_default=True, help="Probability that the certificate fails, at most."
)
@click.option(
    "--holdout",
    type=SHARE,
    help="Of a panel: share of the rows that only judge; the others teach the weights.  [default: 0.5]",
)
@click.option("--folds", type=click.IntRange(2), help="Of a panel, instead of a hold-out: every row does both.")
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), help="Of a panel: seed of the draw of the rows.  [default: 0]"
)
@click.option("--format", "kind", type=FORMAT, help="Kind of FILE.")
@click.option("--encoding", type=Encoding(), help="Encoding of a csv file, such as latin-1.  [default: utf-8]")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder to write; by default answers-certified for answers.csv."
)
@click.option("--force", is_flag=True, help="Overwrite the folder.")
@as_json
def certify_predictions(
    file: Path,
    truth: str,
    prediction: tuple[str, ...],
    score: str | None,
    pos_label: str | None,
    subgroup: tuple[str, ...],
    group: str | None,
    cost: Any,
    baseline: str | None,
    prevalence: tuple[tuple[str, float], ...],
    holdout: float | None,
    folds: int | None,
    seed: int | None,
    kind: str | None,
    encoding: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Certify how often a model errs, from a file with its answers and the truth.

    The model may be anything, in any language: a classifier, a language model, a person. It must have been fixed
    before: not trained on these rows, nor tuned on them, nor chosen by how it did on them.

    FILE is a csv, parquet or Excel file. An empty cell in the column of answers means that the model did not answer,
    which counts as an error.

    With several --prediction columns they are a panel, of people or language models, say. Certified are each of them
    alone, their vote with equal weights, and their vote with learned weights. An empty cell then means that the voter
    has no say on that row. Also said: how often each two agree, and how many independent voters the panel is worth.

    The folder that is written holds certificate.json and evidence.npz (for 'stocmv verify'), and report.html, the
    page to show; for a panel also model.skops, the vote with learned weights (for 'stocmv predict'). With --score and
    --max-error or --min-coverage it also holds selective.json, the certificate of the model answering only when it is
    sure; with --score and --threshold, --min-recall, --min-precision, --max-false-positive-rate or --max-cost
    threshold.json, that of the model with a threshold on its score.

    \b
    Examples:
      stocmv certify-predictions answers.csv --truth diagnosis --prediction model
      stocmv certify-predictions answers.csv --truth y --prediction p --subgroup region --subgroup sex
      stocmv certify-predictions scans.csv --truth y --prediction p --group patient --cost costs.json
      stocmv certify-predictions loans.csv --truth y --prediction p --score s --pos-label bad --min-recall 0.8
      stocmv certify-predictions answers.csv --truth y --prediction ann --prediction bob --prediction eve
    """
    from .. import certify_predictions as certified
    from .._files import sha256, whole_file
    from ..certificate import counted
    from ..report import render_predictions
    from ..tables import read_texts
    from ._page import print_tables

    if score is not None and pos_label is None:
        raise click.UsageError(
            "--score and --pos-label go together: name the class that the scores are about with --pos-label."
        )
    settings["max_error"] = one_target(settings["max_error"])
    asked = decisions_asked({**settings, "cost": cost})
    if asked and len(prediction) > 1:
        raise click.UsageError(f"{asked[0]} is about the scores of one model: give one --prediction.")
    if score is None and pos_label is not None:
        raise click.UsageError("--score and --pos-label go together: name the column with the scores with --score.")
    if asked and score is None:
        raise click.UsageError(f"{asked[0]} is about the model's scores: name their column with --score.")
    folder = out if out is not None else Path(f"{stem(str(file))}-certified")
    sweep(folder)
    sides, shares = int(settings.pop("sides")), dict(prevalence) or None
    if len(prevalence) > len(shares or {}):
        raise click.UsageError("--prevalence names a class twice: give one share for each class.")
    wanted = DecisionTarget.of({**settings, "pos_label": pos_label})
    settings = {name: value for name, value in settings.items() if name not in DECISIONS}
    if len(prediction) > 1:
        calibration = settings.pop("calibration")
        if score is not None or calibration or subgroup or shares or baseline is not None or sides == 2:
            raise click.UsageError(
                "--score, --calibration, --subgroup, --baseline, --prevalence and --sides are about one model: give "
                "one --prediction."
            )
        if holdout is not None and folds is not None:
            raise click.UsageError("--folds and --holdout are two ways to choose who judges: give one of them.")
        judges = {"holdout": "auto" if folds else holdout or 0.5, "folds": folds, "seed": seed or 0}
        source = Source(file, truth, prediction, group, kind, encoding)
        certify_panel(source, folder, force=force, as_json=as_json, cost=cost, **judges, **settings)
        return
    for name, given in (("--holdout", holdout), ("--folds", folds), ("--seed", seed)):
        if given is not None:
            raise click.UsageError(f"{name} is for a panel, whose weights are learned: repeat --prediction.")
    (model,) = prediction
    check_columns(truth, model, group)
    names = list(dict.fromkeys([truth, model, *subgroup, *(x for x in (score, group) if x is not None)]))
    columns = read_texts(file, names, format=kind, encoding=encoding)
    y, answers = columns[truth], [answer or NO_ANSWER for answer in columns[model]]
    silent = answers.count(NO_ANSWER)
    check_answers(y, answers, truth, model)
    wanted.check_classes(sorted({*y, *answers}))
    certificate = certified(
        y,
        answers,
        scores=None if score is None or pos_label is None else _scores(columns[score], score, pos_label, y, answers),
        groups=None if group is None else groups_of(columns, group),
        subgroups={name: [value or None for value in columns[name]] for name in subgroup} or None,
        context={
            "file": file.name,
            "sha256": sha256(file),
            "truth": truth,
            "prediction": model,
            **({} if group is None else {"group": group}),
            **positive_class({*y, *answers}, wanted),
        },
        cost=cost,
        baseline=baseline,
        prevalence=shares,
        sides=sides,
        **settings,
    )
    evidence = certificate.evidence_
    decision = decide(certificate, evidence, wanted)
    with whole_folder(folder, force) as unfinished:
        certificate.to_json(unfinished / "certificate.json")
        evidence.save(unfinished / "evidence.npz")  # type: ignore[union-attr]
        write_decision(decision, unfinished, certificate.context)
        hashes = {path.name: sha256(path) for path in sorted(unfinished.iterdir())}
        with whole_file(unfinished / "report.html") as page:
            page.write(render_predictions(certificate, name=file.name, hashes=hashes, **decision._asdict()).encode())
    if as_json:
        facts = {"n": certificate.n, "delta": certificate.delta, "bound": certificate.bound}
        figures = {"statement": certificate.statement(), **facts, "figures": certificate.figures}
        figures |= decision_content(decision)
        print_json({**figures, "folder": str(folder), "files": sorted(path.name for path in folder.iterdir())})
        return
    screen = console()
    screen.print(f"\n[bold]{quoted(certificate.statement())}[/]\n")
    print_tables(screen, certificate)
    if silent:
        errors = "count as errors" if silent > 1 else "counts as an error"
        screen.print(f"{counted(silent, 'row')} without an answer {errors}.")
    for note in certificate.notes():
        screen.print(quoted(note))
    print_decision(screen, certificate, decision)
    screen.print("It assumes:")
    for assumption in certificate.assumptions:
        screen.print(f"- {quoted(assumption)}")
    screen.print(f"\nThe report is [bold]{quoted(folder / 'report.html')}[/]. To check the certificate:")
    screen.print(f"  stocmv verify {quoted(shlex.quote(str(folder)))}", soft_wrap=True)


def check_answers(y: list[str], answers: list[str], truth: str, prediction: str) -> None:
    """Refuse rows without a true label, and answers none of which is a label."""
    check_truth(y, truth)
    if not set(y) & set(answers):
        raise ValueError(
            f"No answer in the column {prediction!r}, such as {answers[0]!r}, is a label in the column {truth!r}, such "
            f"as {y[0]!r}: write both in the same way."
        )


def check_columns(truth: str, *others: str | None) -> None:
    """Refuse columns that are the one with the truth: answers would all be right, and labels are no groups."""
    if truth in others:
        raise click.UsageError(f"The column {truth!r} is --truth: it cannot have another role.")


def groups_of(columns: dict[str, list[str]], group: str) -> list[str]:
    """The groups of all rows; rows without one are refused, as together they would be a group of their own."""
    if "" in columns[group]:
        row = columns[group].index("") + 1
        raise ValueError(f"Row {row} has no group in the column {group!r}: give each row one, if need be its own.")
    return columns[group]


def check_truth(y: list[str], truth: str) -> None:
    """Refuse rows without a true label, and a label that would agree with a missing answer."""
    if not y:
        raise ValueError("The file has no rows.")
    if "" in y:
        raise ValueError(f"Row {y.index('') + 1} has no label in the column {truth!r}: leave such rows out.")
    if NO_ANSWER in y:
        raise ValueError(
            f"The column {truth!r} has the label {NO_ANSWER!r}, which stands for empty answers: rename it."
        )


def _scores(texts: list[str], column: str, positive: str, y: list[str], answers: list[str]) -> Any:
    """The score of each of two classes, in their order."""
    import numpy as np

    if NO_ANSWER in answers:
        row = answers.index(NO_ANSWER) + 1
        raise ValueError(f"Row {row} has no answer: with --score give each row one, such as the class of its score.")
    classes = sorted({*y, *answers})
    if len(classes) != 2 or positive not in classes:
        raise ValueError(f"--score needs two classes, one of them --pos-label: the classes here are {classes[:10]!r}.")
    try:
        scores = np.array(texts, float)
    except ValueError as error:
        raise ValueError(f"The column {column!r} must hold numbers between 0 and 1: {error}.") from error
    wrong = np.flatnonzero(~((scores >= 0) & (scores <= 1)))
    if wrong.size:
        raise ValueError(
            f"The column {column!r} must hold numbers between 0 and 1: row {wrong[0] + 1} has {texts[wrong[0]]!r}."
        )
    both = np.column_stack([1 - scores, scores])
    return both if classes[1] == positive else both[:, ::-1]
