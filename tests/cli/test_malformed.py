"""Certificates of any other form: every command that reads them says so in one sentence."""

import copy
from functools import cache

import numpy as np
import pytest

from cli.conftest import certify_flowers
from cli.examples import FLOWERS
from cli.forgery import put, reseal
from cli.terminal import assert_found, assert_refused
from stocmv import Certificate, persistence
from stocmv.decisions import SelectiveCertificate

STRANGE = (None, True, "x", "", -1, 0, 3, 0.5, 1e308, 10**400, [], {}, [[]], [None], {"a": 1}, ["x", 1], "setosa")
KINDS = {"certificate.json": Certificate, "selective.json": SelectiveCertificate}


def nodes(content, place=()):
    """Places of everything within, containers too."""
    for key in content if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ():
        yield (*place, key)
        yield from nodes(content[key], (*place, key))


def found_at(content, place):
    for key in place:
        content = content[key]
    return content


def spoil(content, rng):
    """Change the form at a random place: another value, another part, one more or one less, another name or nesting."""
    places = [place for place in nodes(content) if place != ("format",)]
    levels = {len(place) for place in places}
    depth = rng.choice(sorted(levels))  # the deepest are so many that others would hardly ever be drawn
    near = [place for place in places if len(place) == depth]
    *path, key = near[rng.integers(len(near))]
    holder = found_at(content, path)
    change = rng.integers(7)
    if change == 0:
        holder[key] = STRANGE[rng.integers(len(STRANGE))]
    elif change == 1:
        holder[key] = copy.deepcopy(found_at(content, places[rng.integers(len(places))]))
    elif change == 2:
        holder[key] = [holder[key]]
    elif change == 3:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif change == 4:
        holder[f"{key} "] = holder.pop(key)
    elif change == 5 and isinstance(holder[key], dict):
        holder[key] = list(holder[key].values())
    elif isinstance(holder[key], list):
        holder[key] = holder[key][:-1] if change == 5 else dict(enumerate(map(str, holder[key])))


@pytest.fixture(scope="module")
def sure_audit(tmp_path_factory):
    return certify_flowers(tmp_path_factory.mktemp("sure"), "--folds", "3", "--max-error", "0.15", "--jobs", "1")


@pytest.fixture
def commands(sure_audit, stocmv, here, monkeypatch):
    """Every command that reads the certificates, on a copy that the test may spoil; the model is loaded once."""
    for name in ("model.skops", "evidence.npz", *KINDS):
        (here / name).write_bytes((sure_audit / name).read_bytes())
    FLOWERS[::20].to_csv("new.csv", index=False)
    monkeypatch.setattr(persistence, "load", cache(persistence.load))
    return {
        "predict": lambda: stocmv("predict", ".", "new.csv"),
        "monitor": lambda: stocmv("monitor", ".", "new.csv"),
        "monitor --selective": lambda: stocmv("monitor", ".", "new.csv", "--selective"),
        "verify": lambda: stocmv("verify", "certificate.json", "evidence.npz", "--precise", 0),
        "verify selective.json": lambda: stocmv("verify", "selective.json", "evidence.npz"),
        "verify folder": lambda: stocmv("verify", ".", "--data", "new.csv"),
    }


def assert_sensible(answer, command):
    if answer.code == 2:
        assert_refused(answer)
    elif answer.code == 1 and command.startswith("verify"):
        assert_found(answer)
    else:
        assert answer.code in ((0,) if command == "predict" else (0, 1)), (command, answer)
        assert "Traceback" not in answer.err


READ_BY = {
    "certificate.json": ("predict", "monitor", "verify", "verify folder"),
    "selective.json": ("predict", "monitor --selective", "verify selective.json", "verify folder"),
}


@pytest.mark.parametrize("every", [12, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", KINDS)
def test_no_form_brings_a_traceback(name, every, commands, here):
    """In Python each of them; on the command line, which takes longer, some in the fast tests."""
    text, rng, codes = (here / name).read_text(), np.random.default_rng(22), []
    for k in range(240):
        (here / name).write_text(text)
        reseal(here / name, lambda content: [spoil(content, rng) for _ in range(rng.integers(1, 3))])
        try:
            read = KINDS[name].from_json(here / name)
        except ValueError as error:
            assert name in str(error)  # noqa: PT017
        else:
            assert str(read)
            assert read._repr_html_()
        for command in READ_BY[name] if k % every == 0 else ():
            answer = commands[command]()
            assert_sensible(answer, command)
            codes.append(answer.code)
    assert {0, 2} <= set(codes)


WRONG = {
    "claims that are no claims": ("certificate.json", put(("claims",), [{"a": 1}]), "claims"),
    "a claim with a field less": ("certificate.json", lambda c: c["claims"][0].pop("among"), "claims"),
    "a list for a number": ("certificate.json", put(("figures", "baseline", "bound"), [0.1]), "figures.baseline"),
    "a class that is a number": ("certificate.json", put(("figures", "classes", 0), 3), "figures.classes"),
    "a figure that is not known": ("certificate.json", put(("figures", "luck"), 3), "luck"),
    "no error": ("certificate.json", lambda c: c["figures"].pop("error"), "error"),
    "a share less": ("certificate.json", lambda c: c["fold_shares"].pop(), "fold_shares has not one entry"),
    "another protocol": ("certificate.json", put(("protocol",), [1]), "protocol"),
    "too few thresholds": ("selective.json", lambda c: c["thresholds"].pop(), "thresholds has not one entry"),
    "thresholds that are words": ("selective.json", put(("thresholds",), ["a", "b", "c"]), "thresholds"),
    "too few folds": (
        "selective.json",
        lambda c: [c[each].pop() for each in ("fold_sizes", "fold_shares", "thresholds")],
        "about another vote than that of the model",
    ),
}


@pytest.mark.parametrize(("name", "change", "word"), WRONG.values(), ids=WRONG)
def test_a_sentence_says_what_is_wrong(name, change, word, commands, here):
    reseal(here / name, change)
    assert_refused(commands["predict"](), name, word)
