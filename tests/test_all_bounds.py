"""The command that compares all bounds, on a small data set."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from benchmarks import bounds, splits

pytestmark = pytest.mark.slow


def test_compares_all_bounds_writes_the_page_and_resumes(tmp_path, monkeypatch, capsys):
    X, y = load_breast_cancer(return_X_y=True)
    np.savez(tmp_path / "tumours.npz", X=X[:200, :3], y=y[:200])
    page = tmp_path / "page.md"
    page.write_text(f"above\n<!-- {bounds.MARK}: begin -->\nold\n<!-- {bounds.MARK}: end -->\nbelow\n")
    monkeypatch.setenv("STOCMV_DATA", str(tmp_path))
    monkeypatch.setattr(splits, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(bounds, "PAGE", page)
    asked = ["tumours", "--splits", "2", "--voters", "stumps", "--page"]
    bounds.main(asked)
    printed = capsys.readouterr().out
    assert len((tmp_path / "kept" / "bounds_stumps.jsonl").read_text().splitlines()) == 2
    written = page.read_text()
    assert (written[:6], written[-6:]) == ("above\n", "below\n")
    assert "old\n" not in written
    assert printed.strip() in written
    for row in (*bounds.DETERMINISTIC, *bounds.EXACT):
        assert f"| {row} |" in printed
    assert printed.count("**") == 2 * 3  # the smallest of each part, and the heading of the second

    monkeypatch.setattr(bounds, "measure", None)  # everything is known
    bounds.main(asked)
    assert capsys.readouterr().out == printed
