"""A vote on a cluster that answers only when it is sure: only sums of its votes travel."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier

pytest.importorskip("distributed", reason="needs the extra dask")
da = pytest.importorskip("dask.array")


def test_certifies_and_answers(cluster):
    X, y = make_classification(1200, 6, n_informative=5, n_redundant=0, random_state=0)
    chunks = da.from_array(X, chunks=(300, -1))
    clf = MajorityVoteClassifier(RandomForestClassifier(7), n_folds=3, random_state=0)
    sure = clf.fit(chunks, da.from_array(y, chunks=300)).selective(max_error=0.1)
    assert bool(sure.certificate_.verify(clf.evidence_))
    answers = sure.answers(X)
    assert 0 < answers.sum() < len(X)
    np.testing.assert_array_equal(sure.answers(chunks).compute(), answers)
    np.testing.assert_array_equal(sure.predict(chunks).compute(), sure.predict(X))
