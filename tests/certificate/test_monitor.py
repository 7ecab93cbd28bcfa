"""The test of whether a bound still holds: what it counts, and that its state can be stored and refused."""

import hashlib
import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier, Monitor
from validity.trials import draws_to_catch

ODDS = (1.2, 1.5, 2.0, 3.5, 10.0)


def at_random(probability, n, seed=0):
    return np.random.default_rng(seed).random(n) < probability


def slow_evidence(wrong, shares, bound):
    """The sum over bets and over the cases with which they begin, each bet played by itself."""
    n = len(wrong)
    reserve = [0.5 / math.sqrt(1 + bound * t / 100) for t in range(n + 1)]
    total = reserve[n]
    for odds in ODDS:
        stake = (odds - 1) / (1 + (odds - 1) * bound)
        gains = [1 + stake * (w - bound * s) for w, s in zip(wrong, shares, strict=True)]
        begun = [0.5, *(a - b for a, b in pairwise(reserve))]
        for start, part in zip([0, *range(n)], begun, strict=True):
            total += part / len(ODDS) * math.prod(gains[start:])
    return total


@settings(max_examples=60, deadline=None)
@given(
    st.floats(1e-4, 0.9999),
    st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from([0.5, 1.0])), min_size=1, max_size=40),
)
def test_the_evidence_is_the_mixture_of_bets_and_beginnings(bound, cases):
    monitor = Monitor(bound)
    wrong, shares = np.array([[loss * share, share] for loss, share in cases]).T
    monitor._count(wrong, shares)
    expected = slow_evidence(wrong, shares, bound)
    assert monitor.evidence <= expected * (1 + 1e-14)
    assert monitor.evidence == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("bound", [1e-3, 0.05, 0.5, 0.99])
def test_at_the_boundary_no_case_is_expected_to_raise_the_evidence(bound):
    monitor = Monitor(bound).update_losses(at_random(bound, 300))
    before = monitor.evidence
    after = []
    for loss in (0.0, 1.0):
        again = Monitor(bound).update_losses(at_random(bound, 300)).update_losses([loss])
        after.append(again.evidence)
    expected = (1 - bound) * after[0] + bound * after[1]
    assert before * (1 - 1e-12) < expected <= before


def test_errors_raise_the_evidence_and_right_answers_lower_it():
    monitor = Monitor(0.1)
    assert (monitor.n, monitor.evidence, monitor.p_value) == (0, pytest.approx(1), 1)
    right = Monitor(0.1).update(["a"] * 50, ["a"] * 50)
    wrong = Monitor(0.1).update(["a"] * 5, ["b"] * 5)
    assert right.evidence < 1 < wrong.evidence
    assert right.peak == 1
    assert wrong.p_value == pytest.approx(1 / wrong.peak)


def test_an_alarm_says_when_it_came_and_stays():
    monitor = Monitor(0.1, 0.05).update_losses([1] * 20)
    first = monitor.alarm_at
    assert monitor.alarm
    assert 2 <= first <= 10
    assert Monitor(0.1, 0.05).update_losses([1] * (first - 1)).alarm is False
    monitor.update_losses(np.zeros(5000))
    assert monitor.evidence < 1
    assert (monitor.alarm, monitor.alarm_at) == (True, first)
    assert "Alarm" in monitor.statement()
    assert f"case {first}" in monitor.statement()


def test_a_late_change_is_noticed_though_much_went_well():
    monitor = Monitor(0.05).update_losses(at_random(0.04, 20_000)).update_losses(at_random(0.1, 3000, seed=1))
    assert 20_000 < monitor.alarm_at < 21_500


def test_how_the_cases_are_shared_out_among_updates_does_not_matter():
    losses = at_random(0.08, 5000).astype(float)
    at_once = Monitor(0.05).update_losses(losses)
    bit_by_bit = Monitor(0.05)
    for part in np.split(losses, [1, 2, 2, 700, 701, 3000]):
        bit_by_bit.update_losses(part)
    assert at_once == bit_by_bit
    assert at_once.to_json() == bit_by_bit.to_json()
    assert at_once != Monitor(0.05).update_losses(losses[:-1])


