"""Seven different models, on arrays and on tables with words and gaps."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification

from stocmv import MajorityVoteClassifier
from stocmv.persistence import load, save
from stocmv.voters import Models

RNG = np.random.default_rng(0)
X, Y = make_classification(240, 6, random_state=0)
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)


def frame(start=0):
    """Numbers and words, gaps in both, and words that only some rows have."""
    words = np.where(X[:, 0] > 0, "much", "little").astype(object)
    words[::17] = None
    rare = pd.Series([f"place {k // 20}" for k in range(len(X))], dtype="category")
    names = [f"name {k}" for k in range(len(X))]
    return pd.DataFrame({"size": GAPS[:, 1], "amount": words, "x": GAPS[:, 2], "place": rare, "name": names})[start:]


@pytest.fixture(scope="module")
def mixed():
    return MajorityVoteClassifier("models", random_state=0).fit(frame(), Y)


def test_numbers_with_gaps():
    clf = MajorityVoteClassifier("models", random_state=0).fit(GAPS, Y)
    (posterior,) = clf.posterior_
    assert clf.voters_[0].n_voters == len(posterior.mean) == 8
    assert posterior.mean.std() > 0
    assert clf.certificate_.bound < clf.certificate_.baseline["bound"]
    assert clf.certificate_.verify(clf.evidence_)
    assert not any("categories" in words for words in clf.certificate_.assumptions)
    np.testing.assert_allclose(clf.predict_proba(np.full((1, 6), np.nan)).sum(), 1)
    with pytest.raises(TypeError, match="needs dense examples"):
        MajorityVoteClassifier("models", random_state=0).fit(sparse.csr_array(X), Y)


def test_words_and_gaps(mixed):
    assert mixed.certificate_.bound < mixed.certificate_.baseline["bound"]
    assert mixed.certificate_.verify(mixed.evidence_)
    assert any("hold categories" in words for words in mixed.certificate_.assumptions)
    new = frame(230).assign(amount=["never seen", None] * 5, place="elsewhere", size=np.nan)
    among = mixed.predict_proba(new)
    np.testing.assert_allclose(among[[3]], mixed.predict_proba(new[3:4]), atol=1e-9)
    assert set(mixed.voters_[0].categories) == {"amount", "place", "name"}


def test_words_of_several_types_and_missing_marks(mixed):
    strings = frame().astype({"amount": "string", "place": "string"})
    np.testing.assert_array_equal(mixed.predict(strings), mixed.predict(frame()))
    numbers = frame().assign(amount=pd.Series([1, "one", 2.5] * 80, dtype=object))
    assert mixed.predict(numbers).shape == (240,)


def test_it_comes_back_from_its_file(mixed, tmp_path):
    save(mixed, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(frame()), mixed.predict_proba(frame()))


def test_it_is_a_parameter_like_others(mixed):
    assert clone(mixed).get_params()["voters"] == "models"
    assert clone(Models(["amount"])).get_params() == {"categorical": ["amount"]}
    with pytest.raises(TypeError, match="dates in the column 'day'"):
        clone(mixed).fit(frame().assign(day=pd.Timestamp("2024-05-31")), Y)
