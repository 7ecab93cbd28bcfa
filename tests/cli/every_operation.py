"""Kill a command before each of its file operations, one run for each; a script, so that what it forks is small.

The commands are the real ones but for the fit and the model, which take seconds and touch no file that is kept.
``python every_operation.py COMMAND FOLDER`` prints how many operations there were; COMMAND is one of `KILLS`.
"""

import io
import itertools
import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import stocmv
from stocmv import checks, decisions, tables  # noqa: F401  (imported before the forks, which count what they open)
from stocmv._files import sha256, whole_file
from stocmv.cli import _audit, _examples, _folder, _page, _predict
from stocmv.cli._main import run

OPERATIONS = ("open", "os.", "shutil.", "tempfile.", "fcntl.")


def quietly(*arguments: str) -> int:
    with redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
        return run(arguments)


def killed_before(operation: int, act: Callable[[], object]) -> bool:
    """Do something in a process that is killed before this operation on files; False if there are not so many."""
    child = os.fork()
    if child == 0:
        left = operation

        def hook(event: str, _: object) -> None:
            nonlocal left
            if event.startswith(OPERATIONS):
                left -= 1
                if left < 0:
                    signal.raise_signal(signal.SIGKILL)

        sys.addaudithook(hook)
        act()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def every_kill(act: Callable[[], object], prepare: Callable[[], object], check: Callable[[], object]) -> int:
    """Prepare, act, be killed and check, for every operation; how many there were."""
    operation, killed = 0, True
    while killed:
        prepare()
        killed = killed_before(operation, act)
        check()
        operation += 1
    return operation - 1


# certify --force


def take_out_the_fit(folder: Path) -> None:
    _examples.read_examples = lambda *_: SimpleNamespace(class_counts={})
    _audit.certify_table = lambda *_: None
    _page.print_page = lambda *_: None
    tables.DataOverview.of = lambda *_: None


def certify(folder: Path, word: str, *options: str) -> int:
    def write(audit: object, table: object, overview: object, unfinished: Path) -> None:
        for name in _folder.OURS:
            with whole_file(unfinished / name) as file:
                file.write(word.encode())

    _audit.write_folder = write
    return quietly("certify", "iris", "--out", str(folder / "audit"), *options)


def word_in(folder: Path) -> str:
    """What all files in the folder say, which must be all that there are."""
    found = {entry.name: entry.read_text() for entry in (folder / "audit").iterdir()}
    assert found.keys() == set(_folder.OURS), found
    (word,) = set(found.values())
    return word


def start_anew(folder: Path, word: str) -> None:
    shutil.rmtree(folder)
    (folder / "audit").mkdir(parents=True)
    for name in _folder.OURS:
        (folder / "audit" / name).write_text(word)


def check_certified(folder: Path, at_its_place: bool) -> None:
    if at_its_place:
        assert word_in(folder) in ("old", "new")
    assert certify(folder, "other") == 2  # refused: something is there, or has been put back
    assert word_in(folder) in ("old", "new")
    assert os.listdir(folder) == ["audit"]


def kill_certify(folder: Path, by_renames: bool) -> int:
    take_out_the_fit(folder)
    if by_renames:
        _folder._exchange = lambda *_: False
    count = every_kill(
        lambda: certify(folder, "new", "--force"),
        lambda: start_anew(folder, "old"),
        lambda: check_certified(folder, at_its_place=not by_renames),
    )
    assert word_in(folder) == "new"
    return count


def kill_certify_twice(folder: Path) -> int:
    """The run after one that was killed between two renames is killed, too: the old one is still there."""
    take_out_the_fit(folder)
    _folder._exchange = lambda *_: False

    def leave_nothing_in_place(operation: int) -> bool:
        start_anew(folder, "old")
        assert killed_before(operation, lambda: certify(folder, "new", "--force"))
        return not (folder / "audit").exists()

    between = next(filter(leave_nothing_in_place, itertools.count()))
    return every_kill(
        lambda: certify(folder, "new", "--force"),
        lambda: leave_nothing_in_place(between),
        lambda: check_certified(folder, at_its_place=False),
    )


# predict --out


class Model:
    classes_ = np.array(["new"])

    def predict(self, X: object) -> np.ndarray:
        return np.array(["new"] * 5)


def kill_predict(folder: Path) -> int:
    _predict.load_model = lambda *_: Model()
    _examples.read_like = lambda *_: None
    _examples.remembered_encoding = lambda *_: None
    _examples.known_categories = lambda *_: ({}, {})
    checks.look_at_new = lambda *_: ([], {})
    answers = folder / "answers.csv"
    (folder / "new.csv").write_text("")

    def check() -> None:
        assert answers.read_text() in ("old", "prediction\n" + 5 * "new\n")

    count = every_kill(
        lambda: quietly("predict", str(folder), str(folder / "new.csv"), "--out", str(answers)),
        lambda: answers.write_text("old"),
        check,
    )
    assert answers.read_text() != "old"
    return count


# monitor --state


class Certified:
    context: dict = {}  # noqa: RUF012

    def monitor(self, delta: object) -> stocmv.Monitor:
        return stocmv.Monitor(0.1)


def kill_monitor(folder: Path) -> int:
    """The state before or after is there, whole, and counting the file again gives the state after."""
    stocmv.Certificate.from_json = lambda *_: Certified()
    _predict.load_model = lambda *_: Model()
    cases = tables.Table(None, np.array(["new", "old", "new", "new", "new"]), "new.csv")
    _examples.read_labelled = lambda *_: cases
    _examples.remembered_encoding = lambda *_: None
    (folder / "certificate.json").write_text("")
    state = folder / "state.json"
    before = stocmv.Monitor(0.1).update_losses([0, 1])
    after = stocmv.Monitor(0.1).update_losses([0, 1])
    (folder / "new.csv").write_text("any five rows")
    after.update(cases.y, Model().predict(None), batch=sha256(folder / "new.csv"))

    def count_cases() -> int:
        return quietly("monitor", str(folder), str(folder / "new.csv"), "--state", str(state))

    def check() -> None:
        assert stocmv.Monitor.from_json(state) in (before, after)
        assert count_cases() == 0
        assert stocmv.Monitor.from_json(state) == after

    return every_kill(count_cases, lambda: before.to_json(state), check)


KILLS = {
    "certify": lambda folder: kill_certify(folder, by_renames=False),
    "certify-by-renames": lambda folder: kill_certify(folder, by_renames=True),
    "certify-twice": kill_certify_twice,
    "predict": kill_predict,
    "monitor": kill_monitor,
}

if __name__ == "__main__":
    print(KILLS[sys.argv[1]](Path(sys.argv[2])))
