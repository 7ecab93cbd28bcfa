"""Certificates of decisions as files: the verifier agrees, and no forger gets past it."""

import copy
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import special

from certificate.forging import content_of, holds, reasons, recomputed, sealed
from decisions.scored import drawn, table
from stocmv import Certificate, verify
from stocmv.bounds import DistributionBand
from stocmv.certificate import certify_judgments, check_cost
from stocmv.decisions import certify_selective, certify_selective_classes, certify_threshold, roc_band

COSTS = check_cost([[0.0, 1.0], [4.0, 0.0]], ["no", "yes"])
TARGETS = {
    "at": {"at": 0.2},
    "min_recall": {"min_recall": 0.7},
    "min_precision": {"min_precision": 0.35},
    "max_false_positive_rate": {"max_false_positive_rate": 0.2},
    "max_cost": {"max_cost": 0.75},
}
STATED = {"context", "further_assumptions", "warnings", "has_one_voter"}  # what nobody can check


@cache
def judged():
    judgments = drawn(1500, np.random.default_rng(0))
    return judgments, certify_judgments(judgments)


@cache
def several(kind):
    """Two folds, or groups."""
    judgments = drawn(1500, np.random.default_rng(0))
    column = np.arange(1500) >= 700 if kind == "folds" else np.arange(1500) // 3
    columns = {"fold": column.astype(np.uint8)} if kind == "folds" else {"group": column.astype(np.uint64)}
    judgments = replace(judgments, **columns)
    told = replace(judged()[1], evidence=judgments.digest(), grouped=kind == "groups")
    sizes, shares = ((700, 800), (0.45, 0.55)) if kind == "folds" else ((500,), (1.0,))
    return judgments, replace(told, n=sum(sizes), fold_sizes=sizes, fold_shares=shares)


@cache
def thresholds(name, priced=True):
    target = {"at": roc_band(*judged(), "yes").at(0.1234)} if name == "picked" else TARGETS[name]
    return certify_threshold(*judged(), costs=COSTS if priced else None, **target)


@cache
def by_class(kind="hold-out", max_error=(0.15, 0.65)):
    """Judgments, and a certificate with a target for each class."""
    made = judged() if kind == "hold-out" else several(kind)
    return made[0], certify_selective_classes(*made, dict(zip(["no", "yes"], max_error, strict=True)), None)


@cache
def everything():
    """A certificate of each kind, and its judgments."""
    found = {f"{name}, with costs": (judged()[0], thresholds(name)) for name in TARGETS}
    found["min_recall"] = judged()[0], thresholds("min_recall", False)
    found["picked"] = judged()[0], thresholds("picked")
    found["selective"] = judged()[0], certify_selective(*judged(), max_error=0.3, min_coverage=None, delta=None)
    found |= {f"by class, {kind}": by_class(kind) for kind in ("hold-out", "folds", "groups")}
    return found


EVERY = [*(f"{name}, with costs" for name in TARGETS), "min_recall", "picked", "selective"]
EVERY += [f"by class, {kind}" for kind in ("hold-out", "folds", "groups")]


@pytest.mark.parametrize("which", EVERY)
def test_files_hold_and_are_read_again(which, tmp_path):
    judgments, certificate = everything()[which]
    certificate.to_json(tmp_path / "decision.json")
    judgments.save(tmp_path / "evidence.npz")
    found = verify.verify_files(tmp_path / "decision.json", tmp_path / "evidence.npz")
    assert found, found.differences
    assert found == certificate.verify(judgments)
    assert "new examples" in found.statement or "new groups" in found.statement
    assert Certificate.from_json(tmp_path / "decision.json") == certificate
    assert type(certificate).from_json(tmp_path / "decision.json") == certificate


@pytest.mark.parametrize("which", ["min_precision, with costs", "picked", "by class, folds"])
def test_a_copy_of_the_verifier_needs_nothing_of_the_package(which, tmp_path):
    judgments, certificate = everything()[which]
    certificate.to_json(tmp_path / "decision.json")
    judgments.save(tmp_path / "evidence.npz")
    copied = shutil.copy(verify.__file__, tmp_path / "copied.py")
    guard = "import runpy, sys; sys.modules['stocmv'] = None; sys.argv = sys.argv[1:]; "
    command = [sys.executable, "-I", "-c", f"{guard}runpy.run_path(sys.argv[0], run_name='__main__')", str(copied)]
    files = [str(tmp_path / name) for name in ("decision.json", "evidence.npz")]
    answer = subprocess.run([*command, *files], capture_output=True, text=True, timeout=100)
    assert answer.returncode == 0, answer
    assert answer.stdout == f"{certificate.verify(judgments)}\n"


