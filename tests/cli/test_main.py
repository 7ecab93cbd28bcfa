"""What all commands share: help, exit codes, pipes, progress."""

import logging
import os
import re
import runpy
import subprocess
import sys
import threading
import warnings
from contextlib import contextmanager

import pytest

from cli.terminal import assert_refused
from stocmv import __version__, cli
from stocmv.cli._console import PipeSafeOutput, one_line
from stocmv.cli._main import run

COMMANDS = ("certify", "certify-predictions", "predict", "verify", "datasets", "completion")


def test_help(stocmv):
    for arguments in ((), ("--help",), ("-h",)):
        answer = stocmv(*arguments)
        assert (answer.code, answer.err) == (0, "")
        for command in COMMANDS:
            assert f"\n  {command} " in answer.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command, stocmv):
    answer = stocmv(command, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"Usage: stocmv {command} ")
    assert "Example" in answer.out
    assert "None" not in answer.out


def test_as_a_module(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["stocmv", "--version"])
    with pytest.raises(SystemExit) as exit:
        runpy.run_module("stocmv", run_name="__main__")
    assert exit.value.code == 0
    assert capsys.readouterr().out == f"stocmv, version {__version__}\n"


def test_commands_and_options_that_there_are_not(stocmv):
    assert_refused(stocmv("reprove"), "reprove")
    assert_refused(stocmv("--loud"), "--loud")
    assert_refused(stocmv("verify"), "DIR|CERTIFICATE", "stocmv verify --help")


@pytest.mark.parametrize(("shell", "sign"), [("bash", "complete -o"), ("zsh", "#compdef"), ("fish", "complete --")])
def test_completion_script(shell, sign, stocmv):
    answer = stocmv("completion", shell)
    assert (answer.code, answer.err) == (0, "")
    assert f"_STOCMV_COMPLETE={shell}_complete" in answer.out
    assert sign in answer.out


def test_completion_of_an_unknown_shell(stocmv):
    assert_refused(stocmv("completion", "tcsh"), "tcsh")


