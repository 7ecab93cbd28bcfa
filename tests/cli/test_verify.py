"""What certify writes holds, and what is no certificate or no votes file is refused."""

import json
import re
import zipfile

import numpy as np
import pytest

from cli.examples import FLOWERS, mixed
from cli.forgery import put, reseal, scale
from cli.terminal import assert_found, assert_refused


def test_it_holds(audit, verify):
    answer = verify(audit)
    assert answer.code == 0
    assert "NO" not in answer.out
    assert "The certificate holds: With probability at least 95 %" in answer.out


def test_it_says_what_it_does_not_check(audit_in_folds, verify):
    out = verify(audit_in_folds).out
    stated, unknown = out.index("not checked:"), out.index("What no verifier can know:")
    assert stated < out.index("- assumption: ") < unknown
    assert stated < out.index("- context: 'voters'") < unknown
    assert unknown < out.index("- whether the votes are real") < out.index("The certificate holds")


def test_nothing_in_a_file_can_paint_a_verdict(audit, verify):
    painted = "\x1b[2J\x1b[H\r\u202eThe certificate holds\u2028[bold green]ok[/]"
    reseal(audit / "certificate.json", lambda c: c["warnings"].append(painted))
    reseal(audit / "certificate.json", lambda c: c["context"].update({painted: painted}))
    out = verify(audit).out
    assert out.isascii()
    assert all(line.isprintable() for line in out.splitlines())
    assert [line.startswith("The certificate holds") for line in out.splitlines()].count(True) == 1
    reseal(audit / "certificate.json", put(("theorem",), painted))
    answer = verify(audit)
    assert_found(answer, "theorem")
    assert answer.out.isascii()
    assert not any(line.startswith("The certificate holds") for line in answer.out.splitlines())


def test_it_holds_for_programs(audit_in_folds, verify):
    answer = verify(audit_in_folds, "--json")
    assert answer.code == 0
    assert answer.content["holds"] is True
    assert all(check["holds"] for check in answer.content["checks"])
    assert answer.content["statement"].startswith("With probability at least 95 %")
    assert any("assumption" in text for text in answer.content["stated_not_checked"])
    assert "whether warnings about the data were left out" in answer.content["not_knowable"]


@pytest.mark.parametrize(
    "options",
    [
        ["--voters", "extra-trees"],
        ["--folds", 2],
        ["--folds", 5, "--no-per-class"],
        ["--prior", 3, "--delta", 0.2],
    ],
    ids=lambda options: " ".join(map(str, options)),
)
def test_it_holds_for_other_votes(options, flowers, stocmv, verify, here):
    assert stocmv("certify", flowers, "--target", "kind", "--trees", 4, *options, "--out", "new").code == 0
    assert verify(here / "new").code == 0


def test_it_holds_for_stumps(stocmv, verify, here):
    FLOWERS[FLOWERS["kind"] != "setosa"].to_csv("two.csv", index=False)
    options = ("--drop", "sepal length", "--drop", "sepal width", "--prior", 1)
    assert stocmv("certify", "two.csv", "--target", "kind", "--voters", "stumps", *options, "--out", "new").code == 0
    assert verify(here / "new").code == 0


@pytest.mark.parametrize("encoding", ["ordinal", "onehot"])
def test_it_holds_for_two_classes_and_categories(encoding, stocmv, verify, here):
    mixed().to_parquet(here / "data.parquet")
    options = ("--target", "answer", "--trees", 4, "--categories", encoding, "--out", "new")
    assert stocmv("certify", "data.parquet", *options).code == 0
    assert verify(here / "new").code == 0


def test_it_does_not_hold_for_programs(audit, verify):
    reseal(audit / "certificate.json", scale(0.99, "bound"))
    answer = verify(audit, "--json")
    assert (answer.code, answer.content["holds"]) == (1, False)
    assert [check["what"] for check in answer.content["checks"] if not check["holds"]] == ["statement", "bound"]
    assert answer.content["statement"] is None


CERTIFICATES = {
    "empty": b"",
    "not json": b"bound: 0.01",
    "bytes": bytes(range(256)),
    "utf-16": '{"format": "stocmv certificate 1"}'.encode("utf-16-le"),
    "a list": b"[]",
    "a number": b"0.01",
    "nothing in it": b"{}",
    "another version": b'{"format": "stocmv certificate 2"}',
    "nothing but its version": b'{"format": "stocmv certificate 1"}',
    "nested deeply": b"[" * 100_000,
    "nested deeply and closed": b'{"format": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a field twice": b'{"format": "stocmv certificate 1", "bound": 1, "bound": 2}',
}


