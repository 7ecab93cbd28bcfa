"""The command line: ``stocmv certify``, ``predict``, ``verify``, ``datasets``, ``reproduce`` (extra ``cli``)."""

import sys


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    try:
        from ._main import run
    except ImportError as error:
        if error.name not in ("click", "rich"):
            raise
        print("Error: the command line needs more than the library: pip install 'stocmv[cli]'.", file=sys.stderr)
        sys.exit(2)
    sys.exit(run(sys.argv[1:]))


__all__ = ["main"]
