"""Killed at any moment: what is there is whole, and the next run clears away the rest."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cli.examples import write_flowers
from stocmv.cli._main import run

RUNS = 10
IMPORTS = ["stocmv.cli._main", "stocmv.cli._audit", "pyarrow.csv", "skops.io", "jinja2", "matplotlib.pyplot"]
OURS = ["certificate.json", "evidence.npz", "model.skops", "report.html"]

pytestmark = [
    pytest.mark.kill,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here"),
]


@pytest.fixture(scope="module")
def start():
    """Start a command in a process of its own, one that has imported everything before."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTS)

    def call(arguments: list[str]):
        process = context.Process(target=_run_quietly, args=(arguments,))
        process.start()
        return process

    return call


def _run_quietly(arguments: list[str]) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    raise SystemExit(run(arguments))


def _arguments(folder: Path, *options: str) -> list[str]:
    data = ["certify", str(folder / "flowers.csv"), "--target", "kind", "--trees", "5"]
    return [*data, "--out", str(folder / "work" / "audit"), *options]


def _seconds(process: multiprocessing.Process) -> float:
    """How long a command takes when nobody disturbs it."""
    began = time.perf_counter()
    process.join(60)
    assert process.exitcode == 0
    return time.perf_counter() - began


def _kill(process: multiprocessing.Process, is_time: Callable[[], bool]) -> bool:
    """Kill a command; whether it still ran."""
    while process.exitcode is None and not is_time():
        time.sleep(0.001)
    process.kill()
    process.join(60)
    return process.exitcode == -signal.SIGKILL


def _assert_whole(audit: Path, capsys) -> None:
    assert sorted(os.listdir(audit)) == OURS
    assert run(["verify", str(audit)]) == 0
    assert run(["predict", str(audit), str(audit.parent.parent / "flowers.csv")]) == 0
    capsys.readouterr()


def _assert_the_next_run_succeeds(folder: Path, capsys) -> None:
    """In this process, which is faster; with the options that the state of the folder asks for."""
    options = ["--force"] if (folder / "work" / "audit").exists() else []
    assert run(_arguments(folder, *options, "--json")) == 0
    capsys.readouterr()
    assert os.listdir(folder / "work") == ["audit"]
    assert sorted(os.listdir(folder / "work" / "audit")) == OURS


@pytest.fixture
def folder(tmp_path):
    write_flowers(tmp_path / "flowers.csv")
    (tmp_path / "work").mkdir()
    return tmp_path


def _after(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() >= end


@pytest.mark.parametrize("command", ["certify", "certify-by-renames", "certify-twice", "predict", "monitor"])
def test_killed_before_every_file_operation(command, tmp_path):
    """The old or the new result is there, whole, and the next run never deletes the last good one."""
    script = Path(__file__).with_name("every_operation.py")
    done = subprocess.run([sys.executable, script, command, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 4


def test_killed_at_any_moment(folder, start, capsys):
    work = folder / "work"
    _seconds(start(_arguments(folder)))  # the first has to wait for the imports
    whole = _seconds(start(_arguments(folder, "--force")))
    killed = 0
    for moment in np.random.default_rng(0).uniform(0, whole, RUNS):
        shutil.rmtree(work)
        work.mkdir()
        killed += _kill(start(_arguments(folder)), _after(moment))
        if (work / "audit").exists():
            _assert_whole(work / "audit", capsys)
    assert killed > 0
    _assert_the_next_run_succeeds(folder, capsys)


def test_killed_at_any_moment_over_an_earlier_run(folder, start, capsys):
    work = folder / "work"
    _seconds(start(_arguments(folder)))
    whole = _seconds(start(_arguments(folder, "--force")))
    for seed, moment in enumerate(np.random.default_rng(1).uniform(0, whole, RUNS)):
        _kill(start(_arguments(folder, "--force", "--seed", str(seed))), _after(moment))
        if (work / "audit").exists():  # the old one or the new one
            _assert_whole(work / "audit", capsys)
    _assert_the_next_run_succeeds(folder, capsys)


@pytest.mark.parametrize("forced", [False, True], ids=["new", "over an earlier run"])
@pytest.mark.parametrize("name", OURS)
def test_killed_while_it_writes(name, forced, folder, start, capsys):
    """Killed when this file is there, in the hidden folder that is to become the right one."""
    work = folder / "work"
    if forced:
        (work / "audit").mkdir()
        (work / "audit" / "model.skops").write_text("an earlier one")

    def is_written() -> bool:
        return any(path.parent.name != "audit" for path in work.glob(f".*/{name}"))

    killed = _kill(start(_arguments(folder, *(["--force"] if forced else []))), is_written)
    soon_done = name == "report.html"  # after that one the folder gets its name
    assert killed or soon_done
    if not soon_done:
        assert [entry for entry in os.listdir(work) if entry.startswith(".audit.unfinished-")]
    if (work / "audit").exists() and len(os.listdir(work / "audit")) > 1:
        _assert_whole(work / "audit", capsys)
    elif forced:
        assert (work / "audit" / "model.skops").read_text() == "an earlier one"
    _assert_the_next_run_succeeds(folder, capsys)
