"""The page on where certificates are kept: its examples run, with the real libraries."""

import re
import warnings
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "model_cards.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FITTED, CARD, LOGGED, CHECKED, DECLARED = BLOCKS


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs blocks of the page in an empty folder, and returns their variables."""
    monkeypatch.chdir(tmp_path)

    def run(*blocks):
        names = {}
        for block in (FITTED, *blocks):
            exec(compile(block, "model_cards.md", "exec"), names)
        return names

    return run


def test_a_card_of_skops(run):
    pytest.importorskip("skops", reason="needs the extra cli")
    names = run(CARD)
    text = Path("README.md").read_text()
    assert names["certificate"].to_markdown().strip() in text
    section = text[text.index("Evaluation Results") :]
    for wanted in (names["certificate"].statement(), "| tumour = large (", "It assumes:\n\n- The examples"):
        assert wanted in section
    assert not re.search("^#", names["certificate"].to_markdown(), re.MULTILINE)


def test_the_declaration(run):
    names = run(DECLARED)
    certificate = names["certificate"]
    assert certificate.statement() in names["declaration"]
    assert all(assumption in names["declaration"] for assumption in certificate.assumptions)
    assert "largest difference between subgroups" in names["declaration"]


def test_mlflow_on_a_local_store(run, monkeypatch, tmp_path):
    pytest.importorskip("mlflow", reason="mlflow is not installed: stocmv does not need it")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # its other local store needs a database library
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries that mlflow uses
        names = run(LOGGED, CHECKED)
        logged = names["mlflow"].get_run(names["run"].info.run_id).data
    assert logged.metrics["certified_error"] == names["certificate"].bound
    assert logged.tags["certificate"] == names["certificate"].statement()
    assert sorted(path.name for path in Path(names["folder"]).iterdir()) == [
        "certificate.json",
        "evidence.npz",
        "model.skops",
        "report.html",
    ]
