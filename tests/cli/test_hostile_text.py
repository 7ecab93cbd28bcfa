"""Text of files and arguments that a terminal or a page would obey."""

import os
import re

import pytest

from cli.examples import FLOWERS
from cli.forgery import leaves, put, reseal, sealed
from stocmv._text import visible
from stocmv.cli._main import run

MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
HOSTILE = f"\x1b[2J\x1b[1;32mx\x9b31m\x07\r\nThe certificate holds: {MARKS}"
OBEYED = re.compile(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f{MARKS}]")


def assert_harmless(*shown):
    for text in shown:
        assert not OBEYED.search(text), ascii(text)
        assert not any(line.startswith("The certificate holds: \\") for line in text.splitlines())


def test_every_sign_is_escaped():
    assert visible("\x1b\x85\u202e\n\udc80") == r"\x1b\x85\u202e\n\udc80"
    assert visible("a\tb\n", keep="\n") == "a\\tb\n"
    assert visible("a\u200bb\ufeff\U000e0041") == r"a\u200bb\ufeff\U000e0041"  # labels that would look alike
    assert visible("größer 漢字 עברית 👩‍🔬") == "größer 漢字 עברית 👩‍🔬"  # text stays as it is, joined signs too
    assert not OBEYED.search(visible("".join(map(chr, range(0x3000)))))


def test_text_in_a_certificate(audit, verify):
    path = audit / "certificate.json"
    written = path.read_text()
    content = sealed(path)
    texts = [place for place in leaves(content) if isinstance(get(content, place), str)]
    alike = {tuple("*" if isinstance(key, int) else key for key in place): place for place in texts}
    assert len(alike) > 15
    for place in alike.values():
        path.write_text(written)
        reseal(path, put(place, HOSTILE))
        answer = verify(audit, "--precise", 0)
        assert_harmless(answer.out, answer.err)


def get(content, place):
    for key in place:
        content = content[key]
    return content


@pytest.mark.parametrize(
    "place", [(), ("context",), ("fold_test",), ("figures",), ("figures", "classes", 0), ("protocol",)], ids=str
)
def test_names_of_fields_in_a_certificate(place, audit, verify):
    reseal(audit / "certificate.json", put((*place, HOSTILE), 1))
    answer = verify(audit, "--precise", 0)
    assert_harmless(answer.out, answer.err)


def test_labels(stocmv, here, page):
    labels = {"setosa": "setosa", "versicolor": HOSTILE, "virginica": "[red]virginica"}
    FLOWERS.assign(kind=FLOWERS["kind"].map(labels)).to_csv("data.csv", index=False)
    certified = stocmv("certify", "data.csv", "--target", "kind", "--trees", 3, "--out", "audit")
    verified = stocmv("verify", "audit/certificate.json", "audit/evidence.npz", "--precise", 0)
    assert certified.code == verified.code == 0
    assert_harmless(certified.out, certified.err, verified.out, verified.err)
    assert r"\u202e" in certified.out
    assert "[red]virginica" in certified.out
    report = (here / "audit" / "report.html").read_text(encoding="utf-8")
    assert not OBEYED.search(report)
    assert r"\u202e" in report


def test_labels_of_predictions_are_exact_in_a_file_and_harmless_on_a_terminal(stocmv, here, capsys, monkeypatch):
    labels = {"setosa": "setosa", "versicolor": HOSTILE, "virginica": "virginica"}
    FLOWERS.assign(kind=FLOWERS["kind"].map(labels)).to_csv("data.csv", index=False)
    assert stocmv("certify", "data.csv", "--target", "kind", "--trees", 3, "--out", "audit", "--json").code == 0
    assert stocmv("predict", "audit", "data.csv", "--out", "answers.csv").code == 0
    exact = (here / "answers.csv").read_bytes().decode()
    assert HOSTILE in exact
    assert stocmv("predict", "audit", "data.csv").out == exact
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert run(["predict", "audit", "data.csv"]) == 0
    shown = capsys.readouterr().out
    assert_harmless(shown)
    assert r"\u202e" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("certify", HOSTILE),
        ("certify", "data.csv", "--target", HOSTILE),
        ("certify", "data.csv", "--target", "kind", "--voters", HOSTILE),
        ("certify", "data.csv", "--target", "kind", "--delta", HOSTILE),
        ("certify", "data.csv", "--target", "kind", "--drop", HOSTILE),
        ("certify", "data.csv", "--target", "kind", "--out", f"{HOSTILE}/audit"),
        ("certify", "iris", "--trees", "2", "--out", HOSTILE),
        ("verify", HOSTILE, HOSTILE),
        ("predict", ".", HOSTILE),
        ("datasets", HOSTILE),
        (HOSTILE,),
        (f"--{HOSTILE}",),
    ],
    ids=lambda arguments: " ".join(word if word != HOSTILE else "HOSTILE" for word in arguments)[:60],
)
def test_arguments(arguments, stocmv, here):
    FLOWERS.to_csv("data.csv", index=False)
    answer = stocmv(*arguments)
    assert_harmless(answer.out, answer.err)


@pytest.mark.parametrize(
    "content",
    [
        f'a,"{HOSTILE}",kind\n1,2,x\n3,"{HOSTILE}",y\n',
        f"a,b,kind\n1,2,x\n1,2,3,{HOSTILE}\n",
        f'a,kind\n1,"{HOSTILE}"\n2,"{HOSTILE}"\n',
        f'"{HOSTILE}","{HOSTILE}"\n1,2\n',
    ],
)
def test_rows_and_columns_of_a_table(content, stocmv, here):
    (here / "data.csv").write_text(content)
    answer = stocmv("certify", "data.csv", "--target", "kind")
    assert_harmless(answer.out, answer.err)


def test_names_of_files(audit, flowers, stocmv, here):
    os.mkdir(HOSTILE)
    os.rename(audit / "evidence.npz", f"{HOSTILE}/evidence.npz")
    assert_harmless(*stocmv("verify", audit / "certificate.json", f"{HOSTILE}/evidence.npz", "--precise", 0)[1:])
    assert_harmless(*stocmv("predict", audit, flowers, "--out", f"{HOSTILE}.csv")[1:])
    assert_harmless(*stocmv("predict", HOSTILE, flowers)[1:])


def test_an_error_of_our_own_and_warnings(audit, flowers, stocmv, monkeypatch):
    def broken(*_):
        raise KeyError(HOSTILE)

    monkeypatch.setattr("stocmv.cli._examples.read_like", broken)
    answer = stocmv("predict", audit, flowers)
    assert answer.code == 3
    assert_harmless(answer.err)
