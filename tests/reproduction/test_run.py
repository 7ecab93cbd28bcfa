import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from reproduction import Settings, Task, Unit, reproduce
from reproduction._run import Nobody, run
from reproduction._store import Store
from reproduction._units import Outcome

UNITS = [Unit("made", "none", trial, 0) for trial in range(4)]


def note(units, threads):
    """Rows that tell who was computed."""
    return [Outcome([{"trial": unit.trial, "state": unit.random_state("x")}]) for unit in units]


def fail_at_two(units, threads):
    if any(unit.trial == 2 for unit in units):
        raise RuntimeError("broken")
    return note(units, threads)


def tasks(work):
    return [Task(work, (unit,), unit.name, 1.0) for unit in UNITS]


class Listening(Nobody):
    def __init__(self):
        self.log = []

    def begins(self, tasks, done):
        self.log.append((len(tasks), done))

    def starts(self, task):
        self.log.append(("starts", task.units[0].trial))

    def ends(self, task, seconds):
        self.log.append(("ends", task.units[0].trial))


def test_only_what_is_missing_is_computed(tmp_path):
    store = Store(tmp_path)
    store.write(UNITS[1], Outcome([{"kept": True}]))
    watcher = Listening()
    assert run(tasks(note), store, watcher=watcher) == 3
    assert store.read(UNITS[1]).rows == [{"kept": True}]
    assert watcher.log[0] == (3, 1)
    assert [entry for entry in watcher.log[1:] if entry[0] == "ends"] == [("ends", 0), ("ends", 2), ("ends", 3)]
    assert run(tasks(note), store) == 0


def test_what_was_done_before_a_failure_is_kept(tmp_path):
    store = Store(tmp_path)
    with pytest.raises(RuntimeError, match="broken"):
        run(tasks(fail_at_two), store)
    assert [store.has(unit) for unit in UNITS] == [True, True, False, False]
    assert run(tasks(note), store) == 2


def test_changed_settings_are_computed_again(tmp_path):
    store = Store(tmp_path)
    run(tasks(note), store)
    changed = replace(UNITS[0], settings={"prior": 2.0})
    assert run([Task(note, (changed,), "x", 1.0)], store) == 1


def tables(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.jsonl") if path.name != "timings.jsonl"}


NAMES = ["table2", "fig-strength", "fig-noise"]
SETTINGS = Settings(quick=True, datasets=("iris",), trials=1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run from beginning to end with one job."""
    folder = tmp_path_factory.mktemp("whole")
    reproduce(NAMES, SETTINGS, out=folder)
    return folder


@pytest.mark.slow
def test_two_jobs_give_the_same_tables_to_the_last_bit(whole, tmp_path):
    reproduce(NAMES, SETTINGS, out=tmp_path, jobs=2)
    assert tables(tmp_path) == tables(whole)
    assert set(tables(whole)) == {"table2.jsonl", "fig-strength.jsonl", "fig-noise.jsonl"}


def test_another_seed_gives_other_tables(whole, tmp_path):
    reproduce(["fig-noise"], replace(SETTINGS, seed=1), out=tmp_path)
    assert tables(tmp_path)["fig-noise.jsonl"] != tables(whole)["fig-noise.jsonl"]


_SCRIPT = """
import sys
from reproduction import Settings, reproduce
reproduce(sys.argv[2].split(","), Settings(quick=True, datasets=("iris",), trials=1), out=sys.argv[1])
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_and_ends_the_same(whole, tmp_path):
    command = [sys.executable, "-c", _SCRIPT, str(tmp_path), ",".join(NAMES)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("units/*/*.json")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    there = len(list(tmp_path.glob("units/*/*.json")))
    assert not list(tmp_path.glob("*.jsonl"))
    done = reproduce(NAMES, SETTINGS, out=tmp_path)
    assert done.reused == there > 0
    assert done.computed > 0
    assert tables(tmp_path) == tables(whole)
