"""``stocmv monitor``."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from .._files import sha256
from ._console import as_json, print_json, say
from ._kinds import FILE, FORMAT, SHARE, Encoding

if TYPE_CHECKING:
    from ..certificate import Certificate, Monitor


@click.command(short_help="Test on new labelled rows whether a certificate still holds.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("data", type=FILE)
@click.option("--state", type=click.Path(dir_okay=False, path_type=Path), help="File that remembers the cases so far.")
@click.option(
    "--target",
    metavar="COLUMN",
    help="Column with the true labels; by default the one that the model was trained with.",
)
@click.option("--delta", type=SHARE, help="Probability of a false alarm over all time; by default the certificate's.")
@click.option(
    "--challenger",
    metavar="DIR|COLUMN",
    help="Test instead whether this model errs less: another folder, or a column of DATA with its answers.",
)
@click.option("--selective", is_flag=True, help="Test the error among the answers of the vote that answers when sure.")
@click.option("--format", "kind", type=FORMAT, help="Kind of DATA.")
@click.option("--encoding", type=Encoding(), help="Encoding of a csv file; by default the one that certify was given.")
@as_json
@click.pass_context
def monitor(
    context: click.Context,
    folder: Path,
    data: Path,
    state: Path | None,
    target: str | None,
    delta: float | None,
    challenger: str | None,
    selective: bool,
    kind: str | None,
    encoding: str | None,
    as_json: bool,
) -> None:
    """Test whether the certificate in FOLDER still holds, on new labelled cases in DATA.

    The model's answers are compared with the labels, row by row in their order. You may look at the test after every
    file: while the bound holds, the probability that there is ever a false alarm is at most delta. With --state the
    cases of all files so far count; a file that was counted before is not counted again.

    A FOLDER of 'stocmv certify-predictions' has no model: DATA then holds the model's answers, in a column of the same
    name as before.

    With --challenger the model in FOLDER is the champion, and the test is whether the challenger errs less. It is as
    valid after every file. A challenger for answers in a table is a column of DATA; for a model, the folder of another.

    With --selective only the cases that the vote is sure of count, and the bound is that of selective.json.

    Exit code 0 without an alarm, 1 with an alarm (with --challenger: it is shown to err less), 2 for bad input.

    \b
    Examples:
      stocmv monitor patients-certified may.csv --state patients.monitor.json
      stocmv monitor patients-certified june.csv --state patients.monitor.json
      stocmv monitor patients-certified may.csv --selective --state answers.monitor.json
      stocmv monitor old-certified may.csv --challenger new-certified --state challenge.json
      stocmv monitor answers-certified may.csv --challenger new_model --state challenge.json
    """
    from .. import Certificate, ChallengerMonitor
    from ._predict import check_out, read_selective

    if state is not None:
        check_out("--state", state, folder, data)
    if challenger is not None and selective:
        raise click.UsageError("--challenger and --selective are two tests: give one of them.")
    certified = folder / ("selective.json" if selective else "certificate.json")
    if not certified.exists():
        remedy = "certify with --max-error or --min-coverage first" if selective else "certify first"
        raise ValueError(f"There is no {certified}, whose bound would be tested: {remedy}.")
    certificate = read_selective(certified) if selective else Certificate.from_json(certified)
    if selective and "prediction" in certificate.context:
        raise ValueError(
            f"--selective asks the model which cases it is sure of, and {folder} has none: use "
            "SelectiveCertificate.from_json(...).monitor() in Python, whose update takes answered=."
        )
    test = _begin(_fresh(certificate, challenger, delta), state, delta)
    digest = sha256(data)
    repeated = digest in test.batches
    if not repeated:
        read = _answered if _is_table(certificate) else _asked
        cases = read(NewCases(folder, certificate, data, target, kind, encoding), challenger, selective=selective)
        if isinstance(test, ChallengerMonitor):
            test.update(cases.y, cases.answers, cases.challenger, groups=cases.groups, batch=digest)
        else:
            test.update(cases.y, cases.answers, answered=cases.answered, groups=cases.groups, batch=digest)
        if state is not None:
            test.to_json(state)
    if as_json:
        print_json(_as_content(test, repeated))
    else:
        if repeated:
            say(f"{data.name} was counted before: nothing has changed.", err=True)
        say(test.statement())
    context.exit(1 if test.alarm else 0)


class NewCases(NamedTuple):
    """New cases, and the certificate of the model that they are about."""

    folder: Path
    certificate: "Certificate"
    data: Path
    target: str | None
    kind: str | None
    encoding: str | None


class Cases(NamedTuple):
    """True labels, what the model answered and whether it did, the challenger's answers, and groups."""

    y: Any
    answers: Any
    challenger: Any = None
    answered: Any = None
    groups: Any = None


