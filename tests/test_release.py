"""What a stranger relies on: workflows that call what exists; one version, one address, one list of dependencies."""

import importlib.util
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FILES = ("pyproject.toml", "CHANGELOG.md", "CITATION.cff", "conda/recipe.yaml")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def ready(tmp_path):
    """A copy of the files of a release in which everything fits."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    version = PROJECT["version"]
    replace(tmp_path / "pyproject.toml", "OWNER", "somebody")
    replace(tmp_path / "CHANGELOG.md", "## [Unreleased]", f"## [{version}] - 2026-12-01")
    about = "\ndate-released: 2026-12-01\nrepository-code: https://github.com/somebody/stocmv\n"
    replace(tmp_path / "CITATION.cff", f"\nversion: {version}\n", f"\nversion: {version}{about}")
    return tmp_path


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_files_that_fit_are_ready(script, ready):
    assert list(script.unready_files(ready)) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("pyproject.toml", "somebody", "OWNER", "still says OWNER"),
        ("CHANGELOG.md", "] - 2026-12-01", "]", "CHANGELOG.md has no heading"),
        ("CITATION.cff", "2026-12-01", "2025-12-01", "date-released 2025-12-01, not 2026-12-01"),
        ("CITATION.cff", f"version: {PROJECT['version']}", "version: 9.9.9", "version 9.9.9, not"),
        ("CITATION.cff", "somebody", "another", "repository-code https://github.com/another/stocmv, not"),
        ("conda/recipe.yaml", PROJECT["version"], "9.9.9", "conda/recipe.yaml does not have version"),
    ],
)
def test_what_does_not_fit_is_named(script, ready, name, old, new, sentence):
    replace(ready / name, old, new)
    assert any(sentence in found for found in script.unready_files(ready))


def test_nothing_is_tagged_that_is_not_ready_or_not_asked_for(script, ready, monkeypatch, capsys):
    def run(*command):
        subprocess.run(command, cwd=ready, check=True, capture_output=True)

    run("git", "init", "-q")
    run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first")
    made = []
    real = subprocess.run
    monkeypatch.setattr(script, "ROOT", ready)
    monkeypatch.setattr(
        script.subprocess,
        "run",
        lambda command, **more: real(command, **more) if command[0] == "git" else made.append(command),
    )
    assert script.main(["--tag"]) == 1  # the files are not committed
    assert made == []
    assert "not committed" in capsys.readouterr().out
    run("git", "add", ".")
    run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "files")
    assert script.main([]) == 0
    assert script.git(ready, "tag") == ""
    run("git", "config", "user.name", "a")
    run("git", "config", "user.email", "a@b")
    assert script.main(["--tag"]) == 0
    assert script.git(ready, "tag") == f"v{PROJECT['version']}"
    assert script.main(["--tag"]) == 1  # it exists
    assert made == [*script.CHECKS] * 2


def test_workflows_run_targets_of_the_makefile_and_nothing_else():
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    steps = [step for path in WORKFLOWS for step in re.findall(r"run: (.*)$", path.read_text(), re.MULTILINE)]
    matrix = re.findall(r"target: ([a-z-]+)", "".join(path.read_text() for path in WORKFLOWS))
    listed = re.findall(r"target: \[(.*)\]", "".join(path.read_text() for path in WORKFLOWS))
    called = [step.removeprefix("make ") for step in steps if step != 'make "$TARGET"']
    assert called
    assert matrix
    assert {*called, *matrix, *(name for names in listed for name in names.split(", "))} <= set(targets)


def test_the_tests_run_on_every_python_that_is_promised():
    (tested,) = re.findall(r"python: \[(.*)\]", (ROOT / ".github" / "workflows" / "tests.yml").read_text())
    promised = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if ":: 3." in name]
    assert re.findall(r"3\.\d+", tested) == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_the_conda_recipe_has_the_dependencies_of_the_package():
    recipe = (ROOT / "conda" / "recipe.yaml").read_text()
    listed = dict(re.findall(r"^    - ([\w-]+) >=([\d.]+)$", recipe, re.MULTILINE))
    listed["matplotlib"] = listed.pop("matplotlib-base")
    del listed["python"], listed["hatchling"]
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *extras["plot"], *(name for name in extras["cli"] if name[:6] != "stocmv")]
    assert listed == dict(name.split(">=") for name in wanted)
