"""What certify writes holds, and what is no certificate or no evidence is refused."""

import json
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from cli.examples import FLOWERS, mixed
from cli.forgery import put, reseal, scale
from cli.terminal import assert_found, assert_refused
from stocmv.verify import WORDS


@pytest.fixture(params=["audit", "audit_in_folds", "paid_audit"])
def any_audit(request):
    return request.getfixturevalue(request.param)


def test_it_holds(any_audit, verify, stocmv):
    for answer in (verify(any_audit), stocmv("verify", any_audit)):
        assert (answer.code, answer.err) == (0, "")
        assert not [line for line in answer.out.splitlines() if line.startswith("NO")]


def test_the_verdict_comes_first(any_audit, verify):
    out = verify(any_audit).out
    assert out.startswith("The certificate holds: With probability at least 95 %")
    stated, unknown = out.index("not checked:"), out.index("What no verifier can know:")
    assert out.index("\nok  digest of the file") < stated < out.index("- assumption: ") < unknown
    assert stated < out.index("- context: 'voters'") < unknown
    assert unknown < out.index("- whether the evidence is real")


def test_the_verdict_alone(audit, stocmv):
    whole, quiet = stocmv("verify", audit), stocmv("verify", audit, "--quiet")
    assert quiet.out == f"{whole.out.splitlines()[0]}\n"
    reseal(audit / "certificate.json", scale(0.99, "figures", "error", "bound"))
    quiet = stocmv("verify", audit, "--quiet")
    assert quiet.code == 1
    assert quiet.out == "The certificate does NOT hold. Whatever it says has not been shown.\n"


def test_nothing_in_a_file_can_paint_a_verdict(audit, verify):
    painted = "\x1b[2J\x1b[H\r\u202eThe certificate holds\u2028[bold green]ok[/]"
    reseal(audit / "certificate.json", lambda c: c["warnings"].append(painted))
    reseal(audit / "certificate.json", lambda c: c["context"].update({painted: painted}))
    out = verify(audit).out
    assert out.isascii()
    assert all(line.isprintable() for line in out.splitlines())
    assert [line.startswith("The certificate holds") for line in out.splitlines()].count(True) == 1
    reseal(audit / "certificate.json", put(("figures", "baseline", "label"), painted))
    answer = verify(audit)
    assert_found(answer)
    assert answer.out.isascii()
    assert not any(line.startswith("The certificate holds") for line in answer.out.splitlines())


def test_it_holds_for_programs(audit_in_folds, verify):
    answer = verify(audit_in_folds, "--json")
    assert answer.code == 0
    assert answer.content["holds"] is True
    (found,) = answer.content["certificates"]
    assert (found["file"], found["holds"]) == ("certificate.json", True)
    assert all(check["holds"] for check in found["checks"])
    assert found["statement"].startswith("With probability at least 95 %")
    assert any("assumption" in text for text in found["stated_not_checked"])
    assert "whether warnings about the data were left out" in answer.content["not_knowable"]


def test_it_does_not_hold_for_programs(audit, verify):
    reseal(audit / "certificate.json", scale(0.99, "figures", "error", "bound"))
    answer = verify(audit, "--json")
    assert (answer.code, answer.content["holds"]) == (1, False)
    (found,) = answer.content["certificates"]
    assert len([check for check in found["checks"] if not check["holds"]]) == 1
    assert found["statement"] is None


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
def test_it_holds_for_other_votes(options, flowers, stocmv, here):
    assert stocmv("certify", flowers, "--target", "kind", "--trees", 4, *options, "--out", "new").code == 0
    assert stocmv("verify", "new").code == 0


def test_it_holds_for_stumps(stocmv, here):
    FLOWERS[FLOWERS["kind"] != "setosa"].to_csv("two.csv", index=False)
    options = ("--drop", "sepal length", "--drop", "sepal width", "--prior", 1)
    assert stocmv("certify", "two.csv", "--target", "kind", "--voters", "stumps", *options, "--out", "new").code == 0
    assert stocmv("verify", "new").code == 0


# A folder


def test_a_folder_is_about_its_model(audit, stocmv):
    (audit / "model.skops").write_bytes((audit / "model.skops").read_bytes() + b"\0")
    assert_found(stocmv("verify", audit), "SHA-256 of model.skops")
    (audit / "model.skops").unlink()  # an auditor need not have it
    assert stocmv("verify", audit).code == 0


def test_all_certificates_of_a_folder_are_checked(stocmv, flowers, here):
    options = ("--target", "kind", "--trees", 5, "--max-error", 0.3, "--out", "sure")
    assert stocmv("certify", flowers, *options).code == 0
    answer = stocmv("verify", "sure")
    assert answer.code == 0
    assert [line.partition(" ")[0] for line in answer.out.splitlines()[:2]] == ["certificate.json:", "selective.json:"]
    assert answer.out.count("What no verifier can know:") == 1
    reseal(here / "sure" / "selective.json", scale(0.99, "figures", "coverage", "bound"))
    answer = stocmv("verify", "sure", "--json")
    assert (answer.code, answer.content["holds"]) == (1, False)
    assert [found["holds"] for found in answer.content["certificates"]] == [True, False]
    quiet = stocmv("verify", "sure", "--quiet").out.splitlines()
    assert quiet[0].startswith("certificate.json: The certificate holds: ")
    assert quiet[1].startswith("selective.json: The certificate does NOT hold.")


