"""No change of a certificate or of its votes goes unnoticed."""

import json
import re

import numpy as np
import pytest

from cli.examples import mixed
from cli.forgery import leaves, put, repack, reseal, scale
from cli.terminal import assert_found, assert_refused
from stocmv.verify import assumed
from stocmv.votes import load_folds

LOWER = 1 - 1e-4


@pytest.fixture
def audit(paid_audit):
    """With weights that were paid for, a certificate has the most parts that can be forged."""
    return paid_audit


@pytest.fixture(params=["paid_audit", "audit_in_folds"])
def any_audit(request):
    return request.getfixturevalue(request.param)


@pytest.mark.slow
def test_every_digit_counts(audit, verify):
    path = audit / "certificate.json"
    text = path.read_text()
    digits = [found.start() for found in re.finditer(r"\d", text)]
    rng = np.random.default_rng(0)
    for place in rng.choice(digits, 15, replace=False):
        other = rng.choice([digit for digit in "0123456789" if digit != text[place]])
        path.write_text(f"{text[:place]}{other}{text[place + 1 :]}")
        answer = verify(audit)
        assert answer.code in (1, 2), (place, other)
        assert answer.code == 2 or "NO  digest of the file" in answer.out


def test_other_digits_of_the_same_number_count(audit, verify):
    path = audit / "certificate.json"
    bound = json.loads(path.read_text())["bound"]
    digits = repr(bound)
    others = [digits[:-1] + digit for digit in "0123456789"] + [f"{digits}0", f"{digits}1"]
    same = [other for other in others if other != digits and float(other) == bound]
    assert same
    path.write_text(path.read_text().replace(digits, same[0]))
    assert_found(verify(audit), "digest of the file")


FORGERIES = {
    "bound lowered": (scale(LOWER, "bound"), "bound"),
    "bound raised": (scale(1.01, "bound"), "bound"),
    "risk lowered": (scale(LOWER, "moments", 0), "empirical risk"),
    "KL lowered": (put(("kl",), 0.0), "KL"),
    "delta lowered": (put(("delta",), 0.049), "bound"),
    "delta raised": (put(("delta",), 0.1), "delta"),
    "delta of zero": (put(("delta",), 0.0), "form: delta is not between 1e-200 and 1"),
    "delta above one": (put(("delta",), 1.5), "form: delta is not between 1e-200 and 1"),
    "more priors": (put(("alternatives",), 2), "bound"),
    "no priors": (put(("alternatives",), 0), "form: the number of alternatives"),
    "prior changed": (put(("priors", 0, "alpha", 0), 49.0), ""),
    "all priors scaled": (lambda c: [scale(1.1, "priors", k, "alpha", j)(c) for k in (0, 1, 2) for j in range(5)], ""),
    "posterior changed": (put(("posteriors", 1, "alpha", 2), 60.0), "KL"),
    "posterior with a weight less": (lambda c: c["posteriors"][0]["alpha"].pop(), ""),
    "posteriors exchanged": (lambda c: c["posteriors"].reverse(), ""),
    "coverage raised": (put(("deterministic_vote", "coverage"), 1.0), "margin coverage"),
    "margin risk lowered": (scale(LOWER, "deterministic_vote", "empirical_risk"), "margin risk"),
    "margin's KL lowered": (put(("deterministic_vote", "kl"), 0.0), "KL at the margin's scale"),
    "another margin": (put(("deterministic_vote", "margin"), 0.2), "margin"),
    "a margin that was not tried": (put(("deterministic_vote", "margin"), 0.05), "form: the margin is not one"),
    "fewer margins": (put(("deterministic_vote", "margins"), 1), "form: the margin is not one"),
    "scale changed": (put(("deterministic_vote", "scale"), 3.0), "margin"),
    "stochastic vote's bound lowered": (scale(LOWER, "stochastic_bound"), "stochastic bound"),
    "more examples": (put(("n",), 1500), "examples"),
    "folds of other sizes": (put(("fold_sizes", 0), 51), "examples"),
    "a class's bound lowered": (scale(LOWER, "per_class", 1, "bound"), "class 'versicolor' bound"),
    "a class's risk lowered": (scale(LOWER, "per_class", 1, "stochastic_risk"), "class 'versicolor'"),
    "a class's stochastic bound lowered": (scale(LOWER, "per_class", 2, "stochastic_bound"), "class 'virginica'"),
    "baseline raised": (scale(1.01, "baseline", "bound"), "baseline"),
    "baseline left out": (put(("baseline",), {}), ""),
    "shares of the folds changed": (put(("fold_shares",), [0.2, 0.3, 0.5]), ""),
    "groups that are none": (put(("grouped",), True), ""),
    "a class's delta raised": (scale(2.0, "per_class", 0, "delta"), "class 'setosa' delta"),
    "a class with more examples": (scale(2, "per_class", 0, "n"), "class 'setosa' examples"),
    "a class left out": (lambda c: c["per_class"].pop(), "classes"),
    "classes exchanged": (lambda c: c["per_class"].reverse(), "classes"),
    "not proven": (put(("unproven",), ["the bound"]), "proven"),
    "voters that are not proven": (put(("unproven",), ["the voters"]), "proven"),
    "drawn votes that are not covered": (put(("covers_drawn",), False), "covers drawn votes"),
    "another statement": (put(("statement",), "With certainty, it never errs."), "statement"),
    "no assumptions": (put(("assumptions",), []), "assumptions"),
    "an assumption left out": (lambda c: c["assumptions"].pop(1), "assumptions"),
    "another theorem": (put(("theorem",), "A theorem of our own"), "theorem"),
    "another claim": (put(("certified",), "the error of any vote"), "what the stochastic bound is on"),
    "another rule": (put(("deterministic_rule",), "anything"), "deterministic vote"),
    "another risk": (put(("risk",), "first_order"), ""),
    "another constant": (put(("bound_settings", "c", 0), 3.0), "bound"),
    "another bound": (put(("bound_settings",), {"name": "mcallester"}), "bound"),
    "an unknown bound": (put(("bound_settings", "name"), "perfect"), "form: the bound perfect is not known"),
    "another posterior": (put(("posterior",), "categorical"), ""),
    "digests of other votes": (put(("vote_digests", 0), "0" * 64), "votes"),
    "digests exchanged": (lambda c: c["vote_digests"].reverse(), "votes"),
    "a fold less": (
        lambda c: [c[name].pop() for name in ("vote_digests", "posteriors", "priors", "fold_sizes", "fold_shares")],
        "votes",
    ),
}


