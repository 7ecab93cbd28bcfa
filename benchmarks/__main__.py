"""All measurements in one run, each compared with the alternative without stocmv and with its target.

python -m benchmarks [--runs N] [NAME ...]

With --runs everything is measured N times, and each figure is the median, with the smallest and the largest behind it.
"""

import argparse
import contextlib
import io
import os
import platform
import re
import time
from collections.abc import Sequence
from statistics import median

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


NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run benchmarks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"sections: {', '.join(SECTIONS)}; by default all")
    parser.add_argument("--runs", type=int, default=1, help="measure each section so many times")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.names) - set(SECTIONS):
        parser.error(f"there is no section {', '.join(sorted(unknown))}: the sections are {', '.join(SECTIONS)}")
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores", end="")
    print(f", load {os.getloadavg()[0]:.1f} before the start" if hasattr(os, "getloadavg") else "")
    targets: list[Target] = []
    for name in chosen.names or SECTIONS:
        targets += section(name, chosen.runs)
    if targets:
        print("\n== summary")
        print(*(target.line() for target in targets), sep="\n")


def section(name: str, runs: int) -> list[Target]:
    title = SECTIONS[name].__doc__.strip().splitlines()[0]
    print(f"\n== {name}: {title}", flush=True)
    began = time.perf_counter()
    targets = SECTIONS[name].run() if runs == 1 else repeated(name, runs)
    print(f"({time.perf_counter() - began:.0f} s)", flush=True)
    return targets


def repeated(name: str, runs: int) -> list[Target]:
    """Measure a section several times, print its lines with medians and ranges, and return the medians."""
    printed, found = [], []
    for _ in range(runs):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            found.append(SECTIONS[name].run())
        printed.append(out.getvalue().splitlines())
    print(*map(in_one, zip(*printed, strict=True)), sep="\n")
    return [each[0]._replace(figure=median(target.figure for target in each)) for each in zip(*found, strict=True)]


def in_one(lines: Sequence[str]) -> str:
    """The lines of several runs as one, with the median and the range of each number that differs."""
    columns = zip(*(NUMBER.findall(line) for line in lines), strict=True)
    shown = iter([_median_and_range(column) for column in columns])
    return NUMBER.sub(lambda _: next(shown), lines[0])


def _median_and_range(texts: Sequence[str]) -> str:
    if len(set(texts)) == 1:
        return texts[0]
    ordered = sorted(texts, key=lambda text: float(text.replace(",", "")))
    return f"{ordered[(len(ordered) - 1) // 2]} ({ordered[0]} to {ordered[-1]})"


if __name__ == "__main__":
    main()