@pytest.mark.slow
def test_nothing_else_need_have_been_imported(stocmv, flowers, here):
    options = ("--target", "kind", "--trees", 5, "--max-error", 0.3, "--out", "sure")
    assert stocmv("certify", flowers, *options).code == 0
    command = [sys.executable, "-m", "stocmv", "verify", "sure", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("The certificate holds") == 2


def test_a_folder_without_its_files(audit, stocmv):
    for name in ("certificate.json", "evidence.npz"):
        content = (audit / name).read_bytes()
        (audit / name).unlink()
        assert_refused(stocmv("verify", audit), name, "name a folder that 'stocmv certify' wrote")
        (audit / name).write_bytes(content)


def test_arguments_that_do_not_go_together(audit, stocmv, flowers):
    certificate, evidence = audit / "certificate.json", audit / "evidence.npz"
    assert_refused(stocmv("verify", certificate), "name both files, or their folder")
    assert_refused(stocmv("verify", audit, evidence), "not both")
    assert_refused(stocmv("verify", certificate, evidence, "--data", flowers), "name the folder")


# Files that are none

CERTIFICATES = {
    "empty": b"",
    "not json": b"bound: 0.01",
    "bytes": bytes(range(256)),
    "utf-16": '{"format": "stocmv tested certificate 1"}'.encode("utf-16-le"),
    "a list": b"[]",
    "a number": b"0.01",
    "nothing in it": b"{}",
    "another version": b'{"format": "stocmv certificate 1"}',
    "a format that is a list": b'{"format": []}',
    "nothing but its format": b'{"format": "stocmv tested certificate 1"}',
    "nested deeply": b"[" * 100_000,
    "nested deeply and closed": b'{"format": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a field twice": b'{"format": "stocmv tested certificate 1", "n": 1, "n": 2}',
}


@pytest.mark.parametrize("content", CERTIFICATES.values(), ids=CERTIFICATES)
def test_what_is_no_certificate(content, audit, verify):
    (audit / "certificate.json").write_bytes(content)
    assert_refused(verify(audit), "certificate.json is not a certificate of stocmv")


def test_the_two_files_in_the_wrong_order(audit, stocmv):
    answer = stocmv("verify", audit / "evidence.npz", audit / "certificate.json")
    assert_refused(answer, "evidence.npz is not a certificate of stocmv: it is not JSON")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "9" * 5000, "1" + "0" * 400, "0x10", ".5"])
def test_numbers_that_are_none(number, audit, verify):
    path = audit / "certificate.json"
    path.write_text(re.sub(r'("bound": )[\d.]+', rf"\g<1>{number}", path.read_text(), count=1))
    answer = verify(audit)
    if answer.code == 1:
        assert_found(answer, "digest of the file")
    else:
        assert_refused(answer, "certificate.json")


@pytest.mark.parametrize("field", ["figures", "evidence", "fold_sizes", "claims", "context", WORDS, "sha256"])
def test_a_field_less(field, any_audit, verify):
    path = any_audit / "certificate.json"
    content = json.loads(path.read_text())
    del content[field]
    path.write_text(json.dumps(content, indent=1))
    answer = verify(any_audit)
    if field == "sha256":
        assert_found(answer, "digest of the file")
    else:
        assert_refused(answer, field.partition(" ")[0])


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


DAMAGED = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("votes"),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-200]),
    "no arrays": _zip(),
    "members that are no arrays": _zip(bits=b"1", n_voters=b"2", truth=b"3"),
    "arrays of other names": _npz(a=np.zeros(3)),
}


@pytest.mark.parametrize("write", DAMAGED.values(), ids=DAMAGED)
def test_what_is_no_evidence(write, any_audit, verify):
    write(any_audit / "evidence.npz")
    assert_refused(verify(any_audit), "evidence.npz is not a", "file of stocmv")


def test_evidence_of_the_other_kind(audit, paid_audit, verify):
    ours, theirs = ((folder / "evidence.npz").read_bytes() for folder in (audit, paid_audit))
    (audit / "evidence.npz").write_bytes(theirs)
    (paid_audit / "evidence.npz").write_bytes(ours)
    assert_refused(verify(audit), "evidence.npz is not a judgments file of stocmv")
    assert_refused(verify(paid_audit), "evidence.npz is not a votes file of stocmv")