def test_nothing_overflows_however_strong_the_evidence_is():
    monitor = Monitor(1e-6, 1e-200).update_losses(np.ones(100_000))
    assert math.isfinite(monitor.evidence)
    assert monitor.alarm
    assert 0 < monitor.p_value < 1e-199
    monitor.update_losses(np.zeros(100_000))
    assert math.isfinite(monitor.evidence)


def test_unknown_labels_are_errors():
    assert Monitor(0.1).update([0, 1, 7], [0, 1, 1]).errors == 1
    assert Monitor(0.1).update(["a", "never seen"], ["a", "b"]).errors == 1
    assert Monitor(0.1).update([True, False], [1, 1]).errors == 1
    assert Monitor(0.1).update([1.0, 2.0], [1, 2]).errors == 0


def test_empty_updates_change_nothing():
    monitor = Monitor(0.1).update_losses([1, 0])
    before = monitor.to_json()
    assert monitor.update([], []).update_losses([]).to_json() == before


def test_unanswered_cases_do_not_move_the_evidence():
    answered = np.array([True, False, True, False])
    some = Monitor(0.1).update(["a", "a", "b", None], ["a", None, "a", None], answered=answered)
    alone = Monitor(0.1).update(["a", "b"], ["a", "a"])
    assert (some.evidence, some.n, some.errors) == (alone.evidence, alone.n, alone.errors)
    assert some.unanswered == 2
    assert "2 without" in some.statement()


def test_a_group_counts_once_with_the_mean_over_its_rows():
    grouped = Monitor(0.1, grouped=True).update([0, 0, 0, 0, 0], [1, 0, 0, 0, 1], groups=["p", "q", "q", "p", "q"])
    assert (grouped.n, grouped.errors) == (2, pytest.approx(1 / 2 + 1 / 3))
    assert grouped.evidence == pytest.approx(Monitor(0.1).update_losses([1 / 2, 1 / 3]).evidence)
    assert "2 groups" in grouped.statement()


def test_the_answered_rows_of_a_group_count_by_their_share():
    monitor = Monitor(0.2, grouped=True)
    monitor.update_losses([1, 1, 0, 0], answered=[True, False, False, False], groups=[1, 1, 2, 2])
    assert (monitor.n, monitor.unanswered, monitor.errors) == (1, 1, 0.5)
    assert monitor.evidence == pytest.approx(slow_evidence([0.5], [0.5], 0.2))


def test_a_batch_is_counted_once():
    monitor = Monitor(0.1).update([0, 1], [0, 0], batch="monday")
    before = monitor.to_json()
    assert monitor.update([0, 1], [0, 0], batch="monday").to_json() == before
    assert monitor.update([0, 1], [0, 0], batch="tuesday").n == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"y": [0, 1], "predictions": [0]}, "one label for each case"),
        ({"y": [[0, 1]], "predictions": [[0, 1]]}, "one label for each case"),
        ({"y": 1, "predictions": 1}, "one label for each case"),
        ({"y": ["a", "b"], "predictions": [0, 1]}, "use one kind"),
        ({"y": [0, None], "predictions": [0, 1]}, "y has missing values"),
        ({"y": [0, np.nan], "predictions": [0, 1]}, "y has missing"),
        ({"y": [0, 1], "predictions": [0, None]}, "answered"),
        ({"y": [0, 1], "predictions": [0, 1], "answered": [1, 0]}, "answered must have a boolean"),
        ({"y": [0, 1], "predictions": [0, 1], "answered": [True]}, "answered must have a boolean"),
        ({"y": [0, 1], "predictions": [0, 1], "groups": [0, 1]}, "leave groups out"),
        ({"y": [0, 1], "predictions": [0, 1], "batch": ""}, "batch must be a name"),
    ],
)
def test_what_cannot_be_counted_is_refused_and_changes_nothing(arguments, words):
    monitor = Monitor(0.1)
    with pytest.raises(ValueError, match=words):
        monitor.update(**arguments)
    assert monitor == Monitor(0.1)