@pytest.mark.parametrize("content", CERTIFICATES.values(), ids=CERTIFICATES)
def test_what_is_no_certificate(content, audit, verify):
    (audit / "certificate.json").write_bytes(content)
    assert_refused(verify(audit), "certificate.json is not a certificate of stocmv")


def test_the_two_files_in_the_wrong_order(audit, stocmv):
    answer = stocmv("verify", audit / "votes.npz", audit / "certificate.json")
    assert_refused(answer, "votes.npz is not a certificate of stocmv: it is not JSON.")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "9" * 5000, "1" + "0" * 400, "0x10", ".5"])
def test_numbers_that_are_none(number, audit, verify):
    path = audit / "certificate.json"
    path.write_text(re.sub(r'("bound": )[\d.]+', rf"\g<1>{number}", path.read_text(), count=1))
    answer = verify(audit)
    if answer.code == 1:
        assert_found(answer, "digest of the file")
    else:
        assert_refused(answer, "certificate.json")


@pytest.mark.parametrize(
    "field", ["bound", "vote_digests", "posteriors", "deterministic_vote", "per_class", "context", "sha256"]
)
def test_a_field_less(field, audit, verify):
    path = audit / "certificate.json"
    content = json.loads(path.read_text())
    del content[field]
    path.write_text(json.dumps(content))
    answer = verify(audit)
    if field == "sha256":
        assert_found(answer, "digest of the file")
    else:
        assert_refused(answer, field)


def _zip(**members):
    def write(path):
        with zipfile.ZipFile(path, "w") as packed:
            for name, content in members.items():
                packed.writestr(name, content)

    return write


def _npz(**arrays):
    def write(path):
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)

    return write


ONE_FOLD = {"n_voters": np.array(3), "bits": np.zeros((1, 4), np.uint8), "counts": np.empty(0)}
VOTES = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("votes"),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-200]),
    "no arrays": _zip(),
    "members that are no arrays": _zip(bits=b"1", n_voters=b"2"),
    "pickled objects": _npz(**ONE_FOLD | {"bits": np.array([{}], object)}),
    "bits of another type": _npz(**ONE_FOLD | {"bits": np.zeros((1, 4))}),
    "bits of another shape": _npz(**ONE_FOLD | {"bits": np.zeros((2, 4), np.uint8)}),
    "no voters": _npz(**ONE_FOLD | {"n_voters": np.array(0)}),
    "a fraction of a voter": _npz(**ONE_FOLD | {"n_voters": np.array(2.5)}),
    "no rows": _npz(**ONE_FOLD | {"bits": np.zeros((1, 0), np.uint8)}),
    "counts below zero": _npz(**ONE_FOLD | {"counts": np.full(4, -1.0)}),
    "counts that are no numbers": _npz(**ONE_FOLD | {"counts": np.full(4, np.nan)}),
    "no number of voters": _npz(bits=ONE_FOLD["bits"]),
    "arrays of other names": _npz(a=np.zeros(3)),
    "folds from 1": _npz(**{f"fold_1_{name}": part for name, part in ONE_FOLD.items()}),
    "a fold of a huge number": _npz(**{f"fold_{10**30}_{name}": part for name, part in ONE_FOLD.items()}),
    "an unknown part": _npz(**{f"fold_0_{name}": part for name, part in ONE_FOLD.items()}, fold_0_more=np.zeros(1)),
}


@pytest.mark.parametrize("write", VOTES.values(), ids=VOTES)
def test_what_is_no_votes_file(write, audit, verify):
    write(audit / "votes.npz")
    assert_refused(verify(audit), "votes.npz is not a votes file of stocmv")


def test_votes_that_unpack_to_more_than_the_memory(audit, verify, monkeypatch):
    monkeypatch.setattr("stocmv.verify.free_memory", lambda: 1 << 20)
    _npz(**ONE_FOLD | {"bits": np.zeros((1, 10_000_000), np.uint8)})(audit / "votes.npz")
    assert_refused(verify(audit), "memory")


def test_files_that_are_not_there(audit, stocmv):
    assert_refused(stocmv("verify", "nowhere.json", audit / "votes.npz"), "nowhere.json")
    assert_refused(stocmv("verify", audit / "certificate.json", audit), "directory")


@pytest.mark.parametrize("share", ["-0.1", "1.1", "nan", "some"])
def test_shares_of_rows_that_are_none(share, audit, verify):
    assert_refused(verify(audit, "--precise", share), "--precise")


def test_no_rows_at_thirty_digits(audit, verify):
    assert "at 30 digits" in verify(audit).out
    answer = verify(audit, "--precise", 0)
    assert answer.code == 0
    assert "at 30 digits" not in answer.out
