"""What is handed out: the package, and in the source archive its tests and pages, but nothing of the paper."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Names in the wheel and in the source archive, without the latter's top folder."""
    pytest.importorskip("hatchling", reason="needs the extra dev")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as packed, tarfile.open(source) as archive:
        return packed.namelist(), [name.partition("/")[2] for name in archive.getnames()]


def test_the_wheel_has_the_package_alone(built):
    tops = {name.partition("/")[0] for name in built[0]}
    assert "stocmv/verify.py" in built[0]
    assert len(tops) == 2  # and what describes it
    assert all(top.startswith("stocmv") for top in tops)


def test_the_source_archive_has_nothing_of_the_paper(built):
    assert {"src/stocmv/verify.py", "tests/zoo.py", "docs/index.md"} <= set(built[1])
    assert not [name for name in built[1] if "reproduction" in name or name.startswith("docs/results")]
