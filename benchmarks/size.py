"""The size of the package, how much its rooms depend on each other's private parts, and what a call passes.

python -m benchmarks.size [CHECKOUT]    # of another checkout, to compare two commits

Four calls are followed through the package, each in a process of its own: `passed.py` says what is counted.

A branch on the kind of certificate asks again whether the vote was only tested, which was decided before. One is
counted for each match of `BRANCHES` in the source, after comments and docstrings are taken out:

- a property `.tested` that is read
- a call of `is_tested`
- a parameter `tested:`, and a condition on it (`if tested`, `not tested`, `tested and`; not its being handed on)
- a comparison of something with the name of a test, "fold_test" or "clopper_pearson", also in a tuple of names

The definition of `tested` or `is_tested` is the place to decide, so its lines are not counted; nor is a flag for one
consequence, such as `weighs`.
"""

import ast
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path

PARTS = {"risks": "Risk", "bounds": "Bound", "posteriors": "Posterior", "solvers": "Solver", "voters": "VoterSource"}
CALLS = {
    "forest": "fit of a forest",
    "list": "fit of a list of classifiers",
    "certify": "stocmv certify file.csv",
    "dask": "fit on Dask, stumps",
}
TEST = r"""["'](?:fold_test|clopper_pearson)["']"""
BRANCHES = {
    "reads of .tested": r"\.tested\b",
    "calls of is_tested": r"(?<!def )(?<![\w.])is_tested\(",
    "parameters and conditions": r"(?<![\w.])(?:tested: bool|tested\s+(?:and|or)\b|"
    r"(?:if|elif|not|and|or)\s+tested(?=:?\s*$|[)\]},]|\s+(?:and|or|else)\b))",  # not "is not tested here" in a message
    "comparisons with a test's name": rf"""[!=]=\s*{TEST}|{TEST}\s*[!=]=|\bin\s*[(\[{{][^)\]}}]*?{TEST}""",
}
Trees = dict[Path, ast.Module]  # by the path inside the package


def parse(package: Path) -> Trees:
    return {path.relative_to(package): ast.parse(path.read_text()) for path in sorted(package.rglob("*.py"))}


def room(path: Path) -> str:
    """The folder, or the file beside the folders, that a module belongs to."""
    return path.parts[0].removesuffix(".py")


def public_names(trees: Trees) -> set[str]:
    """What the package, its rooms and the files beside them list in `__all__`, without the rooms themselves."""
    listed = {
        ast.literal_eval(name)
        for path, tree in trees.items()
        if len(path.parts) == 1 or (len(path.parts) == 2 and path.name == "__init__.py")
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        for name in node.value.elts  # type: ignore[attr-defined]
    }
    return listed - {room(path) for path in trees}


def private_imports(trees: Trees) -> Iterator[str]:
    """Imports of another room's private module, or of a private name of it."""
    rooms = {room(path) for path in trees}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or not node.module or node.level == 0:
                continue  # the package imports its own modules by relative paths
            place = [*path.parts[: len(path.parts) - node.level], *node.module.split(".")]
            names = [alias.name for alias in node.names]
            foreign = place[0] in rooms and place[0] != room(path) and not place[0].startswith("_")
            if foreign and any(name.startswith("_") for name in (*place[1:], *names)):
                yield f"{path}: from {'.'.join(place)} import {', '.join(names)}"


def part_rooms(trees: Trees) -> dict[str, str]:
    """The room of each class of parts, without the base classes: they only tell objects from names."""
    classes = [
        (room(path), node) for path, tree in trees.items() for node in tree.body if isinstance(node, ast.ClassDef)
    ]
    found = {base: place for place, base in PARTS.items()}
    for _ in range(4):  # subclasses of subclasses
        for place, node in classes:
            if place in PARTS and {getattr(base, "id", "") for base in node.bases} & found.keys():
                found[node.name] = place
    return {name: place for name, place in found.items() if name not in PARTS.values()}


def part_checks(trees: Trees) -> Iterator[str]:
    """Calls of `isinstance` outside a part's room that ask whether something is that part."""
    parts = part_rooms(trees)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance" and len(node.args) == 2:
                asked = {inner.id for inner in ast.walk(node.args[1]) if isinstance(inner, ast.Name)}
                if any(parts.get(name, room(path)) != room(path) for name in asked):
                    yield f"{path}:{node.lineno}: {ast.unparse(node)}"


def code_lines(source: str) -> list[str]:
    """The lines of a source, without comments, docstrings and the functions that decide the kind of a certificate."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            (row, column) = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if docstring or (isinstance(node, ast.FunctionDef) and node.name in ("tested", "is_tested")):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)  # type: ignore[operator]
    return lines


def branches(package: Path) -> dict[str, list[str]]:
    """The places where the package asks for the kind of certificate, by how it asks."""
    found: dict[str, list[str]] = {how: [] for how in BRANCHES}
    for path in sorted(package.rglob("*.py")):
        lines = code_lines(path.read_text())
        text = "\n".join(lines)
        for how, pattern in BRANCHES.items():
            for match in re.finditer(pattern, text, re.MULTILINE):
                row = text.count("\n", 0, match.start())
                found[how].append(f"{path.relative_to(package)}:{row + 1}: {lines[row].strip()}")
    return found


def follow(checkout: Path, call: str) -> dict[str, int]:
    """What a call passes: functions, modules, rooms, and the greatest depth."""
    command = [sys.executable, "-P", str(Path(__file__).with_name("passed.py").resolve()), call]
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            command,
            cwd=empty,
            env={**os.environ, "PYTHONPATH": str(checkout / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        sys.exit(f"{call}: {done.stdout[-2000:]}{done.stderr}")
    return json.loads(done.stdout)


def count_tests(checkout: Path) -> int:
    """Tests that pytest collects, each set of parameters and each docstring counted."""
    path = os.pathsep.join([str(checkout / "src"), str(checkout / "tests"), str(checkout)])
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, cwd=checkout, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr)
    return sum("::" in line for line in done.stdout.splitlines())


def main(arguments: list[str]) -> None:
    checkout = Path(arguments[0] if arguments else Path(__file__).parents[1]).resolve()
    package = checkout / "src" / "stocmv"
    trees = parse(package)
    lines = {path: len((package / path).read_text().splitlines()) for path in trees}
    longest = max(lines, key=lines.__getitem__)
    imports, checks, names = list(private_imports(trees)), list(part_checks(trees)), sorted(public_names(trees))
    asked = branches(package)
    for title, found in {
        "private imports": imports,
        "isinstance checks": checks,
        "public names": names,
        **asked,
    }.items():
        print(f"{title}:", *found, sep="\n  ", end="\n\n")
    for what, figure in {
        "lines": sum(lines.values()),
        "files": len(lines),
        "public names": len(names),
        "private imports from another room": len(imports),
        "isinstance checks on parts outside their room": len(checks),
        f"lines of the longest file ({longest})": lines[longest],
        "lines of verify.py": lines.get(Path("verify.py"), 0),
        "tests": count_tests(checkout),
        "branches on the kind of certificate": sum(map(len, asked.values())),
        **{f"  {how}": len(found) for how, found in asked.items()},
    }.items():
        print(f"{what:64}{figure:>8,}")
    print(f"\n{'a call passes':32}{'functions':>10}{'modules':>10}{'rooms':>10}{'depth':>10}")
    for call, what in CALLS.items():
        print(f"{what:32}", *(f"{figure:>10,}" for figure in follow(checkout, call).values()), sep="")


if __name__ == "__main__":
    main(sys.argv[1:])