def test_other_refusals():
    for losses in ([2], [-0.1], [np.nan], [[0, 1]]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            Monitor(0.1).update_losses(losses)
    for bound in (0, 1, 1.5, math.nan):
        with pytest.raises(ValueError, match="above 0 and below 1"):
            Monitor(bound)
    with pytest.raises(ValueError, match="delta"):
        Monitor(0.1, 0)
    grouped = Monitor(0.1, grouped=True)
    with pytest.raises(ValueError, match="pass groups"):
        grouped.update([0], [0])
    with pytest.raises(ValueError, match="each of the 1 examples"):
        grouped.update([0], [0], groups=[1, 2])


def test_groups_of_mixed_types_are_one():
    monitor = Monitor(0.1, grouped=True).update_losses([1, 0, 0, 0], groups=[1, 1.0, "1", "a"])
    assert (monitor.n, monitor.errors) == (2, 1 / 3)


def test_a_certificate_makes_its_monitor():
    X, y = make_moons(300, noise=0.2, random_state=0)
    clf = MajorityVoteClassifier(RandomForestClassifier(5), random_state=0).fit(X, y)
    monitor = clf.certificate_.monitor()
    assert (monitor.bound, monitor.delta, monitor.grouped) == (clf.certificate_.bound, 0.05, False)
    assert clf.certificate_.monitor(0.01).delta == 0.01
    X_new, y_new = make_moons(500, noise=0.2, random_state=1)
    assert not monitor.update(y_new, clf.predict(X_new)).alarm
    assert monitor.errors == np.count_nonzero(clf.predict(X_new) != y_new)
    assert monitor.update(1 - y_new, clf.predict(X_new)).alarm
    other = MajorityVoteClassifier(RandomForestClassifier(5), random_state=1).fit(X, y)
    assert other.certificate_.monitor().subject != monitor.subject


def test_groups_of_a_certificate_reach_its_monitor():
    X, y = make_moons(300, noise=0.2, random_state=0)
    groups = np.repeat(np.arange(100), 3)
    clf = MajorityVoteClassifier(RandomForestClassifier(5), random_state=0).fit(X, y, groups)
    assert clf.certificate_.monitor().update(y, clf.predict(X), groups=groups).n == 100


def test_the_curve_is_thinned_evenly_and_ends_now():
    losses = at_random(0.05, 10_000)
    monitor = Monitor(0.05).update_losses(losses)
    curve = monitor.curve
    assert 512 <= len(curve.n) <= 1025
    assert set(np.diff(curve.n)) == {16}
    assert curve.n[-1] == 10_000
    later = monitor.update_losses(losses[:7]).curve
    assert np.array_equal(later.n, np.append(curve.n, 10_007))
    assert (later.evidence[-1], later.errors[-1]) == (monitor.evidence, monitor.errors)
    assert np.array_equal(curve.errors, np.cumsum(losses)[curve.n - 1])
    assert curve.evidence[3] == Monitor(0.05).update_losses(losses[: curve.n[3]]).evidence


def test_a_stored_monitor_goes_on_exactly(tmp_path):
    losses = at_random(0.07, 4000)
    whole = Monitor(0.05, subject="vote").update_losses(losses, batch="both")
    first = Monitor(0.05, subject="vote").update_losses(losses[:1234])
    first.to_json(tmp_path / "state.json")
    again = Monitor.from_json(tmp_path / "state.json")
    assert again == first
    assert again.update_losses(losses[1234:], batch="both") == whole


def restated(state, **changes):
    """A forged state with the digest that fits."""
    content = {**state, **changes}
    content.pop("sha256", None)
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return json.dumps({**content, "sha256": hashlib.sha256(canonical.encode()).hexdigest()})


FORGED = {
    "bound": [0.0, 1.0, 2.0, "0.1", None, 1],
    "delta": [0.0, 1.0, -1.0, "x"],
    "grouped": [0, "no"],
    "subject": [3, None],
    "n": [-1, 2**60, 3.0, True, 10**400, 4],
    "errors": [-1.0, 1e9, "1", 2],
    "unanswered": [-1, 0.5],
    "wealth": [[], [1.0], [0.1] * 6, [-0.1] * 5, ["a"] * 5, [1e301] * 5, [[0.1]] * 5, None],
    "peak": [0.5, 1e305, 25.0, "1"],
    "alarm_at": [0, 3, -1, 1.5, "1", True],
    "stride": [0, 3, 2, 2.0],
    "curve": [[], [[], []], [[1.0] * 3], [[1.0] * 3, ["1"] * 3], [[1.0] * 3, [-1.0] * 3], {"a": 1}],
    "batches": [[1], [""], ["x" * 201], "x", {}],
    "format": ["stocmv certificate 1", 1],
}


@pytest.mark.parametrize("field", FORGED)
def test_a_state_that_makes_no_sense_is_refused_in_one_sentence(field, tmp_path):
    state = json.loads(Monitor(0.1).update_losses([1, 0, 0]).to_json())
    path = tmp_path / "state.json"
    for value in FORGED[field]:
        path.write_text(restated(state, **{field: value}))
        with pytest.raises(ValueError, match=r"^[^\n]*state\.json is not the state of a monitor: [^\n]*\.$"):
            Monitor.from_json(path)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"format": NaN}',
        b'{"format": "stocmv monitor 1"}',
        b'{"format": "stocmv monitor 1", "n": ' + b"9" * 10_000 + b"}",
        b"cos\nsystem\n(S'true'\ntR.",
    ],
)
def test_what_is_no_state_is_refused_in_one_sentence(text, tmp_path):
    (tmp_path / "state.json").write_bytes(text)
    with pytest.raises(ValueError, match=r"^[^\n]*state\.json is not the state of a monitor: [^\n]*\.$"):
        Monitor.from_json(tmp_path / "state.json")


