"""The folder that certify writes: atomically, and without losing what others wrote."""

import multiprocessing
import os
import stat
import sys
from pathlib import Path

import pytest

from cli.terminal import assert_refused
from stocmv.cli import _folder
from stocmv.cli._folder import check_free, sweep, whole_folder

OURS = ["certificate.json", "evidence.npz", "model.skops", "report.html"]
needs_locks = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")


@pytest.fixture
def certify(stocmv, flowers):
    def call(*options):
        return stocmv("certify", flowers, "--target", "kind", "--trees", 2, *options)

    return call


def contents(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def test_nothing_is_overwritten(certify, here):
    assert certify("--out", "audit").code == 0
    before = contents(here / "audit")
    assert_refused(certify("--out", "audit", "--seed", 1), "audit", "--force")
    assert contents(here / "audit") == before


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--target", "knd"), "did you mean 'kind'?"),
        (("--group", "plant"), "no column 'plant'"),
        (("--test", "flowers-certified/model.skops"), "What kind of file"),
        (("--bound", "seegr"), "bound must be one of"),
        (("--cost", "[[0, 1]]"), "cost"),
        (("--folds", 1000), "1000"),
        ((), "already exists"),
    ],
)
def test_arguments_are_checked_before_what_is_there(options, word, certify, here, monkeypatch):
    monkeypatch.setattr("stocmv.cli._audit.RandomForestClassifier.fit", None)  # and nothing is trained
    (here / "flowers-certified").mkdir()
    (here / "flowers-certified" / "model.skops").write_text("old")
    assert_refused(certify(*options), word)
    assert contents(here / "flowers-certified") == {"model.skops": b"old"}


def test_unless_forced(certify, here):
    assert certify("--out", "audit").code == 0
    before = contents(here / "audit")
    assert certify("--out", "audit", "--seed", 1, "--force").code == 0
    after = contents(here / "audit")
    assert sorted(after) == OURS
    assert all(after[name] != before[name] for name in ("certificate.json", "model.skops", "evidence.npz"))
    assert os.listdir(here) == ["audit"]


@pytest.mark.parametrize("other", ["thesis.tex", ".git", "model.skops.bak"])
def test_what_is_not_ours_is_never_deleted(other, certify, here):
    (here / "audit").mkdir()
    (here / "audit" / other).write_text("of great value")
    assert_refused(certify("--out", "audit"), "audit")
    assert_refused(certify("--out", "audit", "--force"), other, "not written by stocmv")
    assert contents(here / "audit") == {other: b"of great value"}
    assert os.listdir(here) == ["audit"]


def test_an_empty_folder_is_taken(certify, here):
    (here / "audit").mkdir()
    assert certify("--out", "audit").code == 0
    assert sorted(os.listdir("audit")) == OURS


def test_a_file_in_the_way(certify, here):
    (here / "audit").write_text("a file")
    assert_refused(certify("--out", "audit"), "is a file")
    assert_refused(certify("--out", "audit", "--force"), "is a file")
    assert (here / "audit").read_text() == "a file"


def test_a_folder_that_is_not_there(certify, here):
    assert_refused(certify("--out", "nowhere/audit"), "nowhere")
    assert_refused(certify("--out", "/nowhere/audit"), "/nowhere")
    assert os.listdir(here) == []


def test_a_file_as_its_folder(certify, here):
    (here / "file").write_text("")
    assert_refused(certify("--out", "file/audit"), "file")


