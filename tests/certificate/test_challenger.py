"""The test of a challenger: what it counts, what it says, and that its state can be stored."""

import json

import numpy as np
import pytest

from stocmv import ChallengerMonitor, Monitor


def streams(n=400, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.choice(["no", "yes"], n)
    other = np.where(truth == "no", "yes", "no")
    return truth, *(np.where(rng.random(n) < error, other, truth) for error in (0.2, 0.1))


def test_it_is_a_monitor_of_one_half_on_the_cases_that_differ():
    truth, champion, challenger = streams()
    ours = ChallengerMonitor(0.1).update(truth, champion, challenger)
    differ = (champion != truth) != (challenger != truth)
    theirs = Monitor(0.5, 0.1).update_losses((champion != truth)[differ])
    assert (ours.evidence, ours.peak, ours.n, ours.alarm_at) == (
        theirs.evidence,
        theirs.peak,
        theirs.n,
        theirs.alarm_at,
    )
    assert ours.only_champion == np.sum((champion != truth) & (challenger == truth))
    assert ours.only_challenger == np.sum((champion == truth) & (challenger != truth))
    assert ours.n + ours.unanswered == len(truth)


def test_a_missing_answer_is_an_error():
    test = ChallengerMonitor().update(["a", "b", "a"], [None, float("nan"), "a"], ["a", None, None])
    assert (test.only_champion, test.only_challenger, test.unanswered) == (1, 1, 1)


def test_words():
    truth, champion, challenger = streams()
    few = ChallengerMonitor().update(truth[:20], champion[:20], challenger[:20])
    assert str(few).startswith("Not decided: exactly one of them erred in ")
    many = ChallengerMonitor().update(truth, champion, challenger)
    assert str(many).startswith("The challenger errs less than the champion.")
    grouped = ChallengerMonitor(grouped=True).update(truth, champion, challenger, groups=np.arange(400) // 4)
    assert "of 100 groups" in str(grouped)
    assert grouped.only_champion is None


def test_a_stored_test_goes_on_exactly(tmp_path):
    truth, champion, challenger = streams()
    whole = ChallengerMonitor(subject="s").update(truth, champion, challenger)
    half = ChallengerMonitor(subject="s").update(truth[:150], champion[:150], challenger[:150])
    half.to_json(tmp_path / "state.json")
    again = ChallengerMonitor.from_json(tmp_path / "state.json")
    assert again == half
    assert again.update(truth[150:], champion[150:], challenger[150:]) == whole


def test_states_of_the_two_kinds_are_not_mixed_up(tmp_path):
    Monitor(0.5).to_json(tmp_path / "monitor.json")
    ChallengerMonitor().to_json(tmp_path / "challenger.json")
    with pytest.raises(ValueError, match="its format is not 'stocmv challenger monitor 1'"):
        ChallengerMonitor.from_json(tmp_path / "monitor.json")
    with pytest.raises(ValueError, match="its format is not 'stocmv monitor 1'"):
        Monitor.from_json(tmp_path / "challenger.json")
    forged = Monitor(0.3)
    forged.format = ChallengerMonitor.format  # type: ignore[misc]
    forged.to_json(tmp_path / "forged.json")
    with pytest.raises(ValueError, match="bound makes no sense"):
        ChallengerMonitor.from_json(tmp_path / "forged.json")
    assert json.loads((tmp_path / "forged.json").read_text())["bound"] == 0.3


@pytest.mark.parametrize(
    ("champion", "words"),
    [(["a"], r"y and champion must have one label for each case, got \(2,\), \(1,\)"), ([0, 1], "use one kind")],
)
def test_what_cannot_be_counted(champion, words):
    with pytest.raises(ValueError, match=words):
        ChallengerMonitor().update(["a", "b"], champion, ["a", "b"])
