"""The figures on toys and closed forms as experiments."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._settings import Settings
from ._units import Outcome, Row, Task, Unit
from .figures._registry import FIGURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TRIALS = 10
_COSTS = {"fig-mc": 1.5, "fig-moons": 2.0, "fig-moons-methods": 2.0, "fig-noise": 1.0, "fig-training": 0.5}


def tasks(name: str, settings: Settings) -> list[Task]:
    """Each independent piece of work of the figure."""
    found = []
    for place, own in enumerate(FIGURES[name].units(trials=len(settings.trials_of(_TRIALS)), quick=settings.quick)):
        unit = settings.unit(name, "toy", own.get("trial", 0), own, f"{place:03d}")
        found.append(Task(compute, (unit,), f"{name}/{unit.name}", _COSTS.get(name, 0.1)))
    return found


def compute(units: Sequence[Unit], threads: int) -> list[Outcome]:
    """The rows of each unit; times are kept apart from what the seed determines."""
    outcomes = []
    for unit in units:
        rows = [{**unit.identity, **row} for row in FIGURES[unit.experiment].compute(unit.settings, unit.seed)]
        timings = [_timing(unit, row) for row in rows if "seconds" in row]
        outcomes.append(Outcome([_without_time(row) for row in rows], timings))
    return outcomes


def _timing(unit: Unit, row: Row) -> Row:
    place = {key: row[key] for key in unit.settings}
    return {"stage": "learning", "method": row.get("method"), **place, "seconds": row["seconds"]}


def _without_time(row: Row) -> Row:
    return {key: value for key, value in row.items() if key != "seconds"}


def draw(name: str, rows: list[Row], timings: list[Row], units: Sequence[Unit]) -> "dict[str, Figure]":
    """The figure."""
    return {name: FIGURES[name].draw(timed(rows, timings))} if rows else {}


def timed(rows: list[Row], timings: list[Row]) -> list[Row]:
    """The rows, with their times if they were timed."""
    if not timings:
        return rows
    return [{**row, "seconds": line["seconds"]} for row, line in zip(rows, timings, strict=True)]