def leaves(value, place=()):
    """Where there are values that are no lists or dictionaries."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, dict | list):
        yield place
    for key, part in inner:
        yield from leaves(part, (*place, key))


def other_values(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        return [f"{value} ", "no" if value == "yes" else "yes"]
    if isinstance(value, int):
        return [value + 1, value - 1, 0]
    return [value * 1.0001, value * 0.9999, value + 0.01, value / 2, 0.0]


def with_value(content, place, value):
    content = copy.deepcopy(content)
    owner = content
    for key in place[:-1]:
        owner = owner[key]
    owner[place[-1]] = value
    return content


def is_honest(place, old, value):
    """Whether another certificate with this value may be just as true."""
    if place[-1] == "local_level":
        return abs(value / old - 1) < 0.001  # it is found by a search that may end there
    # a weaker target of a class, or a slightly stricter one for which the thresholds are the same
    return place[1:2] == ("answers",) and place[-1] == "bound" and value > 0.99 * old


SLOW = ("max_cost, with costs", "min_precision, with costs")  # searches of the most thresholds


@pytest.mark.parametrize("which", [pytest.param(w, marks=pytest.mark.slow) if w in SLOW else w for w in EVERY])
def test_no_field_can_be_changed(which):
    judgments, certificate = everything()[which]
    content, columns = content_of(certificate), judgments.columns()
    assert holds(sealed(content), columns), reasons(sealed(content), columns)
    for place in leaves(content):
        if place[0] in STATED or place[:2] in {("protocol", "name"), ("protocol", "learning")}:
            continue
        if which.endswith("folds") and place[0] == "fold_shares":
            continue  # any that sum to one are allowed
        old = content
        for key in place:
            old = old[key]
        for value in other_values(old):
            if value == pytest.approx(old, abs=1e-9) or is_honest(place, old, value):
                continue
            forged = with_value(content, place, value)
            assert not holds(sealed(forged), columns), (place, old, value)


@pytest.mark.parametrize("name", ["min_recall", "max_false_positive_rate", "min_precision", "max_cost"])
@pytest.mark.parametrize("priced", [True, False])
def test_no_other_threshold_of_the_grid_passes_with_all_figures_recomputed(name, priced):
    if name == "max_cost" and not priced:
        pytest.skip("needs costs")
    content, columns = content_of(thresholds(name, priced)), judged()[0].columns()
    grid = verify.PLANS[name].grid
    place = grid.index(content["threshold"])
    for other in {0, place - 20, place - 1, place + 1, place + 2, place + 20, len(grid) - 1}:
        forged = moved(content, grid[min(max(other, 0), len(grid) - 1)], columns)
        assert reasons(sealed(forged), columns).count("\n") == 0, reasons(sealed(forged), columns)
        assert reasons(sealed(forged), columns).startswith("NO  threshold"), reasons(sealed(forged), columns)


def moved(content, threshold, columns):
    """Another threshold, with every figure made to fit it."""
    forged = with_value(content, ("threshold",), threshold)
    for _ in range(3):
        parsed, intact = verify.parse_certificate(sealed(forged))
        found = verify.verify_threshold(parsed, intact, columns)
        for check in found.differences:
            if check.what.startswith("figures.") and "," not in check.what:
                forged = with_value(forged, tuple(check.what.split(".")), check.found)
    return forged


def changed_claims(content, parts):
    """Other shares of delta, which add up all the same."""
    forged = copy.deepcopy(content)
    for claim, part in zip(forged["claims"], parts, strict=True):
        claim["delta"] = part * forged["delta"] / max(1, *claim["among"].values(), 1)
    return forged


ATTACKS = {
    "a smaller delta": lambda c: c | {"delta": 0.01},
    "a larger share for the target": lambda c: changed_claims(c, [0.9, 0.04, 0.03, 0.03]),
    "all of delta for each": lambda c: changed_claims(c, [1.0] * 4),
    "a coarse grid": lambda c: with_value(c, ("claims", 3, "among"), {"thresholds": 93}),
    "no grid": lambda c: with_value(c, ("claims", 3, "among"), {}),
    "another class": lambda c: c | {"positive": "no"},
    "a stricter target": lambda c: c | {"target": {"min_recall": 0.75}},
    "a target for another figure": lambda c: c | {"target": {"max_false_positive_rate": 0.4}},
    "a threshold that was picked": lambda c: c | {"target": {"picked": c["threshold"]}},
    "other costs": lambda c: with_value(c, ("figures", "cost", "matrix"), [[0.0, 1.0], [2.0, 0.0]]),
    "costs of two classes, exchanged": lambda c: with_value(c, ("figures", "cost", "matrix"), [[0.0, 4.0], [1.0, 0.0]]),
    "no costs": lambda c: c | {"figures": {k: v for k, v in c["figures"].items() if k != "cost"}},
    "a local level where there is no band": lambda c: with_value(c, ("figures", "recall", "local_level"), 0.001),
    "a label that looks the same": lambda c: c | {"positive": True},
    "folds": lambda c: c | {"fold_sizes": [750, 750], "fold_shares": [0.5, 0.5]},
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_succeeds_as_it_is(attack):
    forged = ATTACKS[attack](content_of(thresholds("min_recall")))
    assert not holds(sealed(forged), judged()[0].columns())


@pytest.mark.parametrize("attack", ["a smaller delta", "another class", "a stricter target", "other costs"])
def test_with_all_else_recomputed_an_attack_is_an_honest_certificate(attack):
    """A forger who writes down whatever the verifier finds gets what an honest maker gets with these settings."""
    forged = recomputed(ATTACKS[attack](content_of(thresholds("min_recall"))), judged()[0].columns(), rounds=6)
    settings = {"min_recall": forged["target"]["min_recall"], "delta": forged["delta"]}
    costs = check_cost(forged["figures"]["cost"]["matrix"], ["no", "yes"])
    honest = content_of(certify_threshold(*judged(), forged["positive"], costs=costs, **settings))
    if holds(sealed(forged), judged()[0].columns()):
        assert forged["threshold"] == honest["threshold"]
        for name in ("recall", "precision", "false_positive_rate", "cost"):
            assert forged["figures"][name]["bound"] == pytest.approx(honest["figures"][name]["bound"], rel=1e-5)


@pytest.mark.parametrize("factor", [2.0, 1.1, 0.9])
def test_no_other_local_level_passes_with_its_bound(factor):
    """A smaller one would hold, but it is not the one that the certificate's settings lead to."""
    content, columns = content_of(thresholds("picked")), judged()[0].columns()
    own = content["figures"]["recall"]
    forged = with_value(content, ("figures", "recall", "local_level"), own["local_level"] * factor)
    forged = moved(forged, content["threshold"], columns)
    assert forged["figures"]["recall"]["bound"] != own["bound"]
    assert "local_level" in reasons(sealed(forged), columns)