def test_every_changed_digit_and_every_cut_is_noticed(tmp_path):
    path = tmp_path / "state.json"
    text = Monitor(0.1).update_losses([1, 0, 0]).to_json(path)
    for place, letter in enumerate(text):
        if letter.isdigit():
            path.write_text(text[:place] + str((int(letter) + 1) % 10) + text[place + 1 :])
            with pytest.raises(ValueError, match="is not the state"):
                Monitor.from_json(path)
    for length in range(len(text)):
        path.write_text(text[:length])
        with pytest.raises(ValueError, match="is not the state"):
            Monitor.from_json(path)


def test_a_failed_write_leaves_the_old_state(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    old = Monitor(0.1).update_losses([0, 0]).to_json(path)

    def fails(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(OSError, match="disk full"):
        Monitor(0.1).update_losses([1, 1]).to_json(path)
    assert path.read_text() == old
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.json"]


def alarms(bound, delta, losses, groups=None):
    monitors = [Monitor(bound, delta, grouped=groups is not None) for _ in losses]
    return sum(m.update_losses(own, groups=groups).alarm for m, own in zip(monitors, losses, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("bound", [0.01, 0.05, 0.2])
def test_false_alarms_over_ten_thousand_cases_at_the_boundary(bound):
    rng = np.random.default_rng(round(1000 * bound))
    losses = (rng.random(10_000) < bound for _ in range(2000))
    monitors = (Monitor(bound, 0.05).update_losses(own) for own in losses)
    assert sum(monitor.alarm for monitor in monitors) <= 100


@pytest.mark.slow
def test_false_alarms_with_losses_that_look_back_and_with_losses_between_0_and_1():
    """Errors come in bursts after errors, answers are refused after right ones; each mean stays below the bound."""
    rng = np.random.default_rng(3)
    draws, bound = draws_to_catch(0.1, 0.05), 0.2
    coins = rng.random((draws, 3000))
    bursts = np.zeros((draws, 3000))
    for t in range(3000):
        often = bursts[:, t - 1] if t else np.ones(draws)
        bursts[:, t] = coins[:, t] < np.where(often > 0, bound, 0.7 * bound)
    assert alarms(bound, 0.05, bursts) <= 0.05 * draws
    assert alarms(bound, 0.05, rng.beta(0.2, 0.8, (draws, 3000))) <= 0.05 * draws
    groups = np.repeat(np.arange(600), 5)
    rows = rng.random((draws, 3000)) < np.repeat(rng.beta(0.2, 0.8, (draws, 600)), 5, axis=1)
    assert alarms(bound, 0.05, rows, groups) <= 0.05 * draws


def test_what_is_wrong_is_noticed():
    """Rows of a group that are counted one by one, though they depend on each other, do raise false alarms."""
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.random((40, 100)) < 0.2, 30, axis=1)
    assert alarms(0.2, 0.05, rows) > 10
