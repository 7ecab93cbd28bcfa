"""``stocmv plan``."""

from pathlib import Path
from typing import Any

import click

from ._console import as_json, print_json, say
from ._kinds import SHARE, Number

_FIGURES = (".svg", ".png", ".pdf")


@click.command(short_help="Plan how many judging examples are needed.")
@click.option("--error", type=Number(0, 1, max_open=True), help="The true error that you expect.")
@click.option("--bound", type=SHARE, help="What you want to certify; larger than --error.")
@click.option(
    "--prevalence",
    type=Number(0, 1, min_open=True),
    help="Share of the examples in the class or subgroup that the error is about.",
)
@click.option(
    "--classes",
    type=click.IntRange(1),
    default=1,
    help="With --prevalence of a class: the number of classes, whose bounds hold all at once and share delta.",
)
@click.option("--difference", type=SHARE, help="Instead: the difference of two models' errors that you expect.")
@click.option(
    "--discordant",
    type=Number(0, 1, min_open=True),
    help="With --difference: share of the examples on which exactly one model errs.",
)
@click.option("--chance", type=SHARE, default=0.8, show_default=True, help="Chance of success, at least.")
@click.option(
    "--delta", type=SHARE, default=0.05, show_default=True, help="Probability that what is certified is false, at most."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the chance by the number of examples: a svg, png or pdf file.",
)
@as_json
def plan(
    error: float | None,
    bound: float | None,
    prevalence: float | None,
    classes: int,
    difference: float | None,
    discordant: float | None,
    chance: float,
    delta: float,
    out: Path | None,
    as_json: bool,
) -> None:
    """Say how many judging examples are needed to certify a bound, or to tell two models apart.

    \b
    Examples:
      stocmv plan --error 0.05 --bound 0.07 --chance 0.9
      stocmv plan --error 0.2 --bound 0.3 --prevalence 0.1 --classes 2
      stocmv plan --difference 0.02 --discordant 0.1 --out plan.svg
    """
    from .. import plan as planned, plan_comparison
    from ..certificate import ComparisonPlan, Plan

    if out is not None and out.suffix.lower() not in _FIGURES:
        raise click.UsageError(f"--out {str(out)!r} must end in {', '.join(_FIGURES)}.")
    found: Plan | ComparisonPlan
    if error is not None and bound is not None and difference is None and discordant is None:
        found = planned(error=error, bound=bound, prevalence=prevalence, classes=classes, chance=chance, delta=delta)
    elif difference is not None and discordant is not None and {error, bound, prevalence} == {None} and classes == 1:
        found = plan_comparison(difference=difference, discordant=discordant, chance=chance, delta=delta)
    else:
        raise click.UsageError(
            "Give --error and --bound (and --prevalence, for a class or subgroup), or --difference and --discordant."
        )
    if out is not None:
        _draw(found, out)
    if as_json:
        print_json(found.to_dict())
    else:
        say(found.statement())


def _draw(found: Any, out: Path) -> None:
    """Write the figure of a plan."""
    from .._files import whole_file
    from ..displays import PlanDisplay, pyplot

    pyplot()  # its error says how to install matplotlib
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "stocmv plan"}):
        figure = PlanDisplay.from_plan(found).figure_
        kind = out.suffix.lower()[1:]
        dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        with whole_file(out) as file:
            figure.savefig(file, format=kind, metadata=dated)
        pyplot().close(figure)
