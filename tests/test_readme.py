"""The README's Python runs, and prints the certificate that the README shows."""

import contextlib
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def printed() -> str:
    (example,) = blocks("python")
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        exec(example, {})
    return stdout.getvalue()


def test_the_certificate_shown_is_the_one_printed(printed):
    shown = blocks("")[0]
    assert re.sub(r" +", " ", NUMBER.sub("#", shown)) == re.sub(r" +", " ", NUMBER.sub("#", printed))
    # A forest is not the same to the last tree in every version of scikit-learn.
    assert [float(n) for n in NUMBER.findall(shown)] == pytest.approx(
        [float(n) for n in NUMBER.findall(printed)], abs=2.0
    )


def test_every_link_leads_to_a_file():
    targets = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src="([^"]+)"', README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_install_names_the_commands_that_do_all_of_the_set_up(command, tmp_path):
    (section,) = re.findall(r"^## Install\n(.*?)^## ", README, flags=re.MULTILINE | re.DOTALL)
    assert re.search(rf"^```\n(?:.*\n)*?{command}\b", section, flags=re.MULTILINE)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    steps = subprocess.run([*command.split(), "--dry-run"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert re.search(r"-m venv .*-m pip install .*(pytest|stocmv certify) ", steps.stdout, flags=re.DOTALL)
