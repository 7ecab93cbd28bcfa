"""The order of the rows, and ``certify --time``."""

import numpy as np
import pandas as pd
import pytest

from cli.examples import FLOWERS
from cli.terminal import assert_refused


@pytest.fixture
def drift(here):
    """A rule that is another in the last third of 600 days; the rows are shuffled."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["day"] = pd.date_range("2024-01-01", periods=600).strftime("%Y-%m-%d")
    frame["step"] = np.arange(600)
    frame["word"] = "31.12.2024"
    frame["y"] = np.where(X[:, 0] * np.where(np.arange(600) < 400, 1, -1) > 0, "yes", "no")
    return frame.sample(frac=1, random_state=0)


def certify(stocmv, frame, *options):
    frame.to_csv("data.csv", index=False)
    return stocmv("certify", "data.csv", "--target", "y", "--trees", "5", "--force", *options)


def test_the_time_finds_what_the_shuffled_rows_hide(stocmv, drift):
    rows = drift[["a", "b", "day", "y"]]
    by_row = certify(stocmv, rows, "--drop", "day", "--json").content
    assert by_row["warnings"] == []
    assert by_row["order"]["by"] == "row"
    assert by_row["order"]["p_value"] > by_row["order"]["level"] == 0.001
    by_time = certify(stocmv, rows, "--time", "day", "--json").content
    assert by_time["order"]["by"] == "time"
    assert by_time["order"]["errors"] < 1e-4
    assert len(by_time["warnings"]) == 1
    assert by_time["bound"] == by_row["bound"]
    assert (
        certify(stocmv, drift[["a", "b", "step", "y"]], "--time", "step", "--json").content["order"] == by_time["order"]
    )


def test_the_warning_stands_above_the_figures_and_on_the_page(stocmv, drift, here, page):
    answer = certify(stocmv, drift[["a", "b", "day", "y"]], "--time", "day")
    assert answer.code == 0
    assert answer.err == ""
    assert answer.out.index("Warning: The errors of the vote") < answer.out.index("at most  measured")
    text = (here / "data-certified" / "report.html").read_text()
    assert "Before you rely on these figures" in text
    assert "Over time" in text
    assert 'id="order-message"' in text


def test_a_time_is_no_feature(stocmv, drift, here):
    certify(stocmv, drift[["a", "b", "day", "y"]], "--time", "day")
    drift[["a", "b"]].to_csv("new.csv", index=False)
    assert stocmv("predict", "data-certified", "new.csv").code == 0
    assert stocmv("verify", "data-certified/certificate.json", "data-certified/evidence.npz").code == 0


def test_rows_sorted_by_class_get_a_note(stocmv, here, page):
    FLOWERS.sort_values("kind").rename(columns={"kind": "y"}).to_csv("data.csv", index=False)
    answer = stocmv("certify", "data.csv", "--target", "y", "--trees", "5")
    assert "Note: The rows are sorted by class" in answer.out
    assert "Warning" not in answer.out + answer.err
    text = (here / "data-certified" / "report.html").read_text()
    assert "The rows are sorted by class" in text
    assert 'id="order-message"' not in text


def test_times_that_are_none_are_refused(stocmv, drift, here):
    assert_refused(certify(stocmv, drift, "--time", "word"), "'word'", "2024-05-31")
    assert_refused(certify(stocmv, drift, "--time", "nothing"), "no column 'nothing'")
    assert_refused(certify(stocmv, drift, "--time", "y"), "holds the labels")
    lacking = drift.assign(day=drift["day"].where(drift["step"] > 3))
    assert_refused(certify(stocmv, lacking, "--time", "day"), "missing in 4 rows")
    assert_refused(stocmv("certify", "iris", "--time", "day"), "--time")
    assert_refused(stocmv("certify", "x.parquet", "--cluster", "--time", "day"), "--time")
    (here / "x.libsvm").write_text("1 1:2\n0 1:3\n")
    assert_refused(stocmv("certify", "x.libsvm", "--time", "day"), "--time")


def test_times_in_npz_and_parquet_files(stocmv, drift, here):
    X, y = drift[["a", "b"]].to_numpy(), (drift["y"] == "yes").to_numpy(int)
    np.savez("x.npz", X=X, y=y, when=drift["step"].to_numpy(), short=np.arange(3))
    content = stocmv("certify", "x.npz", "--time", "when", "--trees", "5", "--json").content
    assert content["order"]["errors"] < 1e-4
    assert_refused(stocmv("certify", "x.npz", "--time", "short", "--force"), "one time per row")
    drift.assign(day=pd.to_datetime(drift["day"], utc=True))[["a", "b", "day", "y"]].to_parquet("z.parquet")
    found = stocmv("certify", "z.parquet", "--target", "y", "--time", "day", "--trees", "5", "--json").content
    assert found["order"]["errors"] < 1e-4
