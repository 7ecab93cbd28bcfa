"""Fetching over a line that fails."""

import bz2
import gzip
import hashlib
import lzma
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from reproduction.datasets import DownloadError, _download, _readers, fetch, load
from reproduction.datasets._download import ResumingDownloader
from reproduction.datasets._registry import HOSTS, PUBLIC, SourceFile
from tests.reproduction.datasets.conftest import TINY_TEXT, TINY_X, TINY_Y

PATH = "/uci/tiny/tiny.data"


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def assert_tiny(dataset):
    np.testing.assert_array_equal(dataset.X, TINY_X)
    np.testing.assert_array_equal(dataset.y, TINY_Y)


def test_the_second_call_uses_the_cache(served, cache):
    first, second = load("tiny"), load("tiny")
    assert_tiny(first)
    assert_tiny(second)
    assert first.source == second.source == served.url + PATH
    assert served.requests == [(PATH, None)]
    assert files_in(cache) == ["downloads/tiny/.lock", "tiny.npz"]
    with np.load(cache / "tiny.npz", allow_pickle=False) as file:
        np.testing.assert_array_equal(file["X"], TINY_X)


def test_fetch_answers_the_cached_files(served, cache):
    assert fetch("tiny") == [cache / "tiny.npz"]
    assert fetch("tiny") == [cache / "tiny.npz"]
    assert len(served.requests) == 1
    assert fetch() == []


def test_a_failing_server_is_asked_again(served, waits):
    served.mishaps = [503, 500]
    assert_tiny(load("tiny"))
    assert len(served.requests) == 3
    assert waits == [1.0, 2.0]


def test_it_gives_up_at_last_and_says_what_to_do(served, waits, cache):
    served.mishaps = [503] * 10
    with pytest.raises(DownloadError) as caught:
        load("tiny")
    message = str(caught.value)
    assert f"{served.url}{PATH} could not be fetched (the server answers 503 Service Unavailable, 4 times)" in message
    assert f"put it into the folder {cache / 'downloads' / 'tiny'} under the name tiny.data" in message
    assert "\n" not in message
    assert waits == [1.0, 2.0, 4.0]


def test_a_missing_file_is_not_asked_for_again(served, waits):
    served.files.clear()
    with pytest.raises(DownloadError, match="the server answers 404 Not Found"):
        load("tiny")
    assert len(served.requests) == 1
    assert waits == []


def test_offline(tiny, waits, monkeypatch, cache):
    pytest.importorskip("pooch", reason="fetching needs pooch, of the extra paper")
    monkeypatch.setitem(HOSTS, "uci", "http://127.0.0.1:9")  # nobody listens to the port named discard
    with pytest.raises(DownloadError, match="no connection, or a broken one: ConnectionError, 4 times") as caught:
        load("tiny")
    assert str(caught.value).startswith("http://127.0.0.1:9/tiny/tiny.data could not be fetched")
    assert f"{cache / 'downloads' / 'tiny'} under the name tiny.data." in str(caught.value)


def test_a_file_put_by_hand_is_used_and_kept(served, cache):
    folder = cache / "downloads" / "tiny"
    folder.mkdir(parents=True)
    (folder / "tiny.data").write_bytes(TINY_TEXT)
    assert_tiny(load("tiny"))
    assert served.requests == []
    assert files_in(cache) == ["downloads/tiny/.lock", "downloads/tiny/tiny.data", "tiny.npz"]


def test_a_wrong_file_put_by_hand_is_named(served, cache):
    path = cache / "downloads" / "tiny" / "tiny.data"
    path.parent.mkdir(parents=True)
    path.write_bytes(TINY_TEXT[:-7])
    with pytest.raises(DownloadError, match=rf"X has the shape \(3, 2\) instead of \(4, 2\); remove {path}\.$"):
        load("tiny")
    assert path.exists()


def test_a_broken_download_is_continued(served):
    served.mishaps = ["cut", "cut"]
    assert_tiny(load("tiny"))
    half = len(TINY_TEXT) // 2
    rest = half + (len(TINY_TEXT) - half) // 2
    assert served.requests == [(PATH, None), (PATH, f"bytes={half}-"), (PATH, f"bytes={rest}-")]


def test_a_later_call_continues_too(served, cache):
    served.mishaps = ["cut", 404]
    with pytest.raises(DownloadError):
        load("tiny")
    half = len(TINY_TEXT) // 2
    assert (cache / "downloads" / "tiny" / "tiny.data.part").read_bytes() == TINY_TEXT[:half]
    assert_tiny(load("tiny"))
    assert served.requests[-1] == (PATH, f"bytes={half}-")
    assert files_in(cache) == ["downloads/tiny/.lock", "tiny.npz"]


def test_a_server_without_ranges_sends_all_again(served):
    served.mishaps = ["cut", "no range"]
    assert_tiny(load("tiny"))
    assert len(served.requests) == 2


def test_a_part_that_is_too_long_is_thrown_away(served, cache):
    part = cache / "downloads" / "tiny" / "tiny.data.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(TINY_TEXT + b"more")
    assert_tiny(load("tiny"))
    assert [wanted for _, wanted in served.requests] == [f"bytes={len(TINY_TEXT) + 4}-", None]


def test_a_file_with_the_known_hash_is_taken(served, tiny):
    tiny(files=(SourceFile("uci", "tiny/tiny.data", hashlib.sha256(TINY_TEXT).hexdigest()),))
    assert_tiny(load("tiny"))


