"""The commands, and what becomes of their errors: one sentence and an exit code."""

import json
import os
import sys
import traceback
from collections.abc import Sequence

import click

from .. import __version__
from ._certify import certify
from ._completion import completion
from ._datasets import datasets
from ._predict import predict
from ._verify import verify

FINE, FAILED, BAD_INPUT, UNEXPECTED, INTERRUPTED = 0, 1, 2, 3, 130
_LONGEST = 500


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="stocmv")
def commands() -> None:
    """Classifiers that come with a certificate: a proven bound on their error, from the training data alone.

    \b
    First steps:
      stocmv certify digits                            a data set that is built in
      stocmv certify patients.csv --target diagnosis   your own
      stocmv verify patients-certified/certificate.json patients-certified/votes.npz
      stocmv predict patients-certified new.csv

    Exit codes: 0 fine, 1 a check failed, 2 usage or bad input, 3 an error of stocmv itself.
    """


for command in (certify, predict, verify, datasets, completion):
    commands.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    try:
        code = commands.main(args=list(arguments), prog_name="stocmv", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else FINE
    except click.exceptions.Exit as exit:
        return exit.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _refuse("interrupted.", arguments, INTERRUPTED)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "stocmv"
        return _refuse(f"{error.format_message()} (see '{where} --help')", arguments, BAD_INPUT)
    except click.ClickException as error:
        return _refuse(error.format_message(), arguments, BAD_INPUT)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - the reader has gone; nothing more can be written
        return FINE
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        return _refuse(_sentence(error), arguments, BAD_INPUT)
    except Exception:
        traceback.print_exc()
        return _refuse("this is an error of stocmv itself, please report it.", arguments, UNEXPECTED)


def _refuse(sentence: str, arguments: Sequence[str], code: int) -> int:
    if "--json" in arguments:
        print(json.dumps({"error": sentence}))
    else:
        print(f"Error: {sentence}", file=sys.stderr)
    return code


def _sentence(error: BaseException) -> str:
    """The first line of an error's message."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this."
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.strerror}: {os.fspath(error.filename)!r}."
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
