"""Types of command-line arguments."""

import json
import math
from pathlib import Path
from typing import Any

import click

from ..tables import FORMATS, check_encoding

FORMAT = click.Choice(FORMATS)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class Number(click.FloatRange):
    """A finite number in a range."""

    name = "number"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        number = super().convert(value, parameter, context)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", parameter, context)
        return number

    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()


SHARE = Number(0, 1, min_open=True, max_open=True)


class ErrorTarget(click.ParamType):
    """An error, or a class and the error among its answers: 0.01, or yes=0.5."""

    name = "number|CLASS=number"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        label, _, number = value.rpartition("=")
        return label, SHARE.convert(number, parameter, context)


class ClassShare(click.ParamType):
    """A class and its share: yes=0.02."""

    name = "CLASS=number"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        label, equals, number = value.rpartition("=")
        if not equals:
            self.fail(f"{value!r} is not of the form yes=0.02.", parameter, context)
        return label, Number(0, 1).convert(number, parameter, context)


class Threads(click.IntRange):
    """A number of threads, or -1 for one per core."""

    def __init__(self) -> None:
        super().__init__(-1, 1024)

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        number = super().convert(value, parameter, context)
        if number == 0:
            self.fail("0 threads do no work.", parameter, context)
        return number


class AutoOr(click.ParamType):
    """The word "auto", or a value of another kind."""

    def __init__(self, kind: click.ParamType) -> None:
        self.kind = kind
        self.name = f"auto|{kind.name}"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        return value if value == "auto" else self.kind.convert(value, parameter, context)


class Encoding(click.ParamType):
    """The name of an encoding of text."""

    name = "name"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        try:
            return check_encoding(value)
        except ValueError as error:
            self.fail(str(error), parameter, context)


class Costs(click.ParamType):
    """A matrix of costs as JSON, or the path of a JSON file."""

    name = "JSON|FILE"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            text = value if value.lstrip()[:1] in ("[", "{") else Path(value).read_text()
            return json.loads(text)
        except (OSError, ValueError, RecursionError) as error:
            why = getattr(error, "strerror", None) or str(error)
            self.fail(f"{value!r} is neither JSON nor a JSON file: {why}.", parameter, context)


HERE = "here"
cluster = click.option(
    "--cluster",
    is_flag=False,
    flag_value=HERE,
    metavar="[ADDRESS]",
    help="Work on a Dask cluster: the one at this address, or one worker for each core of this machine.",
)