def test_a_file_with_another_hash_is_refused_and_removed(served, tiny, cache):
    tiny(files=(SourceFile("uci", "tiny/tiny.data", hashlib.sha256(b"other").hexdigest()),))
    with pytest.raises(DownloadError, match=f"^What {served.url}{PATH} sends is not the known file, so it was not"):
        load("tiny")
    assert files_in(cache) == ["downloads/tiny/.lock"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (TINY_TEXT.replace(b"9,9,no", b"9,8,no"), "the SHA-256 of its values is not the known one"),
        (TINY_TEXT.replace(b"9,9,no", b"9,9,yes"), r"the classes have \(1, 3\) examples instead of \(2, 2\)"),
        (b"<html>come back later</html>", "a line has 1 values instead of 3"),
        (b"\x1f\x8b\x08 broken", "."),
        (b"BZh9 broken", "."),
        (b"", "it has no rows"),
    ],
)
def test_other_content_is_refused_and_removed(content, reason, served, cache):
    served.files[PATH] = content
    with pytest.raises(DownloadError, match=f"tiny.data did not give the set tiny: {reason}.*; nothing was kept.$"):
        load("tiny")
    assert files_in(cache) == ["downloads/tiny/.lock"]
    served.files[PATH] = TINY_TEXT
    assert_tiny(load("tiny"))


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 and no more", None])
def test_a_damaged_cache_is_fetched_again(damage, served, cache):
    load("tiny")
    path = cache / "tiny.npz"
    if damage is None:
        np.savez(path, X=TINY_X[:, ::-1], y=TINY_Y, target_names=np.array(["no", "yes"]))
    else:
        path.write_bytes(damage)
    with pytest.warns(UserWarning, match="tiny.npz does not hold the data set 'tiny': .* It is fetched again."):
        assert_tiny(load("tiny"))
    assert len(served.requests) == 2
    assert_tiny(load("tiny"))
    assert len(served.requests) == 2


def test_several_files_are_fetched_one_by_one(served, tiny):
    tiny(files=(*PUBLIC["tiny"].files, SourceFile("libsvm", "more")), n=6, class_counts=(3, 3), arrays_sha256=None)
    served.files["/libsvm/more"] = b"1,2,no\n3,4,yes\n"
    dataset = load("tiny")
    np.testing.assert_array_equal(dataset.X[4:], [[1, 2], [3, 4]])
    assert dataset.source == f"{served.url}{PATH} and {served.url}/libsvm/more"


def test_calls_at_the_same_time_fetch_once(served):
    found = []
    threads = [threading.Thread(target=lambda: found.append(load("tiny"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(served.requests) == 1


def test_progress_is_told(served, capsys):
    told = []
    served.mishaps = ["cut"]
    fetch("tiny", progress=lambda *news: told.append(news))
    size = len(TINY_TEXT)
    assert told == [("tiny.data", size // 2, size), ("tiny.data", size, size)]
    assert capsys.readouterr() == ("", "")


def test_progress_is_printed(served, capsys):
    fetch("tiny", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "\rtiny.data: 0.0 of 0.0 MB\n"


def test_nothing_is_logged(served, caplog):
    import pooch

    logger = pooch.get_logger()
    level = logger.level
    logger.addHandler(caplog.handler)
    try:
        load("tiny")
    finally:
        logger.removeHandler(caplog.handler)
    assert caplog.records == []
    assert logger.level == level


def test_an_answer_that_ends_early_is_not_taken_for_the_file(tmp_path, site):
    """Not every version of urllib3 notices it."""
    answer = SimpleNamespace(
        headers={"Content-Length": "10"}, raw=SimpleNamespace(stream=lambda size, decode_content: iter([b"12345"]))
    )
    with pytest.raises(_download._Passing, match="the connection broke off"):
        ResumingDownloader(tmp_path / "file.part")._receive(answer, 0)
    assert (tmp_path / "file.part").read_bytes() == b"12345"


@pytest.mark.parametrize("stated", [True, False])
def test_a_server_that_sends_too_much(stated, served, cache, monkeypatch):
    """Refused by what it says of itself, or when it has sent too much."""
    monkeypatch.setattr(_download, "LARGEST", len(TINY_TEXT) - 1)
    if not stated:
        monkeypatch.setattr(_download.ResumingDownloader, "_length", staticmethod(lambda answer: None))
    with pytest.raises(DownloadError, match="the server sends more than 0 MiB, and no known set is so large"):
        load("tiny")
    assert len(served.requests) == 1
    assert files_in(cache) == ["downloads/tiny/.lock"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_a_file_that_unpacks_to_too_much(pack, served, cache, monkeypatch):
    monkeypatch.setattr(_readers, "_LARGEST", len(TINY_TEXT) - 1)
    served.files[PATH] = pack(TINY_TEXT)
    with pytest.raises(DownloadError, match="did not give the set tiny: it unpacks to more than 0 MiB"):
        load("tiny")
    assert files_in(cache) == ["downloads/tiny/.lock"]


@pytest.mark.parametrize("module", ["pooch", "requests"])
def test_without_the_extra(module, tiny, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"Fetching data sets needs {module}: pip install 'stocmv\[paper\]'"):
        load("tiny")


def test_every_address_is_safe():
    for known in PUBLIC.values():
        assert all(file.url.startswith("https://") for file in known.files)
        assert len({file.filename for file in known.files}) == len(known.files)
