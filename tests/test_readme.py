"""The README's Python runs, and gives the certificate and the figures that the README shows."""

import contextlib
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.paper_bounds import PUBLISHED, README_COLUMNS, readme_table, with_table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
NUMBER = re.compile(r"\d[\d,.]*\d|\d")
FIGURE = re.compile(r"^(\S+)  # (0\.\d+)\.\.\.: ", flags=re.MULTILINE)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def run(example: str) -> tuple[dict, str]:
    """The names that an example defines, and what it prints."""
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        exec(example, names)
    return names, stdout.getvalue()


def shown_and_found(example: str, names: dict) -> tuple[float, float]:
    """The figure that a comment of the example shows, and what it gives."""
    ((expression, shown),) = FIGURE.findall(example)
    return float(shown), eval(expression, names)


def test_the_first_example_gives_the_figure_and_prints_the_certificate_that_are_shown():
    example, _ = blocks("python")
    names, printed = run(example)
    figure, found = shown_and_found(example, names)
    assert found == pytest.approx(figure, abs=0.02)
    shown = blocks("")[0]
    assert re.sub(r" +", " ", NUMBER.sub("#", shown)) == re.sub(r" +", " ", NUMBER.sub("#", printed))
    # A forest is not the same to the last tree in every version of scikit-learn.
    assert [float(n) for n in NUMBER.findall(shown)] == pytest.approx(
        [float(n) for n in NUMBER.findall(printed)], abs=2.0
    )


def test_the_stochastic_vote_has_the_bound_shown_and_nothing_is_held_out():
    _, example = blocks("python")
    names, _ = run(example)
    shown, found = shown_and_found(example, names)
    assert found == pytest.approx(shown, abs=5e-4)  # where a solver stops may differ between versions of scipy
    assert names["paper"].certificate_.n == len(names["X"])


def test_the_table_of_bounds_has_the_columns_and_published_figures_of_the_command():
    (inside,) = re.findall(r"<!-- paper bounds: begin -->\n(.*?)\n<!-- paper bounds: end -->", README, flags=re.DOTALL)
    shown = inside.splitlines()
    made = readme_table({"haberman": dict.fromkeys(README_COLUMNS, (0.25, 0.01))}).splitlines()
    assert shown[:2] == made[:2]
    rows = [line.strip("| ").split(" | ") for line in shown[2 : shown.index("")]]
    assert rows
    assert all(row[1] == str(PUBLISHED[row[0]]) and len(row) == len(README_COLUMNS) + 2 for row in rows)


def test_the_table_of_bounds_is_written_between_its_markers_and_nowhere_else():
    page = "before\n<!-- paper bounds: begin -->\nold\n<!-- paper bounds: end -->\nafter"
    assert with_table(page, "| new |") == page.replace("old", "| new |")
    with pytest.raises(ValueError, match="paper bounds: begin"):
        with_table("no markers", "| new |")


def test_every_link_leads_to_a_file():
    targets = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src="([^"]+)"', README)
    assert targets
    left_out = ("docs/results/",) if (ROOT / "PKG-INFO").exists() else ()  # of a source archive
    targets = [target for target in targets if not target.startswith(left_out)]
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_install_names_the_commands_that_do_all_of_the_set_up(command, tmp_path):
    (section,) = re.findall(r"^## Install\n(.*?)^## ", README, flags=re.MULTILINE | re.DOTALL)
    assert re.search(rf"^```\n(?:.*\n)*?{command}\b", section, flags=re.MULTILINE)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    steps = subprocess.run([*command.split(), "--dry-run"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert re.search(r"-m venv .*-m pip install .*(pytest|stocmv certify) ", steps.stdout, flags=re.DOTALL)
