from dataclasses import replace

import pytest

from reproduction import Unit
from reproduction._store import Store, rows_of, timings_of
from reproduction._units import Outcome

UNIT = Unit("table1", "haberman", 0, 0)
OUTCOME = Outcome([{"x": 0.1 + 0.2, "y": None}], [{"stage": "learning", "seconds": 1.5}])


def test_what_is_written_is_read_to_the_last_digit(tmp_path):
    store = Store(tmp_path)
    store.write(UNIT, OUTCOME)
    assert store.read(UNIT) == OUTCOME


def test_other_settings_are_not_taken_for_the_same(tmp_path):
    store = Store(tmp_path)
    store.write(UNIT, OUTCOME)
    other = replace(UNIT, settings={"prior": 2.0})
    assert store.path(other) == store.path(UNIT)
    assert not store.has(other)
    assert store.has(UNIT)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"key": 3}', b"\xff\xfe"])
def test_a_damaged_file_counts_as_missing(tmp_path, content):
    store = Store(tmp_path)
    store.write(UNIT, OUTCOME)
    store.path(UNIT).write_bytes(content)
    assert store.read(UNIT) is None


def test_a_failure_leaves_nothing_behind(tmp_path):
    store = Store(tmp_path)
    with pytest.raises(ValueError, match="JSON"):
        store.write(UNIT, Outcome([{"x": float("nan")}]))
    assert not store.has(UNIT)
    assert [path.name for path in store.path(UNIT).parent.iterdir()] == []


def test_units_stay_out_of_version_control(tmp_path):
    store = Store(tmp_path)
    store.write(UNIT, OUTCOME)
    assert (tmp_path / "units" / ".gitignore").read_text() == "*\n"


def test_tables_keep_the_order_of_the_units(tmp_path):
    store = Store(tmp_path)
    units = [replace(UNIT, trial=trial) for trial in range(3)]
    for unit in reversed(units):
        store.write(unit, Outcome([{"trial": unit.trial}], [{"seconds": 1.0}]))
    rows = rows_of(store, [*units, replace(UNIT, trial=9)])
    assert rows == [{"trial": 0}, {"trial": 1}, {"trial": 2}]
    assert [line["trial"] for line in timings_of(store, units)] == [0, 1, 2]
    store.write_table("t", rows)
    assert store.read_table("t") == rows
    assert store.read_table("none") == []