def test_bands_fail_as_often_as_a_chain_of_binomial_counts_says():
    for n, delta in ((1, 0.02), (7, 0.02), (150, 1e-4), (400, 0.02)):
        bounds = verify.band(n, delta, DistributionBand(n, delta).level)
        assert verify.crossing(bounds, n) == pytest.approx(_by_binomial_counts(bounds, n), rel=1e-6)
        assert verify.crossing(bounds * 0.99, n) > delta


def _by_binomial_counts(bounds, n):
    """Given that k of n variables are below a bound, those up to the next one are binomial with n - k."""
    chances, before = np.eye(n + 1)[0], 0.0
    for step, bound in zip(verify.band_steps(n).tolist(), bounds.tolist(), strict=True):
        q, after = (bound - before) / (1 - before), np.zeros(n + 1)
        for k in np.flatnonzero(chances > 1e-25):
            j = np.arange(min(n - k, int((n - k) * q + 12 * np.sqrt((n - k) * q) + 40)) + 1)
            after[k + j] += (
                chances[k]
                * np.exp(special.gammaln(n - k + 1) - special.gammaln(j + 1) - special.gammaln(n - k - j + 1))
                * np.exp(special.xlogy(j, q) + special.xlog1py(n - k - j, -q))
            )
        after[:step] = 0
        chances, before = after, bound
    return 1 - chances[n]


def test_a_class_that_is_never_answered_is_named():
    judgments, certificate = by_class(max_error=(0.15, 0.01))
    found = certificate.verify(judgments)
    assert found, found.differences
    assert "'yes' never" in found.statement


@pytest.mark.parametrize("kind", ["hold-out", "folds", "groups"])
def test_no_lower_threshold_of_a_class_passes_with_all_figures_recomputed(kind):
    judgments, certificate = by_class(kind)
    content, columns = content_of(certificate), judgments.columns()
    for code in (0, 1):
        own = content["thresholds"][0][code]
        if own in (0.0, verify.NEVER):
            continue
        lower = verify.THRESHOLDS[verify.THRESHOLDS.index(own) + 1]
        forged = recomputed(with_value(content, ("thresholds", 0, code), lower), columns, rounds=6)
        assert "not reached by tests" in reasons(sealed(forged), columns)


@pytest.mark.parametrize("n_positives", [0, 1, 40])
def test_rare_classes_and_none_at_all(n_positives):
    rng = np.random.default_rng(1)
    truth = (np.arange(40) < n_positives).astype(int)
    score = rng.random(40)
    judgments = table(np.column_stack([1 - score, score]), truth)
    certificate = certify_judgments(judgments)
    for priced in (None, COSTS):
        found = certify_threshold(judgments, certificate, at=0.5, costs=priced).verify(judgments)
        assert found, found.differences


def test_words_are_ascii_and_one_line():
    text = thresholds("min_recall").verify(judged()[0]).verdict
    assert text.isascii()
    assert "\n" not in text
    assert "all at once" in text
