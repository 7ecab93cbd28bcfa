import shutil
from pathlib import Path

import pytest

from cli.examples import write_flowers
from cli.terminal import Answer
from stocmv.cli._main import run


@pytest.fixture(autouse=True)
def no_folders_of_this_machine(monkeypatch, tmp_path_factory):
    monkeypatch.delenv("STOCMV_DATA", raising=False)
    monkeypatch.setenv("STOCMV_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def page():
    """Asked for by tests that look at the report: for all others nothing is drawn."""


@pytest.fixture(autouse=True)
def _no_page(request, monkeypatch):
    if "page" not in request.fixturenames:
        monkeypatch.setattr("stocmv.cli._audit.render", lambda *_, **__: "<!doctype html>")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder that the commands run in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def stocmv(here, capsys):
    """Run a command in this process."""

    def call(*arguments) -> Answer:
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return call


@pytest.fixture(scope="session")
def _certified(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("certified")
    data = write_flowers(folder / "flowers.csv")
    assert (
        run(["certify", str(data), "--target", "kind", "--trees", "5", "--out", str(folder / "audit"), "--json"]) == 0
    )
    return folder / "audit"


@pytest.fixture
def audit(_certified, here) -> Path:
    """What certify wrote for three kinds of flowers; a copy, to be spoiled."""
    return Path(shutil.copytree(_certified, here.parent / "audit"))


@pytest.fixture
def flowers(here) -> Path:
    """A csv file of flowers outside of the current folder."""
    return write_flowers(here.parent / "flowers.csv")


@pytest.fixture
def verify(stocmv):
    def call(audit, *options):
        return stocmv("verify", audit / "certificate.json", audit / "votes.npz", "--seed", 0, *options)

    return call