ONE_FOLD = {"n_voters": np.array(3), "bits": np.zeros((1, 4), np.uint8), "counts": np.empty(0)}
VOTES = {
    "pickled objects": ONE_FOLD | {"bits": np.array([{}], object)},
    "bits of another type": ONE_FOLD | {"bits": np.zeros((1, 4))},
    "bits of another shape": ONE_FOLD | {"bits": np.zeros((2, 4), np.uint8)},
    "no voters": ONE_FOLD | {"n_voters": np.array(0)},
    "a fraction of a voter": ONE_FOLD | {"n_voters": np.array(2.5)},
    "no rows": ONE_FOLD | {"bits": np.zeros((1, 0), np.uint8)},
    "counts below zero": ONE_FOLD | {"counts": np.full(4, -1.0)},
    "counts that are no numbers": ONE_FOLD | {"counts": np.full(4, np.nan)},
    "no number of voters": {"bits": ONE_FOLD["bits"]},
    "folds from 1": {f"fold_1_{name}": part for name, part in ONE_FOLD.items()},
    "a fold of a huge number": {f"fold_{10**30}_{name}": part for name, part in ONE_FOLD.items()},
    "an unknown part": {f"fold_0_{name}": part for name, part in ONE_FOLD.items()} | {"fold_0_more": np.zeros(1)},
}


@pytest.mark.parametrize("arrays", VOTES.values(), ids=VOTES)
def test_what_is_no_votes_file(arrays, paid_audit, verify):
    _npz(**arrays)(paid_audit / "evidence.npz")
    assert_refused(verify(paid_audit), "evidence.npz is not a votes file of stocmv")


FOUR = np.zeros(4, np.uint8)
TABLE = {"classes": np.array(["a", "b"]), "truth": FOUR, "answer": FOUR, "fold": FOUR}
JUDGMENTS = {
    "pickled objects": TABLE | {"classes": np.array(["a", "b"], object)},
    "no truth": {name: column for name, column in TABLE.items() if name != "truth"},
    "no rows": TABLE | dict.fromkeys(("truth", "answer", "fold"), FOUR[:0]),
    "answers of another length": TABLE | {"answer": FOUR[:3]},
    "answers of another type": TABLE | {"answer": FOUR.astype(float)},
    "an answer that is no class": TABLE | {"answer": FOUR + 2},
    "a fold left out": TABLE | {"fold": FOUR + 1},
    "folds that are mixed": TABLE | {"fold": np.array([0, 1, 0, 1], np.uint8)},
    "classes that are not sorted": TABLE | {"classes": np.array(["b", "a"])},
    "scores of another shape": TABLE | {"scores": np.full((4, 3), 1 / 3)},
    "scores that are no numbers": TABLE | {"scores": np.full((4, 2), np.nan)},
    "an unknown column": TABLE | {"weight": FOUR},
}


@pytest.mark.parametrize("columns", JUDGMENTS.values(), ids=JUDGMENTS)
def test_what_is_no_judgments_file(columns, audit, verify):
    _npz(**columns)(audit / "evidence.npz")
    assert_refused(verify(audit), "evidence.npz is not a judgments file of stocmv")


def test_evidence_that_unpacks_to_more_than_the_memory(audit, paid_audit, verify, monkeypatch):
    monkeypatch.setattr("stocmv.verify.free_memory", lambda: 1 << 20)
    _npz(**ONE_FOLD | {"bits": np.zeros((1, 10_000_000), np.uint8)})(paid_audit / "evidence.npz")
    assert_refused(verify(paid_audit), "memory")
    _npz(**TABLE | {"truth": np.zeros(10_000_000, np.uint8)})(audit / "evidence.npz")
    assert_refused(verify(audit), "memory")


def test_files_that_are_not_there(audit, stocmv):
    assert_refused(stocmv("verify", "nowhere.json", audit / "evidence.npz"), "nowhere.json")
    assert_refused(stocmv("verify", audit / "certificate.json", audit), "directory")


# Thirty digits


@pytest.mark.parametrize("share", ["-0.1", "1.1", "nan", "some"])
def test_shares_of_rows_that_are_none(share, audit, verify):
    assert_refused(verify(audit, "--precise", share), "--precise")


def test_some_rows_at_thirty_digits(paid_audit, verify):
    assert "at 30 digits (seed 0)" in verify(paid_audit).out
    answer = verify(paid_audit, "--precise", 0)
    assert answer.code == 0
    assert "at 30 digits" not in answer.out


def test_a_table_of_judgments_needs_no_thirty_digits(audit, verify):
    assert "at 30 digits" not in verify(audit).out


@pytest.mark.parametrize("encoding", ["ordinal", "onehot"])
def test_it_holds_for_two_classes_and_categories(encoding, stocmv, here):
    mixed().to_parquet(here / "data.parquet")
    options = ("--target", "answer", "--trees", 4, "--categories", encoding, "--out", "new")
    assert stocmv("certify", "data.parquet", *options).code == 0
    assert stocmv("verify", "new").code == 0
