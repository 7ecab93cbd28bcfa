"""All measurements in one run, each compared with the alternative without stocmv and with its target.

python -m benchmarks [NAME ...]
"""

import os
import platform
import sys
import time

import numpy as np

from . import binary, classifier, first_call, growth, memory, row_by_row, serving, several_classes, soft, solver
from .targets import Target

SECTIONS = {
    "binary": binary,
    "rows": row_by_row,
    "classes": several_classes,
    "soft": soft,
    "growth": growth,
    "memory": memory,
    "first": first_call,
    "classifier": classifier,
    "serving": serving,
    "solver": solver,
}


def main(names: list[str]) -> None:
    unknown = set(names) - set(SECTIONS)
    if unknown:
        sys.exit(f"There is no section {', '.join(sorted(unknown))}: the sections are {', '.join(SECTIONS)}.")
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores", end="")
    print(f", load {os.getloadavg()[0]:.1f} before the start" if hasattr(os, "getloadavg") else "")
    targets: list[Target] = []
    for name in names or SECTIONS:
        targets += section(name)
    if targets:
        print("\n== summary")
        print(*(target.line() for target in targets), sep="\n")


def section(name: str) -> list[Target]:
    title = SECTIONS[name].__doc__.strip().splitlines()[0]
    print(f"\n== {name}: {title}", flush=True)
    began = time.perf_counter()
    targets = SECTIONS[name].run()
    print(f"({time.perf_counter() - began:.0f} s)", flush=True)
    return targets


if __name__ == "__main__":
    main(sys.argv[1:])
