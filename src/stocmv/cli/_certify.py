"""``stocmv certify``."""

from pathlib import Path
from time import perf_counter
from typing import Any

import click

from ..progress import stage
from ._console import as_json, print_json, progress
from ._decision import DECISIONS, THRESHOLDS, DecisionTarget, decision_options, decisions_asked, one_target, option
from ._folder import checked_later, sweep, whole_folder
from ._kinds import FILE, FORMAT, SHARE, AutoOr, Costs, Encoding, Number, Threads, cluster


@click.command(short_help="Train a vote on a table, and certify how often it errs.")
@click.argument("data")
@click.option(
    "--target", metavar="COLUMN", help="Column with the labels: its name, or its number from 0 (-1 is the last)."
)
@click.option("--test", "test", type=FILE, help="A file of new examples to count errors on.")
@click.option(
    "--voters",
    type=click.Choice(["forest", "models", "extra-trees", "stumps"]),
    default="forest",
    show_default=True,
    help="Voters to train; models are seven different classifiers, with learned weights.",
)
@click.option("--votes", is_flag=True, help="The columns are voters' answers; an empty cell means no answer.")
@click.option("--abstain", help="With --votes: a further value that means no answer.")
@click.option("--default", help="With --votes: the answer if no voter answers, which otherwise counts as an error.")
@click.option("--trees", type=click.IntRange(1), default=100, show_default=True, help="Number of trees in the forest.")
@click.option(
    "--delta", type=SHARE, default=0.05, show_default=True, help="Probability that the certificate fails, at most."
)
@click.option(
    "--holdout",
    type=AutoOr(SHARE),
    show_default="auto",
    help="Share of the examples that only judge; auto depends on their number.",
)
@click.option("--folds", type=click.IntRange(2), help="Instead of a hold-out: every example trains and judges.")
@click.option(
    "--bound",
    default="auto",
    show_default=True,
    help="auto tests the vote on the held-out examples, or on folds (fold_test); a PAC-Bayes bound such as seeger "
    "learns the weights on the folds and pays the KL.",
)
@click.option(
    "--pos-label",
    metavar="CLASS",
    help="The class that is looked for: that of a threshold on its score, and of the false-positive rate.",
)
@decision_options
@click.option(
    "--calibration", is_flag=True, help="Also bound how often answers are right, by their score; needs a hold-out."
)
@click.option(
    "--group", metavar="COLUMN", help="Column that says which rows belong together (a patient, say); not a feature."
)
@click.option(
    "--subgroup",
    multiple=True,
    metavar="COLUMN",
    help="Also bound the error in each subgroup that this column makes; may be repeated. It stays a feature unless "
    "--drop names it, too.",
)
@click.option(
    "--time", metavar="COLUMN", help="Column that says when each row was recorded, to test for drift; not a feature."
)
@click.option(
    "--prior", type=AutoOr(Number(0, min_open=True)), default="auto", show_default=True, help="Parameter of the prior."
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Seed of every draw.")
@click.option(
    "--jobs",
    type=Threads(),
    default=-1,
    show_default=True,
    help="Threads, or workers of a local cluster; -1 is one for each core.",
)
@click.option(
    "--device",
    type=click.Choice(["cuda"]),
    help="Learn the weights on an NVIDIA GPU; worth it from some millions of rows on.",
)
@click.option(
    "--per-class/--no-per-class",
    default=True,
    show_default=True,
    help="Also bound the error on each class, its precision and its F1.",
)
@click.option(
    "--stochastic",
    is_flag=True,
    help="Also certify the stochastic vote, which draws new weights for each row; a PAC-Bayes bound always does.",
)
@click.option(
    "--cost",
    type=Costs(),
    help="Also bound the mean cost: JSON, or a file of it. [[0, 1], [10, 0]] has a row for each true class and a "
    'column for each answer, both sorted; {"ill": {"well": 10}, "well": {"ill": 1}} names them, also classes that are '
    "not in DATA.",
)
@click.option(
    "--categories",
    type=click.Choice(["ordinal", "onehot"]),
    default="ordinal",
    show_default=True,
    help="Columns of words become one column of numbers, or one column for each category.",
)
@cluster
@click.option(
    "--drop", multiple=True, metavar="COLUMN", help="A column to leave out, such as a row number; may be repeated."
)
@click.option("--format", "kind", type=FORMAT, help="Kind of DATA.")
@click.option("--encoding", type=Encoding(), help="Encoding of a csv file, such as latin-1.  [default: utf-8]")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder to write; by default patients-certified for patients.csv."
)
@click.option("--force", is_flag=True, help="Overwrite the folder.")
@as_json
@click.pass_context
def certify(
    context: click.Context,
    /,
    data: str,
    target: str | None,
    test: Path | None,
    drop: tuple[str, ...],
    group: str | None,
    subgroup: tuple[str, ...],
    time: str | None,
    holdout: object,
    folds: int | None,
    kind: str | None,
    encoding: str | None,
    out: Path | None,
    force: bool,
    cluster: str | None,
    votes: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Train voters on DATA, learn their vote, and certify how often it errs on new examples.

    Some of the examples make the vote, and the others only judge it (--holdout); or, with --folds, each example does
    both, for the votes of different folds.

    DATA is a csv, parquet, Excel, libsvm or npz file, or the name of a data set (see 'stocmv datasets'). Columns of
    words are read as categories, and problems in the data are reported before the figures.

    With --votes all columns except the target are voters' answers, and only the weights are learned.

    With --cluster DATA is a parquet file, a folder of them, or an address such as s3://bucket/folder.

    The folder that is written holds model.skops (for 'stocmv predict'), certificate.json and evidence.npz (for 'stocmv
    verify'), and report.html, the page to show; with --max-error or --min-coverage also selective.json, the
    certificate of the vote that answers only when it is sure, and with --threshold, --min-recall, --min-precision,
    --max-false-positive-rate or --max-cost threshold.json, that of the vote with a threshold on the score of a class.

    \b
    Examples:
      stocmv certify digits
      stocmv certify patients.csv --target diagnosis --drop id
      stocmv certify scans.csv --target diagnosis --group patient
      stocmv certify patients.csv --target diagnosis --subgroup region --subgroup sex
      stocmv certify patients.csv --target diagnosis --folds 3
      stocmv certify patients.csv --target diagnosis --folds 3 --max-error 0.01
      stocmv certify loans.csv --target default --pos-label yes --min-recall 0.6
      stocmv certify answers.csv --target truth --votes
      stocmv certify train.parquet --target churned --test test.parquet --delta 0.01 --out audit
      stocmv certify s3://bucket/train/ --target churned --cluster tcp://scheduler:8786
    """
    from ..tables import DataOverview
    from ._audit import Settings, certify_table, test_errors, write_folder
    from ._cluster import on_cluster, read_on_cluster
    from ._examples import read_examples, read_test
    from ._page import as_content, print_page

    if folds is not None and holdout is not None:
        raise click.UsageError("--folds and --holdout are two ways to choose who judges: give one of them.")
    if cluster is not None and time is not None:
        raise click.UsageError("--time does not work with --cluster: the order of the rows is not tested there.")
    if subgroup and cluster is not None:
        raise click.UsageError("--subgroup does not work with --cluster: attributes of the rows stay on the workers.")
    if subgroup and folds is not None:
        raise click.UsageError(
            "--subgroup needs a hold-out: with --folds different votes answer the rows of a subgroup, and a bound for "
            "that is not proven here."
        )
    if cluster is not None and encoding is not None:
        raise click.UsageError("--encoding is for csv files, and --cluster reads parquet files.")
    if cluster is not None and settings["device"] is not None:
        raise click.UsageError("--device does not work with --cluster: the votes stay on the workers.")
    if cluster is not None and settings["voters"] == "models":
        raise click.UsageError("--voters models does not work with --cluster: use --voters forest.")
    _check_votes(context, votes)
    settings["max_error"] = one_target(settings["max_error"])
    _check_decision(settings, folds=folds, group=group)
    began = perf_counter()
    folder = out if out is not None else Path(f"{stem(data)}-certified")
    sweep(folder)
    fitting = checked_later(folder, force)
    judges = "auto" if holdout is None else holdout
    wanted = DecisionTarget.of(settings)
    others = {name: value for name, value in settings.items() if name not in DECISIONS}
    chosen = Settings(holdout=judges, folds=folds, votes=votes, wanted=wanted, **others)
    with progress(quiet=as_json), on_cluster(cluster, chosen.jobs):
        with stage("reading"):
            if cluster is None:
                table = read_examples(data, target, kind, drop, group, time, encoding, votes, subgroup)
            else:
                table = read_on_cluster(data, target, kind, drop, group, chosen)
            new = None if test is None else read_test(table.like(), test, None if cluster else kind, group, votes)
        wanted.check_classes(table.class_counts)
        wanted.check_positive(table.class_counts)
        with stage("looking at the data"):
            overview = DataOverview.of(table)
        with fitting:
            audit = certify_table(table, chosen)
        if new is not None:
            with stage("counting test errors"):
                audit = test_errors(audit, new)
        with stage("writing the report"), whole_folder(folder, force) as unfinished:
            write_folder(audit, table, overview, unfinished)
    seconds = perf_counter() - began
    if as_json:
        print_json(as_content(audit, overview, folder, seconds))
    else:
        print_page(audit, overview, folder, seconds)


def _check_decision(settings: dict[str, Any], *, folds: int | None, group: str | None) -> None:
    """Refuse several decisions at once, and what they do not work with."""
    from ..protocols import is_fold_test, is_test

    asked = decisions_asked(settings)
    if asked and not is_test(settings["bound"]):
        raise click.UsageError(f"{asked[0]} needs a vote made without its judging examples: leave --bound auto.")
    one_vote = [option(name) for name in (*THRESHOLDS, "calibration") if settings[name] not in (None, False)]
    other = ["--folds"] * (folds is not None) + ["--group"] * (group is not None)
    other += ["--bound"] * (not is_test(settings["bound"]) or is_fold_test(settings["bound"]))
    if one_vote and other:
        raise click.UsageError(
            f"{one_vote[0]} is about the scores of one vote, judged by independent rows: leave out {other[0]}."
        )


def _check_votes(context: click.Context, votes: bool) -> None:
    """Refuse options that make no sense with --votes, or only with it."""
    given = {
        name for name in context.params if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    senseless = given & ({"voters", "trees", "categories", "cluster"} if votes else {"abstain", "default"})
    if senseless:
        name = sorted(senseless)[0]
        why = "the voters have answered already" if votes else "it is for --votes"
        raise click.UsageError(f"--{name} does not apply here: {why}.")


def stem(data: str) -> str:
    """A file's name without its endings."""
    name = Path(data).name
    while Path(name).suffix in (
        ".gz",
        ".bz2",
        ".csv",
        ".tsv",
        ".txt",
        ".data",
        ".parquet",
        ".pq",
        ".xlsx",
        ".xlsm",
        ".npz",
        ".libsvm",
    ):
        name = Path(name).stem
    return name or "data"
