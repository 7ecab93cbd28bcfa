"""What looks wrong in a data frame."""

import numpy as np
import pandas as pd
import pytest

from stocmv import audit
from stocmv.tables import DataOverview, read_table

RNG = np.random.default_rng(0)
N = 300
FRAME = pd.DataFrame(
    {
        "id": np.arange(N),
        "patient id": RNG.integers(100, size=N),
        "dose": RNG.normal(size=N),
        "site": ["north", "south", "west"] * 100,
        "nothing": np.nan,
        "ill": RNG.integers(2, size=N),
    }
).assign(outcome=lambda frame: np.where(frame["ill"] == 1, "in", "out"))


def test_it_finds_what_the_command_line_finds(tmp_path):
    FRAME.to_csv(tmp_path / "data.csv", index=False)
    theirs = DataOverview.of(read_table(tmp_path / "data.csv", "ill"))
    ours = audit(FRAME, "ill")
    assert ours.columns == theirs.columns
    assert [f.sentence for f in ours.findings] == [f.sentence for f in theirs.findings]
    assert [(f.kind, f.column) for f in ours.findings] == [
        ("leak", "outcome"),
        ("identifier", "id"),
        ("group", "patient id"),
        ("empty", "nothing"),
    ]


def test_it_says_what_to_do_in_python():
    said = str(audit(FRAME, "ill"))
    assert ".drop(columns='id')" in said
    assert "pass the column 'patient id' to fit as groups" in said
    assert "--" not in said
    assert str(audit(FRAME[["dose", "site", "ill"]], "ill")).endswith("Nothing looks wrong.")


def test_it_leaves_the_frame_alone():
    before = FRAME.rename(columns={"id": 7})
    copy = before.copy()
    audit(before, "ill", group="patient id")
    pd.testing.assert_frame_equal(before, copy)


def test_other_frames():
    polars = pytest.importorskip("polars")
    assert audit(polars.from_pandas(FRAME), "ill") == audit(FRAME, "ill")
    with pytest.raises(TypeError, match="must be a data frame whose columns have names, got ndarray"):
        audit(FRAME.to_numpy(), "ill")
    with pytest.raises(ValueError, match="sick"):
        audit(FRAME, "sick")


@pytest.mark.parametrize("name", ["patient", "Customer", "users"])
def test_a_column_that_says_who_may_be_a_group(name):
    frame = pd.DataFrame({name: [f"p{k // 3}" for k in range(N)], "dose": FRAME["dose"], "ill": FRAME["ill"]})
    (finding,) = audit(frame, "ill").findings
    assert (finding.kind, finding.column) == ("group", name)
    assert audit(frame.assign(**{name: np.arange(N) % 2}), "ill").findings == ()


def test_a_frame_without_rows_is_refused():
    with pytest.raises(ValueError, match="frame has no rows"):
        audit(FRAME[:0], "ill")
