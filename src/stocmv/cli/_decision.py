"""Decisions on top of a vote: the options for them, their certificates, and what is printed and written of them."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ._console import quoted
from ._kinds import SHARE, ErrorTarget, Number

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..decisions import ClassSelectiveCertificate, SelectiveCertificate, ThresholdCertificate

REFER = "refer"  # the decision about a row that is left to a person
_SELECTIVE = ("max_error", "min_coverage")
_TARGETS = ("min_recall", "min_precision", "max_false_positive_rate", "max_cost")
THRESHOLDS = ("threshold", *_TARGETS)
DECISIONS = (*_SELECTIVE, *THRESHOLDS, "pos_label")
_OPTIONS = (
    click.option(
        "--max-error",
        type=ErrorTarget(),
        multiple=True,
        help="Also certify a vote that answers only when it is sure, with at most this error among its answers. "
        "Repeated with names, an error for the answers of each class: --max-error yes=0.5 --max-error no=0.02",
    ),
    click.option(
        "--min-coverage", type=SHARE, help="The same, but with at least this coverage and as few errors as possible."
    ),
    click.option(
        "--threshold",
        type=Number(0, 1),
        help="Also certify the vote that answers the class --pos-label where its score is at least this: its recall, "
        "precision and false-positive rate.",
    ),
    click.option(
        "--min-recall", type=SHARE, help="The same with the highest threshold that finds this share of the class."
    ),
    click.option("--min-precision", type=SHARE, help="The same with the lowest threshold that has this precision."),
    click.option(
        "--max-false-positive-rate", type=SHARE, help="The same with the lowest threshold that has this rate."
    ),
    click.option("--max-cost", type=Number(), help="The same with the threshold of the smallest mean cost, by --cost."),
)


def decision_options(command: Callable) -> Callable:
    """Give a command the options for answering only when sure, and for a threshold on the score of a class."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class DecisionTarget(NamedTuple):
    """A decision that is to be certified; at most one of the three is given."""

    max_error: float | dict[str, float] | None = None
    min_coverage: float | None = None
    threshold: dict[str, float] | None = None
    pos_label: str | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "DecisionTarget":
        """What the options ask for."""
        target = {"at" if name == "threshold" else name: settings[name] for name in THRESHOLDS}
        given = {name: value for name, value in target.items() if value is not None}
        return cls(settings["max_error"], settings["min_coverage"], given or None, settings["pos_label"])

    def check_classes(self, classes: Collection[str]) -> None:
        """Refuse options that name no class of the data, or leave open which one is meant."""
        names = ", ".join(map(repr, classes))
        if self.threshold and self.pos_label not in classes:
            which = "" if self.pos_label is None else f"{self.pos_label!r} is no class of the data. "
            raise ValueError(f"{which}Name the class that the threshold is for with --pos-label, one of {names}.")
        if isinstance(self.max_error, dict) and set(self.max_error) != set(classes):
            got = ", ".join(map(repr, self.max_error))
            raise ValueError(f"--max-error must name each of the classes {names} once, got {got}.")
        if REFER in classes and (self.max_error is not None or self.min_coverage is not None):
            raise ValueError(f"A class is called {REFER!r}, which is what predict says of unanswered rows: rename it.")

    def check_positive(self, classes: Collection[str]) -> None:
        """Refuse to name a positive class without a threshold, unless it is one of two."""
        if self.pos_label is None or self.threshold or (len(classes) == 2 and self.pos_label in classes):
            return
        names = ", ".join(map(repr, classes))
        raise ValueError(f"--pos-label {self.pos_label!r} without a threshold must be one of two classes, not {names}.")


class Decision(NamedTuple):
    """The certificate of a decision, or the reason why there is none although one was requested."""

    selective: "SelectiveCertificate | ClassSelectiveCertificate | None" = None
    threshold: "ThresholdCertificate | None" = None
    not_certified: str = ""

    @property
    def files(self) -> "dict[str, Certificate]":
        """The certificates by the names of their files."""
        named = {"selective.json": self.selective, "threshold.json": self.threshold}
        return {name: found for name, found in named.items() if found is not None}


def positive_class(classes: Collection[Any], wanted: DecisionTarget) -> dict[str, Any]:
    """The class that was named with --pos-label, as the context of a certificate records it."""
    named = [label for label in classes if str(label) == wanted.pos_label]
    return {"positive": named[0]} if named else {}


