"""No change of a certificate or of its evidence goes unnoticed; `tests/certificate` forges every part of them."""

import json
import re

import numpy as np
import pytest

from cli.forgery import leaves, put, repack, reseal, scale, sealed
from cli.terminal import assert_found, assert_refused
from stocmv.persistence import load_evidence

LOWER = 1 - 1e-4


@pytest.fixture(params=["audit_in_folds", "paid_audit"])
def any_audit(request):
    return request.getfixturevalue(request.param)


@pytest.mark.slow
def test_every_digit_counts(any_audit, verify):
    path = any_audit / "certificate.json"
    text = path.read_text()
    end = text.index('"sha256"')  # the words behind it are not sealed
    digits = [found.start() for found in re.finditer(r"\d", text) if found.start() < end]
    rng = np.random.default_rng(0)
    for place in rng.choice(digits, 15, replace=False):
        other = rng.choice([digit for digit in "0123456789" if digit != text[place]])
        path.write_text(f"{text[:place]}{other}{text[place + 1 :]}")
        answer = verify(any_audit)
        assert answer.code in (1, 2), (place, other)
        assert answer.code == 2 or "NO  digest of the file" in answer.out


def test_other_digits_of_the_same_number_count(any_audit, verify):
    path = any_audit / "certificate.json"
    bound = sealed(path)["figures"]["error"]["bound"]
    digits = repr(bound)
    others = [digits[:-1] + digit for digit in "0123456789"] + [f"{digits}0", f"{digits}1"]
    same = [other for other in others if other != digits and float(other) == bound]
    assert same
    path.write_text(path.read_text().replace(digits, same[0]))
    assert_found(verify(any_audit), "digest of the file")


def test_the_words_are_for_people_to_read(any_audit, verify):
    """They follow from the figures: nothing that verify says depends on them."""
    path = any_audit / "certificate.json"
    before = verify(any_audit).out
    path.write_text(path.read_text().replace('"statement": "', '"statement": "It never errs. '))
    assert verify(any_audit).out == before


