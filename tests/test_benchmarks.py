from types import SimpleNamespace

import pytest

from benchmarks import splits
from benchmarks.__main__ import SECTIONS, in_one, main
from benchmarks.targets import Target


def test_lines_of_several_runs_become_one_with_median_and_range():
    lines = ["10 classes, 1,000 rows: 1.25 ms, ratio 0.9", "10 classes, 1,000 rows: 1,003 ms, ratio 1.1"]
    lines.append("10 classes, 1,000 rows: 0.80 ms, ratio 1.0")
    assert in_one(lines) == "10 classes, 1,000 rows: 1.25 (0.80 to 1,003) ms, ratio 1.0 (0.9 to 1.1)"


def test_a_section_is_measured_as_often_as_asked(monkeypatch, capsys):
    figures = iter([1.3, 1.1, 1.2])
    made = SimpleNamespace(__doc__="A section.", run=lambda: measured(next(figures)))

    def measured(figure):
        print(f"it takes {figure} ms")
        return [Target("time", figure, "<=", 1.25)]

    monkeypatch.setitem(SECTIONS, "made", made)
    main(["--runs", "3", "made"])
    printed = capsys.readouterr().out
    assert "it takes 1.2 (1.1 to 1.3) ms" in printed
    assert "1.2   reached" in printed


def test_a_section_that_is_not_there_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["speed"])
    assert "there is no section speed" in capsys.readouterr().err


def test_a_line_that_was_torn_by_a_kill_is_measured_again(tmp_path, monkeypatch):
    monkeypatch.setattr(splits, "KEPT", tmp_path)
    splits.keep("table", "moons", 0, {"error": 0.1})
    splits.keep("table", "moons", 1, {"error": 0.2})
    path = tmp_path / "table.jsonl"
    path.write_text(path.read_text()[:-9])
    assert splits.stored("table") == {("moons", 0): {"error": 0.1}}
    splits.keep("table", "moons", 1, {"error": 0.3})
    assert splits.stored("table") == {("moons", 0): {"error": 0.1}, ("moons", 1): {"error": 0.3}}