@pytest.mark.parametrize(("change", "word"), FORGERIES.values(), ids=FORGERIES)
def test_forged_and_sealed_anew(change, word, audit, verify):
    before = (audit / "certificate.json").read_text()
    reseal(audit / "certificate.json", change)
    assert (audit / "certificate.json").read_text() != before
    answer = verify(audit)
    assert_found(answer, word)
    assert "ok  digest of the file" in answer.out


def test_sealing_anew_changes_nothing_by_itself(audit, verify):
    reseal(audit / "certificate.json", lambda content: None)
    assert verify(audit).code == 0


STRANGE = [
    None,
    True,
    "x",
    "",
    -1,
    0,
    1e308,
    -1e308,
    float("nan"),
    float("inf"),
    10**400,
    [],
    {},
    [[]],
    [None],
    {"a": 1},
]


FREE = ("context", "warnings")


@pytest.mark.slow
def test_strange_values_for_every_field(any_audit, verify):
    path = any_audit / "certificate.json"
    text = path.read_text()
    content = json.loads(text)
    for field in content.keys() - {"sha256", *FREE}:
        for value in STRANGE:
            if value == content[field] or (field, value) == ("per_class", []):  # which claims less
                continue
            path.write_text(text)
            reseal(path, put((field,), value))
            answer = verify(any_audit, "--precise", 0)
            if answer.code == 2:
                assert_refused(answer, "certificate.json")
            else:
                assert_found(answer)
    for field in FREE:
        for value in STRANGE:
            path.write_text(text)
            reseal(path, put((field,), value))
            assert verify(any_audit, "--precise", 0).code in (0, 2)


