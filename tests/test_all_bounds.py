"""The command that compares all bounds, on a small data set."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from benchmarks import bounds, splits

pytestmark = pytest.mark.slow


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A small data set, a page and a store; the arguments that compare two splits of it."""
    X, y = load_breast_cancer(return_X_y=True)
    np.savez(tmp_path / "tumours.npz", X=X[:100, :1], y=y[:100])
    page = tmp_path / "page.md"
    page.write_text(f"above\n<!-- {bounds.MARK}: begin -->\nold\n<!-- {bounds.MARK}: end -->\nbelow\n")
    monkeypatch.setenv("STOCMV_DATA", str(tmp_path))
    monkeypatch.setattr(splits, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(bounds, "PAGE", page)
    monkeypatch.setattr(bounds, "PICTURE", tmp_path / "picture.svg")
    return ["tumours", "--splits", "2", "--voters", "stumps", "--page"]


def test_compares_all_bounds_and_writes_the_page(asked, tmp_path, capsys):
    bounds.main(asked)
    printed = capsys.readouterr().out
    written = (tmp_path / "page.md").read_text()
    assert (written[:6], written[-6:]) == ("above\n", "below\n")
    assert "old\n" not in written
    assert printed.strip() in written
    for row in (*bounds.DETERMINISTIC, *bounds.EXACT):
        assert f"| {row} |" in printed
    assert printed.count("**") == 2 * 3  # the smallest of each part, and the heading of the second
    assert "<svg" in (tmp_path / "picture.svg").read_text()


def test_goes_on_where_it_was_interrupted(asked, tmp_path, monkeypatch, capsys):
    calls = []

    def measured(row, case):
        calls.append(row)
        return {row: len(row) / 100 + case.seed / 1000}

    def killed(case):
        raise KeyboardInterrupt

    rows = {row: partial(measured, row) for row in (*bounds.DETERMINISTIC, *bounds.EXACT)}
    monkeypatch.setattr(bounds, "MEASURED", {**rows, "hold-out": killed})
    with pytest.raises(KeyboardInterrupt):
        bounds.main(asked)
    assert calls == list(rows)[: list(rows).index("hold-out")]
    with pytest.raises(SystemExit):
        bounds.main([*asked, "--kept"])
    assert "no data set is complete" in capsys.readouterr().err

    monkeypatch.setattr(bounds, "MEASURED", rows)
    bounds.main(asked)
    printed = capsys.readouterr().out
    assert sorted(calls) == sorted(2 * list(rows))  # each row of each split once
    bounds.main([*asked, "--kept"])
    assert capsys.readouterr().out == printed
    assert len(calls) == 2 * len(rows)


def test_a_vote_of_trees_out_of_bag_has_no_stochastic_rows(asked, monkeypatch, capsys):
    few = ("first order", "binomial", "CCPBB", "exact, prior 1")
    monkeypatch.setattr(bounds, "MEASURED", {row: bounds.MEASURED[row] for row in few})
    bounds.main(["out-of-bag" if word == "stumps" else word for word in asked])
    printed = capsys.readouterr().out
    rows = [line.split(" | ")[0].removeprefix("| ") for line in printed.splitlines() if " ± " in line]
    assert rows == ["first order", "CCPBB"]
    assert "bound on the stochastic vote" not in printed
