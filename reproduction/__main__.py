"""``python -m reproduction``."""

from ._command import main

main()