def test_a_folder_that_cannot_be_written(certify, here, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert_refused(certify("--out", "audit"), "Nothing can be written")


def test_not_the_current_folder(certify, here):
    assert_refused(certify("--out", "."), "current folder")
    assert_refused(certify("--out", here, "--force"), "current folder")


def test_a_link_to_a_folder_stays_a_link(certify, here):
    (here / "real").mkdir()
    (here / "link").symlink_to("real")
    assert certify("--out", "link").code == 0
    assert (here / "link").is_symlink()
    assert sorted(os.listdir("real")) == OURS


def test_a_name_with_signs_of_its_own(certify, here):
    assert certify("--out", "a [b]*? ü'").code == 0
    assert certify("--out", "a [b]*? ü'", "--force").code == 0
    assert os.listdir(here) == ["a [b]*? ü'"]


def test_an_error_leaves_nothing(certify, here, monkeypatch):
    monkeypatch.setattr("stocmv.cli._audit.render", _raise)
    assert_refused(certify("--out", "audit"), "the page is torn")
    assert os.listdir(here) == []


def test_an_error_leaves_what_was_there(certify, here, monkeypatch):
    assert certify("--out", "audit").code == 0
    before = contents(here / "audit")
    monkeypatch.setattr("stocmv.cli._audit.render", _raise)
    assert_refused(certify("--out", "audit", "--force"), "the page is torn")
    assert contents(here / "audit") == before
    assert os.listdir(here) == ["audit"]


def _raise(*_, **__):
    raise ValueError("the page is torn")


def test_what_was_there_comes_back_if_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    folder = tmp_path / "audit"
    folder.mkdir()
    (folder / "model.skops").write_text("old")
    replace = os.replace
    monkeypatch.setattr(_folder, "_exchange", lambda *_: False)

    def fails_once(source, target):
        if Path(source, "model.skops").read_text() == "new":
            raise OSError("the disk is gone")
        replace(source, target)

    def write():
        with whole_folder(folder, force=True) as unfinished:
            (unfinished / "model.skops").write_text("new")
            monkeypatch.setattr(_folder.os, "replace", fails_once)

    with pytest.raises(OSError, match="the disk is gone"):
        write()
    assert contents(folder) == {"model.skops": b"old"}
    assert os.listdir(tmp_path) == ["audit"]


def test_what_came_meanwhile_is_not_overwritten(tmp_path):
    folder = tmp_path / "audit"

    def write():
        with whole_folder(folder) as unfinished:
            (unfinished / "model.skops").write_text("ours")
            folder.mkdir()
            (folder / "model.skops").write_text("theirs")

    with pytest.raises(ValueError, match="already exists"):
        write()
    assert contents(folder) == {"model.skops": b"theirs"}
    assert os.listdir(tmp_path) == ["audit"]


def test_it_is_as_open_as_other_folders(tmp_path):
    old = os.umask(0o077)
    try:
        with whole_folder(tmp_path / "secret"):
            pass
    finally:
        os.umask(old)
    with whole_folder(tmp_path / "open"):
        pass
    (tmp_path / "plain").mkdir()
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("secret", "open", "plain")}
    assert modes["secret"] == 0o700
    assert modes["open"] == modes["plain"]


def test_a_folder_that_is_replaced_keeps_its_permissions(tmp_path):
    folder = tmp_path / "audit"
    folder.mkdir()
    (folder / "model.skops").write_text("old")
    folder.chmod(0o700)
    with whole_folder(folder, force=True) as unfinished:
        (unfinished / "model.skops").write_text("new")
    assert contents(folder) == {"model.skops": b"new"}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_what_a_killed_run_took_away_is_put_back(tmp_path):
    """Killed between two renames: the old folder is in a hidden one, and nothing is in its place."""
    old = tmp_path / ".audit.unfinished-12345678" / "old"
    old.mkdir(parents=True)
    (old / "model.skops").write_text("old")
    sweep(tmp_path / "audit")
    assert contents(tmp_path / "audit") == {"model.skops": b"old"}
    assert os.listdir(tmp_path) == ["audit"]


def _hold(folder, ready, done):
    with whole_folder(folder):
        ready.set()
        done.wait(60)


@pytest.mark.slow
@needs_locks
def test_only_what_dead_runs_left_is_swept(tmp_path):
    (tmp_path / ".audit.unfinished-12345678").mkdir()
    (tmp_path / ".audit.unfinished-12345678" / "model.skops").write_text("")
    (tmp_path / ".audit.mine").mkdir()
    (tmp_path / ".audits.unfinished-12345678").mkdir()
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path / "audit", ready, done))
    other.start()
    assert ready.wait(60)
    try:
        living = {entry for entry in os.listdir(tmp_path) if entry.startswith(".audit.unfinished-")}
        living -= {".audit.unfinished-12345678"}
        assert len(living) == 1
        sweep(tmp_path / "audit")
        assert set(os.listdir(tmp_path)) == living | {".audit.mine", ".audits.unfinished-12345678"}
    finally:
        done.set()
        other.join(60)
    assert set(os.listdir(tmp_path)) == {"audit", ".audit.mine", ".audits.unfinished-12345678"}


def test_a_free_place(tmp_path):
    check_free(tmp_path / "new", force=False)
    check_free(tmp_path / "new", force=True)
    assert not list(tmp_path.iterdir())