def one_target(given: tuple[tuple[str, float], ...]) -> float | dict[str, float] | None:
    """--max-error for all answers, or one for the answers of each class."""
    labels = [label for label, _ in given]
    if len(set(labels)) < len(labels) or ("" in labels and len(labels) > 1):
        raise click.UsageError("--max-error takes one number, or one for each class: --max-error yes=0.5 ...")
    return given[0][1] if labels == [""] else dict(given) or None


def decisions_asked(settings: Mapping[str, Any]) -> list[str]:
    """The options that ask for a decision, of which there may be one."""
    asked = [option(name) for name in (*_SELECTIVE, *THRESHOLDS) if settings[name] is not None]
    if len(asked) > 1:
        raise click.UsageError(
            f"{' and '.join(asked)} are different rules for what to answer, and a folder has one: give one of them."
        )
    if settings["max_cost"] is not None and settings["cost"] is None:
        raise click.UsageError("--max-cost needs the cost of each answer: add --cost.")
    return asked


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def as_options(text: str) -> str:
    """The text with the options of the command in place of the arguments in Python."""
    for name in (*_TARGETS, *_SELECTIVE):
        text = text.replace(f"{name}=", f"{option(name)} ").replace(name, option(name))
    return text


def decide(certificate: Any, evidence: Any, wanted: DecisionTarget) -> Decision:
    """Certify what is wanted, on the judgments of a tested certificate."""
    from ..decisions import NotCertified

    if wanted == DecisionTarget(pos_label=wanted.pos_label):
        return Decision()
    labels = {str(label): label for label in evidence.classes.tolist()}
    if wanted.threshold:
        positive = labels[wanted.pos_label]  # type: ignore[index]
        try:
            return Decision(threshold=certificate.threshold(positive, **wanted.threshold, evidence=evidence))
        except NotCertified as error:
            raise ValueError(as_options(str(error))) from error
    max_error: Any = wanted.max_error
    if isinstance(max_error, dict):
        max_error = {label: max_error[text] for text, label in labels.items()}
    try:
        found = certificate.selective(max_error, min_coverage=wanted.min_coverage, evidence=evidence)
    except NotCertified as error:
        return Decision(not_certified=str(error))
    return Decision(selective=found)


def print_decision(screen: Any, certificate: "Certificate", decision: Decision) -> None:
    """Print what was certified in addition to a certificate, or why it was not."""
    from ._page import print_tables

    if decision.not_certified:
        screen.print(f"\n[bold red]No selective vote:[/] {quoted(as_options(decision.not_certified))}\n")
    for title, found in (("Answering only when sure:", decision.selective), ("With a threshold:", decision.threshold)):
        if found is None:
            continue
        screen.print(f"\n[bold]{title}[/] {quoted(found.statement())}")
        if found is decision.threshold:
            screen.print()
            print_tables(screen, found)
        for note in found.notes():
            screen.print(quoted(note))
        further = [text for text in found.assumptions if text not in certificate.assumptions]
        screen.print(quoted(f"It also assumes: {' '.join(further)}") + "\n")


def decision_content(decision: Decision) -> dict[str, Any]:
    """The decision as JSON: None for what was not requested."""
    return {"selective": _selective(decision), "threshold": _threshold(decision.threshold)}


def _selective(decision: Decision) -> dict[str, Any] | None:
    """The vote that answers only when it is sure, or why there is none."""
    if decision.not_certified:
        return {"not_certified": decision.not_certified}
    c = decision.selective
    if c is None:
        return None
    names = ("bound", "coverage", "thresholds", "answers", "empirical_risk", "empirical_coverage", "delta")
    target = {"target": c.target} if hasattr(c, "target") else {}
    return {"statement": c.statement(), **{name: getattr(c, name) for name in names}, **target}


def _threshold(c: "ThresholdCertificate | None") -> dict[str, Any] | None:
    """The vote with a threshold."""
    if c is None:
        return None
    names = ("positive", "threshold", "target", "figures", "delta")
    return {"statement": c.statement(), **{name: getattr(c, name) for name in names}}


def write_decision(decision: Decision, folder: Path, context: dict[str, Any]) -> None:
    """Write the certificates of a decision into a folder, with where they come from."""
    from dataclasses import replace

    for name, found in decision.files.items():
        replace(found, context=context).to_json(folder / name)