def test_strange_values_anywhere(any_audit, verify):
    path = any_audit / "certificate.json"
    text = path.read_text()
    content = json.loads(text)
    needed = len(assumed(content))
    further = [("assumptions", k) for k in range(needed, len(content["assumptions"]))]  # which are free
    places = [place for place in leaves(content) if place[0] not in ("sha256", *FREE) and place not in further]
    rng = np.random.default_rng(1)
    for _ in range(60):
        place, value = places[rng.integers(len(places))], STRANGE[rng.integers(len(STRANGE))]
        path.write_text(text)
        reseal(path, put(place, value))
        old = content
        for key in place:
            old = old[key]
        if old == value:
            continue
        answer = verify(any_audit)
        assert answer.code in (1, 2), (place, value, answer)
        if answer.code == 2:
            assert_refused(answer, "certificate.json")
        else:
            assert_found(answer)


def _flip_a_bit(arrays):
    arrays["fold_1_bits"][0, 7] ^= 1


def _flip_a_spare_bit(arrays):
    arrays["fold_1_bits"][0, 7] ^= 128


def _another_answer(arrays):
    """An answer of a voter, with its error bit to match."""
    labels, targets = arrays["fold_0_labels"], arrays["fold_0_targets"]
    row = int(np.flatnonzero((labels != targets[:, None]).any(1))[0])
    labels[row] = targets[row]
    arrays["fold_0_bits"][:, row] = 0


def _swap_folds(arrays):
    for name in [name for name in arrays if name.startswith("fold_0_")]:
        other = name.replace("fold_0_", "fold_1_")
        arrays[name], arrays[other] = arrays[other], arrays[name]


def _drop_the_last_fold(arrays):
    for name in [name for name in arrays if name.startswith("fold_2_")]:
        del arrays[name]


def _rename_a_class(arrays):
    for name in [name for name in arrays if name.endswith("_classes")]:
        arrays[name][0] = "Setosa"


def _count_rows_twice(arrays):
    arrays["fold_0_counts"] = np.full(50, 2.0)


def _drop_a_row(arrays):
    arrays["fold_0_bits"] = arrays["fold_0_bits"][:, 1:]
    for name in ("targets", "labels"):
        arrays[f"fold_0_{name}"] = arrays[f"fold_0_{name}"][1:]


CHANGED_VOTES = {
    "another answer": (_another_answer, 1),
    "folds swapped": (_swap_folds, 1),
    "the last fold dropped": (_drop_the_last_fold, 1),
    "a class renamed": (_rename_a_class, 1),
    "rows counted twice": (_count_rows_twice, 1),
    "a row dropped": (_drop_a_row, 1),
    "a bit flipped": (_flip_a_bit, 2),
    "a spare bit flipped": (_flip_a_spare_bit, 2),
}


@pytest.mark.parametrize(("change", "code"), CHANGED_VOTES.values(), ids=CHANGED_VOTES)
def test_votes_changed_and_packed_anew(change, code, audit, verify):
    repack(audit / "votes.npz", change)
    answer = verify(audit)
    if code == 1:
        assert_found(answer, "votes")
    else:
        assert_refused(answer, "votes.npz", "contradict")


def test_a_flipped_bit_of_two_classes(stocmv, verify, here):
    mixed().to_parquet(here / "data.parquet")
    assert stocmv("certify", "data.parquet", "--target", "answer", "--trees", 4, "--out", "new").code == 0
    repack(here / "new" / "votes.npz", lambda arrays: None)
    assert verify(here / "new").code == 0

    def flip(arrays):
        arrays["fold_0_bits"][0, 7] ^= 1

    repack(here / "new" / "votes.npz", flip)
    assert_found(verify(here / "new"), "votes")


@pytest.mark.slow
def test_flipped_bytes_are_found_unless_the_votes_are_the_same(audit, verify):
    path = audit / "votes.npz"
    content, votes = path.read_bytes(), [fold.digest() for fold in load_folds(path)]
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(150):
        changed = bytearray(content)
        changed[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(changed))
        answer = verify(audit)
        assert answer.code in (0, 1, 2), answer
        if answer.code == 0:  # only what describes the archive was hit
            assert [fold.digest() for fold in load_folds(path)] == votes
        found += answer.code != 0
    assert found > 100


def test_votes_of_another_certificate(audit, verify, stocmv, flowers, here):
    assert stocmv("certify", flowers, "--target", "kind", "--trees", 5, "--seed", 1, "--out", "other").code == 0
    (audit / "votes.npz").write_bytes((here / "other" / "votes.npz").read_bytes())
    assert_found(verify(audit), "votes")
