"""The commands; an error becomes one sentence and an exit code."""

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module
from typing import TextIO, cast

import click

from .. import __version__
from .._text import visible
from . import what_is_missing
from ._console import PipeSafeOutput, one_line, print_json, say

FINE, FAILED, BAD_INPUT, UNEXPECTED, INTERRUPTED = 0, 1, 2, 3, 130


_NAMES = (
    *("certify", "certify-predictions", "compare", "plan"),
    *("predict", "monitor", "verify", "datasets", "completion"),
)


class _Commands(click.Group):
    """Commands that are imported when they are needed: ``--version`` needs none of them."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        own = name.replace("-", "_")
        return getattr(import_module(f"._{own}", __package__), own) if name in self.commands else None


@click.group(
    cls=_Commands,
    commands=dict.fromkeys(_NAMES),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="stocmv")
@click.pass_context
def commands(context: click.Context) -> None:
    """Classifiers with a certificate: a proven bound on their error on new data.

    \b
    First steps:
      stocmv certify digits                            a built-in data set
      stocmv certify patients.csv --target diagnosis   your own
      stocmv certify-predictions answers.csv --truth y --prediction p   the answers of any model
      stocmv compare answers.csv --truth y --first a --second b         which of two models errs less
      stocmv plan --error 0.05 --bound 0.07            how many judging examples it takes
      stocmv verify patients-certified
      stocmv predict patients-certified new.csv
      stocmv monitor patients-certified labelled.csv --state patients.monitor.json

    Exit codes: 0 fine, 1 a check failed, 2 usage or bad input, 3 an error of stocmv itself.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    with redirect_stdout(cast(TextIO, PipeSafeOutput(sys.stdout))), warnings.catch_warnings():
        warnings.showwarning = _show_warning
        code, sentence = _attempt(arguments)
        if sentence and "--json" in arguments:
            print_json({"error": sentence})
        elif sentence:
            say(f"Error: {sentence}", err=True)
        sys.stdout.flush()
    return code


def _attempt(arguments: Sequence[str]) -> tuple[int, str]:
    """Run one command and return its exit code and the error, if any, in one sentence."""
    try:
        code = commands.main(args=list(arguments), prog_name="stocmv", standalone_mode=False)
        return (code if isinstance(code, int) else FINE), ""
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED, "interrupted."
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "stocmv"
        return BAD_INPUT, f"{one_line(error.format_message())} (see '{where} --help')"
    except (click.ClickException, ValueError, OSError, ImportError, MemoryError) as error:
        return BAD_INPUT, _sentence(error)
    except Exception:
        sys.stderr.write(visible(traceback.format_exc(), keep="\n"))
        return UNEXPECTED, "this is an error of stocmv itself, please report it."


def _sentence(error: BaseException) -> str:
    """The message of an error, in one line."""
    if isinstance(error, ModuleNotFoundError):
        return what_is_missing(error)
    if isinstance(error, MemoryError) and not (type(error) is MemoryError and error.args):  # ours say what is too large
        return "there is not enough memory for this."
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.strerror}: {os.fspath(error.filename)!r}."
    text = error.format_message() if isinstance(error, click.ClickException) else str(error)
    lines = text.strip().splitlines()  # the first says what is wrong; scikit-learn's errors go on at length
    return one_line(lines[0]) if lines else type(error).__name__


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning in one line.

    All but one: scikit-learn takes an empty list of filters for a missing one, and its own threads, which set the
    filters that all threads share, now and then leave it empty. No filter can hide what it says then.
    """
    if "`sklearn.utils.parallel.delayed` should be used with" in str(message):
        return
    say(f"Warning: {one_line(str(message))}", err=True)
