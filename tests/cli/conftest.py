import shutil
from pathlib import Path

import pytest

from cli.examples import write_flowers
from cli.terminal import Answer
from stocmv.cli._main import run


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


def certify_flowers(folder: Path, *options: str) -> Path:
    """What certify writes for three kinds of flowers."""
    data, out = str(write_flowers(folder / "flowers.csv")), str(folder / "audit")
    assert run(["certify", data, "--target", "kind", "--trees", "5", "--out", out, "--json", *options]) == 0
    return folder / "audit"


@pytest.fixture(scope="session")
def _held_out(tmp_path_factory) -> Path:
    return certify_flowers(tmp_path_factory.mktemp("held_out"))


@pytest.fixture(scope="session")
def _in_folds(tmp_path_factory) -> Path:
    return certify_flowers(tmp_path_factory.mktemp("in_folds"), "--folds", "3", "--stochastic")


@pytest.fixture(scope="session")
def _paid(tmp_path_factory) -> Path:
    return certify_flowers(tmp_path_factory.mktemp("paid"), "--bound", "catoni_per_fold")


@pytest.fixture
def audit(_held_out, here) -> Path:
    """What certify wrote for three kinds of flowers; a copy, to be spoiled."""
    return Path(shutil.copytree(_held_out, here.parent / "audit"))


@pytest.fixture
def audit_in_folds(_in_folds, here) -> Path:
    """The same with three folds, and the stochastic vote certified too."""
    return Path(shutil.copytree(_in_folds, here.parent / "audit_in_folds"))


@pytest.fixture
def paid_audit(_paid, here) -> Path:
    """The same with weights learned on the folds that judge, and paid for."""
    return Path(shutil.copytree(_paid, here.parent / "paid_audit"))


@pytest.fixture
def flowers(here) -> Path:
    """A csv file of flowers outside of the current folder."""
    return write_flowers(here.parent / "flowers.csv")


@pytest.fixture
def verify(stocmv):
    def call(audit, *options):
        return stocmv("verify", audit / "certificate.json", audit / "evidence.npz", "--seed", 0, *options)

    return call