def _is_table(certificate: "Certificate") -> bool:
    """Whether it is about answers in a table, and there is no model to ask."""
    return getattr(certificate, "voting", "") == "given"


def _asked(new: NewCases, challenger: str | None, *, selective: bool) -> Cases:
    """Ask the model in the folder, and the one in the challenger's folder."""
    from ._examples import read_labelled, remembered_encoding
    from ._predict import load_model, selective_vote

    model = load_model(new.folder / "model.skops", new.folder / "certificate.json")
    label = new.target or recorded_column(new.certificate, "target")
    group = recorded_column(new.certificate, "group")

    def cases_for(vote: Any) -> Any:
        encoding = new.encoding or remembered_encoding(vote, new.data, new.kind)
        return read_labelled(vote, new.data, new.kind, label, group, encoding)

    cases, rival = cases_for(model), None
    if challenger is not None:
        other = Path(challenger)
        if not other.is_dir():
            raise ValueError(
                f"--challenger {challenger!r} is no folder: the champion is a model, so name the folder of another one."
            )
        vote = load_model(other / "model.skops", other / "certificate.json")
        rival = vote.predict(cases_for(vote).X)
    answered = selective_vote(new.folder, model).answers(cases.X) if selective else None
    return Cases(np.asarray(cases.y), model.predict(cases.X), rival, answered, cases.groups)


def _answered(new: NewCases, challenger: str | None, *, selective: bool) -> Cases:
    """The answers in the columns that were certified, and in that of the challenger."""
    from ..tables import read_texts
    from ._certify_predictions import NO_ANSWER, check_truth, groups_of

    context = new.certificate.context
    truth, own, group = new.target or context.get("truth"), context.get("prediction"), context.get("group")
    if not (isinstance(truth, str) and isinstance(own, str)) or (new.certificate.grouped and group is None):
        raise ValueError(f"{new.folder} does not say which columns of a file it is about: use Certificate.monitor().")
    names = [name for name in (truth, own, challenger, group) if name is not None]
    columns = read_texts(new.data, list(dict.fromkeys(names)), format=new.kind, encoding=new.encoding)
    answers = {name: [cell or NO_ANSWER for cell in columns[name]] for name in (own, challenger) if name is not None}
    check_truth(columns[truth], truth)  # and no more: a file in which all answers are wrong is what is looked for
    known = {str(entry["label"]) for name in ("classes", "recalls") for entry in new.certificate.figures.get(name, ())}
    if challenger is not None and not set(answers[challenger]) & {*known, *columns[truth], *answers[own], NO_ANSWER}:
        raise ValueError(
            f"No answer in the column {challenger!r}, such as {answers[challenger][0]!r}, is a label in the column "
            f"{truth!r}, such as {columns[truth][0]!r}: write both in the same way."
        )
    groups = None if group is None else groups_of(columns, group)
    return Cases(columns[truth], answers[own], None if challenger is None else answers[challenger], groups=groups)


def _fresh(certificate: "Certificate", challenger: str | None, delta: float | None) -> "Monitor":
    """The test before the first case."""
    from .. import ChallengerMonitor

    test = certificate.monitor(delta)
    if challenger is None:
        return test
    model = Path(challenger) / "model.skops"
    rival = challenger if _is_table(certificate) or not model.is_file() else sha256(model)
    subject = hashlib.sha256(f"{test.subject} against {rival}".encode()).hexdigest()
    return ChallengerMonitor(test.delta, grouped=test.grouped, subject=subject)


def _begin(fresh: "Monitor", state: Path | None, delta: float | None) -> "Monitor":
    """The test from the state file, or a new one."""
    if state is None or not state.exists():
        return fresh
    found = type(fresh).from_json(state)
    if (found.subject, found.bound, found.grouped) != (fresh.subject, fresh.bound, fresh.grouped):
        raise ValueError(f"{state} is the state of a monitor for another certificate: name another file.")
    if delta is not None and found.delta != delta:
        raise ValueError(f"{state} was started with delta = {found.delta:g}: leave out --delta, or name another file.")
    return found


def recorded_column(certificate: "Certificate", role: str) -> str | None:
    """The column with the labels or the groups, as recorded in the certificate."""
    data = certificate.context.get("data")
    name = data.get(role) if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


def _as_content(test: "Monitor", repeated: bool) -> dict[str, Any]:
    counts = {name: getattr(test, name) for name in ("only_champion", "only_challenger") if hasattr(test, name)}
    return {
        **counts,
        "alarm": test.alarm,
        "alarm_at": test.alarm_at,
        "statement": test.statement(),
        "n": test.n,
        "errors": test.errors,
        "unanswered": test.unanswered,
        "bound": test.bound,
        "delta": test.delta,
        "grouped": test.grouped,
        "evidence": test.evidence,
        "peak": test.peak,
        "p_value": test.p_value,
        "counted_before": repeated,
    }
