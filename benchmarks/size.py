"""The size of the package, and how much its rooms depend on each other's private parts.

python -m benchmarks.size [CHECKOUT]    # of another checkout, to compare two commits
"""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PARTS = {"risks": "Risk", "bounds": "Bound", "posteriors": "Posterior", "solvers": "Solver", "voters": "VoterSource"}
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
    for title, found in (("private imports", imports), ("isinstance checks", checks), ("public names", names)):
        print(f"{title}:", *found, sep="\n  ", end="\n\n")
    for what, figure in {
        "lines": sum(lines.values()),
        "files": len(lines),
        "public names": len(names),
        "private imports from another room": len(imports),
        "isinstance checks on parts outside their room": len(checks),
        f"lines of the longest file ({longest})": lines[longest],
        "tests": count_tests(checkout),
    }.items():
        print(f"{what:64}{figure:>8,}")


if __name__ == "__main__":
    main(sys.argv[1:])
