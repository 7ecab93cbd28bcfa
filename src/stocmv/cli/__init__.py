"""The command line: ``stocmv certify``, ``predict``, ``monitor``, ``verify``, ``datasets`` (extra ``cli``)."""

import sys


def main() -> None:
    """Run the command given by the arguments, and exit with its code."""
    try:
        from ._main import run
    except ModuleNotFoundError as error:
        print(f"Error: {what_is_missing(error)}", file=sys.stderr)
        sys.exit(2)
    sys.exit(run(sys.argv[1:]))


def what_is_missing(error: ModuleNotFoundError) -> str:
    """The package that a module belongs to, and how to install it."""
    package = (error.name or "a package").partition(".")[0]
    return f"the command line needs {package}: pip install 'stocmv[cli]'."
