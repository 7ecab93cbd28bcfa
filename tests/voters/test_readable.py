"""Data frames with words and gaps, as they come."""

import numpy as np
import pytest

from stocmv import MajorityVoteClassifier
from stocmv.persistence import load, save

pd = pytest.importorskip("pandas")


def table(n=400):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", None], n),
            "size": rng.normal(size=n),
            "sold": rng.random(n) < 0.5,
            "kind": pd.Categorical(rng.choice(["u", "v"], n)),
            "count": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "place": pd.array(rng.choice(["here", "there"], n), dtype="string"),
        }
    )
    for name, gap in (("size", np.nan), ("count", pd.NA), ("colour", np.nan), ("place", pd.NA)):
        frame.loc[rng.random(n) < 0.1, name] = gap
    return frame, np.where((frame["colour"] == "red") ^ (frame["size"] > 0), "yes", "no")


@pytest.mark.parametrize(
    ("voters", "voting"),
    [("forest", "auto"), ("forest", "hard"), pytest.param("models", "auto", marks=pytest.mark.slow)],
)
def test_words_and_gaps(voters, voting):
    frame, y = table()
    clf = MajorityVoteClassifier(voters, voting=voting, random_state=0).fit(frame, y)
    assert clf.certificate_.bound < 0.25
    assert any("columns hold categories" in text for text in clf.certificate_.assumptions)
    new = frame.assign(colour="violet", place=None, kind="w")
    assert set(clf.predict(new)) <= {"yes", "no"}


def test_a_saved_vote_reads_them_too(tmp_path):
    frame, y = table(200)
    clf = MajorityVoteClassifier("forest", random_state=0).fit(frame, y)
    save(clf, tmp_path / "model.skops")
    np.testing.assert_array_equal(load(tmp_path / "model.skops").predict(frame), clf.predict(frame))


def test_numbers_are_left_to_the_forest():
    frame, y = table()
    numbers = frame[["size", "sold"]]
    clf = MajorityVoteClassifier("forest", random_state=0).fit(numbers, y)
    plain = MajorityVoteClassifier("forest", random_state=0).fit(numbers.to_numpy(float), y)
    assert clf.certificate_.figures == plain.certificate_.figures
    assert not any("categories" in text for text in clf.certificate_.assumptions)


def test_dates_are_refused():
    frame, y = table()
    with pytest.raises(TypeError, match="voters='forest' cannot read the dates in the column 'day'"):
        MajorityVoteClassifier("forest").fit(frame.assign(day=pd.Timestamp("2020-01-01")), y)
