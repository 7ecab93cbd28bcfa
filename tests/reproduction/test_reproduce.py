import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import stocmv
from reproduction import EXPERIMENTS, Reproduced, Settings, Task, reproduce
from reproduction._command import Logged, command, main
from reproduction.datasets import known_sets

FORESTS = ["table2", "fig-prior", "fig-strength"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    settings = Settings(quick=True, datasets=("breast_cancer", "iris"), trials=1)
    return folder, reproduce(["table1", *FORESTS], settings, out=folder)


def rows(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_everything_that_is_promised_is_there(results):
    folder, done = results
    assert done.computed == 7  # table1 three times and table2 twice: ours and the paper's
    for name in done.files:
        assert (folder / name).stat().st_size > 0
    assert {"table1.jsonl", "table1-bars.png", "table2-all.svg", "fig-prior.svg", "timings.jsonl"} <= set(done.files)
    assert done.files[-1] == "index.md"


def test_each_row_says_where_it_comes_from(results):
    folder, _ = results
    for name in ("table1", *FORESTS):
        for row in rows(folder, name):
            assert row["experiment"] == name
            assert {"dataset", "trial", "seed", "method", "delta", "n_train", "n_test", "n_voters"} <= set(row)
            assert not {"seconds", "time"} & set(row)
    methods = [row["method"] for row in rows(folder, "table2")]
    assert methods[-2:] == ["argmax", "best"]
    assert {"naive_bayes", "first_order", "second_order", "binomial", "binomial_51", "exact", "mc"} < set(methods)
    assert {row["depth"] for row in rows(folder, "fig-strength")} == {1, 3, 5}
    assert {row["prior"] for row in rows(folder, "fig-prior")} == {0.1, 1.0, 10.0}


def test_table1_has_rows_of_its_own_for_merged_voters(results):
    """On the same stumps and splits as the paper's rows, whose voters stay by themselves with the prior 1."""
    folder, _ = results
    of = {row["method"]: row for row in rows(folder, "table1")}
    apart, merged, paid = (of[name] for name in ("exact", "merged", "merged_paid"))
    assert (apart["prior"], merged["prior"], paid["prior"]) == (1.0, 1.0, "auto")
    assert apart["n_voters"] == merged["n_voters"] == paid["n_voters"] > merged["n_blocs"] == paid["n_blocs"]
    assert paid["bound"] < merged["bound"] < apart["bound"]
    assert paid["bound_xi"] < paid["bound"] < paid["bound_fixed"]
    page = (folder / "index.md").read_text()
    assert "| exact, merged voters, paid priors |" in page
    change = f"{100 * apart['bound']:.1f} → {100 * paid['bound']:.1f} %"
    assert f"breast_cancer ({paid['n_voters']} stumps, of which at most {paid['n_blocs']} differ) {change}" in page


def test_forests_are_grown_once_for_three_experiments(results):
    folder, _ = results
    grown = [line for line in rows(folder, "timings") if line["stage"] == "forests"]
    assert len(grown) == 1


def test_the_same_forests_give_the_same_rows(results):
    """The exact method of Table 2 is the one of the prior's figure with prior 1."""
    folder, _ = results
    (table,) = [row for row in rows(folder, "table2") if row["method"] == "exact"]
    (prior,) = [row for row in rows(folder, "fig-prior") if row["prior"] == 1.0]
    assert table["bound"] == prior["bound"]
    assert table["test_drawn"] == prior["test_drawn"]


def test_a_second_run_writes_the_same_bytes(results):
    folder, done = results
    before = {name: (folder / name).read_bytes() for name in done.files}
    settings = Settings(quick=True, datasets=("breast_cancer", "iris"), trials=1)
    again = reproduce(["table1", *FORESTS], settings, out=folder)
    assert (again.computed, again.reused) == (0, 7)
    assert before == {name: (folder / name).read_bytes() for name in again.files}


def test_the_page_shows_what_is_there_and_warns_of_quick_runs(results):
    folder, _ = results
    page = (folder / "index.md").read_text()
    assert "made by a quick run" in page
    assert "table1-bars.png" in page
    assert "fig-strength.png" in page
    assert "fig-moons.png" not in page
    assert "| exact arg-max |" in page


def test_a_later_run_adds_to_the_page(results):
    folder, _ = results
    reproduce(["fig-gamma"], Settings(quick=True), out=folder)
    page = (folder / "index.md").read_text()
    assert "fig-gamma.png" in page
    assert "table2-bars.png" in page


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no experiment 'fig-prio': the names are table1, "):
        reproduce(["fig-prio"], out=tmp_path)


def test_all_is_everything():
    assert list(EXPERIMENTS) == [
        *("table1", "table2", "fig-oracle", "fig-simplex", "fig-moons", "fig-mc", "fig-strength", "fig-gamma"),
        *("fig-expected", "fig-training", "fig-moons-methods", "fig-voters", "fig-noise", "fig-noise-merged"),
        "fig-prior",
    ]


def test_sets_that_are_not_at_hand_are_passed_over_with_a_word(tmp_path, monkeypatch):
    monkeypatch.delenv("STOCMV_DATA", raising=False)
    monkeypatch.setenv("STOCMV_CACHE", str(tmp_path / "cache"))
    answer = CliRunner().invoke(command, ["table2", "--datasets", "protein", "--out", str(tmp_path / "out")])
    assert answer.exit_code == 0, answer.output
    assert "Skipped protein: its file is missing" in answer.output


def test_sets_that_are_missing_are_fetched_first(tmp_path, monkeypatch):
    monkeypatch.delenv("STOCMV_DATA", raising=False)
    monkeypatch.setenv("STOCMV_CACHE", str(tmp_path / "cache"))
    fetched = []
    monkeypatch.setattr("reproduction._command.fetch", lambda *names, progress: fetched.extend(names))
    chosen = ["--datasets", "svmguide1,svmguide1-twice,breast_cancer", "--quick", "--trials", "1"]
    answer = CliRunner().invoke(command, ["fig-oracle", "table2", *chosen, "--fetch", "--out", str(tmp_path / "out")])
    assert answer.exit_code == 0, answer.output
    assert fetched == []
    monkeypatch.setattr("reproduction._command.reproduce", lambda *_, **__: Reproduced([], 0, 0, [], ["index.md"]))
    answer = CliRunner().invoke(command, ["table1", *chosen, "--fetch", "--out", str(tmp_path / "out")])
    assert answer.exit_code == 0, answer.output
    assert fetched == ["svmguide1"]


def test_the_list_names_experiments_and_data_sets():
    answer = CliRunner().invoke(command, ["--list"])
    assert answer.exit_code == 0
    first_words = [line.split()[0] for line in answer.output.splitlines()]
    assert {*EXPERIMENTS, *known_sets()} < set(first_words)


def test_without_a_name_the_command_says_where_the_names_are():
    answer = CliRunner().invoke(command, [])
    assert answer.exit_code == 2
    assert "--list has the names" in answer.output


def test_an_error_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["reproduction", "fig-prio"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err.startswith("Error: There is no experiment 'fig-prio': the names are table1, ")


def test_the_command_says_what_it_did(tmp_path):
    answer = CliRunner().invoke(command, ["fig-oracle", "--quick", "--out", str(tmp_path)])
    assert answer.exit_code == 0, answer.output
    assert "1 units computed, 0 were there" in answer.output


def test_a_cluster_gives_the_same_bytes(tmp_path, cluster):
    arguments = ["fig-moons-methods", "table1", "--datasets", "breast_cancer", "--quick"]
    address = cluster.scheduler.address
    for name, more in (("here", []), ("there", ["--cluster", address])):
        answer = CliRunner().invoke(command, [*arguments, "--out", str(tmp_path / name), *more])
        assert answer.exit_code == 0, answer.output
    for table in ("fig-moons-methods.jsonl", "table1.jsonl"):
        assert (tmp_path / "here" / table).read_bytes() == (tmp_path / "there" / table).read_bytes()


@pytest.mark.slow
def test_a_cluster_elsewhere_is_given_the_code(tmp_path):
    """A scheduler and a worker that can import stocmv, but not this repository's other folders."""
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    elsewhere = {**os.environ, "PYTHONPATH": str(Path(stocmv.__file__).parents[1]), "PYTHONWARNINGS": "ignore"}
    address = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    common = ["--scheduler-file", str(address), "--no-dashboard"]
    options = {"cwd": tmp_path, "env": elsewhere, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen([*dask, "scheduler", "--port", "0", *common], **options) as scheduler,
        subprocess.Popen([*dask, "worker", *common, "--nthreads", "1"], **options) as worker,
    ):
        try:
            deadline = time.monotonic() + 60
            while not address.exists() and time.monotonic() < deadline:
                time.sleep(0.1)
            with distributed.Client(scheduler_file=str(address)) as client:
                client.wait_for_workers(1, timeout=60)
            arguments = ["fig-gamma", "--quick", "--cluster", json.loads(address.read_text())["address"]]
            answer = CliRunner().invoke(command, [*arguments, "--out", str(tmp_path / "out")])
        finally:
            worker.terminate()
            scheduler.terminate()
    assert answer.exit_code == 0, answer.output
    assert "1 units computed" in answer.output


def test_where_nobody_looks_a_line_tells_how_long_it_will_take(capsys):
    clock = iter([0.0, 30.0, 90.0, 100.0])
    logged = Logged(clock=lambda: next(clock))
    tasks = [Task(print, (), f"piece {k}", 10.0) for k in range(4)]
    logged.begins(tasks, 0)
    for task in tasks[:3]:
        logged.ends(task, 1.0)
    assert capsys.readouterr().err == "2 of 4 pieces of work done in 2 minutes, about 2 minutes left\n"
