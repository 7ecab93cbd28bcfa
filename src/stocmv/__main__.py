"""``python -m stocmv``."""

from .cli import main

main()