def test_completion_at_work(monkeypatch, capsys):
    for name, value in {"_STOCMV_COMPLETE": "bash_complete", "COMP_WORDS": "stocmv cert", "COMP_CWORD": "1"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        run([])
    assert capsys.readouterr().out == "plain,certify\nplain,certify-predictions\n"


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_the_extra(missing, monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith(("stocmv.cli._", f"{missing}."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr(sys, "argv", ["stocmv", "datasets"])
    with pytest.raises(SystemExit) as exit:
        cli.main()
    assert exit.value.code == 2
    expected = f"Error: the command line needs {missing}: pip install 'stocmv[cli]'.\n"
    assert capsys.readouterr() == ("", expected)


@pytest.mark.parametrize("missing", ["pandas", "pyarrow"])
def test_without_a_part_of_the_extra(missing, monkeypatch, stocmv, flowers):
    monkeypatch.setitem(sys.modules, missing, None)
    assert_refused(stocmv("certify", flowers, "--target", "kind"), f"needs {missing}: pip install 'stocmv[cli]'")


def test_an_error_of_our_own(monkeypatch, stocmv, flowers, here):
    def broken(*_):
        raise KeyError("nobody thought of this")

    monkeypatch.setattr("stocmv.cli._audit.certify_table", broken)
    answer = stocmv("certify", flowers, "--target", "kind")
    assert (answer.code, answer.out) == (3, "")
    assert "KeyError: 'nobody thought of this'" in answer.err
    assert answer.err.endswith("Error: this is an error of stocmv itself, please report it.\n")
    answer = stocmv("certify", flowers, "--target", "kind", "--json")
    assert (answer.code, list(answer.content)) == (3, ["error"])
    assert os.listdir(here) == []


def test_interrupted(monkeypatch, stocmv, flowers, here):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("stocmv.cli._audit.render", interrupted)
    answer = stocmv("certify", flowers, "--target", "kind", "--trees", 2)
    assert (answer.code, answer.out) == (130, "")
    assert answer.err.strip() == "Error: interrupted."
    assert os.listdir(here) == []


@pytest.mark.filterwarnings("always::UserWarning")
def test_warnings_are_sentences(monkeypatch, stocmv, flowers):
    def warns(*_, **__):
        warnings.warn("the page is\npale", stacklevel=1)
        return "<!doctype html>"

    monkeypatch.setattr("stocmv.cli._audit.render", warns)
    answer = stocmv("certify", flowers, "--target", "kind", "--trees", 2)
    assert (answer.code, answer.err) == (0, "Warning: the page is pale\n")


def test_what_scikit_learn_says_when_its_threads_have_lost_the_filters_is_not_shown(flowers, stocmv, monkeypatch):
    from sklearn.utils.parallel import delayed

    def fail_to_find_filters(*_, **__):
        warnings.resetwarnings()
        delayed(len)("")[0]("")
        return "<!doctype html>"

    monkeypatch.setattr("stocmv.cli._audit.render", fail_to_find_filters)
    answer = stocmv("certify", flowers, "--target", "kind", "--trees", 2)
    assert (answer.code, answer.err) == (0, "")


def test_not_enough_memory(monkeypatch, stocmv, flowers):
    def greedy(*_):
        raise MemoryError

    monkeypatch.setattr("stocmv.cli._audit.certify_table", greedy)
    assert_refused(stocmv("certify", flowers, "--target", "kind"), "not enough memory")


def test_votes_that_do_not_fit_on_a_gpu_are_told_with_their_size(monkeypatch, stocmv, flowers):
    def greedy(*_):
        raise MemoryError("The votes take 9.0 GB on the GPU, which has 8.0 GB free.")

    monkeypatch.setattr("stocmv.cli._audit.certify_table", greedy)
    assert_refused(stocmv("certify", flowers, "--target", "kind"), "take 9.0 GB", "8.0 GB free")


def test_one_line():
    assert one_line("one\n  two\tthree") == "one two three"
    assert len(one_line("x" * 10_000)) == 500


def test_standard_output_whose_reader_has_gone():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        output = PipeSafeOutput(stream)
        for _ in range(3):
            assert output.write("x" * 100_000) == 100_000
            output.flush()


@pytest.mark.slow
def test_a_pipe_that_closes_early(flowers, tmp_path):
    """The command ends as if all had been read: ``verify | head -1`` has the exit code of verify."""
    command = [sys.executable, "-m", "stocmv", "certify", str(flowers), "--target", "kind", "--trees", "2"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path / "audit")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 0
    process.stderr.close()
    assert len(os.listdir(tmp_path / "audit")) == 4


@contextmanager
def stderr_on_a_terminal(monkeypatch):
    """Standard error as a terminal; gives a list that then holds what was shown."""
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    parts, shown = [], []

    def read():
        try:
            while part := os.read(reader, 4096):
                parts.append(part)
        except OSError:  # the other side is closed
            shown.append(b"".join(parts).decode())

    thread = threading.Thread(target=read)
    thread.start()
    with monkeypatch.context() as patch, os.fdopen(writer, "w") as stream:
        patch.setenv("TERM", "xterm-256color")
        patch.setattr(sys, "stderr", stream)
        yield shown
    thread.join(60)
    os.close(reader)


STAGES = ("reading", "training voters", "collecting votes", "certifying", "writing the report")


def test_progress_on_a_terminal(flowers, here, capsys, monkeypatch):
    with stderr_on_a_terminal(monkeypatch) as shown:
        assert run(["certify", str(flowers), "--target", "kind", "--trees", "2"]) == 0
    out = capsys.readouterr().out
    for stage in STAGES:
        assert stage in shown[0]
    assert "trained: 1 voter in" in shown[0]
    assert re.search(r"certified in [0-9.]+ s: bound 0\.[0-9]+", shown[0])
    assert logging.getLogger("stocmv").handlers == []
    assert "training voters" not in out
    assert "\x1b" not in out
    assert "Error" not in shown[0]


def test_no_progress_for_programs(flowers, here, capsys, monkeypatch):
    with stderr_on_a_terminal(monkeypatch) as shown:
        assert run(["certify", str(flowers), "--target", "kind", "--trees", "2", "--json"]) == 0
    assert shown == [""]


def test_no_progress_but_on_a_terminal(flowers, stocmv):
    assert stocmv("certify", flowers, "--target", "kind", "--trees", 2).err == ""
