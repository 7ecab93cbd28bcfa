from dataclasses import replace

import pytest

from reproduction import Settings, Task, Unit
from reproduction._table1 import tasks as table1_tasks
from reproduction._units import joined

UNIT = Unit("table1", "haberman", 3, 7, "paper", {"prior": 1.0})


def no_work(units, threads):
    return []


@pytest.mark.parametrize(
    "change",
    [
        {"experiment": "table2"},
        {"dataset": "adult"},
        {"trial": 4},
        {"seed": 8},
        {"variant": "best"},
        {"settings": {"prior": 0.5}},
    ],
)
def test_a_key_depends_on_everything(change):
    assert replace(UNIT, **change).key != UNIT.key
    assert replace(UNIT, settings={"prior": 1.0}).key == UNIT.key


def test_one_more_method_is_another_unit():
    """Or a folder of earlier results would be taken for complete."""
    tasks = table1_tasks(Settings(quick=True, datasets=("breast_cancer",), trials=1))
    (unit,) = [unit for task in tasks for unit in task.units if unit.variant == "paper"]
    more = {**unit.settings, "methods": [*unit.settings["methods"], "c_bound"]}
    assert replace(unit, settings=more).key != unit.key
    assert "methods" not in unit.identity


def test_random_numbers_follow_from_seed_set_trial_and_purpose():
    states = {
        other.random_state(purpose)
        for other in (UNIT, replace(UNIT, seed=8), replace(UNIT, dataset="adult"), replace(UNIT, trial=4))
        for purpose in ("split", "search")
    }
    assert len(states) == 8
    assert UNIT.random_state("split") == 2119212791  # for ever: results of other days must be found again


def test_experiments_share_random_numbers():
    """So that voters trained for one serve another."""
    other = replace(UNIT, experiment="fig-prior", variant="", settings={})
    assert other.random_state("forest 0") == UNIT.random_state("forest 0")


def test_tasks_that_share_voters_are_joined():
    units = [replace(UNIT, experiment=name) for name in ("table2", "fig-prior", "fig-strength")]
    tasks = [Task(no_work, (unit,), unit.name, 2.0) for unit in units]
    alone = Task(no_work, (UNIT,), "another", 10.0)
    first, second = joined([*tasks, alone])
    assert first == alone
    assert second.units == tuple(units)
    assert second.cost == 6.0


def test_a_task_without_what_is_done():
    units = tuple(replace(UNIT, trial=trial) for trial in range(4))
    left = Task(no_work, units, "x", 8.0).without([units[1], units[2]])
    assert left.units == (units[0], units[3])
    assert left.cost == 4.0


def test_trials_are_at_most_those_of_the_paper():
    assert list(Settings(trials=3).trials_of(10)) == [0, 1, 2]
    assert len(Settings(trials=99).trials_of(4)) == 4
    assert len(Settings().trials_of(10)) == 10
    assert len(Settings(quick=True).trials_of(10)) == 2


def test_data_sets_go_where_their_classes_fit():
    chosen = Settings(datasets=("digits", "breast_cancer", "moons"))
    assert chosen.sets((), (), two_classes=True) == ["breast_cancer"]
    assert chosen.sets((), (), two_classes=False) == ["digits"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"trials": 0}, "trials must be at least 1, got 0"),
        ({"seed": -1}, "seed must not be negative, got -1"),
        ({"datasets": ("irsi",)}, "no data set named 'irsi'"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Settings(**settings)
