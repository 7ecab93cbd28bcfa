"""Build and check what a release needs and, with --tag, tag it; nothing is pushed or uploaded.

Without --tag this is a dry run: it changes nothing but `dist/` and `build/`.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "OWNER"
CHECKS = ([".ci/run"], ["make", "test-dist"])


def unready_files(root: Path) -> Iterator[str]:
    """Say what in the files does not fit a release, one sentence each."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version, source = project["version"], project["urls"]["Source"]
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)$", changelog, re.MULTILINE)
    if released is None:
        yield f"CHANGELOG.md has no heading '## [{version}] - YYYY-MM-DD'."
    if PLACEHOLDER in source:
        yield f"project.urls in pyproject.toml still says {PLACEHOLDER}."
    expected = {"version": version, "date-released": released and released[1], "repository-code": source}
    for field, value in expected.items():
        if value is not None and citation(root, field) != value:
            yield f"CITATION.cff has {field} {citation(root, field)}, not {value}."
    recipe = (root / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    if f'  version: "{version}"' not in recipe:
        yield f"conda/recipe.yaml does not have version {version}."


def citation(root: Path, field: str) -> str | None:
    """The value of a field of CITATION.cff."""
    found = re.search(rf"^{field}: (.*)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    return found and found[1].strip("\"'")


def unready_repository(root: Path, tag: str) -> Iterator[str]:
    """Say what in the repository does not fit a release."""
    if git(root, "status", "--porcelain"):
        yield "There are changes that are not committed."
    if git(root, "tag", "--list", tag):
        yield f"The tag {tag} exists already."


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--tag"]):
        print("usage: make release [ARGS=--tag]", file=sys.stderr)
        return 2
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    tag = f"v{version}"
    unready = [*unready_files(ROOT), *unready_repository(ROOT, tag)]
    for sentence in unready:
        print(f"not ready: {sentence}")
    if unready and arguments:
        return 1
    for command in CHECKS:
        subprocess.run(command, cwd=ROOT, check=True)
    if unready:
        return 1
    if not arguments:
        print(f"Ready. 'make release ARGS=--tag' makes the tag {tag}.")
        return 0
    git(ROOT, "tag", "--annotate", tag, "--message", f"stocmv {version}")
    print(f"Tagged {tag}. Next: git push origin {tag}, then twine upload dist/*.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