FORGERIES = {
    "bound lowered": scale(LOWER, "figures", "error", "bound"),
    "bound raised": scale(1.01, "figures", "error", "bound"),
    "stochastic vote's bound lowered": scale(LOWER, "figures", "error", "stochastic_bound"),
    "delta lowered": put(("delta",), 0.049),
    "delta raised": put(("delta",), 0.1),
    "more examples": put(("n",), 1500),
    "a class's bound lowered": scale(LOWER, "figures", "classes", 1, "bound"),
    "a class left out": lambda c: c["figures"]["classes"].pop(),
    "baseline raised": scale(1.01, "figures", "baseline", "bound"),
    "not proven": put(("unproven",), ["the bound"]),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_forged_and_sealed_anew(change, any_audit, verify):
    path = any_audit / "certificate.json"
    before = path.read_text()
    reseal(path, change)
    assert path.read_text() != before
    answer = verify(any_audit)
    assert_found(answer)
    assert "ok  digest of the file" in answer.out


def test_sealing_anew_changes_nothing_by_itself(any_audit, verify):
    before = (any_audit / "certificate.json").read_text()
    reseal(any_audit / "certificate.json", lambda content: None)
    assert (any_audit / "certificate.json").read_text() == before


def test_every_figure_counts(any_audit, verify):
    path = any_audit / "certificate.json"
    text = path.read_text()
    content = sealed(path)
    places = [place for place in leaves({"figures": content["figures"]}) if "fold_test" not in place]
    rng = np.random.default_rng(0)
    for k in rng.choice(len(places), 12, replace=False):
        value = content
        for key in places[k]:
            value = value[key]
        path.write_text(text)
        reseal(path, put(places[k], f"{value} " if isinstance(value, str) else value * LOWER - 1e-6))
        answer = verify(any_audit, "--precise", 0)
        assert answer.code in (1, 2), (places[k], answer)


STRANGE = [
    *(None, True, "x", "", -1, 0, 1e308, -1e308, float("nan"), float("inf"), 10**400),
    *([], {}, [[]], [None], {"a": 1}),
]
FREE = ("context", "warnings", "further_assumptions", "protocol")


def assert_noticed(answer):
    if answer.code == 2:
        assert_refused(answer, "certificate.json")
    else:
        assert_found(answer)


@pytest.mark.slow
def test_strange_values_for_every_field(any_audit, verify):
    path = any_audit / "certificate.json"
    text, content = path.read_text(), sealed(path)
    for field, before in content.items():
        for value in STRANGE:
            if value == before:
                continue
            path.write_text(text)
            reseal(path, put((field,), value))
            answer = verify(any_audit, "--precise", 0)
            if field in FREE and answer.code == 0:
                continue
            assert_noticed(answer)


def test_strange_values_anywhere(any_audit, verify):
    path = any_audit / "certificate.json"
    text, content = path.read_text(), sealed(path)
    places = [place for place in leaves(content) if place[0] not in FREE]
    rng = np.random.default_rng(1)
    for _ in range(25):
        place, value = places[rng.integers(len(places))], STRANGE[rng.integers(len(STRANGE))]
        before = content
        for key in place:
            before = before[key]
        if before == value:
            continue
        path.write_text(text)
        reseal(path, put(place, value))
        assert_noticed(verify(any_audit, "--precise", 0))


# The evidence


def _another_answer(columns):
    columns["answer"][0] = 1 - columns["answer"][0]


def _another_truth(columns):
    columns["truth"][-1] = (columns["truth"][-1] + 1) % 3


def _another_score(columns):
    columns["scores"][3] = np.roll(columns["scores"][3], 1)


def _rename_a_class(columns):
    columns["classes"][0] = "Setosa"


def _drop_a_row(columns):
    for name in columns.keys() - {"classes"}:
        columns[name] = columns[name][1:]


def _swap_folds(columns):
    half = np.flatnonzero(columns["fold"] == 1)[0]
    for name in columns.keys() - {"classes", "fold"}:
        columns[name][:half], columns[name][half : 2 * half] = (
            columns[name][half : 2 * half].copy(),
            columns[name][:half].copy(),
        )


def _no_hashes(columns):
    del columns["row"]


CHANGED_JUDGMENTS = (
    *(_another_answer, _another_truth, _another_score, _rename_a_class, _drop_a_row, _swap_folds, _no_hashes),
)


@pytest.mark.parametrize("change", CHANGED_JUDGMENTS)
def test_judgments_changed_and_packed_anew(change, audit_in_folds, verify):
    repack(audit_in_folds / "evidence.npz", lambda columns: None)
    assert verify(audit_in_folds).code == 0
    repack(audit_in_folds / "evidence.npz", change)
    assert_found(verify(audit_in_folds), "evidence")


def _flip_a_bit(arrays):
    arrays["fold_1_bits"][0, 7] ^= 1


def _flip_a_spare_bit(arrays):
    arrays["fold_1_bits"][0, 7] ^= 128


def _another_vote(arrays):
    """An answer of a voter, with its error bit to match."""
    labels, targets = arrays["fold_0_labels"], arrays["fold_0_targets"]
    row = int(np.flatnonzero((labels != targets[:, None]).any(1))[0])
    labels[row] = targets[row]
    arrays["fold_0_bits"][:, row] = 0


def _swap_votes(arrays):
    for name in [name for name in arrays if name.startswith("fold_0_")]:
        other = name.replace("fold_0_", "fold_1_")
        arrays[name], arrays[other] = arrays[other], arrays[name]


def _drop_the_last_fold(arrays):
    for name in [name for name in arrays if name.startswith("fold_2_")]:
        del arrays[name]


def _count_rows_twice(arrays):
    arrays["fold_0_counts"] = np.full(50, 2.0)


CHANGED_VOTES = {
    "another vote": (_another_vote, 1),
    "folds swapped": (_swap_votes, 1),
    "the last fold dropped": (_drop_the_last_fold, 1),
    "rows counted twice": (_count_rows_twice, 1),
    "a bit flipped": (_flip_a_bit, 2),
    "a spare bit flipped": (_flip_a_spare_bit, 2),
}


@pytest.mark.parametrize(("change", "code"), CHANGED_VOTES.values(), ids=CHANGED_VOTES)
def test_votes_changed_and_packed_anew(change, code, paid_audit, verify):
    repack(paid_audit / "evidence.npz", change)
    answer = verify(paid_audit)
    if code == 1:
        assert_found(answer)
    else:
        assert_refused(answer, "evidence.npz", "contradict")


def digests(evidence):
    return [part.digest() for part in (evidence if isinstance(evidence, list) else [evidence])]


@pytest.mark.slow
def test_flipped_bytes_are_found_unless_the_evidence_is_the_same(any_audit, verify):
    path = any_audit / "evidence.npz"
    content, before = path.read_bytes(), digests(load_evidence(path))
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(150):
        changed = bytearray(content)
        changed[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(changed))
        answer = verify(any_audit, "--precise", 0)
        assert answer.code in (0, 1, 2), answer
        if answer.code == 0:  # only what describes the archive was hit
            assert digests(load_evidence(path)) == before
        found += answer.code != 0
    assert found > 100


def test_evidence_of_another_certificate(audit, verify, stocmv, flowers, here):
    assert stocmv("certify", flowers, "--target", "kind", "--trees", 5, "--seed", 1, "--out", "other").code == 0
    (audit / "evidence.npz").write_bytes((here / "other" / "evidence.npz").read_bytes())
    assert_found(verify(audit), "evidence")
    content = json.loads((here / "other" / "certificate.json").read_text())
    assert content["evidence"] != sealed(audit / "certificate.json")["evidence"]
