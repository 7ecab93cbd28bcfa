"""``stocmv monitor``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    selective: bool,
    kind: str | None,
    encoding: str | None,
    as_json: bool,
) -> None:
    """Test whether the certificate in FOLDER still holds, on new labelled cases in DATA.

    The model's answers are compared with the labels, row by row in their order. You may look at the test after every
    file: while the bound holds, the probability that there is ever a false alarm is at most delta. With --state the
    cases of all files so far count; a file that was counted before is not counted again.

    With --selective only the cases that the vote is sure of count, and the bound is that of selective.json.

    Exit code 0 without an alarm, 1 with an alarm, 2 for bad input.

    \b
    Examples:
      stocmv monitor patients-certified may.csv --state patients.monitor.json
      stocmv monitor patients-certified june.csv --state patients.monitor.json
      stocmv monitor patients-certified may.csv --selective --state answers.monitor.json
    """
    from .. import Certificate
    from ._examples import read_labelled, remembered_encoding
    from ._predict import check_out, load_model, read_selective, selective_vote

    if state is not None:
        check_out("--state", state, folder, data)
    certified = folder / ("selective.json" if selective else "certificate.json")
    if not certified.exists():
        remedy = "certify with --max-error or --min-coverage first" if selective else "certify first"
        raise ValueError(f"There is no {certified}, whose bound would be tested: {remedy}.")
    certificate = read_selective(certified) if selective else Certificate.from_json(certified)
    test = _begin(certificate, state, delta)
    digest = sha256(data)
    repeated = digest in test.batches
    if not repeated:
        model = load_model(folder / "model.skops", folder / "certificate.json")
        label, group = target or recorded_column(certificate, "target"), recorded_column(certificate, "group")
        encoding = encoding or remembered_encoding(model, data, kind)
        cases = read_labelled(model, data, kind, label, group, encoding)
        answered = selective_vote(folder, model).answers(cases.X) if selective else None
        test.update(np.asarray(cases.y), model.predict(cases.X), answered=answered, groups=cases.groups, batch=digest)
        if state is not None:
            test.to_json(state)
    if as_json:
        print_json(_as_content(test, repeated))
    else:
        if repeated:
            say(f"{data.name} was counted before: nothing has changed.", err=True)
        say(test.statement())
    context.exit(1 if test.alarm else 0)


def _begin(certificate: "Certificate", state: Path | None, delta: float | None) -> "Monitor":
    """The test from the state file, or a new one."""
    from .. import Monitor

    fresh = certificate.monitor(delta)
    if state is None or not state.exists():
        return fresh
    found = Monitor.from_json(state)
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
    return {
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
